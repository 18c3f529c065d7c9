"""Pictures with bars: papers by year, and topics that grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from commands.cards.picture_style import DPI, THEMES, Theme, png, points, wrapped

YEARS = 12
"""The most years shown, counted back from the newest."""
LEAST_YEARS, LEAST_PAPERS = 4, 6
_TEXT, _SMALL = 22, 20
_WIDE = 900


def worth_a_picture(years: Mapping[int, int]) -> bool:
    """Whether bars show more than a line of text: enough years and papers, and not the same in each."""
    shown = _newest(years)
    with_papers = [count for count in shown.values() if count]
    return (
        len(with_papers) >= LEAST_YEARS
        and sum(with_papers) >= LEAST_PAPERS
        and len(set(shown.values())) > 1
        and max(with_papers) > 2
    )


def _newest(years: Mapping[int, int]) -> dict[int, int]:
    return dict(sorted(years.items())[-YEARS:])


def activity_png(years: Mapping[int, int], theme: str = "dark") -> bytes:
    """Papers by year as bars, each with its number."""
    shown, colours = _newest(years), THEMES[theme]
    figure, axes = _axes(_WIDE, 260, colours)
    bars = axes.bar([str(year) for year in shown], list(shown.values()), color=colours.person, width=0.62)
    counts = [str(count) if count else "" for count in shown.values()]
    axes.bar_label(bars, counts, fontsize=points(_TEXT), color=colours.ink, padding=3)
    axes.set_title("Papers by year", fontsize=points(_SMALL), color=colours.quiet, loc="left")
    axes.margins(y=0.22)
    axes.get_yaxis().set_visible(False)
    axes.tick_params(axis="x", labelsize=points(_SMALL), colors=colours.ink, length=0)
    axes.spines["bottom"].set_visible(True)
    axes.spines["bottom"].set_color(colours.line)
    return png(figure)


def trends_png(
    trends: Sequence[tuple[str, float, float]], before: str, now: str, theme: str = "dark"
) -> bytes:
    """Shares of papers (per cent) of growing topics, then and now, as pairs of bars."""
    colours = THEMES[theme]
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
    return png(figure)


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
