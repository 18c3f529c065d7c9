"""The picture of a digest: the day's papers as a map of topics, those chosen marked."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import timedelta

import numpy as np

from commands.cards import digest as cards
from commands.cards.digest import Picture
from commands.cards.pictures import day_map_png
from commands.digests.choosing import candidates, daily
from commands.kit.services import Services
from data.stores.digests import Delivery, Digest
from index.digest.day_map import NAMING, DayMap, day_map

log = logging.getLogger("labmate")
KEPT = 16
LEAST, MOST = 30, 600
"""Fewer papers make no map; of more the first are drawn."""


async def picture_of(services: Services, digest: Digest, delivery: Delivery) -> Picture | None:
    """The map of the newest day that a delivery covers, or None where it is not wanted, or can't be made."""
    try:
        return await _picture(services, digest, delivery)
    except Exception:  # a post without its picture is better than none
        log.exception("the map of a day could not be made")
        return None


async def _picture(services: Services, digest: Digest, delivery: Delivery) -> Picture | None:
    if not digest.picture or not delivery.papers or delivery.upto is None or not services.painter.draws:
        return None
    that_day = replace(digest, upto=delivery.upto - timedelta(days=1), seen=0)
    chosen = [entry.paper for entry in delivery.papers]
    others = [paper for paper in await candidates(services, that_day, delivery.upto) if paper not in chosen]
    papers = [*chosen, *others[: MOST - len(chosen)]]
    if len(papers) < LEAST:
        return None
    day = tuple(sorted(papers))
    found = await _map(services, day)
    order = np.array([day.index(paper) for paper in papers])
    png = await services.painter.paint(
        day_map_png,
        (tuple(papers), len(chosen)),
        found.places[order],
        found.region[order],
        found.names,
        len(chosen),
    )
    if png is None:
        return None
    regions = [
        (name, [place + 1 for place in range(len(chosen)) if found.region[order[place]] == number])
        for number, name in enumerate(found.names)
    ]
    return Picture(png, cards.picture_alt(len(papers), regions))


async def _map(services: Services, day: tuple[int, ...]) -> DayMap:
    """The map of some papers; digests of the same categories share it."""
    if day in services.day_maps:
        return services.day_maps[day]
    chooser = await daily(services)
    items = await chooser.items(day)
    topics = services.insight.topics

    def about(rows: np.ndarray) -> list[str]:
        assert topics is not None
        found = topics.of([day[row] for row in rows], 8)
        return [topic.phrase for topic in found if len(topic.papers) >= NAMING * len(rows)]

    made = await asyncio.to_thread(day_map, items, chooser.vocabulary, about if topics is not None else None)
    while len(services.day_maps) >= KEPT:
        services.day_maps.popitem(last=False)
    services.day_maps[day] = made
    return made
