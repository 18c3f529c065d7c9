"""The store: papers, authors and listings in SQL, with the questions that commands ask of them."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from sqlalchemy import Select, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.calendar.clock import utc_now
from data.database.engine import make_reader, open_database
from data.keys import title_key
from data.records import Author, Changes, Deletion, Paper, PaperRecord, Rejected, paper_of
from data.stores.audit import Audit
from data.stores.author_names import AuthorNames
from data.stores.bans import Bans
from data.stores.claims import Claims
from data.stores.contests import Contests
from data.stores.corrections import Corrections
from data.stores.digests import Digests
from data.stores.feeds import Feeds
from data.stores.invitations import Invitations
from data.stores.kept_texts import KeptTexts
from data.stores.leases import Leases
from data.stores.limits import Counters
from data.stores.listings import Listings
from data.stores.lists import Lists
from data.stores.mail_codes import MailCodes
from data.stores.members import Members
from data.stores.openalex_facts import Facts
from data.stores.own_works import OwnWorks
from data.stores.people import People
from data.stores.people_seen import SeenPeople, View
from data.stores.refusals import refused_row
from data.stores.repository import Writer
from data.stores.shelf import Shelf
from data.stores.slices import slices
from data.stores.upsert import Batch
from data.tables.papers import (
    AuthorRow,
    AuthorshipRow,
    FormerTitleRow,
    PaperIdRow,
    PaperRow,
    RefusedRow,
    RunRow,
)

_PAPERS = PaperRow.__table__
_DAY = func.coalesce(PaperRow.announced, PaperRow.submitted, PaperRow.updated)
_CURRENT = PaperRow.merged_into.is_(None)


@dataclass(frozen=True, slots=True)
class IndexFact:
    """What the indexes keep beside a paper."""

    paper_id: int
    text_hash: int
    day: date | None
    categories: str


@dataclass(frozen=True, slots=True)
class Run:
    """One ingest run, as far as it came."""

    id: int
    source: str
    scope: str
    since: date | None
    started: datetime
    finished: datetime | None


def has_category(category: str) -> Any:
    """SQL: the paper is in this category, or in a category of this archive (``cs``)."""
    spaced = " " + PaperRow.categories + " "
    if "." in category or "-" in category:
        return spaced.contains(f" {category} ", autoescape=True)
    return or_(
        spaced.contains(f" {category} ", autoescape=True), spaced.contains(f" {category}.", autoescape=True)
    )


class AboutMembers(Protocol):
    """A part that says and forgets what it holds about a member."""

    async def held(self, member: int) -> dict[str, Any]:
        """All of it, ready for JSON."""
        ...

    async def forget(self, member: int) -> int:
        """Delete it; how many rows that were."""
        ...


class Store:
    """Asks and changes the database; every method is one short transaction."""

    def __init__(self, reader: AsyncEngine, writer: AsyncEngine) -> None:
        self._engine = reader
        self._writer = Writer(writer)
        self.author_names = AuthorNames(reader, self._writer)
        self.kept_texts = KeptTexts(reader, self._writer)
        self.people = People(reader, self._writer)
        self.corrections = Corrections(reader, self._writer)
        self.facts = Facts(reader, self._writer)
        self.members = Members(reader, self._writer)
        self.claims = Claims(reader, self._writer)
        self.mail_codes = MailCodes(reader, self._writer)
        self.limits = Counters(reader, self._writer)
        self.listings = Listings(reader, self._writer)
        self.leases = Leases(reader, self._writer)
        self.digests = Digests(reader, self._writer)
        self.shelf = Shelf(reader, self._writer)
        self.lists = Lists(reader, self._writer)
        self.feeds = Feeds(reader, self._writer)
        self.own_works = OwnWorks(reader, self._writer)
        self.contests = Contests(reader, self._writer)
        self.invitations = Invitations(reader, self._writer)
        self.bans = Bans(reader, self._writer)
        self.audit = Audit(reader, self._writer)

    @classmethod
    async def open(cls, url: str, *, bulk: bool = False) -> Store:
        """Open (with room for many writes where ``bulk``), and migrate where needed.

        Raises
        ------
        data.database.engine.StoreError
            Where the database is of a newer Labmate, or is none.
        """
        writer = await open_database(url, bulk=bulk)
        return cls(make_reader(url), writer)

    @property
    def about_members(self) -> tuple[AboutMembers, ...]:
        """Every part that holds something about members; claims last, since others lead to them."""
        return (
            self.members,
            self.invitations,
            self.own_works,
            self.audit,
            self.digests,
            self.shelf,
            self.lists,
            self.feeds,
            self.claims,
        )

    def seen_from(self, view: View) -> Store:
        """The same store, in which people are who they are by a server's own corrections."""
        seen = copy.copy(self)
        seen.people = SeenPeople(self.people, view)
        return seen

    async def close(self) -> None:
        """Give the connections back."""
        await self._engine.dispose()
        await self._writer.dispose()

    @asynccontextmanager
    async def _read(self) -> AsyncIterator[AsyncConnection]:
        async with self._engine.connect() as connection:
            yield connection

    # -- in ------------------------------------------------------------------------------------

    async def upsert(self, items: Sequence[PaperRecord | Deletion]) -> Changes:
        """Put a batch in, in one transaction: all of it or none."""
        async with self._writer.begin() as connection:
            return await Batch(connection).apply(items)

    async def start_run(self, source: str, scope: str, since: date | None = None) -> int:
        """Note that an ingest run began; returns its number."""
        async with self._writer.begin() as connection:
            row = {"source": source, "scope": scope[:500], "since": since, "started": utc_now()}
            zero = dict.fromkeys(("read", "added", "updated", "unchanged", "refused"), 0)
            result = await connection.execute(insert(RunRow).values(**row, **zero).returning(RunRow.id))
            return int(result.scalar_one())

    async def save_run(self, run_id: int, counts: dict[str, int], *, finished: bool) -> None:
        """Keep a run's counts; a finished run is one that came to its end."""
        async with self._writer.begin() as connection:
            values: dict[str, Any] = {**counts, **({"finished": utc_now()} if finished else {})}
            await connection.execute(update(RunRow).where(RunRow.id == run_id).values(**values))

    async def refuse(self, run_id: int, source: str, rejected: Sequence[Rejected]) -> None:
        """Keep refused records to look at; the same one is kept once."""
        rows = {row["fingerprint"]: row for row in (refused_row(run_id, source, r) for r in rejected)}
        async with self._writer.begin() as connection:
            for part in slices(rows):
                known = await connection.scalars(
                    select(RefusedRow.fingerprint).where(
                        RefusedRow.source == source, RefusedRow.fingerprint.in_(part)
                    )
                )
                for fingerprint in known.all():
                    rows.pop(fingerprint)
            if rows:
                await connection.execute(insert(RefusedRow), list(rows.values()))

    async def last_run(self, source: str, scope: str | None = None) -> Run | None:
        """The newest finished run of a source (and scope), or None."""
        query = select(RunRow).where(RunRow.source == source, RunRow.finished.is_not(None))
        if scope is not None:
            query = query.where(RunRow.scope == scope)
        async with self._read() as connection:
            row = (await connection.execute(query.order_by(RunRow.id.desc()).limit(1))).first()
        return Run(row.id, row.source, row.scope, row.since, row.started, row.finished) if row else None

    # -- papers --------------------------------------------------------------------------------

    async def papers(self, ids: Iterable[int]) -> list[Paper]:
        """The papers of these store ids, in this order; merged ones lead on, unknown ones are left out."""
        wanted = list(ids)
        rows: dict[int, Any] = {}
        authors: dict[int, list[Author]] = {}
        former: dict[int, list[str]] = {}
        async with self._read() as connection:
            for part in slices(wanted):
                found = (await connection.execute(select(_PAPERS).where(_PAPERS.c.id.in_(part)))).all()
                rows.update((row.id, row) for row in found)
            moved = {row.merged_into for row in rows.values() if row.merged_into} - rows.keys()
            for part in slices(moved):
                found = (await connection.execute(select(_PAPERS).where(_PAPERS.c.id.in_(part)))).all()
                rows.update((row.id, row) for row in found)
            for part in slices([row.id for row in rows.values() if not row.merged_into]):
                names = await connection.execute(
                    select(AuthorshipRow.paper_id, AuthorRow.key, AuthorshipRow.name, AuthorshipRow.listed)
                    .join(AuthorRow, AuthorRow.id == AuthorshipRow.author_id)
                    .where(AuthorshipRow.paper_id.in_(part))
                    .order_by(AuthorshipRow.paper_id, AuthorshipRow.position)
                )
                for paper_id, key, name, listed in names:
                    authors.setdefault(paper_id, []).append(Author(key, name, listed))
                titles = await connection.execute(
                    select(FormerTitleRow.paper_id, FormerTitleRow.title).where(
                        FormerTitleRow.paper_id.in_(part)
                    )
                )
                for paper_id, title in titles:
                    former.setdefault(paper_id, []).append(title)
        papers = []
        for paper_id in wanted:
            row = rows.get(paper_id)
            while row is not None and row.merged_into:
                row = rows.get(row.merged_into)
            if row is not None:
                papers.append(paper_of(row._mapping, authors.get(row.id, []), former.get(row.id, [])))
        return papers

    async def find_id(self, scheme: str, value: str) -> int | None:
        """The store id of the paper with this identifier."""
        async with self._read() as connection:
            return await connection.scalar(
                select(PaperIdRow.paper_id).where(PaperIdRow.scheme == scheme, PaperIdRow.value == value)
            )

    async def ids_of(self, scheme: str) -> dict[str, int]:
        """Every identifier of a scheme with its store id."""
        async with self._read() as connection:
            query = select(PaperIdRow.value, PaperIdRow.paper_id).where(PaperIdRow.scheme == scheme)
            return {row[0]: row[1] for row in await connection.execute(query)}

    async def find_title(self, title: str) -> list[int]:
        """Store ids of the papers with this very title, now or formerly."""
        key = title_key(title)
        async with self._read() as connection:
            now = await connection.scalars(select(PaperRow.id).where(PaperRow.title_key == key, _CURRENT))
            before = await connection.scalars(
                select(FormerTitleRow.paper_id).where(FormerTitleRow.title_key == key)
            )
            return list(dict.fromkeys([*now.all(), *before.all()]))

    async def papers_of(
        self,
        author_key: str,
        *,
        oldest_first: bool = False,
        since: date | None = None,
        category: str | None = None,
    ) -> list[int]:
        """Store ids of an author's papers, newest first unless asked otherwise."""
        query = (
            select(PaperRow.id)
            .join(AuthorshipRow, AuthorshipRow.paper_id == PaperRow.id)
            .join(AuthorRow, AuthorRow.id == AuthorshipRow.author_id)
            .where(AuthorRow.key == author_key, _CURRENT)
            .group_by(PaperRow.id)
        )
        if since:
            query = query.where(since <= _DAY)
        if category:
            query = query.where(has_category(category))
        order = (_DAY.asc(), PaperRow.id.asc()) if oldest_first else (_DAY.desc(), PaperRow.id.desc())
        return await self._ids(query.order_by(*order))

    async def narrowed(
        self,
        ids: Sequence[int],
        *,
        oldest_first: bool = False,
        since: date | None = None,
        category: str | None = None,
    ) -> list[int]:
        """Those of some papers that are within limits, newest first unless asked otherwise."""
        found: list[tuple[Any, int]] = []
        async with self._read() as connection:
            for part in slices(ids):
                query = select(_DAY, PaperRow.id).where(PaperRow.id.in_(part), _CURRENT)
                if since:
                    query = query.where(since <= _DAY)
                if category:
                    query = query.where(has_category(category))
                found += [(str(row[0] or ""), row[1]) for row in await connection.execute(query)]
        return [number for _, number in sorted(found, reverse=not oldest_first)]

    # -- for the indexes -----------------------------------------------------------------------

    async def index_facts(self, after: int = -1) -> list[IndexFact]:
        """Facts of all current papers whose row changed after this batch number."""
        query = select(PaperRow.id, PaperRow.text_hash, _DAY.label("day"), PaperRow.categories).where(
            _CURRENT
        )
        if after >= 0:
            query = query.where(PaperRow.changed > after)
        async with self._read() as connection:
            return [IndexFact(*row) for row in await connection.execute(query)]

    async def changed_ids(self, after: int, limit: int) -> tuple[list[int], int]:
        """Store ids of rows changed after a batch number, oldest change first, and the last one's number."""
        query = (
            select(PaperRow.id, PaperRow.changed)
            .where(PaperRow.changed > after)
            .order_by(PaperRow.changed, PaperRow.id)
        )
        async with self._read() as connection:
            rows = (await connection.execute(query.limit(limit))).all()
            if not rows:
                return [], after
            last = rows[-1].changed
            # A batch is taken whole, so that its number says that nothing of it is missing.
            rest = await connection.scalars(
                select(PaperRow.id).where(PaperRow.changed == last, PaperRow.id > rows[-1].id)
            )
            return [row.id for row in rows] + list(rest.all()), last

    async def gone_since(self, after: int) -> list[int]:
        """Store ids that since this batch only lead to another paper."""
        query = select(PaperRow.id).where(PaperRow.merged_into.is_not(None), PaperRow.changed > after)
        return await self._ids(query)

    async def merged(self, ids: Iterable[int]) -> set[int]:
        """Those of the store ids that now only lead to another paper."""
        found: set[int] = set()
        async with self._read() as connection:
            for part in slices(ids):
                query = select(PaperRow.id).where(PaperRow.id.in_(part), PaperRow.merged_into.is_not(None))
                found.update((await connection.scalars(query)).all())
        return found

    async def last_change(self) -> int:
        """The number of the newest batch; 0 for an empty store."""
        async with self._read() as connection:
            return await connection.scalar(select(func.max(PaperRow.changed))) or 0

    async def texts(self, ids: Sequence[int]) -> dict[int, tuple[str, str, int]]:
        """Title, abstract and text hash of these papers."""
        found: dict[int, tuple[str, str, int]] = {}
        async with self._read() as connection:
            for part in slices(ids):
                query = select(PaperRow.id, PaperRow.title, PaperRow.abstract, PaperRow.text_hash)
                for row in await connection.execute(query.where(PaperRow.id.in_(part))):
                    found[row[0]] = (row[1], row[2], row[3])
        return found

    # -- about itself --------------------------------------------------------------------------

    async def count(self) -> int:
        """How many papers are known."""
        async with self._read() as connection:
            return await connection.scalar(select(func.count()).select_from(PaperRow).where(_CURRENT)) or 0

    async def known_arxiv_ids(self, ids: Sequence[str]) -> set[str]:
        """Those of the arXiv ids that the store has."""
        found: set[str] = set()
        async with self._read() as connection:
            for part in slices(ids):
                query = select(PaperRow.arxiv_id).where(PaperRow.arxiv_id.in_(part))
                found.update(value for value in (await connection.scalars(query)).all() if value)
        return found

    async def integrity(self) -> str:
        """SQLite's own quick check ("ok" where all is well); other databases look after themselves."""
        if self._engine.dialect.name != "sqlite":
            return "ok"
        async with self._read() as connection:
            return str((await connection.exec_driver_sql("PRAGMA quick_check(1)")).scalar())

    async def _ids(self, query: Select[Any]) -> list[int]:
        async with self._read() as connection:
            return list((await connection.scalars(query)).all())
