"""Cards below posted links, in SQL: where they are switched on, and which a channel had today."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, insert, select

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.tables.links import LinkCardRow, LinkServerRow


class LinkCards(Repository):
    """Asks and changes both; keeps nothing about members."""

    async def servers(self) -> set[int]:
        """The servers where cards are switched on."""
        async with self._read() as connection:
            return set(await connection.scalars(select(LinkServerRow.guild)))

    async def switch(self, guild: int, *, on: bool) -> None:
        """Switch cards on or off for a server."""
        async with self._writer.begin() as connection:
            await connection.execute(delete(LinkServerRow).where(LinkServerRow.guild == guild))
            if on:
                await connection.execute(insert(LinkServerRow).values(guild=guild))

    async def take(self, channel: int, papers: Sequence[int]) -> list[int]:
        """Take the papers that had no card in a channel today (UTC), so that they count as posted."""
        today = utc_now().date()
        mine = (LinkCardRow.channel == channel) & (LinkCardRow.day == today)
        async with self._writer.begin() as connection:
            await connection.execute(delete(LinkCardRow).where(LinkCardRow.day < today))
            had = set(await connection.scalars(select(LinkCardRow.paper_id).where(mine)))
            new = [paper for paper in dict.fromkeys(papers) if paper not in had]
            if new:
                rows = [{"channel": channel, "paper_id": paper, "day": today} for paper in new]
                await connection.execute(insert(LinkCardRow), rows)
        return new

    async def forget_old(self) -> int:
        """Delete the cards of earlier days; returns how many."""
        async with self._writer.begin() as connection:
            old = LinkCardRow.day < utc_now().date()
            return int((await connection.execute(delete(LinkCardRow).where(old))).rowcount)
