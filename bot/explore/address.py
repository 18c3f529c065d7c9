"""The explorer's address: a public one, or a lasting one that nobody can guess."""

from __future__ import annotations

from dataclasses import dataclass

from bot.settings import Settings
from data.stores.store import Store

_OURS = ("explore", 0, 0)
"""The kind, the subject and the owner of the feed that keeps the secret; it has no subject and no owner."""


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
