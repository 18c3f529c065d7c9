"""The address of a feed with its buttons, as /digest, /list and /library show it."""

from __future__ import annotations

from discord import ui

from commands.cards.lists import note
from commands.kit.links import link
from commands.kit.replies import UserError
from commands.kit.services import Services

WHAT = {"digest": "what this digest chose", "list": "this list's papers", "library": "your library"}
MAKE = {"digest": "feed.make_digest", "list": "feed.make_list", "library": "feed.make_library"}
END = {"digest": "feed.end_digest", "list": "feed.end_list", "library": "feed.end_library"}
_WITH_PAGE = ("digest", "list")
"""The kinds of feeds that the explorer shows as a page; never a member's library."""
NO_FEEDS = (
    "Feeds are switched off here. The person who runs me can switch them on with HTTP_LISTEN (see "
    "docs/configure.md). /library export and /list export give files."
)


async def feed_view(
    services: Services, kind: str, target: int, member: int, *, new: bool = False
) -> ui.LayoutView:
    """The address of a feed, which is made if it does not exist yet; with ``new`` an earlier address ends."""
    if services.feed_url is None:
        raise UserError(NO_FEEDS)
    feeds = services.store.feeds
    feed = None if new else await feeds.of(kind, target)
    feed = feed or await feeds.make(kind, target, member)
    address, it, ended = f"<{services.feed_url}/feeds/{feed.token}.xml>", "this address", "this one"
    if services.explore_url is not None and kind in _WITH_PAGE:
        address += f"\nAs a page:\n<{services.explore_url}/archive/{feed.token}>"
        it, ended = "one of these addresses", "both"
    return note(
        f"An Atom feed of {WHAT[kind]}:\n{address}\n-# Anyone who has {it} can read it. A new address "
        f"ends {ended}.",
        [[link(MAKE[kind], "New address", target=target), link(END[kind], "End it", target=target)]],
    )


async def end_feed(services: Services, kind: str, target: int) -> ui.LayoutView:
    """End a feed: its address no longer works."""
    await services.store.feeds.end(kind, target)
    return note(
        "Ended: the address no longer works.",
        [[link(MAKE[kind], "New address", target=target)]],
    )
