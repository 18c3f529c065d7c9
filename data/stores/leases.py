"""Leases in SQL: the right to do something that only one process may do."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.stores.sequences import insert_unless_there
from data.tables.digests import LeaseRow


class Leases(Repository):
    """Takes, renews and gives back leases; every change is one transaction."""

    async def take(self, name: str, holder: str, seconds: float) -> bool:
        """Take or renew a lease; False where another process has it."""
        now = utc_now()
        until = now + timedelta(seconds=seconds)
        free = or_(LeaseRow.holder == holder, LeaseRow.until <= now)
        change = update(LeaseRow).where(LeaseRow.name == name, free).values(holder=holder, until=until)
        async with self._writer.begin() as connection:
            if (await connection.execute(change)).rowcount:
                return True
            row = {"name": name, "holder": holder, "until": until}
            return await insert_unless_there(connection, LeaseRow, row)

    async def holder(self, name: str) -> str | None:
        """The holder of a lease now."""
        async with self._read() as connection:
            holder: str | None = await connection.scalar(
                select(LeaseRow.holder).where(LeaseRow.name == name, LeaseRow.until > utc_now())
            )
            return holder

    async def release(self, name: str, holder: str) -> None:
        """Give it back."""
        async with self._writer.begin() as connection:
            await connection.execute(delete(LeaseRow).where(LeaseRow.name == name, LeaseRow.holder == holder))


async def holds(connection: AsyncConnection, name: str, holder: str) -> bool:
    """Whether a holder has a lease, asked within a transaction."""
    holding = await connection.scalar(
        select(LeaseRow.holder).where(LeaseRow.name == name, LeaseRow.until > utc_now())
    )
    return bool(holding == holder)
