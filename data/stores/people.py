"""People in SQL: whose each authorship is."""

from __future__ import annotations

from array import array
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import and_, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.stores.people_drafts import HOLDS, KNOWN, MERGED, NAME, Drafts
from data.stores.slices import slices
from data.tables.papers import (
    AuthorshipRow,
    IdentityPassRow,
    MembershipRow,
    PaperRow,
    PersonRow,
)

_DAY = func.coalesce(PaperRow.announced, PaperRow.submitted, PaperRow.updated)
_PART = 20_000
_VALID = and_(
    AuthorshipRow.paper_id == MembershipRow.paper_id,
    AuthorshipRow.position == MembershipRow.position,
    AuthorshipRow.author_id == MembershipRow.author_id,
    HOLDS,
)
"""The membership holds, and the name that was judged still stands there."""

_MEMBERSHIPS = select(MembershipRow.__table__)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who wrote papers, in the forms the name was printed in (most printed first)."""

    id: int
    name: str
    papers: int
    forms: tuple[str, ...] = ()
    first: date | None = None
    last: date | None = None


@dataclass(frozen=True, slots=True)
class Membership:
    """An authorship that was judged to be a person's."""

    paper_id: int
    position: int
    author_id: int
    person_id: int
    confidence: float
    support: int | None
    judged: bool = True
    """False where a new paper was only placed among known people, until a full pass judges it."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A finished judgement: what of the store and of the corrections it knew."""

    id: int
    kind: str
    finished: datetime
    upto: int
    corrections: int
    authorships: int
    people: int


