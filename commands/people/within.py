"""Where to look for people: among members of a server, those open to collaborate, or everybody."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from commands.kit.replies import UserError
from commands.kit.services import Services
from index.trust.present import holders_here, not_here

T = TypeVar("T")
EMPTY_HERE = (
    "Nobody here who has claimed their papers matches. The more members /claim, the better this gets."
)
ROUNDS = 4
"""So many times others are looked for in place of those who have left."""


@dataclass(frozen=True, slots=True)
class Within:
    """Members of a server, those open to collaborate, or everybody."""

    guild: int | None = None
    in_server: bool = False
    open_only: bool = False

    @property
    def limits(self) -> bool:
        """Whether this is not everybody."""
        return self.in_server or self.open_only

    async def find(
        self,
        services: Services,
        find: Callable[[set[int] | None], Awaitable[list[T]]],
        person: Callable[[T], int],
    ) -> list[T]:
        """What is found among these people.

        Parameters
        ----------
        find
            Finds, best first, among some people alone, or among everybody (None).
        person
            The person that something found is about.

        Raises
        ------
        UserError
            Where a server's members are asked for outside a server.
        """
        if not self.in_server:
            return await find(await self._open(services) if self.open_only else None)
        if self.guild is None:
            raise UserError("This works only in a server: a direct message has no other members.")
        holders = await holders_here(services, self.guild, open_only=self.open_only)
        return await those_here(services, self.guild, holders, find, person)

    @staticmethod
    async def _open(services: Services) -> set[int]:
        open_people = await services.store.claims.open_people(services.place.guild)
        return {services.store.people.lead(person) for person in open_people}


EVERYBODY = Within()


async def those_here(
    services: Services,
    guild: int,
    holders: dict[int, int],
    find: Callable[[set[int]], Awaitable[list[T]]],
    person: Callable[[T], int],
) -> list[T]:
    """What is found among the people held by members who are in a server now.

    Parameters
    ----------
    find
        Finds, best first, among some people alone.
    person
        Whom something found is about.
    """
    only, gone = set(holders), set[int]()
    results: list[T] = []
    for _ in range(ROUNDS):
        results = await find(only)
        gone = await not_here(services, guild, holders, map(person, results))
        if not gone:
            break
        only -= gone
    return [entry for entry in results if person(entry) not in gone]
