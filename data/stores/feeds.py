"""Addresses of feeds in SQL: nobody can guess one, and the member who asked for it can revoke it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.tables.library import FeedRow

KINDS = ("digest", "list", "library", "explore")
"""What lies behind a secret address; ``explore`` is no feed, but the research graph as pages."""
_BYTES = 24


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed and the secret in its address."""

    token: str
    kind: str
    target: int
    member: int
    made: datetime


class Feeds(Repository):
    """Asks and changes feeds."""

    async def find(self, token: str) -> Feed | None:
        """The feed behind a secret address."""
        return await self._one(FeedRow.token == token)

    async def of(self, kind: str, target: int) -> Feed | None:
        """The feed of a digest, a list or a member's library."""
        return await self._one((FeedRow.kind == kind) & (FeedRow.target == target))

    async def _one(self, where: object) -> Feed | None:
        query = select(FeedRow.token, FeedRow.kind, FeedRow.target, FeedRow.member, FeedRow.made)
        async with self._read() as connection:
            row = (await connection.execute(query.where(where))).first()  # type: ignore[arg-type]
        return Feed(*row) if row else None

    async def make(self, kind: str, target: int, member: int) -> Feed:
        """Make a new address; the earlier one stops working."""
        assert kind in KINDS
        feed = Feed(secrets.token_urlsafe(_BYTES), kind, target, member, utc_now())
        async with self._writer.begin() as connection:
            await connection.execute(delete(FeedRow).where(FeedRow.kind == kind, FeedRow.target == target))
            await connection.execute(
                insert(FeedRow).values(
                    token=feed.token, kind=kind, target=target, member=member, made=feed.made
                )
            )
        return feed

    async def end(self, kind: str, target: int) -> bool:
        """Revoke an address."""
        where = (FeedRow.kind == kind) & (FeedRow.target == target)
        async with self._writer.begin() as connection:
            return bool((await connection.execute(delete(FeedRow).where(where))).rowcount)

    async def held(self, member: int) -> dict[str, Any]:
        """All that is held about a member, ready for JSON."""
        query = select(FeedRow.kind, FeedRow.made).where(FeedRow.member == member)
        async with self._read() as connection:
            return {
                "feeds": [
                    {"of": kind, "made": made.isoformat()} for kind, made in await connection.execute(query)
                ]
            }

    async def forget(self, member: int) -> int:
        """Revoke a member's addresses."""
        async with self._writer.begin() as connection:
            return (await connection.execute(delete(FeedRow).where(FeedRow.member == member))).rowcount
