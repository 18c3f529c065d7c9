"""Which members are in a server now, and which people they hold; a front end says who has left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from data.stores.store import Store


class Attendance(Protocol):
    """What knows who is in a server now."""

    async def gone(self, guild: int, members: Iterable[int]) -> tuple[set[int], set[int]]:
        """Members who have left a server, and those who could not be checked just now."""
        ...


class ServerView(Protocol):
    """The store as a server sees it, and what knows who is there; None where nobody is logged in."""

    @property
    def store(self) -> Store: ...

    @property
    def presence(self) -> Attendance | None: ...


async def holders_here(view: ServerView, guild: int, *, open_only: bool = False) -> dict[int, int]:
    """The people claimed by members who used Labmate in a server, as they are there, each with the member."""
    held = await view.store.claims.holders_in(guild, open_only=open_only)
    return {view.store.people.lead(person): member for person, member in held.items()}


async def not_here(view: ServerView, guild: int, holders: dict[int, int], people: Iterable[int]) -> set[int]:
    """The people whose holders are not in the server now; it asks only once about those who left."""
    if view.presence is None:
        return set()
    asked = {person: holders[person] for person in people if person in holders}
    left, unknown = await view.presence.gone(guild, asked.values())
    for member in left:
        await view.store.claims.left(guild, member)
    return {person for person, member in asked.items() if member in left | unknown}
