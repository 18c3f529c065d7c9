"""What members think of papers, in SQL."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.tables.digests import OpinionRow
from data.tables.papers import PaperRow

OPINIONS = ("like", "save", "dislike", "skip")
_PRESENT = func.coalesce(PaperRow.merged_into, PaperRow.id)
"""SQL: the present number of the paper that an opinion is about."""


class Opinion(NamedTuple):
    """What a member thinks of a paper, since when (UTC), and the channel where they said so."""

    kind: str
    made: datetime
    channel: int


class _Thought(NamedTuple):
    """What a member thinks of a paper, and the numbers under which it is kept."""

    guild: int
    member: int
    papers: tuple[int, ...]
    """The paper, then those that were merged into it."""
    last: Opinion | None


async def _thought(connection: AsyncConnection, guild: int, member: int, paper: int) -> _Thought:
    mine = (OpinionRow.guild == guild) & (OpinionRow.member == member)
    same = select(OpinionRow).join(PaperRow, PaperRow.id == OpinionRow.paper_id)
    query = same.where(mine, _PRESENT.in_([paper])).order_by(OpinionRow.made)
    said = (await connection.execute(query)).all()
    last = Opinion(said[-1].kind, said[-1].made, said[-1].channel) if said else None
    return _Thought(guild, member, (paper, *(row.paper_id for row in said)), last)


async def _replace(connection: AsyncConnection, old: _Thought, new: Opinion | None) -> None:
    same = OpinionRow.guild == old.guild, OpinionRow.member == old.member
    await connection.execute(delete(OpinionRow).where(*same, OpinionRow.paper_id.in_(old.papers)))
    if new is not None:
        assert new.kind in OPINIONS
        row = {"guild": old.guild, "member": old.member, "paper_id": old.papers[0], **new._asdict()}
        await connection.execute(insert(OpinionRow).values(**row))


class Opinions(Repository):
    """Asks and changes members' opinions of papers."""

    async def think(
        self, guild: int, member: int, paper: int, kind: str | None, channel: int = 0
    ) -> tuple[Opinion | None, datetime]:
        """Keep what a member thinks of a paper, in place of what they thought; None takes it back.

        Returns what they thought before, and the instant of this (UTC).
        """
        now = utc_now()
        async with self._writer.begin() as connection:
            before = await _thought(connection, guild, member, paper)
            await _replace(connection, before, None if kind is None else Opinion(kind, now, channel))
        return before.last, now

    async def undo(
        self,
        guild: int,
        member: int,
        paper: int,
        said: str,
        before: Opinion | None,
        at: datetime | None = None,
    ) -> tuple[bool, str | None]:
        """Give a member back what they thought of a paper before they ``said`` something ``at`` an instant.

        Returns whether they still thought what they said then, and what they think now: later words stay,
        also the same ones. Without the instant, the same ones count as said then.
        """
        async with self._writer.begin() as connection:
            now = await _thought(connection, guild, member, paper)
            if now.last is None or now.last.kind != said or at not in (None, now.last.made):
                return False, now.last.kind if now.last is not None else None
            await _replace(connection, now, before)
        return True, before.kind if before is not None else None

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
