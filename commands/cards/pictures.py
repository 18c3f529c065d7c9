"""Pictures that cards show, as PNG: figures in, bytes out. Legible on Discord's dark and light alike."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from adjustText import adjust_text
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from commands.cards.text import shorten
from index.people.graph import MOST_NODES, Graph

PAPER_COLOUR = "#f3f4f6"
INK, QUIET = "#1f2937", "#6b7280"
KINDS = {
    "person": ("#2563a8", "o"),
    "paper": ("#c2570c", "s"),
    "topic": ("#2f7d4f", "D"),
    "institution": ("#7c3aad", "^"),
}
"""Colour and shape of each kind; shape alone tells them apart, too."""
REGIONS = ("#2563a8", "#c2570c", "#2f7d4f", "#7c3aad", "#b02a5b", "#0f7f8a", "#8a6d0b", "#4b5563", "#a3482b")
"""Colours of a map's regions, each readable on light grey."""
_LABEL = 26
_MARKER = 0.02

plt.rcParams.update(
    {"font.family": "DejaVu Sans", "text.parse_math": False, "text.usetex": False, "svg.fonttype": "none"}
)


def graph_png(graph: Graph) -> bytes:
    """A graph of at most 40 nodes, its labels moved apart."""
    nodes = graph.nodes[:MOST_NODES]
    keys = {node.key for node in nodes}
    drawn = nx.Graph()
    drawn.add_nodes_from(node.key for node in nodes)
    drawn.add_weighted_edges_from(edge for edge in graph.edges if edge[0] in keys and edge[1] in keys)
    places = _spread(drawn, nodes[0].key)
    figure, axes = plt.subplots(figsize=(10, 8), dpi=110, facecolor=PAPER_COLOUR)
    nx.draw_networkx_edges(drawn, places, ax=axes, edge_color="#b6bcc6", width=1.0)
    for kind, (colour, shape) in KINDS.items():
        some = [node for node in nodes if node.kind == kind]
        if some:
            axes.scatter(
                [places[node.key][0] for node in some],
                [places[node.key][1] for node in some],
                s=[(330 if node.key == nodes[0].key else 70) * node.size for node in some],
                c=colour,
                marker=shape,
                edgecolors="white",
                linewidths=1.2,
                label=kind,
                zorder=3,
            )
    texts = [
        axes.text(
            places[node.key][0],
            places[node.key][1],
            shorten(node.label, _LABEL if node.key != nodes[0].key else 40),
            fontsize=12 if node.key == nodes[0].key else 8.5,
            fontweight="bold" if node.key == nodes[0].key else "normal",
            color=INK,
            ha="center",
            va="center",
            zorder=4,
            path_effects=[withStroke(linewidth=2.5, foreground=PAPER_COLOUR)],
        )
        for node in nodes
    ]
    axes.set_axis_off()
    axes.margins(0.12)
    figure.tight_layout(pad=0.5)
    # Points at both sides of each marker keep labels off its whole width.
    x = [places[node.key][0] + side for node in nodes for side in (-_MARKER, 0.0, _MARKER)]
    y = [places[node.key][1] for node in nodes for _ in range(3)]
    adjust_text(
        texts,
        x=x,
        y=y,
        ax=axes,
        expand=(1.08, 1.25),
        iter_lim=70,
        ensure_inside_axes=True,
        arrowprops={"arrowstyle": "-", "color": "#9aa3af", "lw": 0.6},
    )
    axes.legend(loc="lower left", frameon=False, fontsize=9, labelcolor=QUIET, ncols=4, markerscale=0.9)
    return _png(figure)


def _spread(graph: nx.Graph, centre: str) -> dict[str, Any]:
    """Places on which neighbours lie near and others apart; the same for the same graph."""
    start = nx.shell_layout(graph, [[centre], [node for node in graph if node != centre]])
    if graph.number_of_nodes() < 3:
        return dict(start)
    distances = {
        a: {b: float(min(d, 4)) for b, d in row.items()}
        for a, row in nx.all_pairs_shortest_path_length(graph)
    }
    for a in graph:
        for b in graph:
            distances[a].setdefault(b, 4.0)
    return dict(nx.kamada_kawai_layout(graph, dist=distances, pos=start))


