"""What owners of digests have yet to be told, in SQL: kept with what happened, and gone once it is told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.keys import fresh_number
from data.stores.repository import Repository
from data.tables.digests import DigestRow, NoticeRow


@dataclass(frozen=True, slots=True)
class DigestNotice:
    """What somebody is to be told of a digest; see :class:`data.tables.digests.NoticeRow`."""

    id: int
    digest_id: int
    member: int
    kind: str
    why: str
    made: datetime
    tried: datetime | None
    tries: int


_NOTICE = [getattr(NoticeRow, name) for name in DigestNotice.__slots__]


async def leave_notice(connection: AsyncConnection, digest: int, kind: str, why: str) -> None:
    """Keep for the owner of a digest what happened, within the caller's transaction."""
    owner = await connection.scalar(select(DigestRow.owner).where(DigestRow.id == digest))
    if kind == "stopped":  # that it stopped before is of no interest any more
        old = NoticeRow.digest_id == digest, NoticeRow.kind == kind
        await connection.execute(delete(NoticeRow).where(*old))
    values = {"id": fresh_number(), "digest_id": digest, "member": owner, "kind": kind, "why": why[:300]}
    await connection.execute(insert(NoticeRow).values(**values, made=utc_now(), tried=None, tries=0))


class Notices(Repository):
    """Asks and changes what is to be told."""

    async def notices(self, member: int | None = None) -> list[DigestNotice]:
        """What is to be told, or to be told to a member, oldest first."""
        query = select(*_NOTICE).order_by(NoticeRow.made, NoticeRow.id)
        if member is not None:
            query = query.where(NoticeRow.member == member)
        async with self._read() as connection:
            return [DigestNotice(**row._mapping) for row in await connection.execute(query)]

    async def telling(self, notice: DigestNotice) -> bool:
        """Note a try before it is made; False where another process makes it."""
        row, now = NoticeRow, utc_now()
        same = row.id == notice.id, row.member == notice.member, row.tries == notice.tries
        values = {"tries": row.tries + 1, "tried": func.coalesce(row.tried, now)}
        async with self._writer.begin() as connection:
            return bool((await connection.execute(update(row).where(*same).values(values))).rowcount)

    async def told(self, notice: int) -> None:
        """Drop what was told, or can't be."""
        async with self._writer.begin() as connection:
            await connection.execute(delete(NoticeRow).where(NoticeRow.id == notice))

    async def tell_instead(self, notice: int, member: int) -> None:
        """Tell another member."""
        values = {"member": member, "tried": None, "tries": 0}
        async with self._writer.begin() as connection:
            await connection.execute(update(NoticeRow).where(NoticeRow.id == notice).values(values))
