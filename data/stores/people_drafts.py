"""Writing who is who: a few rows at once, or many as a draft that is published when complete."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sqlalchemy import Executable, Select, bindparam, case, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.stores.generations import (
    FOREVER,
    HERE,
    HOLDS,
    MERGED,
    NAME,
    NOW,
    Place,
    alone,
    bound,
    current_generation,
    end_memberships,
    membership_rows,
    newest_number,
    note_pass,
    places_of,
)
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.papers import GenerationRow, MembershipRow, PersonRow

AT_ONCE = 1_000
"""Rows written in one transaction of a draft, which holds the write lock for some hundredths of a second."""
_CLEARED_AT_ONCE = 200_000
Write = Callable[[AsyncConnection, Sequence[Any]], Awaitable[Any]]

_PERSON = PersonRow.id == bindparam("b_id")


class Drafts(Repository):
    """Writes passes and corrections. One process drafts at a time; corrections may come at any time."""

    async def replace(
        self,
        kind: str,
        upto: int,
        corrections: int,
        changed: Sequence[dict[str, Any]],
        gone: Sequence[Place],
        people: Sequence[dict[str, Any]],
        merged: Sequence[tuple[int, int]],
        counts: tuple[int, int],
        *,
        after: int | None = None,
    ) -> int | None:
        """Write a few rows in one transaction, so that readers see all of the old state or all of the new.

        Parameters
        ----------
        changed, gone
            Memberships to write (as rows) and to drop (as paper and position).
        people
            Rows of people that are new or changed.
        merged
            (person that is gone, person that has most of its authorships).
        counts
            Authorships and people after the pass.
        after
            The newest pass that this one knows of.

        Returns
        -------
        int or None
            The number of the pass; None where another came since ``after``, and then nothing is written.
        """
        async with self._writer.begin() as connection:
            await alone(connection)
            if after is not None and await newest_number(connection) != after:
                return None
            now = await current_generation(connection)
            await _write_people(connection, people, now)
            places = [*places_of(changed), *gone]
            if places:
                await connection.execute(delete(MembershipRow).where(HERE, HOLDS), bound(places))
            if changed:
                await connection.execute(insert(MembershipRow), membership_rows(changed, now))
            if merged:
                await connection.execute(
                    update(PersonRow)
                    .where(_PERSON)
                    .values(merged_into=bindparam("b_into"), papers=0, next_since=None),
                    [{"b_id": gone_id, "b_into": into} for gone_id, into in merged],
                )
            return await note_pass(connection, kind, upto, corrections, counts)

    async def newest_pass(self) -> int:
        """The number of the newest pass or correction, 0 before the first."""
        async with self._read() as connection:
            return await newest_number(connection)

    async def reserve(self, count: int) -> int:
        """Reserve ``count`` numbers that no person has had; returns the first."""
        highest = select(func.coalesce(func.max(PersonRow.id), 0)).scalar_subquery()
        given = case((GenerationRow.numbered < highest, highest), else_=GenerationRow.numbered)
        taking = update(GenerationRow).values(numbered=given + count).returning(GenerationRow.numbered)
        async with self._writer.begin() as connection:
            taken = (await connection.scalars(taking)).all()
        return int(max(taken)) - count + 1

    async def last_number(self) -> int:
        """The highest number that a person has or had, 0 if there was none."""
        async with self._read() as connection:
            highest = await connection.scalar(select(func.max(PersonRow.id)))
            return max(int(highest or 0), int(await connection.scalar(select(GenerationRow.numbered)) or 0))

    async def next_id(self) -> int:
        """Reserve one number that no person has had."""
        return await self.reserve(1)

    # -- a draft -------------------------------------------------------------------------------

    async def draft(
        self,
        changed: Sequence[dict[str, Any]],
        gone: Sequence[Place],
        people: Sequence[dict[str, Any]],
        merged: Sequence[tuple[int, int]],
    ) -> int:
        """Write a pass in short transactions, unseen by readers; returns the generation it will be.

        If the process is killed half way, readers never see it, and :meth:`settle` clears the remains away.
        """
        draft = await self.begin_draft()
        await self.draft_people(draft, people, merged)
        await self.redraft(draft, changed, gone)
        return draft

    async def begin_draft(self) -> int:
        """Begin a draft; returns the generation it will be."""
        await self.settle()
        async with self._writer.begin() as connection:
            draft = await current_generation(connection) + 1
            await connection.execute(update(GenerationRow).values(unsettled=True))
        return draft

    async def is_begun(self, draft: int) -> bool:
        """Whether this draft, perhaps of a killed process, can be continued."""
        async with self._read() as connection:
            query = select(GenerationRow.current, GenerationRow.unsettled)
            row = (await connection.execute(query)).first()
        return row is not None and bool(row.unsettled) and row.current + 1 == draft

    async def is_current(self, generation: int) -> bool:
        """Whether readers see this generation."""
        async with self._read() as connection:
            return await current_generation(connection) == generation

    async def draft_people(
        self, draft: int, people: Sequence[dict[str, Any]], merged: Sequence[tuple[int, int]]
    ) -> None:
        """Write people who are new, changed or merged into a draft; it may be done again."""
        known: set[int] = set()
        async with self._read() as connection:
            for part in slices([row["id"] for row in people], AT_ONCE):
                known |= set(await connection.scalars(select(PersonRow.id).where(PersonRow.id.in_(part))))
        fresh = [{**row, "since": draft} for row in people if row["id"] not in known]
        await self._in_parts(fresh, lambda connection, part: connection.execute(insert(PersonRow), part))
        # Nobody reads the count of papers, so it need not wait until the draft is published.
        words = [
            {"b_id": row["id"], "b_name": row["name"], "b_papers": row["papers"], "b_into": None}
            for row in people
            if row["id"] in known
        ]
        names = await self._names_of([number for number, _ in merged])
        words += [
            {"b_id": number, "b_name": names[number], "b_papers": 0, "b_into": into}
            for number, into in merged
        ]
        change = (
            update(PersonRow)
            .where(_PERSON)
            .values(
                next_since=draft,
                next_name=bindparam("b_name"),
                next_merged=bindparam("b_into"),
                papers=bindparam("b_papers"),
            )
        )
        await self._in_parts(words, lambda connection, part: connection.execute(change, part))

    async def redraft(self, draft: int, changed: Sequence[dict[str, Any]], gone: Sequence[Place]) -> None:
        """Write memberships into a draft, replacing the draft's own rows at these places."""

        async def write(connection: AsyncConnection, part: Sequence[dict[str, Any]]) -> None:
            await end_memberships(connection, places_of(part), draft)
            await connection.execute(insert(MembershipRow), membership_rows(part, draft))

        await self._in_parts(changed, write)
        await self._in_parts(gone, lambda connection, part: end_memberships(connection, part, draft))

    async def publish(
        self, draft: int, kind: str, upto: int, corrections: int, counts: tuple[int, int], *, after: int
    ) -> int | None:
        """Let readers see a draft from now on; returns the pass's number.

        Returns None and publishes nothing where a correction came since the pass ``after``, since the draft
        does not know of it.
        """
        async with self._writer.begin() as connection:
            await alone(connection)
            if await newest_number(connection) != after:
                return None
            await connection.execute(update(GenerationRow).values(current=draft))
            return await note_pass(connection, kind, upto, corrections, counts)

    async def settle(self) -> None:
        """Clear away rows that no reader sees: earlier generations and unfinished drafts."""
        async with self._read() as connection:
            if not await connection.scalar(select(GenerationRow.unsettled)):
                return
        await self._clear(
            select(MembershipRow.paper_id, MembershipRow.position, MembershipRow.since).where(
                or_(MembershipRow.until <= NOW, MembershipRow.since > NOW)
            ),
            delete(MembershipRow).where(HERE, MembershipRow.since == bindparam("b_since")),
            ("b_paper", "b_position", "b_since"),
        )
        await self._clear(
            select(MembershipRow.paper_id, MembershipRow.position).where(
                HOLDS, MembershipRow.until < FOREVER
            ),
            update(MembershipRow).where(HERE, HOLDS).values(until=FOREVER),
            ("b_paper", "b_position"),
        )
        await self._clear(
            select(PersonRow.id).where(PersonRow.next_since.is_not(None)),
            update(PersonRow)
            .where(_PERSON)
            .values(name=NAME, merged_into=MERGED, next_since=None, next_name=None, next_merged=None),
            ("b_id",),
        )
        await self._clear(
            select(PersonRow.id).where(PersonRow.since > NOW), delete(PersonRow).where(_PERSON), ("b_id",)
        )
        async with self._writer.begin() as connection:
            await connection.execute(update(GenerationRow).values(unsettled=False))

    async def _clear(
        self, query: Select[*tuple[Any, ...]], change: Executable, names: tuple[str, ...]
    ) -> None:
        """Change what a query finds until it finds nothing; ``names`` are the parameters for its columns."""
        while True:
            async with self._read() as connection:
                found = (await connection.execute(query.limit(_CLEARED_AT_ONCE))).all()
            rows = [dict(zip(names, row, strict=True)) for row in found]
            await self._in_parts(rows, lambda connection, part: connection.execute(change, part))
            if len(rows) < _CLEARED_AT_ONCE:
                return

    async def _names_of(self, people: Sequence[int]) -> dict[int, str]:
        names: dict[int, str] = {}
        async with self._read() as connection:
            for part in slices(people, AT_ONCE):
                rows = await connection.execute(select(PersonRow.id, NAME).where(PersonRow.id.in_(part)))
                names.update({row[0]: row[1] for row in rows})
        return names

    async def _in_parts(self, rows: Sequence[Any], write: Write) -> None:
        """Write rows in short transactions, with pauses as long as each held the write lock."""
        for part in slices(rows, AT_ONCE):
            async with self._writer.begin() as connection:
                begun = time.monotonic()
                await write(connection, part)
            await asyncio.sleep(time.monotonic() - begun)


async def _write_people(connection: AsyncConnection, people: Sequence[dict[str, Any]], now: int) -> None:
    numbers = [row["id"] for row in people]
    known: set[int] = set()
    for part in slices(numbers, AT_ONCE):
        known |= set((await connection.scalars(select(PersonRow.id).where(PersonRow.id.in_(part)))).all())
    fresh = [{**row, "since": now} for row in people if row["id"] not in known]
    old = [{f"b_{key}": value for key, value in row.items()} for row in people if row["id"] in known]
    if fresh:
        await connection.execute(insert(PersonRow), fresh)
    if old:
        await connection.execute(
            update(PersonRow)
            .where(_PERSON)
            .values(
                name=bindparam("b_name"), papers=bindparam("b_papers"), merged_into=None, next_since=None
            ),
            old,
        )
