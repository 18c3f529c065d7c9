"""The store: papers and ingest runs, and one repository for each other subject."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from data.database.backups import DATABASE, drawn
from data.database.engine import FEW, Paging, make_reader, open_database
from data.database.reading import reading
from data.database.unchanged import unchanged
from data.records import Changes, Deletion, PaperRecord
from data.stores.asked_questions import AskedQuestions
from data.stores.audit import Audit
from data.stores.author_names import AuthorNames
from data.stores.bans import Bans
from data.stores.changed_papers import ChangedPapers
from data.stores.claims import Claims
from data.stores.contests import Contests
from data.stores.corrections import Corrections
from data.stores.digests import Digests
from data.stores.direct_channels import DirectChannels
from data.stores.feeds import Feeds
from data.stores.full_texts import KeptFullTexts
from data.stores.greetings import Greetings
from data.stores.invitations import Invitations
from data.stores.kept_texts import KeptTexts
from data.stores.leases import Leases
from data.stores.library import Library
from data.stores.limits import LastingLimits
from data.stores.link_cards import LinkCards
from data.stores.listings import Listings
from data.stores.lists import Lists
from data.stores.llm_spending import LlmSpending
from data.stores.mail_codes import MailCodes
from data.stores.member_settings import MemberSettings
from data.stores.members import Members
from data.stores.openalex_facts import Facts
from data.stores.own_works import OwnWorks
from data.stores.paper_keys import PaperKeys
from data.stores.papers import Papers
from data.stores.people import People
from data.stores.people_seen import SeenPeople, View
from data.stores.repository import DATABASE_ERRORS, Writer
from data.stores.runs import Runs
from data.stores.sequences import insert_unless_there
from data.stores.shards import Shards
from data.stores.upsert import Batch
from data.tables.papers import SequenceRow


class AboutMembers(Protocol):
    """A part that holds something about members, and can show and forget it."""

    async def held(self, member: int) -> dict[str, Any]:
        """All that it holds about a member, ready for JSON."""
        ...

    async def forget(self, member: int) -> int:
        """Delete all of it; returns the number of rows."""
        ...


class Store(Papers, ChangedPapers, Runs):
    """Reads and writes the database; every method is one short transaction."""

    def __init__(self, reader: AsyncEngine, writer: AsyncEngine) -> None:
        self._engine = reader
        self._unchanged = unchanged(reader)
        self._reading = reading(reader)
        self._writer = Writer(writer)
        self.author_names = AuthorNames(reader, self._writer)
        self.paper_keys = PaperKeys(reader, self._writer)
        self.kept_texts = KeptTexts(reader, self._writer)
        self.asked_questions = AskedQuestions(reader, self._writer)
        self.full_texts = KeptFullTexts(reader, self._writer)
        self.people = People(reader, self._writer)
        self.corrections = Corrections(reader, self._writer)
        self.facts = Facts(reader, self._writer)
        self.members = Members(reader, self._writer)
        self.claims = Claims(reader, self._writer)
        self.mail_codes = MailCodes(reader, self._writer)
        self.limits = LastingLimits(reader, self._writer)
        self.llm_spending = LlmSpending(reader, self._writer)
        self.listings = Listings(reader, self._writer)
        self.leases = Leases(reader, self._writer)
        self.shards = Shards(reader, self._writer)
        self.digests = Digests(reader, self._writer)
        self.direct_channels = DirectChannels(reader, self._writer)
        self.member_settings = MemberSettings(reader, self._writer)
        self.greetings = Greetings(reader, self._writer)
        self.library = Library(reader, self._writer)
        self.link_cards = LinkCards(reader, self._writer)
        self.lists = Lists(reader, self._writer)
        self.feeds = Feeds(reader, self._writer)
        self.own_works = OwnWorks(reader, self._writer)
        self.contests = Contests(reader, self._writer)
        self.invitations = Invitations(reader, self._writer)
        self.bans = Bans(reader, self._writer)
        self.audit = Audit(reader, self._writer)

    @classmethod
    async def open(cls, url: str, *, paging: Paging = FEW) -> Store:
        """Open the database, and migrate it where needed.

        Raises
        ------
        data.database.engine.StoreError
            Where the file is a newer Labmate's, or isn't a database.
        """
        writer = await open_database(url, paging=paging)
        return cls(make_reader(url), writer)

    @property
    def about_members(self) -> tuple[AboutMembers, ...]:
        """Every part that holds something about members; claims last, since others refer to them."""
        return (
            self.members,
            self.invitations,
            self.own_works,
            self.audit,
            self.corrections,
            self.asked_questions,
            self.digests,
            self.direct_channels,
            self.member_settings,
            self.library,
            self.lists,
            self.feeds,
            self.claims,
        )

    async def number(self) -> int | None:
        """A number drawn for this database, which tells it from others; None where it can't be drawn now."""
        query = select(SequenceRow.last).where(SequenceRow.name == DATABASE)
        async with self._read() as connection:
            known = await connection.scalar(query)
        if known is not None:
            return int(known)
        with suppress(*DATABASE_ERRORS):
            async with self._writer.begin() as connection:
                await insert_unless_there(connection, SequenceRow, {"name": DATABASE, "last": drawn()})
            async with self._read() as connection:
                return await connection.scalar(query)
        return None

    def seen_from(self, view: View) -> Store:
        """The same store, with people as a server's own corrections make them."""
        store = copy.copy(self)
        store.people = SeenPeople(self.people, view)
        return store

    async def close(self) -> None:
        """Give the connections back."""
        if self._reading is not None:
            await self._reading.close()
        await self._engine.dispose()
        await self._writer.dispose()

    async def upsert(self, items: Sequence[PaperRecord | Deletion]) -> Changes:
        """Write a batch in one transaction: all of it or nothing."""
        async with self._writer.begin() as connection:
            return await Batch(connection).apply(items)

    async def integrity(self) -> str:
        """The result of SQLite's quick check, "ok" if all is well; other databases look after themselves."""
        if self._engine.dialect.name != "sqlite":
            return "ok"
        async with self._read() as connection:
            return str((await connection.exec_driver_sql("PRAGMA quick_check(1)")).scalar())
