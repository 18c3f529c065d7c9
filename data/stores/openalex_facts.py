"""Facts from outside sources, with their dates, and the cost of today's requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import Connection, bindparam, delete, insert, select

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.papers import BudgetRow, FactRow

# A statement that each reply about several people asks, put together once.
_KEPT = select(FactRow.subject_id, FactRow.value, FactRow.fetched).where(
    FactRow.subject == bindparam("of"),
    FactRow.source == bindparam("by"),
    FactRow.subject_id.in_(bindparam("ids", expanding=True)),
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A source's answer about something: JSON, and the day of the request."""

    value: str
    fetched: datetime


class Facts(Repository):
    """Keeps facts by subject (``paper``, ``person``), its id, and source."""

    async def get(self, subject: str, source: str, ids: Sequence[str]) -> dict[str, Fact]:
        """The facts kept about these."""

        def kept(connection: Connection) -> dict[str, Fact]:
            facts: dict[str, Fact] = {}
            for part in slices(ids):
                asked = {"of": subject, "by": source, "ids": part}
                facts.update({row[0]: Fact(row[1], row[2]) for row in connection.execute(_KEPT, asked)})
            return facts

        return await self._read_in_thread(kept)

    async def put(self, subject: str, source: str, values: dict[str, str]) -> None:
        """Replace older facts by these, dated now."""
        now = utc_now()
        ids = list(values)
        async with self._writer.begin() as connection:
            for part in slices(ids):
                await connection.execute(
                    delete(FactRow).where(
                        FactRow.subject == subject, FactRow.source == source, FactRow.subject_id.in_(part)
                    )
                )
                await connection.execute(
                    insert(FactRow),
                    [
                        {
                            "subject": subject,
                            "subject_id": i,
                            "source": source,
                            "fetched": now,
                            "value": values[i],
                        }
                        for i in part
                    ],
                )

    async def ids(self, subject: str, source: str, before: datetime, most: int) -> list[str]:
        """The ids that a source was last asked about before a time, oldest first."""
        query = (
            select(FactRow.subject_id)
            .where(FactRow.subject == subject, FactRow.source == source, FactRow.fetched < before)
            .order_by(FactRow.fetched)
            .limit(most)
        )
        async with self._read() as connection:
            return list((await connection.scalars(query)).all())

    async def spent(self, source: str, day: date) -> int:
        """The cost of a day's requests."""
        async with self._read() as connection:
            return int(
                await connection.scalar(
                    select(BudgetRow.spent).where(BudgetRow.source == source, BudgetRow.day == day)
                )
                or 0
            )

    async def spend(self, source: str, day: date, cost: int, most: int) -> bool:
        """Add to a day's cost unless that would exceed ``most``; returns whether it was added."""
        async with self._writer.begin() as connection:
            known = await connection.scalar(
                select(BudgetRow.spent).where(BudgetRow.source == source, BudgetRow.day == day)
            )
            if int(known or 0) + cost > most:
                return False
            await connection.execute(
                delete(BudgetRow).where(BudgetRow.source == source, BudgetRow.day == day)
            )
            await connection.execute(
                insert(BudgetRow).values(source=source, day=day, spent=int(known or 0) + cost)
            )
            return True
