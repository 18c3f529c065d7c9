"""The newest day that a posting covers, as a map of its papers, those chosen first."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest
from index.digest.candidates import candidates
from index.digest.day_map import DayMap, day_map
from index.digest.region_names import region_names
from index.digest.sources import DigestSources, chooser_of

KEPT = 16
LEAST, MOST = 30, 600
"""Fewer papers make no map; of more the first are drawn."""


@dataclass(frozen=True)
class MappedDay:
    """A day's papers on a plane, the chosen ones first.

    Attributes
    ----------
    papers
        Their numbers.
    chosen
        How many of them, from the first, were chosen.
    places, region, names
        As :class:`index.digest.day_map.DayMap` has them, in the order of ``papers``.
    """

    papers: tuple[int, ...]
    chosen: int
    places: np.ndarray
    region: np.ndarray
    names: tuple[str, ...]

    @property
    def regions(self) -> list[tuple[str, list[int]]]:
        """Each region's name, and the places (from 1) of the chosen papers that lie in it."""
        return [
            (name, [place + 1 for place in range(self.chosen) if self.region[place] == number])
            for number, name in enumerate(self.names)
        ]


async def mapped_day(sources: DigestSources, digest: Digest, delivery: Delivery) -> MappedDay | None:
    """The map of the newest day that a delivery covers; None where there are too few papers."""
    if not delivery.papers or delivery.upto is None:
        return None
    that_day = replace(digest, upto=delivery.upto - timedelta(days=1), seen=0)
    chosen = [entry.paper for entry in delivery.papers]
    others = [p for p in await candidates(sources.store, that_day, delivery.upto) if p not in chosen]
    papers = (*chosen, *others[: MOST - len(chosen)])
    if len(papers) < LEAST:
        return None
    day = tuple(sorted(papers))
    day_map = await map_of(sources, day)
    order = np.array([day.index(paper) for paper in papers])
    return MappedDay(papers, len(chosen), day_map.places[order], day_map.region[order], day_map.names)


async def map_of(sources: DigestSources, day: tuple[int, ...]) -> DayMap:
    """The map of some papers; digests of the same categories share it."""
    if day in sources.day_maps:
        return sources.day_maps[day]
    chooser = await chooser_of(sources)
    items = await chooser.items(day)
    topics, vectors = sources.insight.topics, sources.corpus.vectors

    def namer(region: np.ndarray) -> list[str | None]:
        assert topics is not None
        assert vectors is not None
        return region_names(topics, vectors.rows, np.array(day), region)

    named = topics is not None and vectors is not None
    made = await asyncio.to_thread(day_map, items, chooser.vocabulary, namer if named else None)
    while len(sources.day_maps) >= KEPT:
        sources.day_maps.popitem(last=False)
    sources.day_maps[day] = made
    return made
