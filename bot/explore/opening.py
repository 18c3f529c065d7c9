"""Opens the explorer as the settings say."""

from __future__ import annotations

import logging

from bot.client import Labmate
from bot.explore.address import address_of
from bot.explore.site import Explore
from bot.explore.visitors import Visitors
from bot.feed_server import FeedServer
from bot.settings import Settings

log = logging.getLogger("labmate")


async def explorer(bot: Labmate, settings: Settings, feeds: FeedServer) -> Explore | None:
    """The explorer, where it is on; from then on, cards link to it."""
    services = bot.services
    address = await address_of(settings, services.store)
    if address is None:
        return None
    services.explore_url = address.url
    told = "an address that `python -m bot explore` prints" if address.token else address.url
    log.info("serving the research graph at %s", told)
    # Labmate itself speaks no TLS: before an https address stands a proxy.
    visitors = Visitors(counted=settings.labmate_limits, proxied=address.url.startswith("https://"))

    def discord() -> str:
        known = bot.application_id is not None and settings.discord_api_url is None
        return f"https://discord.com/users/{bot.application_id}" if known else ""

    return Explore(services, address, feeds, visitors, discord)