class People(Drafts):
    """Asks who is who; how it is written, :class:`data.stores.people_drafts.Drafts` knows."""

    # -- asking --------------------------------------------------------------------------------

    async def last_pass(self, kind: str | None = None) -> Pass | None:
        """The newest finished pass (of a kind), or None before the first."""
        query = select(IdentityPassRow.__table__).order_by(IdentityPassRow.id.desc()).limit(1)
        if kind:
            query = query.where(IdentityPassRow.kind == kind)
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return Pass(*row) if row else None

    def lead(self, person_id: int) -> int:
        """Who a person is where these people are seen from."""
        return person_id

    async def mostly_placed(self) -> bool:
        """Whether more authorships came since the last full pass than it judged, by what the passes counted."""
        last, full = await self.last_pass(), await self.last_pass("full")
        return last is not None and full is not None and last.authorships > 2 * full.authorships

    def said_of(self, person_id: int) -> tuple[int, ...]:
        """The corrections, by number, that make somebody another than for all where these are seen from."""
        return ()

    async def find(self, person_id: int) -> Person | None:
        """A person by number; one that was merged leads on to the other."""
        return (await self.find_all([person_id])).get(person_id)

    async def find_all(self, people: Sequence[int]) -> dict[int, Person]:
        """People by the numbers asked for; those who were merged lead on to the others."""
        asked, leads = list(dict.fromkeys(people)), {number: number for number in people}
        rows: dict[int, Any] = {}
        query = select(PersonRow.id, NAME.label("name"), MERGED.label("merged_into")).where(KNOWN)
        async with self._read() as connection:
            for _ in range(50):
                found = await connection.execute(query.where(PersonRow.id.in_(asked)))
                rows |= {row.id: row for row in found}
                asked = [
                    row.merged_into
                    for number in asked
                    if (row := rows.get(number)) and row.merged_into and row.merged_into not in rows
                ]
                if not asked:
                    break
            for number in leads:
                while (row := rows.get(leads[number])) and row.merged_into:
                    leads[number] = row.merged_into
            forms = await self._forms(connection, sorted(set(leads.values())))
        return {
            number: _person(rows[lead].id, rows[lead].name, forms.get(lead, []))
            for number, lead in leads.items()
            if lead in rows
        }

    async def _forms(self, connection: AsyncConnection, people: list[int]) -> dict[int, list[Any]]:
        """(name, papers, first day, last day) of each form a person's name was printed in."""
        query = (
            select(
                MembershipRow.person_id,
                AuthorshipRow.name,
                func.count().label("papers"),
                func.min(_DAY).label("first"),
                func.max(_DAY).label("last"),
            )
            .select_from(MembershipRow)
            .join(AuthorshipRow, _VALID)
            .join(PaperRow, PaperRow.id == AuthorshipRow.paper_id)
            .where(MembershipRow.person_id.in_(people), PaperRow.merged_into.is_(None))
            .group_by(MembershipRow.person_id, AuthorshipRow.name)
            .order_by(func.count().desc(), AuthorshipRow.name)
        )
        forms: dict[int, list[Any]] = {}
        for row in await connection.execute(query):
            forms.setdefault(row.person_id, []).append(row)
        return forms

    async def named(self, author_ids: Sequence[int]) -> list[tuple[int, int]]:
        """(person, papers under these names) of everybody who prints one of the names, most papers first."""
        query = (
            select(MembershipRow.person_id, func.count(func.distinct(MembershipRow.paper_id)).label("papers"))
            .join(AuthorshipRow, _VALID)
            .where(MembershipRow.author_id.in_(author_ids))
            .group_by(MembershipRow.person_id)
            .order_by(func.count(func.distinct(MembershipRow.paper_id)).desc(), MembershipRow.person_id)
        )
        async with self._read() as connection:
            return [(row[0], row[1]) for row in await connection.execute(query)]

    async def unjudged(self, author_id: int) -> list[int]:
        """Store ids of papers on which this name stands and whose it is, no pass has judged yet."""
        query = (
            select(AuthorshipRow.paper_id)
            .outerjoin(MembershipRow, _VALID)
            .join(PaperRow, PaperRow.id == AuthorshipRow.paper_id)
            .where(
                AuthorshipRow.author_id == author_id,
                MembershipRow.person_id.is_(None),
                PaperRow.merged_into.is_(None),
            )
        )
        async with self._read() as connection:
            return [row[0] for row in await connection.execute(query)]

    async def memberships(self, person_id: int) -> list[Membership]:
        """A person's authorships, newest paper first."""
        query = (
            _MEMBERSHIPS.join(AuthorshipRow, _VALID)
            .join(PaperRow, PaperRow.id == MembershipRow.paper_id)
            .where(MembershipRow.person_id == person_id, PaperRow.merged_into.is_(None))
            .order_by(_DAY.desc(), PaperRow.id.desc())
        )
        async with self._read() as connection:
            return [_membership(row) for row in await connection.execute(query)]

    async def at(self, places: Sequence[tuple[int, int]]) -> list[Membership]:
        """The judged authorships at these places (paper and position)."""
        papers = list({paper for paper, _ in places})
        wanted = set(places)
        found: list[Membership] = []
        async with self._read() as connection:
            for part in slices(papers):
                rows = await connection.execute(
                    _MEMBERSHIPS.join(AuthorshipRow, _VALID).where(MembershipRow.paper_id.in_(part))
                )
                found += [_membership(row) for row in rows if (row.paper_id, row.position) in wanted]
        return found

    async def printed(self, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """The names as printed at these places."""
        papers = list({paper for paper, _ in places})
        found: dict[tuple[int, int], str] = {}
        async with self._read() as connection:
            for part in slices(papers):
                rows = await connection.execute(
                    select(AuthorshipRow.paper_id, AuthorshipRow.position, AuthorshipRow.name).where(
                        AuthorshipRow.paper_id.in_(part)
                    )
                )
                found.update({(row[0], row[1]): row[2] for row in rows})
        return found

    async def on_paper(self, paper_id: int) -> dict[int, int]:
        """The person behind each name (by its number) of a paper, as far as judged."""
        query = (
            select(MembershipRow.author_id, MembershipRow.person_id)
            .join(AuthorshipRow, _VALID)
            .where(MembershipRow.paper_id == paper_id)
        )
        async with self._read() as connection:
            return {row[0]: row[1] for row in await connection.execute(query)}

    async def names(self, person_ids: Iterable[int]) -> dict[int, str]:
        """The most printed form of each person's name."""
        found: dict[int, str] = {}
        wanted = list(person_ids)
        async with self._read() as connection:
            for part in slices(wanted):
                rows = await connection.execute(
                    select(PersonRow.id, NAME).where(PersonRow.id.in_(part), KNOWN)
                )
                found.update({row[0]: row[1] for row in rows})
        return found

    async def standing(self) -> tuple[int, int]:
        """How many authorships current papers have, and how many of them a full pass (or a person) judged."""
        current = PaperRow.merged_into.is_(None)
        all_of_them = (
            select(func.count())
            .select_from(AuthorshipRow)
            .join(PaperRow, PaperRow.id == AuthorshipRow.paper_id)
        )
        judged = (
            select(func.count())
            .select_from(MembershipRow)
            .join(AuthorshipRow, _VALID)
            .join(PaperRow, PaperRow.id == MembershipRow.paper_id)
        )
        async with self._read() as connection:
            return (
                int(await connection.scalar(all_of_them.where(current)) or 0),
                int(await connection.scalar(judged.where(current, MembershipRow.judged)) or 0),
            )

    async def whose(self, ends: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
        """The person behind each authorship (paper and name's number), as far as judged."""
        papers, wanted = list({paper for paper, _ in ends}), set(ends)
        query = (
            select(MembershipRow.paper_id, MembershipRow.author_id, MembershipRow.person_id)
            .join(AuthorshipRow, _VALID)
            .order_by(MembershipRow.paper_id, MembershipRow.position)
        )
        found: dict[tuple[int, int], int] = {}
        async with self._read() as connection:
            for part in slices(papers):
                for row in await connection.execute(query.where(MembershipRow.paper_id.in_(part))):
                    if (row[0], row[1]) in wanted:
                        found.setdefault((row[0], row[1]), row[2])
        return found

    async def days(self, papers: Iterable[int]) -> dict[int, date | None]:
        """The day of each paper."""
        wanted = list(dict.fromkeys(papers))
        found: dict[int, date | None] = {}
        async with self._read() as connection:
            for part in slices(wanted):
                query = select(PaperRow.id, _DAY).where(PaperRow.id.in_(part))
                rows = await connection.execute(query)
                found.update({row[0]: _as_day(row[1]) if row[1] else None for row in rows})
        return found

    # -- for a pass ----------------------------------------------------------------------------

    async def authorships(self) -> list[tuple[int, int, int, str]]:
        """Every authorship of a current paper: paper, position, name's number, name as printed; in order."""
        query = (
            select(
                AuthorshipRow.paper_id, AuthorshipRow.position, AuthorshipRow.author_id, AuthorshipRow.name
            )
            .join(PaperRow, PaperRow.id == AuthorshipRow.paper_id)
            .where(PaperRow.merged_into.is_(None))
            .order_by(AuthorshipRow.paper_id, AuthorshipRow.position)
        )
        async with self._read() as connection:
            return [tuple(row) for row in await connection.execute(query)]  # type: ignore[misc]

    async def all_memberships(self) -> list[Membership]:
        """Every judged authorship."""
        async with self._read() as connection:
            return [_membership(row) for row in await connection.execute(_MEMBERSHIPS.where(HOLDS))]

    async def pairs(self) -> array[int]:
        """Person and paper of every authorship that was judged and still stands, one after the other."""
        query = (
            select(MembershipRow.person_id, MembershipRow.paper_id)
            .join(PaperRow, and_(PaperRow.id == MembershipRow.paper_id, PaperRow.merged_into.is_(None)))
            .where(HOLDS)
        )
        found = array("q")
        async with self._read() as connection:
            result = await connection.stream(query)
            async for part in result.partitions(_PART):
                for row in part:
                    found.extend(row)
        return found

    async def all_names(self) -> AsyncIterator[tuple[int, str]]:
        """Everybody's number and name, ascending; of those who were merged, too."""
        query = select(PersonRow.id, NAME).where(KNOWN).order_by(PersonRow.id)
        async with self._read() as connection:
            result = await connection.stream(query)
            async for part in result.partitions(_PART):
                for row in part:
                    yield row[0], row[1]

    async def people_rows(self) -> dict[int, tuple[str, int, int | None]]:
        """Every person: name, papers, and into whom merged."""
        query = select(PersonRow.id, NAME, PersonRow.papers, MERGED).where(KNOWN)
        async with self._read() as connection:
            return {row[0]: (row[1], row[2], row[3]) for row in await connection.execute(query)}


def _person(number: int, name: str, forms: list[Any]) -> Person:
    days = [_as_day(day) for form in forms for day in (form.first, form.last) if day]
    return Person(
        number,
        name,
        sum(form.papers for form in forms),
        tuple(form.name for form in forms),
        min(days, default=None),
        max(days, default=None),
    )


def _membership(row: Any) -> Membership:
    return Membership(
        row.paper_id, row.position, row.author_id, row.person_id, row.confidence, row.support, row.judged
    )


def _as_day(value: date | str) -> date:
    return date.fromisoformat(value[:10]) if isinstance(value, str) else value
