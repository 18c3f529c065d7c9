"""Servers' shared lists in SQL: papers that members collect under a name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update

from data.calendar.clock import utc_now
from data.keys import fold, fresh_number
from data.stores.repository import Repository
from data.tables.library import FeedRow, ListPaperRow, ListRow

MOST_LISTS, MOST_LISTED, MAX_NAME = 50, 1_000, 80


class ListRefused(Exception):
    """A list, or an entry, that can't be made; its text says why."""


@dataclass(frozen=True, slots=True)
class SharedList:
    """A server's list."""

    id: int
    guild: int
    name: str
    owner: int
    made: datetime
    papers: int = 0


@dataclass(frozen=True, slots=True)
class OnList:
    """A paper on a list, who put it there and when."""

    paper: int
    member: int
    made: datetime


class Lists(Repository):
    """Asks and changes servers' lists; every change is one transaction."""

    async def of(self, guild: int) -> list[SharedList]:
        """A server's lists, by name."""
        return await self._found(ListRow.guild == guild)

    async def find(self, number: int) -> SharedList | None:
        """A list by number."""
        return next(iter(await self._found(ListRow.id == number)), None)

    async def named(self, guild: int, name: str) -> SharedList | None:
        """A server's list by its name, whatever its case."""
        return next(iter(await self._found(ListRow.guild == guild, ListRow.key == _key(name))), None)

    async def _found(self, *where: Any) -> list[SharedList]:
        count = (
            select(func.count())
            .where(ListPaperRow.list_id == ListRow.id)
            .correlate(ListRow)
            .scalar_subquery()
        )
        columns = (ListRow.key, ListRow.id, ListRow.guild, ListRow.name, ListRow.owner, ListRow.made, count)
        async with self._read() as connection:
            rows = (await connection.execute(select(*columns).where(*where))).all()
        return [SharedList(*row[1:]) for row in sorted(rows, key=lambda row: row.key)]

    async def make(self, guild: int, name: str, owner: int) -> SharedList:
        """Make a list, or return the one with this name.

        Raises
        ------
        ListRefused
            Where the name has no letter or digit, or the server has too many lists.
        """
        plain = " ".join(name.split())[:MAX_NAME]
        if not _key(plain):
            raise ListRefused("A list needs a name with a letter or a digit.")
        if known := await self.named(guild, plain):
            return known
        async with self._writer.begin() as connection:
            count = await connection.scalar(select(func.count()).where(ListRow.guild == guild)) or 0
            if count >= MOST_LISTS:
                raise ListRefused(f"There are {MOST_LISTS} lists here; /list delete removes one.")
            values = {"id": fresh_number(), "guild": guild, "name": plain, "owner": owner, "made": utc_now()}
            await connection.execute(insert(ListRow).values(**values, key=_key(plain)))
        return SharedList(**values)  # type: ignore[arg-type]

    async def papers(self, number: int) -> list[OnList]:
        """The papers on a list, newest first."""
        query = select(ListPaperRow.paper_id, ListPaperRow.member, ListPaperRow.made)
        query = query.where(ListPaperRow.list_id == number)
        async with self._read() as connection:
            rows = await connection.execute(
                query.order_by(ListPaperRow.made.desc(), ListPaperRow.paper_id.desc())
            )
            return [OnList(*row) for row in rows]

    async def put(self, number: int, paper: int, member: int) -> bool:
        """Put a paper on a list; False where it is on it.

        Raises
        ------
        ListRefused
            Where the list is full.
        """
        here = ListPaperRow.list_id == number
        async with self._writer.begin() as connection:
            if await connection.scalar(select(func.count()).where(here, ListPaperRow.paper_id == paper)):
                return False
            if (await connection.scalar(select(func.count()).where(here)) or 0) >= MOST_LISTED:
                raise ListRefused(f"A list holds {MOST_LISTED:,} papers; start another one.")
            row = {"list_id": number, "paper_id": paper, "member": member, "made": utc_now()}
            await connection.execute(insert(ListPaperRow).values(**row))
        return True

    async def take_off(self, number: int, paper: int) -> bool:
        """Take a paper off a list."""
        where = (ListPaperRow.list_id == number) & (ListPaperRow.paper_id == paper)
        async with self._writer.begin() as connection:
            return bool((await connection.execute(delete(ListPaperRow).where(where))).rowcount)

    async def end(self, number: int) -> None:
        """Delete a list, and its feed."""
        async with self._writer.begin() as connection:
            await connection.execute(delete(ListPaperRow).where(ListPaperRow.list_id == number))
            await connection.execute(delete(FeedRow).where(FeedRow.kind == "list", FeedRow.target == number))
            await connection.execute(delete(ListRow).where(ListRow.id == number))

    async def held(self, member: int) -> dict[str, Any]:
        """All that is held about a member, ready for JSON."""
        query = select(ListRow.name, ListPaperRow.paper_id, ListPaperRow.made).join(
            ListRow, ListRow.id == ListPaperRow.list_id
        )
        async with self._read() as connection:
            rows = await connection.execute(query.where(ListPaperRow.member == member))
            put = [{"list": name, "paper": paper, "put": made.isoformat()} for name, paper, made in rows]
            own = await connection.scalars(select(ListRow.name).where(ListRow.owner == member))
            return {"put_on_lists": put, "lists_begun": list(own.all())}

    async def forget(self, member: int) -> int:
        """Forget who made lists and who put papers there; the lists stay the server's."""
        gone = 0
        async with self._writer.begin() as connection:
            for table, column in ((ListPaperRow, ListPaperRow.member), (ListRow, ListRow.owner)):
                done = await connection.execute(update(table).where(column == member).values({column: 0}))
                gone += done.rowcount
        return gone


def _key(name: str) -> str:
    folded = fold(" ".join(name.split()))[:MAX_NAME]
    return folded if any(character.isalnum() for character in folded) else ""
