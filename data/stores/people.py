"""People in SQL: who wrote what, and under which names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, func, select

from data.stores.generations import KNOWN, MERGED, NAME
from data.stores.papers import DAY, NEWEST, within
from data.stores.person_passes import MEMBERSHIPS, VALID, VALID_BY_NAME, Membership, Passes, membership_of
from data.stores.slices import slices
from data.tables.papers import AuthorshipRow, MembershipRow, PaperRow, PersonRow


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who wrote papers, with the printed forms of their name (most frequent first)."""

    id: int
    name: str
    papers: int
    forms: tuple[str, ...] = ()
    first: date | None = None
    last: date | None = None


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
# Statements that each reply asks several times, put together once.
_PEOPLE = select(PersonRow.id, NAME.label("name"), MERGED.label("merged_into")).where(
    KNOWN, PersonRow.id.in_(_IDS)
)
_FORMS = (
    select(
        MembershipRow.person_id,
        AuthorshipRow.name,
        func.count().label("papers"),
        func.min(DAY).label("first"),
        func.max(DAY).label("last"),
    )
    .select_from(MembershipRow)
    .join(AuthorshipRow, VALID)
    .join(PaperRow, PaperRow.id == AuthorshipRow.paper_id)
    .where(MembershipRow.person_id.in_(_IDS), PaperRow.merged_into.is_(None))
    .group_by(MembershipRow.person_id, AuthorshipRow.name)
)
_NAMED = (
    select(MembershipRow.person_id, func.count(func.distinct(MembershipRow.paper_id)).label("papers"))
    .join(AuthorshipRow, VALID_BY_NAME)
    .where(MembershipRow.author_id.in_(_IDS))
    .group_by(MembershipRow.person_id)
    .order_by(func.count(func.distinct(MembershipRow.paper_id)).desc(), MembershipRow.person_id)
)

_BY_ANY = (
    select(PaperRow.id)
    .join(MembershipRow, MembershipRow.paper_id == PaperRow.id)
    .join(AuthorshipRow, VALID_BY_NAME)
    .where(MembershipRow.person_id.in_(_IDS), PaperRow.merged_into.is_(None))
    .distinct()
)


@lru_cache
def _written_by(oldest_first: bool, since: date | None, category: str | None) -> Select[Any]:
    """The papers of a person."""
    query = (
        select(PaperRow.id)
        .join(MembershipRow, MembershipRow.paper_id == PaperRow.id)
        .join(AuthorshipRow, VALID_BY_NAME)
        .where(MembershipRow.person_id == bindparam("person"))
        .group_by(PaperRow.id)
    )
    return within(query, oldest_first=oldest_first, since=since, category=category)


