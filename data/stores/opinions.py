"""What members think of papers, in SQL."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, insert, select

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.tables.digests import OpinionRow

OPINIONS = ("like", "save", "dislike", "skip")


class Opinions(Repository):
    """Asks and changes members' opinions of papers."""

    async def think(
        self, guild: int, member: int, paper: int, kind: str | None, channel: int = 0
    ) -> str | None:
        """Keep what a member thinks of a paper, in place of what they thought; None takes it back.

        Returns what they thought before.
        """
        mine = (OpinionRow.guild == guild) & (OpinionRow.member == member) & (OpinionRow.paper_id == paper)
        async with self._writer.begin() as connection:
            before: str | None = await connection.scalar(select(OpinionRow.kind).where(mine))
            await connection.execute(delete(OpinionRow).where(mine))
            if kind is not None:
                assert kind in OPINIONS
                row = {"guild": guild, "member": member, "paper_id": paper, "kind": kind, "channel": channel}
                await connection.execute(insert(OpinionRow).values(**row, made=utc_now()))
        return before

    async def opinions(
        self, *, guild: int | None = None, member: int | None = None, since: datetime | None = None
    ) -> list[tuple[int, int, str, datetime]]:
        """(member, paper, kind, when) of a server or of a member, oldest first."""
        query = select(OpinionRow.member, OpinionRow.paper_id, OpinionRow.kind, OpinionRow.made)
        if guild is not None:
            query = query.where(OpinionRow.guild == guild)
        if member is not None:
            query = query.where(OpinionRow.member == member)
        if since is not None:
            query = query.where(OpinionRow.made >= since)
        async with self._read() as connection:
            rows = await connection.execute(query.order_by(OpinionRow.made))
            return [(row[0], row[1], row[2], row[3]) for row in rows]
