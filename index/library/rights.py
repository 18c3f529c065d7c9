"""Who may change a shared list, and who decides about a feed."""

from __future__ import annotations

from data.stores.lists import OnList, SharedList
from data.stores.store import Store


def may_change_list(shared_list: SharedList, member: int, *, manages: bool) -> bool:
    """Whoever began a list may delete it and make its feed, and so may those who manage its server."""
    return manages or member == shared_list.owner


def may_take_off(shared_list: SharedList, entry: OnList, member: int, *, manages: bool) -> bool:
    """The member who put a paper on a list may take it off, and so may those who may change the list."""
    return member == entry.member or may_change_list(shared_list, member, manages=manages)


async def may_decide_feed(
    store: Store, kind: str, target: int, member: int, guild: int | None, *, manages: bool
) -> bool:
    """Whether a member decides about the feed of a digest, a list or a library.

    Parameters
    ----------
    kind, target
        One of :data:`data.stores.feeds.KINDS`, and the number of the digest, the list or the library's
        member.
    guild, manages
        The server where they ask, and whether they manage it.
    """
    if kind == "library":
        return target == member
    if kind == "digest":
        digest = await store.digests.find(target)
        if digest is None:
            return False
        return digest.owner == member if digest.is_own else digest.guild == guild and manages
    shared_list = await store.lists.find(target)
    return (
        shared_list is not None
        and shared_list.guild == guild
        and may_change_list(shared_list, member, manages=manages)
    )
