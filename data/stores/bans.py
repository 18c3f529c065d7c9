"""Who may use this Labmate, in SQL: banned members and servers, and the list of allowed servers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, insert, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.tables.operator import AllowedServerRow, BanRow

KINDS = ("member", "server")


@dataclass(frozen=True, slots=True)
class Ban:
    """A member or a server that may not use this Labmate."""

    kind: str
    target: int
    made_by: int
    reason: str
    made: datetime


_BAN = [getattr(BanRow, name) for name in Ban.__slots__]


class Bans(Repository):
    """Keeps bans and allowed servers; every change is one transaction and takes effect at once."""

    async def ban(self, kind: str, target: int, *, by: int, reason: str) -> bool:
        """Ban a member or a server; False where they were banned already."""
        assert kind in KINDS
        row = {"kind": kind, "target": target, "made_by": by, "reason": reason[:300], "made": utc_now()}
        async with self._writer.begin() as connection:
            if await connection.scalar(
                select(BanRow.target).where(BanRow.kind == kind, BanRow.target == target)
            ):
                return False
            await connection.execute(insert(BanRow).values(**row))
            return True

    async def lift(self, kind: str, target: int) -> bool:
        """Lift a ban; False where there was none."""
        async with self._writer.begin() as connection:
            done = await connection.execute(
                delete(BanRow).where(BanRow.kind == kind, BanRow.target == target)
            )
            return bool(done.rowcount)

    async def all(self) -> list[Ban]:
        """All bans, newest first."""
        async with self._read() as connection:
            return [Ban(*row) for row in await connection.execute(select(*_BAN).order_by(BanRow.made.desc()))]

    async def allow(self, guild: int, *, by: int) -> bool:
        """Put a server on the list of allowed servers; False where it was on it."""
        async with self._writer.begin() as connection:
            if await connection.scalar(select(AllowedServerRow.guild).where(AllowedServerRow.guild == guild)):
                return False
            await connection.execute(insert(AllowedServerRow).values(guild=guild, made_by=by, made=utc_now()))
            return True

    async def disallow(self, guild: int) -> bool:
        """Take a server off that list; False where it was not on it. An empty list allows every server."""
        async with self._writer.begin() as connection:
            done = await connection.execute(delete(AllowedServerRow).where(AllowedServerRow.guild == guild))
            return bool(done.rowcount)

    async def allowed(self) -> list[int]:
        """The allowed servers; empty where every server is allowed."""
        async with self._read() as connection:
            query = select(AllowedServerRow.guild).order_by(AllowedServerRow.made)
            return list((await connection.scalars(query)).all())

    async def is_banned(self, member: int, guild: int | None) -> bool:
        """Whether this member, or this server (None: outside of servers), may not use this Labmate."""
        return await self._unchanged.ask(("banned", member, guild), lambda: self._is_banned(member, guild))

    async def _is_banned(self, member: int, guild: int | None) -> bool:
        member_banned = exists().where(BanRow.kind == "member", BanRow.target == member)
        async with self._read() as connection:
            refused = or_(member_banned, refused_server(guild)) if guild else member_banned
            return bool(await connection.scalar(select(refused)))

    async def is_refused(self, guild: int) -> bool:
        """Whether a server may not use this Labmate: it is banned, or there is a list and it is not on it."""
        async with self._read() as connection:
            return bool(await connection.scalar(select(refused_server(guild))))

    async def is_server_banned(self, guild: int) -> bool:
        """Whether a server itself is banned; one that is only missing from the list is not."""
        async with self._read() as connection:
            banned = exists().where(BanRow.kind == "server", BanRow.target == guild)
            return bool(await connection.scalar(select(banned)))


def refused_server(guild: int | InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """SQL: a server (a number, or a column) is banned, or a list exists and the server is not on it."""
    banned = exists().where(BanRow.kind == "server", BanRow.target == guild)
    listed = exists().where(AllowedServerRow.guild == guild)
    return or_(banned, exists(select(AllowedServerRow.guild)) & ~listed)
