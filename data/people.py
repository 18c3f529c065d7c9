"""People in SQL: whose each authorship is, and how a pass replaces the last."""

from __future__ import annotations

from array import array
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import and_, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.clock import utc_now
from data.part import Part
from data.tables import (
    AuthorshipRow,
    IdentityPassRow,
    MembershipRow,
    PaperRow,
    PersonRow,
)

_DAY = func.coalesce(PaperRow.announced, PaperRow.submitted, PaperRow.updated)
_CHUNK = 4_000
_PART = 20_000
_VALID = and_(
    AuthorshipRow.paper_id == MembershipRow.paper_id,
    AuthorshipRow.position == MembershipRow.position,
    AuthorshipRow.author_id == MembershipRow.author_id,
)
"""The name that was judged still stands there."""


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


class People(Part):
    """Asks and changes who is who; every change is one transaction."""

    # -- asking --------------------------------------------------------------------------------

    async def last_pass(self, kind: str | None = None) -> Pass | None:
        """The newest finished pass (of a kind), or None before the first."""
        query = select(IdentityPassRow.__table__).order_by(IdentityPassRow.id.desc()).limit(1)
        if kind:
            query = query.where(IdentityPassRow.kind == kind)
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return Pass(*row) if row else None

    async def find(self, person_id: int) -> Person | None:
        """A person by number; one that was merged leads on to the other."""
        return (await self.find_all([person_id])).get(person_id)

    async def find_all(self, people: Sequence[int]) -> dict[int, Person]:
        """People by the numbers asked for; those who were merged lead on to the others."""
        asked, leads = list(dict.fromkeys(people)), {number: number for number in people}
        rows: dict[int, Any] = {}
        query = select(PersonRow.id, PersonRow.name, PersonRow.merged_into)
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
            select(MembershipRow.__table__)
            .join(AuthorshipRow, _VALID)
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
            for start in range(0, len(papers), _CHUNK):
                rows = await connection.execute(
                    select(MembershipRow.__table__)
                    .join(AuthorshipRow, _VALID)
                    .where(MembershipRow.paper_id.in_(papers[start : start + _CHUNK]))
                )
                found += [_membership(row) for row in rows if (row.paper_id, row.position) in wanted]
        return found

    async def printed(self, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """The names as printed at these places."""
        papers = list({paper for paper, _ in places})
        found: dict[tuple[int, int], str] = {}
        async with self._read() as connection:
            for start in range(0, len(papers), _CHUNK):
                rows = await connection.execute(
                    select(AuthorshipRow.paper_id, AuthorshipRow.position, AuthorshipRow.name).where(
                        AuthorshipRow.paper_id.in_(papers[start : start + _CHUNK])
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
            for start in range(0, len(wanted), _CHUNK):
                part = wanted[start : start + _CHUNK]
                rows = await connection.execute(
                    select(PersonRow.id, PersonRow.name).where(PersonRow.id.in_(part))
                )
                found.update({row[0]: row[1] for row in rows})
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
            return [_membership(row) for row in await connection.execute(select(MembershipRow.__table__))]

    async def pairs(self) -> array[int]:
        """Person and paper of every authorship that was judged and still stands, one after the other."""
        query = select(MembershipRow.person_id, MembershipRow.paper_id).join(
            PaperRow, and_(PaperRow.id == MembershipRow.paper_id, PaperRow.merged_into.is_(None))
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
        query = select(PersonRow.id, PersonRow.name).order_by(PersonRow.id)
        async with self._read() as connection:
            result = await connection.stream(query)
            async for part in result.partitions(_PART):
                for row in part:
                    yield row[0], row[1]

    async def replace(
        self,
        kind: str,
        upto: int,
        corrections: int,
        changed: Sequence[dict[str, Any]],
        gone: Sequence[tuple[int, int]],
        people: Sequence[dict[str, Any]],
        merged: Sequence[tuple[int, int]],
        counts: tuple[int, int],
    ) -> int:
        """Take a pass over, in one transaction: who asks meanwhile sees all of the old or all of the new.

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

        Returns
        -------
        int
            The number of the pass.
        """
        async with self._writer.begin() as connection:
            known = set((await connection.scalars(select(PersonRow.id))).all() if people else ())
            fresh = [row for row in people if row["id"] not in known]
            old = [{f"b_{key}": value for key, value in row.items()} for row in people if row["id"] in known]
            if fresh:
                await connection.execute(insert(PersonRow), fresh)
            if old:
                await connection.execute(
                    update(PersonRow)
                    .where(PersonRow.id == bindparam("b_id"))
                    .values(name=bindparam("b_name"), papers=bindparam("b_papers"), merged_into=None),
                    old,
                )
            places = [{"b_paper": row["paper_id"], "b_position": row["position"]} for row in changed]
            places += [{"b_paper": paper, "b_position": position} for paper, position in gone]
            if places:
                await connection.execute(
                    delete(MembershipRow).where(
                        MembershipRow.paper_id == bindparam("b_paper"),
                        MembershipRow.position == bindparam("b_position"),
                    ),
                    places,
                )
            if changed:
                await connection.execute(insert(MembershipRow), list(changed))
            if merged:
                await connection.execute(
                    update(PersonRow)
                    .where(PersonRow.id == bindparam("b_id"))
                    .values(merged_into=bindparam("b_into"), papers=0),
                    [{"b_id": gone_id, "b_into": into} for gone_id, into in merged],
                )
            row = {
                "kind": kind,
                "finished": utc_now(),
                "upto": upto,
                "corrections": corrections,
                "authorships": counts[0],
                "people": counts[1],
            }
            made = await connection.execute(
                insert(IdentityPassRow).values(**row).returning(IdentityPassRow.id)
            )
            return int(made.scalar_one())

    async def next_id(self) -> int:
        """A number that no person has had."""
        async with self._read() as connection:
            return int(await connection.scalar(select(func.max(PersonRow.id))) or 0) + 1

    async def people_rows(self) -> dict[int, tuple[str, int, int | None]]:
        """Every person: name, papers, and into whom merged."""
        query = select(PersonRow.id, PersonRow.name, PersonRow.papers, PersonRow.merged_into)
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
    return Membership(row.paper_id, row.position, row.author_id, row.person_id, row.confidence, row.support)


def _as_day(value: date | str) -> date:
    return date.fromisoformat(value[:10]) if isinstance(value, str) else value
