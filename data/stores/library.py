"""Members' libraries in SQL: saved works with tags, notes and reading states."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, insert, not_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.calendar.clock import utc_now
from data.keys import fold, fresh_number, name_key
from data.stores.repository import Repository, Writer
from data.stores.slices import slices
from data.tables.library import LibraryRow
from data.tables.papers import PaperRow

STATES = ("unread", "reading", "read")
UNDO_FOR = timedelta(days=1)
_ROWS = 100
"""Rows read between two pauses for the event loop."""
_REMEMBERED = 256
"""The number of members whose tags stay in memory."""
_AUTHORS = 10
"""The first authors of a work, by which it is told from others with its title."""
MOST_KEPT, MOST_TAGS, MAX_TAG, MAX_NOTE = 5_000, 12, 40, 2_000


class LibraryFull(Exception):
    """A library that is full; its text says so."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A work in a library (:class:`data.tables.library.LibraryRow`); ``record`` is CSL-JSON or empty."""

    id: int
    member: int
    paper_id: int | None
    record: dict[str, Any]
    state: str
    note: str
    tags: tuple[str, ...]
    made: datetime
    changed: datetime

    @property
    def was_touched(self) -> bool:
        """Whether the member has saved it again, put it back, or worked on it since it was kept."""
        return bool(self.changed != self.made or self.note or self.tags or self.state != "unread")


@dataclass(frozen=True, slots=True)
class Added:
    """The numbers of new works and of works kept before, and the instant stored with the new ones."""

    new: int
    known: int
    made: datetime


_HERE = LibraryRow.gone.is_(None)
_COLUMNS = [getattr(LibraryRow, name) for name in Kept.__slots__]


def _kept(row: Any) -> Kept:
    values = {name: row._mapping[name] for name in Kept.__slots__}
    record = json.loads(values["record"]) if values["record"] else {}
    tags = tuple(values["tags"].split("\n")) if values["tags"] else ()
    return Kept(**(values | {"record": record, "tags": tags}))


def _all_kept(rows: Sequence[Any]) -> list[Kept]:
    works = []
    for row in rows:
        values = dict(row._mapping)
        into = values.pop("merged_into")
        works.append(_kept(_Row(values | ({"paper_id": into} if into else {}))))
    return works


def clean_tags(text: str, most: int = MOST_TAGS) -> tuple[str, ...]:
    """Tags from text with commas or line breaks between: each once, in order, cut to the limits."""
    parts = (" ".join(part.split()).lstrip("#")[:MAX_TAG] for part in text.replace("\n", ",").split(","))
    return tuple(dict.fromkeys(part for part in parts if part))[:most]


