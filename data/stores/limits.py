"""Limits that outlive forgetting: actions count under keyed hashes, which name nobody, until they expire."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, String, and_, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import Mapped, mapped_column

from data.calendar.clock import utc_now
from data.database.server_time import server_time
from data.stores.repository import Repository
from data.tables.papers import Base


class CounterRow(Base):
    """One action, kept until it no longer counts."""

    __tablename__ = "counters"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(64), index=True)
    """HMAC-SHA-256 of the action and the ids it concerns; a reader of the database can only test guesses."""
    until: Mapped[datetime] = mapped_column(index=True)


class CounterKeyRow(Base):
    """The random key of the hashes, made with the table."""

    __tablename__ = "counter_keys"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(64))


@dataclass(frozen=True, slots=True)
class Limit:
    """How often something may be done within a time."""

    kind: str
    most: int
    within: timedelta


_DAY = timedelta(days=1)
_APART = timedelta(minutes=5)
"""How far the clocks of machines may be apart."""
CLAIMS_BEGUN = Limit("claim", 5, timedelta(days=7))
"""A member's claims."""
MAILS_OF_MEMBER = Limit("mail-member", 6, _DAY)
MAILS_TO_ADDRESS = Limit("mail-address", 3, _DAY)
MAILS_TO_ADDRESS_A_MONTH = Limit("mail-address-month", 8, timedelta(days=30))
MAILS_OF_ALL = Limit("mail-all", 200, _DAY)
"""Codes mailed for one member, to one address, and by this Labmate."""
GUESSES = Limit("guess", 25, _DAY)
"""Mailed codes that a member may type."""
PAGES = Limit("page", 40, _DAY)
"""Pages and records that a member may have opened."""
INVITED = Limit("invited", 1, timedelta(days=30))
"""Invitations from one member to another."""
INVITATIONS = Limit("invite", 10, _DAY)
INVITATIONS_OF_SERVER = Limit("invite-server", 20, _DAY)
CONTESTS = Limit("contest", 5, timedelta(days=7))
CONTESTED = Limit("contested", 1, timedelta(days=30))
"""Contests of one claim by one member."""
VOUCHES_GIVEN = Limit("vouch", 10, timedelta(days=30))
OWN_DIGESTS = Limit("own-digest", 30, _DAY)
WELCOMED = Limit("welcomed", 1, timedelta(days=3_650))
"""The examples that a member gets with their first reply."""


async def spend(connection: AsyncConnection, limit: Limit, *whose: int | str) -> bool:
    """Count one more within the caller's transaction; False, and no count, where the limit is reached."""
    now = utc_now()
    await connection.execute(delete(CounterRow).where(CounterRow.until <= now))
    key = await hashed(connection, limit.kind, *whose)
    await _one_at_a_time(connection, key)
    count = await connection.scalar(select(func.count()).where(CounterRow.key == key, _counts(limit, now)))
    if int(count or 0) >= limit.most:
        return False
    await connection.execute(insert(CounterRow).values(key=key, until=now + limit.within))
    return True


def _counts(limit: Limit, now: datetime) -> ColumnElement[bool]:
    """SQL: whether an action still counts; what would for longer than it can was noted by a clock ahead."""
    return and_(CounterRow.until > now, CounterRow.until <= now + limit.within + _APART)


async def _one_at_a_time(connection: AsyncConnection, key: str) -> None:
    """Let other counters of a key wait for the transaction's end; SQLite has one writer at a time anyway."""
    if connection.dialect.name == "postgresql":
        await connection.execute(select(func.pg_advisory_xact_lock(int(key[:15], 16))))


async def hashed(connection: AsyncConnection, kind: str, *whose: int | str) -> str:
    """The keyed hash under which an action of somebody's counts: 64 hexadecimal digits."""
    secret = await connection.scalar(select(CounterKeyRow.key).where(CounterKeyRow.id == 1))
    said = ":".join((kind, *map(str, whose)))
    return hmac.new(bytes.fromhex(str(secret)), said.encode(), hashlib.sha256).hexdigest()


class LastingLimits(Repository):
    """Counts actions in transactions of their own."""

    ONE_AT_A_TIME = False

    async def spend(self, limit: Limit, *whose: int | str) -> bool:
        """Count one more; False, and no count, where the limit is reached."""
        async with self._writer.begin() as connection:
            return await spend(connection, limit, *whose)

    async def spend_all(self, asked: Sequence[tuple[Limit, int]]) -> tuple[int, float]:
        """Count one more for each limit and whom it concerns, unless one of them is reached.

        Returns
        -------
        tuple of int and float
            Which is reached, and the seconds until there is room again; (0, 0.0) where all were counted.
        """
        async with self._writer.begin() as connection:
            now, keys = await server_time(connection), []
            for place, (limit, whose) in enumerate(asked):
                keys.append(await hashed(connection, limit.kind, whose))
                await _one_at_a_time(connection, keys[-1])
                standing = select(CounterRow.until).where(CounterRow.key == keys[-1], _counts(limit, now))
                ends = sorted((await connection.scalars(standing)).all())
                if len(ends) >= limit.most:
                    return place, (ends[-limit.most] - now).total_seconds()
            for key, (limit, _) in zip(keys, asked, strict=True):
                await connection.execute(insert(CounterRow).values(key=key, until=now + limit.within))
        return 0, 0.0

    async def forget_old(self) -> None:
        """Drop what no longer counts."""
        async with self._writer.begin() as connection:
            await connection.execute(delete(CounterRow).where(CounterRow.until <= utc_now()))
