"""The time by which leases run out: one clock for all processes, whatever their machines' clocks say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

LONGEST = timedelta(minutes=5)
"""No lease lasts longer. One that ends later was taken before the clock was set back, and its holder may be
gone: it would keep everybody out for as long as the clock was ahead."""


async def server_time(connection: AsyncConnection) -> datetime:
    """Now in UTC, without a zone: by PostgreSQL's clock, or this machine's, where all that use SQLite run.

    A simulation's clock doesn't count: what holds a lease is a process, which lives in real time.
    """
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC).replace(tzinfo=None)
    now: datetime | None = await connection.scalar(select(func.timezone("UTC", func.clock_timestamp())))
    assert now is not None
    return now


def lasts(until: Any, now: datetime) -> ColumnElement[bool]:
    """SQL: whether a lease still lasts; ``until`` is its column."""
    return and_(until > now, until <= now + LONGEST)