def day_map_png(places: np.ndarray, region: np.ndarray, names: Sequence[str], chosen: int) -> bytes:
    """Papers as points in their regions; the first ``chosen`` are numbered.

    Parameters
    ----------
    places
        Shape (papers, 2): where each lies.
    region
        Shape (papers,): the region of each, a place in ``names``.
    """
    figure, axes = plt.subplots(figsize=(7.2, 5.4), dpi=120, facecolor=PAPER_COLOUR)
    for number in range(len(names)):
        inside = places[chosen:][region[chosen:] == number]
        axes.scatter(
            inside[:, 0],
            inside[:, 1],
            s=26,
            c=REGIONS[number % len(REGIONS)],
            alpha=0.75,
            linewidths=0,
            zorder=2,
        )
    marks = _moved_apart(places, chosen)
    for place, mark in zip(places[:chosen], marks, strict=True):
        axes.plot(*np.stack([place, mark]).T, color=INK, linewidth=1.0, zorder=3)
    axes.scatter(marks[:, 0], marks[:, 1], s=330, c=INK, edgecolors="white", linewidths=1.6, zorder=4)
    for number, place in enumerate(marks, 1):
        axes.text(
            place[0],
            place[1],
            str(number),
            color="white",
            fontsize=11,
            fontweight="bold",
            ha="center",
            va="center",
            zorder=5,
        )
    middles = {
        number: np.median(places[region == number], axis=0)
        for number in range(len(names))
        if (region == number).any()
    }
    texts = [
        axes.text(
            middle[0],
            middle[1],
            shorten(names[number], _LABEL),
            fontsize=13,
            color=INK,
            ha="center",
            va="center",
            zorder=6,
            path_effects=[withStroke(linewidth=3.5, foreground=PAPER_COLOUR)],
        )
        for number, middle in middles.items()
    ]
    axes.set_axis_off()
    axes.margins(0.06)
    figure.tight_layout(pad=0.4)
    adjust_text(
        texts,
        x=marks[:, 0],
        y=marks[:, 1],
        ax=axes,
        expand=(1.15, 1.5),
        iter_lim=60,
        ensure_inside_axes=True,
    )
    return _png(figure)


def _moved_apart(places: np.ndarray, chosen: int, least: float = 0.06) -> np.ndarray:
    """Marks for the first ``chosen`` places, at least a share of the width apart so that none overlap."""
    span = np.maximum(np.ptp(places, axis=0), 1e-6)
    marks = (places[:chosen] - places.min(axis=0)) / span
    # Marks on one spot leave it in different directions.
    turns = np.arange(chosen) * 2.4
    marks = marks + 1e-3 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    for _ in range(200):
        apart = marks[:, None] - marks[None]
        distance = np.linalg.norm(apart, axis=2) + np.eye(chosen)
        push = np.clip(least - distance, 0, None) * (1 - np.eye(chosen))
        if not push.any():
            break
        marks = marks + 0.5 * (apart / distance[..., None] * push[..., None]).sum(axis=1)
    return np.asarray(marks * span + places.min(axis=0))


def activity_png(years: dict[int, int]) -> bytes:
    """Papers by year as small bars, each with its number."""
    shown = dict(sorted(years.items())[-12:])
    figure, axes = plt.subplots(
        figsize=(max(3.2, 0.62 * len(shown) + 1.2), 1.7), dpi=110, facecolor=PAPER_COLOUR
    )
    bars = axes.bar([str(year) for year in shown], list(shown.values()), color=KINDS["person"][0], width=0.6)
    axes.bar_label(bars, fontsize=9, color=INK, padding=2)
    axes.set_facecolor(PAPER_COLOUR)
    axes.set_title("Papers by year", fontsize=9, color=QUIET, loc="left")
    axes.margins(y=0.25)
    axes.get_yaxis().set_visible(False)
    axes.tick_params(axis="x", labelsize=9, colors=INK, length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color("#c5cad2")
    figure.tight_layout(pad=0.6)
    return _png(figure)


def trends_png(trends: Sequence[tuple[str, float, float]], before: str, now: str) -> bytes:
    """Shares of papers (per cent) of growing topics, then and now, as pairs of bars."""
    figure, axes = plt.subplots(figsize=(8, 0.62 * len(trends) + 1.1), dpi=110, facecolor=PAPER_COLOUR)
    axes.set_facecolor(PAPER_COLOUR)
    for place, (_, old, new) in enumerate(reversed(trends)):
        axes.barh(place + 0.18, new, height=0.34, color=KINDS["paper"][0], label=now if place == 0 else None)
        axes.barh(place - 0.18, old, height=0.34, color="#b6bcc6", label=before if place == 0 else None)
        axes.text(new, place + 0.18, f" {new:.1f} %", va="center", fontsize=9, color=INK)
        axes.text(old, place - 0.18, f" {old:.1f} %", va="center", fontsize=8, color=QUIET)
    axes.set_yticks(range(len(trends)), [shorten(phrase, 38) for phrase, _, _ in reversed(trends)])
    axes.tick_params(axis="y", labelsize=10, colors=INK, length=0)
    axes.get_xaxis().set_visible(False)
    axes.margins(x=0.12)
    for side in ("top", "right", "bottom", "left"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="lower right", frameon=False, fontsize=9, labelcolor=INK)
    axes.set_title("Share of all papers", fontsize=9, color=QUIET, loc="left")
    figure.tight_layout(pad=0.6)
    return _png(figure)


def _png(figure: Figure) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", facecolor=figure.get_facecolor())
    plt.close(figure)
    return stream.getvalue()
