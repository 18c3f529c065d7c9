"""How judgements of who is who are written: a few rows at once, many as a draft that readers switch to when whole."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sqlalchemy import (
    Executable,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.papers import GenerationRow, IdentityPassRow, MembershipRow, PersonRow

FOREVER = 2_147_483_647
AT_ONCE = 1_000
"""Rows written in one transaction of a draft: the write lock is held for some hundredths of a second."""
Place = tuple[int, int]
"""Paper and position."""
Write = Callable[[AsyncConnection, Sequence[Any]], Awaitable[Any]]

NOW = select(GenerationRow.current).where(GenerationRow.id == 1).scalar_subquery()
"""SQL: the generation that readers see."""
HOLDS = and_(MembershipRow.since <= NOW, MembershipRow.until > NOW)
"""SQL: the membership holds in it."""
_TAKEN = PersonRow.next_since <= NOW
NAME = case((_TAKEN, PersonRow.next_name), else_=PersonRow.name)
"""SQL: the form of a person's name that is printed most."""
MERGED = case((_TAKEN, PersonRow.next_merged), else_=PersonRow.merged_into)
"""SQL: the person that this one turned out to be, or NULL."""
KNOWN = PersonRow.since <= NOW
"""SQL: the person is of no draft."""

_HERE = and_(
    MembershipRow.paper_id == bindparam("b_paper"),
    MembershipRow.position == bindparam("b_position"),
)
_PERSON = PersonRow.id == bindparam("b_id")


