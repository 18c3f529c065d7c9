"""arXiv's daily listings in SQL: which papers stood in which categories on which day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import func, literal, or_, select

from data.calendar.partial_days import DatedBy, finer
from data.stores.papers import DAY
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.papers import ListingRow, PaperRow

_CURRENT = PaperRow.merged_into.is_(None)


@dataclass(frozen=True, slots=True)
class Listed:
    """A paper in a day's listing: either ``new`` that day, or an earlier one that was cross-listed.

    ``categories`` are all categories of a new paper, but only the day's additions for a cross-listed one.
    """

    paper: int
    categories: frozenset[str]
    new: bool


class Listings(Repository):
    """Looks listings up."""

    async def on(self, day: date) -> list[int]:
        """Store ids of the papers announced or listed that day, newest id first."""
        query = select(PaperRow.id).where(_stands(day), _CURRENT)
        async with self._read() as connection:
            ids = await connection.scalars(query.order_by(PaperRow.arxiv_id.desc(), PaperRow.id.desc()))
            return list(ids.all())

    async def entries(self, day: date) -> list[Listed]:
        """The papers announced or listed that day and not withdrawn, newest id first."""
        papers = select(PaperRow.id, PaperRow.announced, PaperRow.categories).where(
            _stands(day), _CURRENT, PaperRow.withdrawn.is_(False)
        )
        lists: dict[int, set[str]] = {}
        async with self._read() as connection:
            for paper, name in await connection.execute(
                select(ListingRow.paper_id, ListingRow.list).where(ListingRow.day == day)
            ):
                lists.setdefault(paper, set()).add(name)
            return [
                _listed(paper, announced, categories, lists.get(paper, set()), day)
                for paper, announced, categories in await connection.execute(
                    papers.order_by(PaperRow.arxiv_id.desc(), PaperRow.id.desc())
                )
            ]

    async def late(self, seen: int, since: date, upto: date) -> list[Listed]:
        """Papers with a number above ``seen`` that were announced after ``since`` and up to ``upto``."""
        query = select(PaperRow.id, PaperRow.announced, PaperRow.categories).where(
            PaperRow.id > seen,
            PaperRow.announced > since,
            PaperRow.announced <= upto,
            PaperRow.withdrawn.is_(False),
            _CURRENT,
        )
        async with self._read() as connection:
            return [
                Listed(paper, frozenset(categories.split()), True)
                for paper, _, categories in await connection.execute(query.order_by(PaperRow.id))
            ]

    async def newest_paper(self) -> int:
        """The highest number of a paper; 0 where there is none."""
        async with self._read() as connection:
            return await connection.scalar(select(func.max(PaperRow.id))) or 0

    async def categories(self, ids: Sequence[int], day: date) -> dict[int, set[str]]:
        """The categories of each paper, including those it was listed in that day."""
        categories_of: dict[int, set[str]] = {}
        wanted = list(ids)
        async with self._read() as connection:
            for part in slices(wanted):
                for paper_id, categories in await connection.execute(
                    select(PaperRow.id, PaperRow.categories).where(PaperRow.id.in_(part))
                ):
                    categories_of[paper_id] = set(categories.split())
                for paper_id, name in await connection.execute(
                    select(ListingRow.paper_id, ListingRow.list).where(
                        ListingRow.paper_id.in_(part), ListingRow.day == day
                    )
                ):
                    categories_of[paper_id].add(name)
        return categories_of

    async def dated_by(self, days: Iterable[date]) -> dict[date, DatedBy]:
        """How much is known of each of these days that papers have, by those papers that say most."""
        wanted = list(days)
        listed = select(ListingRow.day, literal("day")).where(ListingRow.day.in_(wanted))
        announced = select(PaperRow.announced, PaperRow.dated_by).where(PaperRow.announced.in_(wanted))
        other = select(DAY, PaperRow.dated_by).where(PaperRow.announced.is_(None), DAY.in_(wanted))
        known: dict[date, DatedBy] = {}
        async with self._read() as connection:
            for query in (listed, announced, other):
                found: Iterable[Any] = await connection.execute(query.distinct())
                for day, dated_by in found:
                    if day not in known or finer(dated_by, known[day]):
                        known[day] = dated_by
                if all(known.get(day) == "day" for day in wanted):
                    break  # the last query reads many papers
        return known

    async def around(self, day: date | None = None) -> tuple[date | None, date | None, date | None]:
        """(The listing day before, the day itself or the newest, the day after)."""
        async with self._read() as connection:

            async def days(pick: Any, where: Any) -> list[date]:
                nearest = [
                    await connection.scalar(select(pick(column)).where(where(column)))
                    for column in (PaperRow.announced, ListingRow.day)
                ]
                return [day for day in nearest if day]

            on = day or max(await days(func.max, lambda column: column.is_not(None)), default=None)
            if on is None:
                return None, None, None
            before = max(await days(func.max, lambda column: column < on), default=None)
            return before, on, min(await days(func.min, lambda column: column > on), default=None)


def _stands(day: date) -> Any:
    listed = select(ListingRow.paper_id).where(ListingRow.day == day)
    return or_(PaperRow.announced == day, PaperRow.id.in_(listed))


def _listed(paper: int, announced: date | None, categories: str, lists: set[str], day: date) -> Listed:
    new = announced is None or announced >= day
    return Listed(paper, frozenset((set(categories.split()) if new else set()) | lists), new)
