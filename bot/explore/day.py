"""The page of a day: its papers as a map of named regions, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from commands.cards.text import day
from commands.kit.services import Services
from data.calendar.partial_days import DatedBy
from data.records import Paper
from index.digest.day_map import DayMap
from index.digest.mapped_day import LEAST, MOST, map_of

WIDE, HIGH, EDGE = 1_000, 700, 50
"""The field of the map, and the margin inside it."""
COLOURS = 9
_ABOVE = 14
"""How far above its highest dot a region's name stands."""
_DRAWN_IN = 0.72
"""How far regions are drawn in towards their middles, which opens gaps between them."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A paper on the map."""

    paper: Paper
    x: float
    y: float
    colour: int


@dataclass(frozen=True, slots=True)
class Region:
    """A named region: where its name stands, and its papers."""

    name: str
    x: float
    y: float
    papers: tuple[Paper, ...]


@dataclass(frozen=True, slots=True)
class DayPage:
    """What the page shows; without dots where the day has too few papers for a map."""

    day: date
    before: date | None
    after: date | None
    papers: tuple[Paper, ...]
    dots: tuple[Dot, ...] = ()
    regions: tuple[Region, ...] = ()
    known: Mapping[date, DatedBy] = field(default_factory=dict)
    """How much is known of these days."""

    @property
    def when(self) -> str:
        """``on Friday, 15 May 2026``, or ``in May 2026`` where the day is unknown."""
        dated_by = self.known.get(self.day, "day")
        return f"{f'on {self.day:%A},' if dated_by == 'day' else 'in'} {day(self.day, dated_by)}"

    @property
    def names(self) -> list[str]:
        """The regions' names."""
        return [region.name for region in self.regions]


async def day_page(services: Services, wanted: date | None) -> DayPage | None:
    """A day's papers, by default the newest day's; None where no listing was read."""
    before, on, after = await services.store.listings.around(wanted)
    if on is None:
        return None
    numbers = (await services.store.listings.on(on))[:MOST]
    papers = await services.store.papers(numbers)
    known = await services.store.listings.dated_by(filter(None, (before, on, after)))
    if len(papers) < LEAST:
        return DayPage(on, before, after, tuple(papers), known=known)
    papers.sort(key=lambda paper: paper.id)
    made = await map_of(services, tuple(paper.id for paper in papers))
    return DayPage(on, before, after, tuple(papers), *_drawn(papers, made), known)


def _drawn(papers: list[Paper], made: DayMap) -> tuple[tuple[Dot, ...], tuple[Region, ...]]:
    places = _filling(made.places.astype(np.float64))
    for number in np.unique(made.region):
        inside = made.region == number
        middle = np.median(places[inside], axis=0)
        places[inside] = middle + _DRAWN_IN * (places[inside] - middle)
    places = _filling(places)
    dots = tuple(
        Dot(paper, round(x, 1), round(y, 1), int(region) % COLOURS)
        for paper, (x, y), region in zip(papers, places.tolist(), made.region.tolist(), strict=True)
    )
    regions = []
    for number, name in enumerate(made.names):
        inside = np.flatnonzero(made.region == number)
        if len(inside):
            x = float(np.clip(np.median(places[inside, 0]), 3 * EDGE, WIDE - 3 * EDGE))
            y = float(places[inside, 1].min()) - _ABOVE
            regions.append(
                Region(name, round(x, 1), round(y, 1), tuple(papers[place] for place in inside.tolist()))
            )
    regions.sort(key=lambda region: -len(region.papers))
    return dots, tuple(regions)


def _filling(places: np.ndarray) -> np.ndarray:
    """Places stretched over the whole field."""
    span = np.maximum(np.ptp(places, axis=0), 1e-9)
    return np.asarray(EDGE + (places - places.min(axis=0)) / span * (WIDE - 2 * EDGE, HIGH - 2 * EDGE))
