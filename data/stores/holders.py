"""Holders of claims in SQL: the servers they are in, and their profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, insert, select

from data.calendar.clock import utc_now
from data.stores.claim_rules import holds_in_server
from data.stores.generations import MERGED
from data.stores.repository import Repository
from data.tables.members import ClaimRow, ProfileRow, ServerMemberRow
from data.tables.papers import PersonRow


@dataclass(frozen=True, slots=True)
class Profile:
    """A claimed member's profile."""

    member: int
    status: str = ""
    seeking: str = ""
    offering: str = ""
    link: str = ""
    time_zone: str = ""
    public: bool = True
    account: str = ""
    """Who may see from the account which person the member is: ``all``, ``claimed``, or empty (nobody)."""


_PROFILE = [getattr(ProfileRow, name) for name in Profile.__slots__]


class Holders(Repository):
    """Keeps the servers and profiles of holders; every change is one transaction."""

    async def seen(self, member: int, guild: int) -> None:
        """Note that a member is in a server."""
        async with self._writer.begin() as connection:
            row = {"member": member, "guild": guild}
            here = select(ServerMemberRow.member).filter_by(**row)
            if not await connection.scalar(here):
                await connection.execute(insert(ServerMemberRow).values(**row))

    async def in_server(self, guild: int, *, open_only: bool = False) -> set[int]:
        """The people that a server's members hold; with ``open_only``, those open to collaborate."""
        return set(await self.holders_in(guild, open_only=open_only))

    async def holders_in(self, guild: int, *, open_only: bool = False) -> dict[int, int]:
        """The people that a server's members hold, under every number they have had, each with the member."""
        query = (
            select(ClaimRow.person_id, MERGED, ClaimRow.holder)
            .join(ServerMemberRow, ServerMemberRow.member == ClaimRow.holder)
            .join(PersonRow, PersonRow.id == ClaimRow.person_id)
            .where(ServerMemberRow.guild == guild, holds_in_server(guild))
        )
        rows = await self._held(query, open_only)
        return {number: row[2] for row in rows for number in row[:2] if number is not None}

    async def left(self, guild: int, member: int | None = None) -> None:
        """Forget that a member (without one, everybody) was seen in a server."""
        gone = delete(ServerMemberRow).where(ServerMemberRow.guild == guild)
        async with self._writer.begin() as connection:
            await connection.execute(gone if member is None else gone.where(ServerMemberRow.member == member))

    async def open_people(self, guild: int | None = None) -> set[int]:
        """The people whose holders are open to collaborate, by the claims that hold in a server."""
        query = (
            select(ClaimRow.person_id, MERGED)
            .join(PersonRow, PersonRow.id == ClaimRow.person_id)
            .where(holds_in_server(guild))
        )
        rows = await self._held(query, open_only=True)
        return {number for row in rows for number in row if number is not None}

    async def _held(self, query: Any, open_only: bool) -> Sequence[Any]:
        if open_only:
            query = query.join(ProfileRow, ProfileRow.member == ClaimRow.holder).where(
                ProfileRow.status == "open"
            )
        async with self._read() as connection:
            rows: Sequence[Any] = (await connection.execute(query)).all()
        return rows

    async def profile(self, member: int) -> Profile | None:
        """A member's profile."""
        query = select(*_PROFILE).where(ProfileRow.member == member)
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return Profile(*row) if row else None

    async def save_profile(self, profile: Profile) -> None:
        """Save a member's profile."""
        values = {name: getattr(profile, name) for name in Profile.__slots__}
        async with self._writer.begin() as connection:
            await connection.execute(delete(ProfileRow).where(ProfileRow.member == profile.member))
            await connection.execute(insert(ProfileRow).values(**values, changed=utc_now()))