class Drafts(Repository):
    """Writes passes and corrections. One process drafts at a time; corrections may come at any moment."""

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
        """Take few rows over in one transaction: who asks meanwhile sees all of the old or all of the new.

        Parameters
        ----------
        changed, gone
            Memberships to write (as rows) and to drop (as paper and position).
        people
            Rows of people that are new or changed.
        merged
            (person that is no more, person that has most of its authorships).
        counts
            Authorships and people after the pass.
        after
            The newest pass that this one knows of.

        Returns
        -------
        int or None
            The number of the pass; None, and nothing is written, where another came since ``after``.
        """
        async with self._writer.begin() as connection:
            await _alone(connection)
            if after is not None and await _newest(connection) != after:
                return None
            now = await _current(connection)
            await _write_people(connection, people, now)
            places = [*_places(changed), *gone]
            if places:
                await connection.execute(delete(MembershipRow).where(_HERE, HOLDS), _bound(places))
            if changed:
                await connection.execute(insert(MembershipRow), _rows(changed, now))
            if merged:
                await connection.execute(
                    update(PersonRow)
                    .where(_PERSON)
                    .values(merged_into=bindparam("b_into"), papers=0, next_since=None),
                    [{"b_id": gone_id, "b_into": into} for gone_id, into in merged],
                )
            return await _note(connection, kind, upto, corrections, counts)

    async def newest_pass(self) -> int:
        """The number of the newest pass or correction, 0 before the first."""
        async with self._read() as connection:
            return await _newest(connection)

    async def reserve(self, count: int) -> int:
        """Numbers that no person has had: the first of ``count`` that nobody else will be given."""
        highest = select(func.coalesce(func.max(PersonRow.id), 0)).scalar_subquery()
        given = case((GenerationRow.numbered < highest, highest), else_=GenerationRow.numbered)
        taking = update(GenerationRow).values(numbered=given + count).returning(GenerationRow.numbered)
        async with self._writer.begin() as connection:
            taken = (await connection.scalars(taking)).all()
        return int(max(taken)) - count + 1

    async def next_id(self) -> int:
        """A number that no person has had."""
        return await self.reserve(1)

    # -- a draft -------------------------------------------------------------------------------

    async def draft(
        self,
        changed: Sequence[dict[str, Any]],
        gone: Sequence[Place],
        people: Sequence[dict[str, Any]],
        merged: Sequence[tuple[int, int]],
    ) -> int:
        """Write a pass beside what readers see, in short transactions; returns the generation it will be.

        Killed half way it was never there; :meth:`settle` clears the remains away.
        """
        await self.settle()
        async with self._read() as connection:
            known = set((await connection.scalars(select(PersonRow.id))).all() if people else ())
        async with self._writer.begin() as connection:
            draft = await _current(connection) + 1
            await connection.execute(update(GenerationRow).values(unsettled=True))
        fresh = [{**row, "since": draft} for row in people if row["id"] not in known]
        await self._in_parts(fresh, lambda connection, part: connection.execute(insert(PersonRow), part))
        # Nobody reads the count of papers, so that it need not wait for the switch.
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
        await self.redraft(draft, changed, gone)
        return draft

    async def redraft(self, draft: int, changed: Sequence[dict[str, Any]], gone: Sequence[Place]) -> None:
        """Write memberships into a draft, over what it says of these places already."""

        async def write(connection: AsyncConnection, part: Sequence[dict[str, Any]]) -> None:
            await _end(connection, _places(part), draft)
            await connection.execute(insert(MembershipRow), _rows(part, draft))

        await self._in_parts(changed, write)
        await self._in_parts(gone, lambda connection, part: _end(connection, part, draft))

    async def publish(
        self, draft: int, kind: str, upto: int, corrections: int, counts: tuple[int, int], *, after: int
    ) -> int | None:
        """Let readers see a draft from now on; returns the pass's number.

        None, and readers see what they saw, where something was said since the pass ``after``: the draft does
        not know of it yet.
        """
        async with self._writer.begin() as connection:
            await _alone(connection)
            if await _newest(connection) != after:
                return None
            await connection.execute(update(GenerationRow).values(current=draft))
            return await _note(connection, kind, upto, corrections, counts)

    async def settle(self) -> None:
        """Clear away what no reader sees: an earlier generation, or a draft that was never finished."""
        async with self._read() as connection:
            if not await connection.scalar(select(GenerationRow.unsettled)):
                return
        await self._clear(
            select(MembershipRow.paper_id, MembershipRow.position, MembershipRow.since).where(
                or_(MembershipRow.until <= NOW, MembershipRow.since > NOW)
            ),
            delete(MembershipRow).where(_HERE, MembershipRow.since == bindparam("b_since")),
            ("b_paper", "b_position", "b_since"),
        )
        await self._clear(
            select(MembershipRow.paper_id, MembershipRow.position).where(
                HOLDS, MembershipRow.until < FOREVER
            ),
            update(MembershipRow).where(_HERE, HOLDS).values(until=FOREVER),
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

    async def _clear(self, found: Executable, change: Executable, names: tuple[str, ...]) -> None:
        """Change what a question finds, in parts; its columns go under these names."""
        async with self._read() as connection:
            rows = [dict(zip(names, row, strict=True)) for row in (await connection.execute(found)).all()]
        await self._in_parts(rows, lambda connection, part: connection.execute(change, part))

    async def _names_of(self, people: Sequence[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        async with self._read() as connection:
            for part in slices(people, AT_ONCE):
                rows = await connection.execute(select(PersonRow.id, NAME).where(PersonRow.id.in_(part)))
                found.update({row[0]: row[1] for row in rows})
        return found

    async def _in_parts(self, rows: Sequence[Any], write: Write) -> None:
        """Write rows in short transactions; the write lock is free for as long as it was held."""
        for part in slices(rows, AT_ONCE):
            async with self._writer.begin() as connection:
                begun = time.monotonic()
                await write(connection, part)
            await asyncio.sleep(time.monotonic() - begun)


def _places(rows: Sequence[dict[str, Any]]) -> list[Place]:
    return [(row["paper_id"], row["position"]) for row in rows]


def _bound(places: Sequence[Place]) -> list[dict[str, Any]]:
    return [{"b_paper": paper, "b_position": position} for paper, position in places]


def _rows(changed: Sequence[dict[str, Any]], since: int) -> list[dict[str, Any]]:
    return [{"judged": True, **row, "since": since, "until": FOREVER} for row in changed]


async def _alone(connection: AsyncConnection) -> None:
    """Let whoever else replaces or publishes wait for this transaction's end: a write holds the row."""
    await connection.execute(update(GenerationRow).values(current=GenerationRow.current))


async def _current(connection: AsyncConnection) -> int:
    return int(await connection.scalar(select(GenerationRow.current)) or 0)


async def _newest(connection: AsyncConnection) -> int:
    return int(await connection.scalar(select(func.max(IdentityPassRow.id))) or 0)


async def _end(connection: AsyncConnection, places: Sequence[Place], draft: int) -> None:
    """Let the memberships at these places end where the draft begins, and drop what it said of them."""
    bound = _bound(places)
    await connection.execute(delete(MembershipRow).where(_HERE, MembershipRow.since == draft), bound)
    await connection.execute(update(MembershipRow).where(_HERE, HOLDS).values(until=draft), bound)


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


async def _note(
    connection: AsyncConnection, kind: str, upto: int, corrections: int, counts: tuple[int, int]
) -> int:
    row = {
        "kind": kind,
        "finished": utc_now(),
        "upto": upto,
        "corrections": corrections,
        "authorships": counts[0],
        "people": counts[1],
    }
    made = await connection.execute(insert(IdentityPassRow).values(**row).returning(IdentityPassRow.id))
    return int(made.scalar_one())
