"""Authors' names as printed, in SQL; :mod:`data.stores.people` tells the people apart."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from data.keys import name_key
from data.stores.repository import Repository
from data.tables.papers import AuthorRow, AuthorshipRow


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

    async def number(self, key: str) -> int | None:
        """The number of an author's name, by its key."""
        return (await self.numbers([key])).get(key)

    async def numbers(self, keys: Sequence[str]) -> dict[str, int]:
        """The numbers of authors' names, by their keys."""
        async with self._read() as connection:
            rows = await connection.execute(
                select(AuthorRow.key, AuthorRow.id).where(AuthorRow.key.in_(keys))
            )
            return {row[0]: row[1] for row in rows}

    async def find(self, name: str) -> int | None:
        """The number of an author's name, in any of its printed forms."""
        return await self.number(name_key(name))

    async def counts(self) -> list[tuple[str, str, int]]:
        """Every name: key, printed form, number of papers."""
        counts = (
            select(AuthorshipRow.author_id, func.count().label("papers"))
            .group_by(AuthorshipRow.author_id)
            .subquery()
        )
        query = select(AuthorRow.key, AuthorRow.name, counts.c.papers).join(
            counts, counts.c.author_id == AuthorRow.id
        )
        async with self._read() as connection:
            return [(row[0], row[1], row[2]) for row in await connection.execute(query)]

    async def count(self) -> int:
        """The number of author names."""
        async with self._read() as connection:
            return await connection.scalar(select(func.count()).select_from(AuthorRow)) or 0
