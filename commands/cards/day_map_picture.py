"""The map of a day: its papers as dots in named regions, the chosen ones as numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from commands.cards.label_places import Box, LabelPlaces, apart, boxes_around
from commands.cards.picture_style import Theme, canvas, points, sizes, wrapped, written

WIDTH, HEIGHT = 800, 700
_DOT, _CHOSEN = 5.0, 20.0
"""Half of a mark's width, in pixels."""
_FRAME: Box = (10.0, 10.0, WIDTH - 10.0, HEIGHT - 10.0)
_INNER: Box = (40.0, 40.0, WIDTH - 40.0, HEIGHT - 40.0)
_TEXT, _NUMBER = 27, 25
_LINE = 16
_DRAWN_IN = 0.72
"""How far regions are drawn in towards their middles, which opens gaps between them."""


def day_map_figure(
    places: np.ndarray, region: np.ndarray, names: Sequence[str], chosen: int, colours: Theme
) -> Figure:
    """Papers as points in their regions; the first ``chosen`` are numbered.

    Texts with the gid ``label`` name regions; those with ``number`` are papers.

    Parameters
    ----------
    places
        Shape (papers, 2): where each lies.
    region
        Shape (papers,): the region of each, a place in ``names``.
    """
    figure, axes = canvas(WIDTH, HEIGHT, colours)
    paint = np.array([colours.regions[number % len(colours.regions)] for number in region])
    dots = _on_canvas(places, region)
    marks = apart(np.clip(dots[:chosen], _INNER[:2], _INNER[2:]), 2 * _CHOSEN + 8, _INNER)
    room = LabelPlaces(_FRAME, boxes_around(marks, _CHOSEN + 4))
    boxes = _label(axes, dots, region, names, room, colours)
    taken = np.array([*boxes, *boxes_around(marks, _CHOSEN + 3).tolist()]).reshape(-1, 4)
    dots = _yielding(dots, taken + _DOT * np.array([-1, -1, 1, 1]))
    axes.scatter(
        dots[chosen:, 0],
        dots[chosen:, 1],
        s=points(2 * _DOT) ** 2,
        c=paint[chosen:],
        alpha=0.8,
        linewidths=0,
        zorder=2,
        gid="dots",
    )
    for (x, y), mark in zip(dots[:chosen], marks, strict=True):
        if np.hypot(x - mark[0], y - mark[1]) > 1.6 * _CHOSEN:
            axes.plot([x, mark[0]], [y, mark[1]], color=colours.chosen, linewidth=points(2), zorder=3)
            axes.scatter([x], [y], s=points(2 * _DOT) ** 2, c=colours.chosen, linewidths=0, zorder=3)
    axes.scatter(
        marks[:, 0],
        marks[:, 1],
        s=points(2 * _CHOSEN) ** 2,
        c=colours.chosen,
        edgecolors=colours.paper,
        linewidths=points(3),
        zorder=4,
        gid="chosen",
    )
    for number, mark in enumerate(marks, 1):
        axes.text(
            mark[0],
            mark[1],
            str(number),
            gid="number",
            color=colours.on_chosen,
            fontsize=points(_NUMBER if number < 10 else 0.8 * _NUMBER),
            fontweight="bold",
            ha="center",
            va="center_baseline",
            zorder=5,
        )
    return figure


def _label(
    axes: Axes,
    dots: np.ndarray,
    region: np.ndarray,
    names: Sequence[str],
    room: LabelPlaces,
    colours: Theme,
) -> list[Box]:
    """Name the regions, the largest first; returns the boxes of the names."""
    boxes = []
    for number in np.argsort(-np.bincount(region, minlength=len(names)), kind="stable"):
        inside = dots[region == number]
        if not len(inside):
            continue
        colour = colours.regions[number % len(colours.regions)]
        text = written(axes, _lines(names[number]), _TEXT, colours, colour=colour, bold=True)
        text.set_gid("label")
        box = room.place_over(np.median(inside, axis=0), sizes(axes, [text])[0], dots, _DOT + 2)
        if box is None:
            text.remove()
            continue
        text.set_position(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))
        boxes.append(box)
    return boxes


def _lines(name: str) -> str:
    """A region's first topic; the words above the picture have the second, too."""
    return wrapped(name.partition(", ")[0], _LINE, 3)


def _on_canvas(places: np.ndarray, region: np.ndarray) -> np.ndarray:
    """Places in pixels, regions drawn in towards their middles."""
    drawn = _filling(places.astype(np.float64))
    for number in np.unique(region):
        inside = region == number
        middle = np.median(drawn[inside], axis=0)
        drawn[inside] = middle + _DRAWN_IN * (drawn[inside] - middle)
    return _filling(drawn)


def _filling(places: np.ndarray) -> np.ndarray:
    """Places stretched over the whole picture."""
    span = np.ptp(places, axis=0)
    share = np.where(span > 1e-6, (places - places.min(axis=0)) / np.maximum(span, 1e-9), 0.5)
    return np.asarray(_INNER[:2] + share * np.subtract(_INNER[2:], _INNER[:2]))


def _yielding(dots: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """Dots that a label or number would cover, moved to the nearest free place."""
    moved = dots.copy()
    for number in np.flatnonzero(_inside(dots, taken).any(axis=1)):
        x, y = dots[number]
        edges = taken[:, [0, 2, 1, 3]] + np.array([-0.5, 0.5, -0.5, 0.5])
        beside = [(edge, y) for edge in edges[:, :2].ravel()] + [(x, edge) for edge in edges[:, 2:].ravel()]
        corners = [(a, b) for box in edges for a in box[:2] for b in box[2:]]
        ways = np.array([*beside, *corners])
        ways = ways[~_inside(ways, taken).any(axis=1)]
        ways = ways[((ways >= _FRAME[:2]) & (ways <= _FRAME[2:])).all(axis=1)]
        if len(ways):
            moved[number] = ways[np.argmin(np.linalg.norm(ways - dots[number], axis=1))]
    return moved


def _inside(places: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    x, y = places[:, :1], places[:, 1:]
    return np.asarray((x > boxes[:, 0]) & (x < boxes[:, 2]) & (y > boxes[:, 1]) & (y < boxes[:, 3]))