class People(Passes):
    """Asks who is who."""

    def lead(self, person_id: int) -> int:
        """The number that a person has in this view."""
        return person_id

    def said_of(self, person_id: int) -> tuple[int, ...]:
        """The corrections, by number, that set this view of a person apart from everybody else's."""
        return ()

    async def find(self, person_id: int) -> Person | None:
        """A person by number; a merged one is followed to the other."""
        return (await self.find_all([person_id])).get(person_id)

    async def find_all(self, people: Sequence[int]) -> dict[int, Person]:
        """People by number; merged ones are followed to the others."""
        wanted = tuple(people)
        return dict(await self._unchanged.ask(("people", wanted), lambda: self._find_all(wanted)))

    async def _find_all(self, people: tuple[int, ...]) -> dict[int, Person]:
        return await self._read_in_thread(lambda connection: _people(connection, people))

    async def forms_of(self, people: Sequence[int]) -> dict[int, dict[str, int]]:
        """How many current papers print each form of these people's names."""
        found: dict[int, dict[str, int]] = {}
        for part in slices(people):  # a pass has many, so each part by itself
            for who, forms in (await self._read_in_thread(partial(_forms, people=part))).items():
                found[who] = {form.name: form.papers for form in forms}
        return found

    async def named(self, author_ids: Sequence[int]) -> list[tuple[int, int]]:
        """(person, papers) of everybody who publishes under one of the names, most papers first."""
        wanted = tuple(author_ids)
        return list(await self._unchanged.ask(("named", wanted), lambda: self._named(wanted)))

    async def _named(self, author_ids: tuple[int, ...]) -> list[tuple[int, int]]:
        def named(connection: Connection) -> list[tuple[int, int]]:
            return [(row[0], row[1]) for row in connection.execute(_NAMED, {"ids": author_ids})]

        return await self._read_in_thread(named)

    async def memberships(self, person_id: int) -> list[Membership]:
        """A person's authorships, newest paper first."""
        query = (
            MEMBERSHIPS.join(AuthorshipRow, VALID_BY_NAME)
            .join(PaperRow, PaperRow.id == MembershipRow.paper_id)
            .where(MembershipRow.person_id == person_id, PaperRow.merged_into.is_(None))
            .order_by(NEWEST, PaperRow.id.desc())
        )
        async with self._read() as connection:
            return [membership_of(row) for row in await connection.execute(query)]

    async def papers_of(
        self,
        person_id: int,
        *,
        oldest_first: bool = False,
        since: date | None = None,
        category: str | None = None,
    ) -> list[int]:
        """Store ids of a person's papers, newest first by default."""
        query, asked = _written_by(oldest_first, since, category), {"person": person_id}
        return await self._read_in_thread(lambda connection: list(connection.scalars(query, asked)))

    async def papers_of_any(self, people: Sequence[int]) -> list[int]:
        """Store ids of the papers that any of these people wrote, each once."""

        def written(connection: Connection) -> list[int]:
            papers: dict[int, None] = {}
            for part in slices(people):
                papers |= dict.fromkeys(connection.scalars(_BY_ANY, {"ids": part}))
            return list(papers)

        return await self._read_in_thread(written)

    async def at(self, places: Sequence[tuple[int, int]]) -> list[Membership]:
        """The judged authorships at these places (paper and position)."""
        papers = list({paper for paper, _ in places})
        wanted = set(places)
        memberships: list[Membership] = []
        async with self._read() as connection:
            for part in slices(papers):
                rows = await connection.execute(
                    MEMBERSHIPS.join(AuthorshipRow, VALID).where(MembershipRow.paper_id.in_(part))
                )
                memberships += [membership_of(row) for row in rows if (row.paper_id, row.position) in wanted]
        return memberships

    async def printed(self, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """The names as printed at these places."""
        papers = list({paper for paper, _ in places})
        names: dict[tuple[int, int], str] = {}
        async with self._read() as connection:
            for part in slices(papers):
                rows = await connection.execute(
                    select(AuthorshipRow.paper_id, AuthorshipRow.position, AuthorshipRow.name).where(
                        AuthorshipRow.paper_id.in_(part)
                    )
                )
                names.update({(row[0], row[1]): row[2] for row in rows})
        return names

    async def on_paper(self, paper_id: int) -> dict[int, int]:
        """The person behind each name (by its number) of a paper, as far as judged."""
        query = (
            select(MembershipRow.author_id, MembershipRow.person_id)
            .join(AuthorshipRow, VALID)
            .where(MembershipRow.paper_id == paper_id)
        )
        async with self._read() as connection:
            return {row[0]: row[1] for row in await connection.execute(query)}

    async def names(self, person_ids: Iterable[int]) -> dict[int, str]:
        """The most frequent form of each person's name."""
        names: dict[int, str] = {}
        wanted = list(person_ids)
        async with self._read() as connection:
            for part in slices(wanted):
                rows = await connection.execute(
                    select(PersonRow.id, NAME).where(PersonRow.id.in_(part), KNOWN)
                )
                names.update({row[0]: row[1] for row in rows})
        return names

    async def whose(self, ends: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
        """The person behind each authorship (paper and name's number), as far as judged."""
        papers, wanted = list({paper for paper, _ in ends}), set(ends)
        query = (
            select(MembershipRow.paper_id, MembershipRow.author_id, MembershipRow.person_id)
            .join(AuthorshipRow, VALID)
            .order_by(MembershipRow.paper_id, MembershipRow.position)
        )
        people: dict[tuple[int, int], int] = {}
        async with self._read() as connection:
            for part in slices(papers):
                for row in await connection.execute(query.where(MembershipRow.paper_id.in_(part))):
                    if (row[0], row[1]) in wanted:
                        people.setdefault((row[0], row[1]), row[2])
        return people

    async def days(self, papers: Iterable[int]) -> dict[int, date | None]:
        """The day of each paper."""
        wanted = list(dict.fromkeys(papers))
        days: dict[int, date | None] = {}
        async with self._read() as connection:
            for part in slices(wanted):
                query = select(PaperRow.id, DAY).where(PaperRow.id.in_(part))
                rows = await connection.execute(query)
                days.update({row[0]: _as_day(row[1]) if row[1] else None for row in rows})
        return days


def _people(connection: Connection, people: Sequence[int]) -> dict[int, Person]:
    pending, leads = list(dict.fromkeys(people)), {number: number for number in people}
    rows: dict[int, Any] = {}
    for _ in range(50):
        rows |= {row.id: row for row in connection.execute(_PEOPLE, {"ids": pending})}
        pending = [
            row.merged_into
            for number in pending
            if (row := rows.get(number)) and row.merged_into and row.merged_into not in rows
        ]
        if not pending:
            break
    for number in leads:
        while (row := rows.get(leads[number])) and row.merged_into:
            leads[number] = row.merged_into
    forms = _forms(connection, sorted(set(leads.values())))
    return {
        number: _person(rows[lead].id, rows[lead].name, forms.get(lead, []))
        for number, lead in leads.items()
        if lead in rows
    }


def _forms(connection: Connection, people: Sequence[int]) -> dict[int, list[Any]]:
    """(name, papers, first day, last day) of each printed form of a person's name."""
    forms: dict[int, list[Any]] = {}
    for row in connection.execute(_FORMS, {"ids": people}):
        forms.setdefault(row.person_id, []).append(row)
    for found in forms.values():  # here, since databases disagree about the order of letters
        found.sort(key=lambda form: (-form.papers, form.name))
    return forms


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


def _as_day(value: date | str) -> date:
    return date.fromisoformat(value[:10]) if isinstance(value, str) else value