class Library(Repository):
    """Keeps members' libraries; every change is one transaction."""

    def __init__(self, reader: AsyncEngine, writer: Writer) -> None:
        super().__init__(reader, writer)
        self._tags: OrderedDict[int, dict[str, int]] = OrderedDict()
        self._written = 0

    async def of(self, member: int) -> list[Kept]:
        """All that a member keeps, newest first; merged papers are followed to the ones they became."""
        query = select(*_COLUMNS, PaperRow.merged_into).outerjoin(
            PaperRow, PaperRow.id == LibraryRow.paper_id
        )
        query = query.where(LibraryRow.member == member, _HERE).order_by(
            LibraryRow.made.desc(), LibraryRow.id.desc()
        )
        works: list[Kept] = []
        async with self._read_as_it_comes() as connection:
            rows = await connection.stream(query)
            async for part in rows.partitions(_ROWS):
                works += await asyncio.to_thread(_all_kept, part)
        return works

    async def tags(self, member: int) -> dict[str, int]:
        """The number of works with each tag, without reading anything else of them."""
        if (known := self._tags.get(member)) is not None:
            return known
        counts: Counter[str] = Counter()
        query = select(LibraryRow.tags, func.count()).where(
            LibraryRow.member == member, _HERE, LibraryRow.tags != ""
        )
        written = self._written
        async with self._read() as connection:
            for tags, count in await connection.execute(query.group_by(LibraryRow.tags)):
                for tag in tags.split("\n"):
                    counts[tag] += count
        by_count = dict(counts.most_common())
        if self._written == written:  # else it may be of before what was written
            self._tags[member] = by_count
            while len(self._tags) > _REMEMBERED:
                self._tags.popitem(last=False)
        return by_count

    @asynccontextmanager
    async def _change(self, member: int) -> AsyncIterator[AsyncConnection]:
        """One transaction that changes a member's library."""
        try:
            async with self._writer.begin() as connection:
                yield connection
        finally:
            self._written += 1
            self._tags.pop(member, None)

    async def find(self, member: int, number: int) -> Kept | None:
        """One of a member's own works."""
        return await self._one(LibraryRow.member == member, LibraryRow.id == number)

    async def of_paper(self, member: int, paper: int) -> Kept | None:
        """A member's entry for a paper."""
        return await self._one(LibraryRow.member == member, LibraryRow.paper_id == paper)

    async def _one(self, *where: Any) -> Kept | None:
        async with self._read() as connection:
            row = (await connection.execute(select(*_COLUMNS).where(*where, _HERE))).first()
        return _kept(row) if row else None

    async def keep(self, member: int, paper: int) -> tuple[Kept, bool]:
        """Keep a paper; the second value is False where it was kept already.

        Raises
        ------
        LibraryFull
            Where the library is full.
        """
        added = await self.add(member, [(paper, {})])
        work = await self.of_paper(member, paper)
        assert work is not None
        return work, bool(added.new)

    async def add(
        self,
        member: int,
        works: Sequence[tuple[int | None, dict[str, Any]]],
        more: Sequence[tuple[str, str, tuple[str, ...]]] = (),
    ) -> Added:
        """Keep papers, or records of works that the store lacks; works kept before stay as they are.

        Papers kept before count as changed, since they are wanted again, but for those of a file.

        Parameters
        ----------
        more
            For each work of a file its state, note and tags.

        Raises
        ------
        LibraryFull
            Where the library is full; then nothing is kept.
        """
        now = utc_now()
        added = known = 0
        async with self._change(member) as connection:
            mine = LibraryRow.member == member
            again = [paper for paper, _ in works if paper is not None]
            for part in slices(again):
                among = LibraryRow.paper_id.in_(part)
                await connection.execute(delete(LibraryRow).where(mine, among, LibraryRow.gone.is_not(None)))
            count = await connection.scalar(select(func.count()).where(mine, _HERE)) or 0
            held = await connection.execute(select(LibraryRow.paper_id, LibraryRow.record).where(mine, _HERE))
            papers: set[int | None] = set()
            others = _Others()
            for row in held:
                papers.add(row.paper_id)
                if row.record:
                    others.add(json.loads(row.record))
            for part in slices([] if more else again):
                among = LibraryRow.paper_id.in_(part)
                await connection.execute(update(LibraryRow).where(mine, among).values(changed=now))
            for place, (paper, record) in enumerate(works):
                if paper in papers if paper is not None else record in others:
                    known += 1
                    continue
                if paper is None:
                    others.add(record)
                else:
                    papers.add(paper)
                state, note, tags = more[place] if more else ("unread", "", ())
                row_values = {
                    "id": fresh_number(),
                    "member": member,
                    "paper_id": paper,
                    "record": "" if paper is not None else json.dumps(record),
                    "state": state if state in STATES else "unread",
                    "note": note[:MAX_NOTE],
                    "tags": "\n".join(clean_tags(",".join(tags))),
                    "made": now,
                    "changed": now,
                    "gone": None,
                }
                await connection.execute(insert(LibraryRow).values(**row_values))
                added += 1
            if count + added > MOST_KEPT:
                raise LibraryFull(
                    f"A library holds {MOST_KEPT:,} works, and yours has {count:,}; "
                    "/library export saves it to a file."
                )
        return Added(added, known, now)

    async def change(self, member: int, number: int, **values: Any) -> Kept | None:
        """Change tags, note or state of one of a member's own works; the caller sees to their length."""
        if "tags" in values:
            values["tags"] = "\n".join(clean_tags(",".join(values["tags"]), most=len(values["tags"])))
        async with self._change(member) as connection:
            row = (
                await connection.execute(
                    update(LibraryRow)
                    .where(LibraryRow.member == member, LibraryRow.id == number, _HERE)
                    .values(**values, changed=utc_now())
                    .returning(*_COLUMNS)
                )
            ).first()
        return _kept(row) if row else None

    async def drop(self, member: int, number: int) -> Kept | None:
        """Remove one of a member's own works; :meth:`put_back` undoes it for a day."""
        work = await self.find(member, number)
        now = utc_now()
        async with self._change(member) as connection:
            mine = (LibraryRow.member == member) & (LibraryRow.id == number)
            await connection.execute(update(LibraryRow).where(mine).values(gone=now))
        return work

    async def drop_added(self, member: int, moment: int) -> tuple[int, int]:
        """Remove the works kept at an instant (microseconds since 1970, UTC), but for those changed since.

        Returns
        -------
        tuple of int
            The numbers of works that were removed, and that stay: the member saved them again, put them back
            or worked on them after they were kept.
        """
        made = datetime.fromtimestamp(0, UTC).replace(tzinfo=None) + timedelta(microseconds=moment)
        added = (LibraryRow.member == member) & (LibraryRow.made == made) & _HERE
        changed = LibraryRow.changed != LibraryRow.made  # a file brings tags and notes of its own
        async with self._change(member) as connection:
            gone = await connection.execute(delete(LibraryRow).where(added, not_(changed)))
            stay = await connection.scalar(select(func.count()).select_from(LibraryRow).where(added))
        return gone.rowcount, stay or 0

    async def put_back(self, member: int, number: int) -> Kept | None:
        """Undo :meth:`drop`; None where it is too late."""
        async with self._change(member) as connection:
            mine = (LibraryRow.member == member) & (LibraryRow.id == number)
            in_time = LibraryRow.gone >= utc_now() - UNDO_FOR
            here_again = {"gone": None, "changed": utc_now()}
            await connection.execute(update(LibraryRow).where(mine, in_time).values(**here_again))
        return await self.find(member, number)

    async def forget_old(self) -> int:
        """Delete what was removed so long ago that it can't be put back; returns how many works."""
        old = LibraryRow.gone < utc_now() - UNDO_FOR
        async with self._writer.begin() as connection:
            return int((await connection.execute(delete(LibraryRow).where(old))).rowcount)

    async def held(self, member: int) -> dict[str, Any]:
        """All that is held about a member, ready for JSON; also what they removed and can still put back."""
        removed = select(*_COLUMNS, LibraryRow.gone).where(LibraryRow.member == member, not_(_HERE))
        async with self._read() as connection:
            gone = [(_kept(row), row.gone) for row in await connection.execute(removed)]
        return {
            "library": [
                {
                    "paper": kept.paper_id,
                    "record": kept.record,
                    "state": kept.state,
                    "note": kept.note,
                    "tags": list(kept.tags),
                    "kept": kept.made.isoformat(),
                    "removed": when.isoformat() if when else None,
                }
                for kept, when in [*((kept, None) for kept in await self.of(member)), *gone]
            ]
        }

    async def forget(self, member: int) -> int:
        """Delete a member's library."""
        async with self._change(member) as connection:
            return (await connection.execute(delete(LibraryRow).where(LibraryRow.member == member))).rowcount


class _Row:
    def __init__(self, values: dict[str, Any]) -> None:
        self._mapping = values


class _Others:
    """Works that are no known papers, told apart by title, authors and year; a missing year fits any."""

    def __init__(self) -> None:
        self._years: dict[tuple[str, ...], set[int]] = {}

    def add(self, record: dict[str, Any]) -> None:
        self._years.setdefault(_names(record), set()).add(_year(record))

    def __contains__(self, record: dict[str, Any]) -> bool:
        years, year = self._years.get(_names(record), set()), _year(record)
        return bool(years) and (not year or not years.isdisjoint((0, year)))


def _names(record: dict[str, Any]) -> tuple[str, ...]:
    """A work's title, and its authors' family names and first initials, which most programs write alike."""
    authors = (
        (name_key(person.get("family") or person.get("literal", "")), fold(person.get("given", ""))[:1])
        for person in record.get("author", [])[:_AUTHORS]
    )
    return fold(str(record.get("title", ""))), *(" ".join(author) for author in authors)


def _year(record: dict[str, Any]) -> int:
    """The year of a work; 0 where it is not known."""
    parts = record.get("issued", {}).get("date-parts", [[]])[0]
    return parts[0] if parts else 0
