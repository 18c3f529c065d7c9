"""The picture of a graph: people, papers, topics and institutions, and lines between them."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from commands.cards.label_places import LabelPlaces, apart, boxes_around, leader
from commands.cards.picture_style import SHAPES, Theme, canvas, points, sizes, wrapped, written
from index.people.graph import MOST_NODES, Edge, Graph, GraphNode

WIDTH, HEIGHT = 1_100, 900
_LEGEND = 44
"""Pixels at the lower edge for the legend."""
_BESIDE, _ABOVE = 96, 48
"""Pixels around the marks, for labels."""
_TEXT, _TITLE, _SMALL = 21, 31, 20
_LARGE, _FEW = 25, 24
"""Label height, and the most nodes that a graph may have for it: on a phone, large labels read better."""
_LINE = 20
"""Characters of a line of a label."""
_APART = 62
_CENTRE = 19
_HALF = {"person": 11, "paper": 10, "topic": 12, "institution": 12}
"""Half of a mark's width, in pixels."""


def graph_figure(graph: Graph, theme: Theme) -> Figure:
    """A graph of at most 40 nodes.

    Texts with the gid ``label`` name marks; those with ``number`` stand on lines.
    """
    nodes = graph.nodes[:MOST_NODES]
    keys = {node.key: place for place, node in enumerate(nodes)}
    edges = [edge for edge in graph.edges if edge[0] in keys and edge[1] in keys]
    figure, axes = canvas(WIDTH, HEIGHT, theme)
    places = _spread(nodes, edges)
    halves = np.array([_half(node, place) for place, node in enumerate(nodes)])
    for one, other, weight in edges:
        _draw_line(axes, places[keys[one]], places[keys[other]], _joins_people(one, other), weight, theme)
    for node, place, half in zip(nodes, places, halves, strict=True):
        axes.scatter(
            place[:1],
            place[1:],
            s=points(2 * half) ** 2,
            c=theme.of(node.kind),
            marker=SHAPES.get(node.kind, "o"),
            edgecolors=theme.paper,
            linewidths=1.5,
            zorder=4,
        )
    lines = np.array([[*places[keys[one]], *places[keys[other]]] for one, other, _ in edges]).reshape(-1, 4)
    frame = (10.0, float(_LEGEND), WIDTH - 10.0, HEIGHT - 10.0)
    # A diamond or triangle reaches a little farther than its half.
    room = LabelPlaces(frame, boxes_around(places, 1.25 * halves[:, None]), lines)
    _number(
        axes, [edge for edge in edges if _joins_people(*edge[:2]) and edge[2] > 1], keys, places, room, theme
    )
    _label(axes, nodes, places, halves, room, theme)
    _legend(axes, nodes, edges, theme)
    return figure


def _half(node: GraphNode, place: int) -> float:
    return _CENTRE if place == 0 else _HALF.get(node.kind, 11)


def _joins_people(one: str, other: str) -> bool:
    return one[:1] == other[:1] == "p"


def _is_dashed(one: str, other: str, weight: float) -> bool:
    return weight < 1 and not _joins_people(one, other)


def _draw_line(
    axes: Axes, one: np.ndarray, other: np.ndarray, people: bool, weight: float, theme: Theme
) -> None:
    """The more papers two people wrote together, the thicker the line between them."""
    width = min(2.0 + 1.6 * (weight - 1), 11.0) if people else 1.6
    axes.plot(
        *np.stack([one, other]).T,
        color=theme.strong if people else theme.line,
        linewidth=points(width),
        linestyle="-" if people or weight >= 1 else (0, (4, 3)),
        solid_capstyle="round",
        zorder=2 if people else 1,
    )


def _number(
    axes: Axes,
    edges: Sequence[Edge],
    keys: dict[str, int],
    places: np.ndarray,
    room: LabelPlaces,
    theme: Theme,
) -> None:
    """How many papers two people wrote together, on the line that joins them."""
    for one, other, weight in edges:
        text = written(axes, f"{weight:.0f}", _SMALL, theme, bold=True)
        text.set_gid("number")
        [(wide, high)] = sizes(axes, [text])
        start, end = places[keys[one]], places[keys[other]]
        for share in (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74):
            x, y = start + share * (end - start)
            box = (x - wide / 2 - 3, y - high / 2 - 1, x + wide / 2 + 3, y + high / 2 + 1)
            if room.is_free(box):
                text.set_position((x, y))
                room.take(box)
                break
        else:
            text.remove()


