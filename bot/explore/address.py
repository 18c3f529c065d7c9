"""Where the explorer is: at a public address, or at one that nobody can guess and that lasts."""

from __future__ import annotations

from dataclasses import dataclass

from bot.settings import Settings
from data.stores.store import Store

_OURS = ("explore", 0, 0)
"""What the secret address leads to, of what, and whose it is: nobody's."""


@dataclass(frozen=True, slots=True)
class ExploreAddress:
    """The whole address, and the secret in it; None where everybody may come."""

    url: str
    token: str | None


async def address_of(settings: Settings, store: Store, *, new: bool = False) -> ExploreAddress | None:
    """The address by the settings, None where the explorer is off.

    Parameters
    ----------
    new
        Make a new secret; the earlier address stops working.
    """
    if settings.explore is None or settings.http_listen is None:
        return None
    base = settings.http_url or f"http://{settings.http_listen}"
    if settings.explore == "public":
        return ExploreAddress(f"{base}/explore", None)
    feed = None if new else await store.feeds.of(*_OURS[:2])
    token = (feed or await store.feeds.make(*_OURS)).token
    return ExploreAddress(f"{base}/x/{token}", token)
