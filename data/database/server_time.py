"""The time by which leases run out: one clock for all processes, whatever their machines' clocks say."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection


async def server_time(connection: AsyncConnection) -> datetime:
    """Now in UTC, without a zone: by PostgreSQL's clock, or this machine's, where all that use SQLite run.

    A simulation's clock doesn't count: what holds a lease is a process, which lives in real time.
    """
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC).replace(tzinfo=None)
    now: datetime | None = await connection.scalar(select(func.timezone("UTC", func.clock_timestamp())))
    assert now is not None
    return now
