"""The picture of a digest: the day's papers as a map of topics, with the chosen ones numbered."""

from __future__ import annotations

import logging

from commands.cards import digest as cards
from commands.cards.digest import Picture
from commands.cards.pictures import day_map_png
from commands.kit.dated_by import dated_by
from commands.kit.services import Services
from commands.kit.theme import in_theme
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest
from data.stores.member_settings import DARK
from index.digest.mapped_day import mapped_day

log = logging.getLogger("labmate")


async def picture_of(services: Services, digest: Digest, delivery: Delivery) -> Picture | None:
    """The map of the newest day that a delivery covers; None if it is not wanted, or can't be made."""
    try:
        return await _picture(services, digest, delivery)
    except Exception:  # a post without its picture is better than none
        log.exception("the map of a day could not be made")
        return None


async def _picture(services: Services, digest: Digest, delivery: Delivery) -> Picture | None:
    if not digest.picture or not services.painter.draws:
        return None
    day = await mapped_day(services, digest, delivery)
    if day is None:
        return None
    key = (day.papers, day.chosen)
    theme = digest.theme or (
        await services.store.member_settings.theme(digest.owner) if digest.is_own else DARK
    )
    png = await in_theme(services, theme, day_map_png, key, day.places, day.region, day.names, day.chosen)
    if png is None or delivery.upto is None:
        return None
    sizes = [int((day.region == number).sum()) for number in range(len(day.names))]
    regions = [(name, size, chosen) for (name, chosen), size in zip(day.regions, sizes, strict=True)]
    known = await dated_by(services, delivery.upto)
    return Picture(png, cards.picture_alt(delivery.upto, regions, known), cards.picture_told(regions))
