"""Which process holds which shard, and how one follows another without a gap.

A process that wants shards names itself their follower. Their holder sees that within seconds, says that
events are *shared* from now on, and both ask :meth:`Shards.takes` before they act on one. The follower then
connects and takes the shards over; the former holder disconnects and finishes its answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, delete, not_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.database.server_time import LONGEST, lasts, server_time
from data.stores.repository import Repository
from data.stores.sequences import insert_unless_there
from data.tables.shards import ShardRow, TakenEventRow

HELD = 15.0
"""Seconds after which a process that is not heard of counts as gone."""
_KEPT = timedelta(minutes=15)
"""How long it is remembered who took an event; Discord sends none again later than that."""


class ShardsTakenError(Exception):
    """Another process is in the way; the message says which shards and what to do."""


@dataclass(frozen=True, slots=True)
class ShardStanding:
    """How a process stands with its shards.

    Attributes
    ----------
    held, awaited
        The shards that it holds, and those that it is to take over.
    shared
        Whether the holders of all awaited shards know of it, or are gone.
    followed
        Whether another process is about to take over one of the held.
    """

    held: frozenset[int]
    awaited: frozenset[int]
    shared: bool
    followed: bool


class Shards(Repository):
    """Who holds which shard; every change is one transaction, by the database's clock."""

    ONE_AT_A_TIME = False

    async def claim(self, me: str, numbers: Sequence[int], of: int) -> ShardStanding:
        """Hold shards that nobody holds, and follow those who hold the others.

        Raises
        ------
        ShardsTakenError
            Where a process runs with another number of shards, or another is about to take these over.
        """
        async with self._writer.begin() as connection:
            now = await server_time(connection)
            until = now + timedelta(seconds=HELD)
            others = select(ShardRow).where(
                ShardRow.of != of, lasts(ShardRow.until, now), ShardRow.holder != me
            )
            if other := (await connection.execute(others.limit(1))).first():
                raise ShardsTakenError(
                    f"Another Labmate of this database runs with {other.of} shards, not {of}. All processes "
                    f"must be started with the same --of: use --of {other.of}, or stop the others first."
                )
            await connection.execute(
                delete(ShardRow).where(ShardRow.of != of, not_(lasts(ShardRow.until, now)))
            )
            for number in sorted(numbers):
                row = {"number": number, "of": of, "holder": me, "until": until, "shared": False}
                if await insert_unless_there(connection, ShardRow, row):
                    continue
                await self._follow(connection, me, number, now, until)
            return await _standing(connection, me, now)

    async def _follow(
        self, connection: AsyncConnection, me: str, number: int, now: datetime, until: datetime
    ) -> None:
        mine = ShardRow.number == number
        free = or_(ShardRow.holder == me, not_(lasts(ShardRow.until, now)))
        held = {"holder": me, "until": until, "follower": "", "follower_until": None, "shared": False}
        if (await connection.execute(update(ShardRow).where(mine, free).values(**held))).rowcount:
            return
        next_to = or_(ShardRow.follower.in_(("", me)), not_(lasts(ShardRow.follower_until, now)))
        follow = {"follower": me, "follower_until": until, "shared": False}
        if not (await connection.execute(update(ShardRow).where(mine, next_to).values(**follow))).rowcount:
            raise ShardsTakenError(
                f"Shard {number} is being handed over to another process just now. Give each process shards "
                "of its own (--shards), or start this one again in a minute."
            )

    async def anybody(self) -> int:
        """How many shards there are together, if a process holds any of them now; else 0."""
        async with self._read() as connection:
            held = select(ShardRow.of).where(lasts(ShardRow.until, await server_time(connection)))
            return int(await connection.scalar(held.limit(1)) or 0)

    async def renew(self, me: str) -> ShardStanding:
        """Say that this process lives; returns how it stands."""
        async with self._writer.begin() as connection:
            now = await server_time(connection)
            until = now + timedelta(seconds=HELD)
            await connection.execute(update(ShardRow).where(ShardRow.holder == me).values(until=until))
            following = update(ShardRow).where(ShardRow.follower == me)
            await connection.execute(following.values(follower_until=until))
            return await _standing(connection, me, now)

    async def share(self, me: str) -> None:
        """Tell followers that this process asks before it takes an event."""
        async with self._writer.begin() as connection:
            followed = and_(ShardRow.holder == me, ShardRow.follower != "")
            await connection.execute(update(ShardRow).where(followed).values(shared=True))

    async def take_over(self, me: str) -> None:
        """Become the holder of what was followed; the process is connected for it."""
        async with self._writer.begin() as connection:
            until = await server_time(connection) + timedelta(seconds=HELD)
            held = {"holder": me, "until": until, "follower": "", "follower_until": None, "shared": False}
            await connection.execute(update(ShardRow).where(ShardRow.follower == me).values(**held))

    async def leave(self, me: str) -> None:
        """Give back what is held, and follow nobody."""
        async with self._writer.begin() as connection:
            now = await server_time(connection)
            free = {"follower": "", "follower_until": None, "shared": False}
            await connection.execute(update(ShardRow).where(ShardRow.follower == me).values(**free))
            await connection.execute(update(ShardRow).where(ShardRow.holder == me).values(until=now))

    async def takes(self, event: int) -> bool:
        """Whether the caller is the first to ask for an event, by Discord's id of it."""
        async with self._writer.begin() as connection:
            return await insert_unless_there(
                connection, TakenEventRow, {"id": event, "made": await server_time(connection)}
            )

    async def forget_old(self) -> None:
        """Forget who took which event long ago."""
        async with self._writer.begin() as connection:
            old = await server_time(connection) - _KEPT
            await connection.execute(delete(TakenEventRow).where(TakenEventRow.made < old))


async def _standing(connection: AsyncConnection, me: str, now: datetime) -> ShardStanding:
    rows = (
        await connection.execute(select(ShardRow).where(or_(ShardRow.holder == me, ShardRow.follower == me)))
    ).all()
    held = [row for row in rows if row.holder == me]
    awaited = [row for row in rows if row.follower == me]
    return ShardStanding(
        frozenset(row.number for row in held),
        frozenset(row.number for row in awaited),
        all(row.shared or not _lasts(row.until, now) for row in awaited),
        any(row.follower and row.follower_until and _lasts(row.follower_until, now) for row in held),
    )


def _lasts(until: datetime, now: datetime) -> bool:
    return now < until <= now + LONGEST
