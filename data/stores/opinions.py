"""What members think of papers, in SQL."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, func, insert, select

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.tables.digests import OpinionRow
from data.tables.papers import PaperRow

OPINIONS = ("like", "save", "dislike", "skip")
_PRESENT = func.coalesce(PaperRow.merged_into, PaperRow.id)
"""SQL: the present number of the paper that an opinion is about."""


class Opinions(Repository):
    """Asks and changes members' opinions of papers."""

    async def think(
        self, guild: int, member: int, paper: int, kind: str | None, channel: int = 0
    ) -> str | None:
        """Keep what a member thinks of a paper, in place of what they thought; None takes it back.

        Returns what they thought before.
        """
        mine = (OpinionRow.guild == guild) & (OpinionRow.member == member)
        same = select(OpinionRow.paper_id, OpinionRow.kind).join(PaperRow, PaperRow.id == OpinionRow.paper_id)
        same = same.where(mine, _PRESENT.in_([paper])).order_by(OpinionRow.made)
        async with self._writer.begin() as connection:
            said = (await connection.execute(same)).all()
            before: str | None = said[-1].kind if said else None
            numbers = [paper, *(row.paper_id for row in said)]
            await connection.execute(delete(OpinionRow).where(mine, OpinionRow.paper_id.in_(numbers)))
            if kind is not None:
                assert kind in OPINIONS
                row = {"guild": guild, "member": member, "paper_id": paper, "kind": kind, "channel": channel}
                await connection.execute(insert(OpinionRow).values(**row, made=utc_now()))
        return before

    async def opinions(
        self, *, guild: int | None = None, member: int | None = None, since: datetime | None = None
    ) -> list[tuple[int, int, str, datetime]]:
        """(member, paper, kind, when) of a server or of a member, oldest first.

        A merged paper has its present number.
        """
        query = select(OpinionRow.member, _PRESENT, OpinionRow.kind, OpinionRow.made)
        query = query.join(PaperRow, PaperRow.id == OpinionRow.paper_id)
        if guild is not None:
            query = query.where(OpinionRow.guild == guild)
        if member is not None:
            query = query.where(OpinionRow.member == member)
        if since is not None:
            query = query.where(OpinionRow.made >= since)
        async with self._read() as connection:
            rows = await connection.execute(query.order_by(OpinionRow.made))
            return [(row[0], row[1], row[2], row[3]) for row in rows]
