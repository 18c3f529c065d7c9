"""All judged authorships in SQL, as an identity pass reads them, and the passes that are finished."""

from __future__ import annotations

from array import array
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, func, select

from data.stores.generations import HOLDS, KNOWN, MERGED, NAME
from data.stores.people_drafts import Drafts
from data.stores.slices import slices
from data.tables.papers import AuthorshipRow, IdentityPassRow, MembershipRow, PaperRow, PersonRow

_PART = 20_000
VALID = and_(
    AuthorshipRow.paper_id == MembershipRow.paper_id,
    AuthorshipRow.position == MembershipRow.position,
    AuthorshipRow.author_id == MembershipRow.author_id,
    HOLDS,
)
"""SQL: the membership holds, and the paper still prints the judged name there."""
VALID_BY_NAME = and_(
    AuthorshipRow.author_id == MembershipRow.author_id,
    AuthorshipRow.paper_id == MembershipRow.paper_id,
    AuthorshipRow.position + 0 == MembershipRow.position + 0,
    HOLDS,
)
"""SQL: the same rows. ``+ 0`` keeps SQLite off the primary keys, so that it looks in the index of names,
where a name's entries lie together."""
MEMBERSHIPS = select(MembershipRow.__table__)
_PAIRS = (
    select(MembershipRow.person_id, MembershipRow.paper_id)
    .join(PaperRow, and_(PaperRow.id == MembershipRow.paper_id, PaperRow.merged_into.is_(None)))
    .where(HOLDS)
)

_AUTHORSHIPS = (
    select(AuthorshipRow.paper_id, AuthorshipRow.position, AuthorshipRow.author_id, AuthorshipRow.name)
    .join(PaperRow, PaperRow.id == AuthorshipRow.paper_id)
    .where(PaperRow.merged_into.is_(None))
    .order_by(AuthorshipRow.paper_id, AuthorshipRow.position)
)
_STANDING = (
    select(
        MembershipRow.paper_id,
        MembershipRow.position,
        MembershipRow.author_id,
        MembershipRow.person_id,
        MembershipRow.confidence,
        MembershipRow.support,
        MembershipRow.judged,
        and_(AuthorshipRow.paper_id.is_not(None), PaperRow.merged_into.is_(None)),
    )
    .select_from(MembershipRow)
    .join(PaperRow, PaperRow.id == MembershipRow.paper_id)
    .outerjoin(
        AuthorshipRow,
        and_(
            AuthorshipRow.paper_id == MembershipRow.paper_id,
            AuthorshipRow.position == MembershipRow.position,
        ),
    )
    .where(HOLDS)
    .order_by(MembershipRow.paper_id, MembershipRow.position)
)


@dataclass(frozen=True, slots=True)
class Membership:
    """An authorship that was assigned to a person."""

    paper_id: int
    position: int
    author_id: int
    person_id: int
    confidence: float
    support: int | None
    judged: bool = True
    """False while a new paper is only placed among known people and no full pass has judged it."""


class Standing(NamedTuple):
    """A membership, and whether a current paper still has an author at that place."""

    paper_id: int
    position: int
    author_id: int
    person_id: int
    confidence: float
    support: int | None
    judged: bool
    there: bool


@dataclass(frozen=True, slots=True)
class Pass:
    """A finished pass, and how much of the store and of the corrections it knew."""

    id: int
    kind: str
    finished: datetime
    upto: int
    corrections: int
    authorships: int
    people: int


