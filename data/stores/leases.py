"""Leases in SQL: the right to do something that only one process may do."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, not_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.database.server_time import lasts, server_time
from data.stores.repository import Repository
from data.stores.sequences import insert_unless_there
from data.tables.digests import LeaseRow


class Leases(Repository):
    """Takes, renews and gives back leases; every change is one transaction, by the database's clock."""

    ONE_AT_A_TIME = False

    async def take(self, name: str, holder: str, seconds: float) -> bool:
        """Take or renew a lease; False where another process has it."""
        async with self._writer.begin() as connection:
            now = await server_time(connection)
            until = now + timedelta(seconds=seconds)
            free = or_(LeaseRow.holder == holder, not_(lasts(LeaseRow.until, now)))
            change = update(LeaseRow).where(LeaseRow.name == name, free).values(holder=holder, until=until)
            if (await connection.execute(change)).rowcount:
                return True
            row = {"name": name, "holder": holder, "until": until}
            if await insert_unless_there(connection, LeaseRow, row):
                return True
            # Another process made the row meanwhile; it may have run out since.
            return bool((await connection.execute(change)).rowcount)

    async def holder(self, name: str) -> str | None:
        """The holder of a lease now."""
        async with self._read() as connection:
            return await _holder(connection, name)

    async def standing(self, name: str) -> tuple[str, datetime] | None:
        """The holder of a lease, and until when it lasts; also of one that has run out."""
        async with self._read() as connection:
            query = select(LeaseRow.holder, LeaseRow.until).where(LeaseRow.name == name)
            row = (await connection.execute(query)).first()
            return (row.holder, row.until) if row else None

    async def release(self, name: str, holder: str) -> None:
        """Give it back."""
        async with self._writer.begin() as connection:
            await connection.execute(delete(LeaseRow).where(LeaseRow.name == name, LeaseRow.holder == holder))


async def holds(connection: AsyncConnection, name: str, holder: str) -> bool:
    """Whether a holder has a lease, asked within a transaction."""
    return await _holder(connection, name) == holder


async def _holder(connection: AsyncConnection, name: str) -> str | None:
    now = await server_time(connection)
    holder: str | None = await connection.scalar(
        select(LeaseRow.holder).where(LeaseRow.name == name, lasts(LeaseRow.until, now))
    )
    return holder
