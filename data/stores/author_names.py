"""Authors' names as printed, in SQL; :mod:`data.stores.people` tells the people apart."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, select

from data.keys import name_key
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.papers import AuthorRow, AuthorshipRow

_PART = 20_000
_NUMBERS = select(AuthorRow.key, AuthorRow.id).where(AuthorRow.key.in_(bindparam("keys", expanding=True)))


def _counts(*which: ColumnElement[bool]) -> Select[Any]:
    """SQL: key, printed form and number of papers of the names with these authorships, by number."""
    counts = (
        select(AuthorshipRow.author_id, func.count().label("papers"))
        .where(*which)
        .group_by(AuthorshipRow.author_id)
        .subquery()
    )
    return (
        select(AuthorRow.key, AuthorRow.name, counts.c.papers)
        .join(counts, counts.c.author_id == AuthorRow.id)
        .order_by(AuthorRow.id)
    )


class AuthorNames(Repository):
    """Asks about names by key, number and printed form."""

    async def printed(self, key: str) -> tuple[str, int] | None:
        """A printed form of the name and the number of papers; None for an unknown name."""
        query = (
            select(AuthorRow.name, func.count(func.distinct(AuthorshipRow.paper_id)))
            .join(AuthorshipRow, AuthorshipRow.author_id == AuthorRow.id)
            .where(AuthorRow.key == key)
            .group_by(AuthorRow.id)
        )
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return (row[0], row[1]) if row else None

    async def key_of(self, author_id: int) -> str | None:
        """The key of an author's name, by its number."""
        async with self._read() as connection:
            return await connection.scalar(select(AuthorRow.key).where(AuthorRow.id == author_id))

    async def printed_by_number(self, numbers: Collection[int]) -> dict[int, str]:
        """A printed form of each of these names."""
        found: dict[int, str] = {}
        async with self._read() as connection:
            for part in slices(sorted(set(numbers))):
                query = select(AuthorRow.id, AuthorRow.name).where(AuthorRow.id.in_(part))
                found |= {row[0]: row[1] for row in await connection.execute(query)}
        return found

    async def number(self, key: str) -> int | None:
        """The number of an author's name, by its key."""
        return await self._unchanged.ask(("name", key), lambda: self._number(key))

    async def _number(self, key: str) -> int | None:
        return (await self.numbers([key])).get(key)

    async def numbers(self, keys: Sequence[str]) -> dict[str, int]:
        """The numbers of authors' names, by their keys."""

        def numbers(connection: Connection) -> dict[str, int]:
            return {row[0]: row[1] for row in connection.execute(_NUMBERS, {"keys": keys})}

        return await self._read_in_thread(numbers)

    async def find(self, name: str) -> int | None:
        """The number of an author's name, in any of its printed forms."""
        return await self.number(name_key(name))

    async def counts(self) -> list[tuple[str, str, int]]:
        """Every name: key, printed form, number of papers; in the order of their numbers."""
        return [name async for part in self.count_parts() for name in part]

    async def count_parts(self) -> AsyncIterator[list[tuple[str, str, int]]]:
        """The same, :data:`_PART` names at a time, each part with a short query of its own."""
        after = 0
        while True:
            async with self._read() as connection:
                some = select(AuthorRow.id).where(AuthorRow.id > after).order_by(AuthorRow.id).limit(_PART)
                last = await connection.scalar(select(func.max(some.subquery().c.id)))
                if last is None:
                    return
                within = AuthorshipRow.author_id > after, AuthorshipRow.author_id <= last
                rows = (await connection.execute(_counts(*within))).all()
            yield [(row[0], row[1], row[2]) for row in rows]
            after = last

    async def counts_on(self, papers: Sequence[int]) -> list[tuple[str, str, int]]:
        """The same for the names on these papers, each with all its papers."""
        authors: set[int] = set()
        counts: list[tuple[str, str, int]] = []
        async with self._read() as connection:
            for part in slices(papers):
                query = select(AuthorshipRow.author_id).where(AuthorshipRow.paper_id.in_(part)).distinct()
                authors.update((await connection.scalars(query)).all())
            for part in slices(sorted(authors)):
                rows = await connection.execute(_counts(AuthorshipRow.author_id.in_(part)))
                counts += [(row[0], row[1], row[2]) for row in rows]
        return counts

    async def has_more_than(self, count: int) -> bool:
        """Whether there are more author names than this."""
        async with self._read() as connection:
            return await connection.scalar(select(AuthorRow.id).offset(count).limit(1)) is not None