class Passes(Drafts):
    """Reads and counts all judgements; :class:`data.stores.people_drafts.Drafts` writes them."""

    async def last_pass(self, kind: str | None = None) -> Pass | None:
        """The newest finished pass (of a kind), or None before the first."""
        return await self._unchanged.ask(("last pass", kind), lambda: self._last_pass(kind))

    async def _last_pass(self, kind: str | None) -> Pass | None:
        query = select(IdentityPassRow.__table__).order_by(IdentityPassRow.id.desc()).limit(1)
        if kind:
            query = query.where(IdentityPassRow.kind == kind)
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return Pass(*row) if row else None

    async def mostly_placed(self) -> bool:
        """Whether more authorships came since the last full pass than it judged."""
        last, full = await self.last_pass(), await self.last_pass("full")
        return last is not None and full is not None and last.authorships > 2 * full.authorships

    async def standing(self) -> tuple[int, int]:
        """The number of authorships of current papers, and of those that a full pass or a person judged."""
        current = PaperRow.merged_into.is_(None)
        all_of_them = (
            select(func.count())
            .select_from(AuthorshipRow)
            .join(PaperRow, PaperRow.id == AuthorshipRow.paper_id)
        )
        judged = (
            select(func.count())
            .select_from(MembershipRow)
            .join(AuthorshipRow, VALID)
            .join(PaperRow, PaperRow.id == MembershipRow.paper_id)
        )
        async with self._read() as connection:
            return (
                int(await connection.scalar(all_of_them.where(current)) or 0),
                int(await connection.scalar(judged.where(current, MembershipRow.judged)) or 0),
            )

    async def last_authored(self) -> int:
        """The highest store id of a paper with authors, -1 if there is none."""
        async with self._read() as connection:
            last = await connection.scalar(select(func.max(AuthorshipRow.paper_id)))
        return -1 if last is None else int(last)

    async def authorships(self, first: int = 0, last: int | None = None) -> list[tuple[int, int, int, str]]:
        """Authorships of current papers: paper, position, name's number, name as printed; in order.

        Parameters
        ----------
        first, last
            Only of papers with store ids from ``first`` to below ``last``.
        """
        query = _AUTHORSHIPS.where(AuthorshipRow.paper_id >= first)
        if last is not None:
            query = query.where(AuthorshipRow.paper_id < last)
        async with self._read() as connection:
            return [tuple(row) for row in await connection.execute(query)]  # type: ignore[misc]

    async def authorships_of(self, papers: Sequence[int]) -> list[tuple[int, int, int, str]]:
        """Authorships of those of these papers that are current, as :meth:`authorships` has them."""
        rows: list[tuple[int, int, int, str]] = []
        async with self._read() as connection:
            for part in slices(papers):
                query = _AUTHORSHIPS.where(AuthorshipRow.paper_id.in_(part))
                rows += [tuple(row) for row in await connection.execute(query)]  # type: ignore[misc]
        return rows

    async def standing_between(self, first: int, last: int) -> list[Standing]:
        """Memberships of papers with store ids from ``first`` to below ``last``, by paper and position."""
        query = _STANDING.where(MembershipRow.paper_id >= first, MembershipRow.paper_id < last)
        async with self._read() as connection:
            return [Standing(*row) for row in await connection.execute(query)]

    async def standing_of(self, papers: Sequence[int]) -> list[Standing]:
        """Memberships of these papers."""
        rows: list[Standing] = []
        async with self._read() as connection:
            for part in slices(papers):
                query = _STANDING.where(MembershipRow.paper_id.in_(part))
                rows += [Standing(*row) for row in await connection.execute(query)]
        return rows

    async def standing_under(self, authors: Sequence[int]) -> list[tuple[int, int, int]]:
        """(paper, position, person) of the memberships of these names, by their numbers."""
        query = select(MembershipRow.paper_id, MembershipRow.position, MembershipRow.person_id).join(
            AuthorshipRow, VALID
        )
        rows: list[tuple[int, int, int]] = []
        async with self._read() as connection:
            for part in slices(authors):
                found = await connection.execute(query.where(MembershipRow.author_id.in_(part)))
                rows += [tuple(row) for row in found]  # type: ignore[misc]
        return rows

    async def changed_since(self, upto: int) -> list[int]:
        """Store ids of papers that changed after a batch, ascending."""
        query = select(PaperRow.id).where(PaperRow.changed > upto).order_by(PaperRow.id)
        async with self._read() as connection:
            return list((await connection.scalars(query)).all())

    async def all_memberships(self) -> list[Membership]:
        """Every judged authorship."""
        async with self._read() as connection:
            return [membership_of(row) for row in await connection.execute(MEMBERSHIPS.where(HOLDS))]

    async def pairs(self) -> array[int]:
        """Person and paper of every judged authorship of a current paper, alternating."""
        pairs = array("q")
        async for part in self._pairs():
            for row in part:
                pairs.extend(row)
        return pairs

    async def pairs_of(self, papers: Sequence[int]) -> list[tuple[int, int]]:
        """Person and paper of every judged authorship of these papers, without those merged into others."""
        pairs: list[tuple[int, int]] = []
        async with self._read() as connection:
            for part in slices(papers):
                rows = await connection.execute(_PAIRS.where(MembershipRow.paper_id.in_(part)))
                pairs += [(row[0], row[1]) for row in rows]
        return pairs

    async def _pairs(self) -> AsyncIterator[Sequence[Any]]:
        async with self._read_as_it_comes() as connection:
            result = await connection.stream(_PAIRS)
            async for part in result.partitions(_PART):
                yield part

    async def all_names(self) -> AsyncIterator[tuple[int, str]]:
        """Everybody's number and name, ascending, merged people included."""
        query = select(PersonRow.id, NAME).where(KNOWN).order_by(PersonRow.id)
        async with self._read_as_it_comes() as connection:
            result = await connection.stream(query)
            async for part in result.partitions(_PART):
                for row in part:
                    yield row[0], row[1]

    async def people_rows(
        self, first: int = 0, last: int | None = None
    ) -> dict[int, tuple[str, int, int | None]]:
        """Every person: name, papers, and the person they were merged into; ascending.

        Parameters
        ----------
        first, last
            Only people with numbers from ``first`` to below ``last``.
        """
        query = select(PersonRow.id, NAME, PersonRow.papers, MERGED).where(KNOWN, PersonRow.id >= first)
        if last is not None:
            query = query.where(PersonRow.id < last)
        async with self._read() as connection:
            rows = await connection.execute(query.order_by(PersonRow.id))
            return {row[0]: (row[1], row[2], row[3]) for row in rows}


def membership_of(row: Any) -> Membership:
    """A row of the table as a record."""
    return Membership(
        row.paper_id, row.position, row.author_id, row.person_id, row.confidence, row.support, row.judged
    )
