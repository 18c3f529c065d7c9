"""Pictures with bars: papers by year, and topics that grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from commands.cards.picture_style import DPI, Theme, points, wrapped

_TEXT, _SMALL = 22, 20
_WIDE = 900


def activity_figure(years: Mapping[int, int], colours: Theme) -> Figure:
    """Papers by year as bars, each with its number."""
    figure, axes = _axes(_WIDE, 260, colours)
    bars = axes.bar([str(year) for year in years], list(years.values()), color=colours.person, width=0.62)
    counts = [str(count) if count else "" for count in years.values()]
    axes.bar_label(bars, counts, fontsize=points(_TEXT), color=colours.ink, padding=3)
    axes.set_title("Papers by year", fontsize=points(_SMALL), color=colours.quiet, loc="left")
    axes.margins(y=0.22)
    axes.get_yaxis().set_visible(False)
    axes.tick_params(axis="x", labelsize=points(_SMALL), colors=colours.ink, length=0)
    axes.spines["bottom"].set_visible(True)
    axes.spines["bottom"].set_color(colours.line)
    return figure


def trends_figure(
    trends: Sequence[tuple[str, float, float]], before: str, now: str, colours: Theme
) -> Figure:
    """Shares of papers (per cent) of growing topics, then and now, as pairs of bars."""
    figure, axes = _axes(_WIDE, 74 * len(trends) + 120, colours)
    for place, (_, old, new) in enumerate(reversed(trends)):
        for share, above, colour, name in (
            (new, 0.18, colours.work, now),
            (old, -0.18, colours.line, before),
        ):
            axes.barh(place + above, share, height=0.34, color=colour, label=name if place == 0 else None)
            ink = colours.ink if share == new else colours.quiet
            axes.text(
                share, place + above, f" {share:.1f} %", va="center", fontsize=points(_SMALL), color=ink
            )
    axes.set_yticks(range(len(trends)), [wrapped(phrase, 24) for phrase, _, _ in reversed(trends)])
    axes.tick_params(axis="y", labelsize=points(_TEXT), colors=colours.ink, length=0)
    axes.get_xaxis().set_visible(False)
    axes.margins(x=0.14)
    handles, names = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        names,
        loc="outside upper right",
        frameon=False,
        fontsize=points(_SMALL),
        labelcolor=colours.ink,
        ncols=2,
    )
    axes.set_title("Share of all papers", fontsize=points(_SMALL), color=colours.quiet, loc="left")
    return figure


def _axes(width: int, height: int, theme: Theme) -> tuple[Figure, Axes]:
    figure, axes = plt.subplots(
        figsize=(width / DPI, height / DPI),
        dpi=DPI,
        facecolor=theme.paper,
        layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1),
    )
    axes.set_facecolor(theme.paper)
    for side in ("top", "right", "bottom", "left"):
        axes.spines[side].set_visible(False)
    return figure, axes