def _label(
    axes: Axes,
    nodes: Sequence[GraphNode],
    places: np.ndarray,
    halves: np.ndarray,
    room: LabelPlaces,
    theme: Theme,
) -> None:
    pixels = _LARGE if len(nodes) <= _FEW else _TEXT
    texts = [_name(axes, node, place == 0, pixels, theme) for place, node in enumerate(nodes)]
    wanted = sizes(axes, texts)
    # The centre first, then those with least room around them.
    crowd = (np.linalg.norm(places[:, None] - places[None], axis=2) < 170).sum(axis=1)
    for number in sorted(range(len(nodes)), key=lambda n: (n > 0, -crowd[n], n)):
        box = room.place(places[number], wanted[number], (halves[number], halves[number]))
        if box is None:
            texts[number].remove()
            continue
        texts[number].set_position(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))
        end = leader(places[number], box)
        if end is not None:
            axes.plot(*np.stack([places[number], end]).T, color=theme.quiet, linewidth=0.9, zorder=3)


def _name(axes: Axes, node: GraphNode, centre: bool, pixels: int, theme: Theme) -> Text:
    text = wrapped(node.label, 30 if centre else _LINE, 3)
    colour = theme.ink if centre or node.kind == "person" else theme.of(node.kind)
    label = written(axes, text, _TITLE if centre else pixels, theme, colour=colour, bold=centre)
    label.set_gid("label")
    return label


def _legend(axes: Axes, nodes: Sequence[GraphNode], edges: Sequence[Edge], theme: Theme) -> None:
    """What the marks and the lines mean, of those that are there."""
    x, y = 24.0, _LEGEND / 2

    def say(words: str, mark: float) -> None:
        nonlocal x
        text = written(axes, words, _SMALL, theme, colour=theme.quiet)
        text.set_gid("legend")
        [(wide, _)] = sizes(axes, [text])
        text.set_position((x + mark + wide / 2, y))
        x += mark + wide + 36

    for kind, shape in SHAPES.items():
        if any(node.kind == kind for node in nodes):
            axes.scatter([x], [y], s=points(18) ** 2, c=theme.of(kind), marker=shape)
            say(kind, 16)
    lines = {
        "papers together": [edge for edge in edges if _joins_people(*edge[:2])],
        "similar": [edge for edge in edges if _is_dashed(*edge)],
    }
    for words, drawn in lines.items():
        if drawn:
            ends = np.array([x - 8, y]), np.array([x + 28, y])
            _draw_line(axes, *ends, _joins_people(*drawn[0][:2]), min(drawn[0][2], 2), theme)
            say(words, 36)


def _spread(nodes: Sequence[GraphNode], edges: Sequence[Edge]) -> np.ndarray:
    """Places in pixels, shape (nodes, 2): neighbours near, others apart, the whole picture used."""
    left, right = float(_BESIDE), float(WIDTH - _BESIDE)
    lower, upper = float(_LEGEND + _ABOVE), float(HEIGHT - _ABOVE)
    if len(nodes) == 1:
        return np.array([[(left + right) / 2, (lower + upper) / 2]])
    rough = _kamada_kawai(nodes, edges)
    span = np.maximum(np.ptp(rough, axis=0), 1e-9)
    scaled = (rough - rough.min(axis=0)) / span
    scaled[:, np.ptp(rough, axis=0) < 1e-6] = 0.5
    places = (left, lower) + scaled * (right - left, upper - lower)
    return apart(places, _APART, (left, lower, right, upper))


def _kamada_kawai(nodes: Sequence[GraphNode], edges: Sequence[Edge]) -> np.ndarray:
    graph: nx.Graph = nx.Graph()
    graph.add_nodes_from(node.key for node in nodes)
    graph.add_weighted_edges_from(edges)
    centre = nodes[0].key
    start = nx.shell_layout(graph, [[centre], [node for node in graph if node != centre]])
    if len(nodes) > 2:
        distances = {
            a: {b: float(min(d, 4)) for b, d in row.items()}
            for a, row in nx.all_pairs_shortest_path_length(graph)
        }
        for a in graph:
            for b in graph:
                distances[a].setdefault(b, 4.0)
        start = nx.kamada_kawai_layout(graph, dist=distances, pos=start)
    return np.array([start[node.key] for node in nodes])
