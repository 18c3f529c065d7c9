"""Every picture, for :class:`commands.kit.painter.Painter`.

Only the drawing process imports matplotlib: it takes half a second of a start, and memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from index.people.graph import Graph

YEARS = 12
"""The most years shown, counted back from the newest."""
LEAST_YEARS, LEAST_PAPERS = 4, 6


def worth_a_picture(years: Mapping[int, int]) -> bool:
    """Whether bars show more than a line of text: enough years and papers, and not the same in each."""
    shown = newest(years)
    with_papers = [count for count in shown.values() if count]
    return (
        len(with_papers) >= LEAST_YEARS
        and sum(with_papers) >= LEAST_PAPERS
        and len(set(shown.values())) > 1
        and max(with_papers) > 2
    )


def newest(years: Mapping[int, int]) -> dict[int, int]:
    """The years that are shown, in order."""
    return dict(sorted(years.items())[-YEARS:])


def activity_png(years: Mapping[int, int], theme: str = "dark") -> bytes:
    """Papers by year as bars, each with its number."""
    from commands.cards.bar_pictures import activity_figure  # lazy: start-up
    from commands.cards.picture_style import THEMES, png  # lazy: start-up

    return png(activity_figure(newest(years), THEMES[theme]))


def trends_png(
    trends: Sequence[tuple[str, float, float]], before: str, now: str, theme: str = "dark"
) -> bytes:
    """Shares of papers (per cent) of growing topics, then and now, as pairs of bars."""
    from commands.cards.bar_pictures import trends_figure  # lazy: start-up
    from commands.cards.picture_style import THEMES, png  # lazy: start-up

    return png(trends_figure(trends, before, now, THEMES[theme]))


def graph_png(graph: Graph, theme: str = "dark") -> bytes:
    """A graph of at most 40 nodes."""
    from commands.cards.graph_picture import graph_figure  # lazy: start-up
    from commands.cards.picture_style import THEMES, png  # lazy: start-up

    return png(graph_figure(graph, THEMES[theme]))


def day_map_png(
    places: np.ndarray, region: np.ndarray, names: Sequence[str], chosen: int, theme: str = "dark"
) -> bytes:
    """A day's papers as points in their regions (:func:`commands.cards.day_map_picture.day_map_figure`)."""
    from commands.cards.day_map_picture import day_map_figure  # lazy: start-up
    from commands.cards.picture_style import THEMES, png  # lazy: start-up

    return png(day_map_figure(places, region, names, chosen, THEMES[theme]))
