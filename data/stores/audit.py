"""The audit log in SQL: who decided what about people, claims, bans and servers, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.tables.operator import AuditRow

CONSOLE = 0
"""The actor of decisions made on the command line."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the audit log; :class:`data.tables.operator.AuditRow` says what each field holds."""

    id: int
    made: datetime
    actor: int
    action: str
    subject: str
    detail: str
    guild: int | None


_ENTRY = [getattr(AuditRow, name) for name in AuditEntry.__slots__]


async def note(
    connection: AsyncConnection,
    actor: int,
    action: str,
    subject: str,
    detail: str = "",
    guild: int | None = None,
) -> None:
    """Write one line in the caller's transaction: who (0: the command line, or Labmate), what, where."""
    row = {"actor": actor, "action": action[:40], "subject": subject[:200], "detail": detail[:2_000]}
    await connection.execute(insert(AuditRow).values(**row, guild=guild, made=utc_now()))


class Audit(Repository):
    """Writes the log and reads it; nothing here changes or deletes a line."""

    async def record(
        self, actor: int, action: str, subject: str, detail: str = "", guild: int | None = None
    ) -> None:
        """Write one line by itself; see :func:`note`."""
        async with self._writer.begin() as connection:
            await note(connection, actor, action, subject, detail, guild)

    async def newest(self, most: int = 50) -> list[AuditEntry]:
        """The latest lines, newest first."""
        query = select(*_ENTRY).order_by(AuditRow.id.desc()).limit(most)
        async with self._read() as connection:
            return [AuditEntry(*row) for row in await connection.execute(query)]

    # -- everything about a member ---------------------------------------------------------------

    async def held(self, member: int) -> dict[str, Any]:
        """A member's decisions, ready for JSON."""
        query = select(*_ENTRY).where(AuditRow.actor == member).order_by(AuditRow.id)
        async with self._read() as connection:
            entries = [AuditEntry(*row) for row in await connection.execute(query)]
        return {
            "audit": [
                {"made": e.made.isoformat(), "action": e.action, "subject": e.subject, "detail": e.detail}
                for e in entries
            ]
        }

    async def forget(self, member: int) -> int:
        """Nothing: decisions about others stay on record, as docs/members.md says."""
        return 0
