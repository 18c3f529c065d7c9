"""Entries that members took over from a CV: works, positions, education, interests."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, insert, select, update

from data.calendar.clock import utc_now
from data.keys import fresh_number
from data.stores.repository import Repository
from data.tables.members import OwnWorkRow

KINDS = ("work", "education", "position", "interest")
MOST_KEPT = 1_000
"""Entries per member."""


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """Something that a member says about themselves.

    Attributes
    ----------
    kind
        One of :data:`KINDS`.
    state
        ``read`` until the member confirms it, then ``kept``.
    paper_id
        The paper of the store that a work is; None where we only have the member's word.
    """

    id: int
    kind: str
    state: str
    text: str
    venue: str = ""
    year: int | None = None
    status: str = ""
    paper_id: int | None = None


class OwnWorks(Repository):
    """Asks and changes them; every change is one transaction."""

    async def of(self, member: int, state: str = "kept") -> list[OwnEntry]:
        """A member's entries, in the order in which they were read."""
        mine = (OwnWorkRow.member == member) & (OwnWorkRow.state == state)
        query = select(OwnWorkRow.__table__).where(mine)
        async with self._read() as connection:
            rows = (await connection.execute(query)).all()
        rows = sorted(rows, key=lambda row: (json.loads(row.detail).get("place", 0), row.made, row.text))
        return [_entry(row) for row in rows]

    async def put(self, member: int, entries: Sequence[OwnEntry]) -> None:
        """Keep newly read entries until the member confirms them, in place of earlier unconfirmed ones."""
        async with self._writer.begin() as connection:
            await connection.execute(_pending(member))
            for place, entry in enumerate(entries[:MOST_KEPT]):
                detail = {"venue": entry.venue, "year": entry.year, "status": entry.status, "place": place}
                await connection.execute(
                    insert(OwnWorkRow).values(
                        id=fresh_number(),
                        member=member,
                        kind=entry.kind,
                        state="read",
                        text=entry.text[:500],
                        detail=json.dumps(detail),
                        paper_id=entry.paper_id,
                        made=utc_now(),
                    )
                )

    async def keep(self, member: int, kinds: Collection[str]) -> int:
        """Confirm the entries of some kinds; drop the rest and those they replace. Returns how many."""
        async with self._writer.begin() as connection:
            mine = OwnWorkRow.member == member
            if not await connection.scalar(
                select(func.count()).where(mine, OwnWorkRow.state == "read", OwnWorkRow.kind.in_(kinds))
            ):
                return 0
            # A CV is complete: its entries of a kind replace an earlier CV's.
            await connection.execute(
                delete(OwnWorkRow).where(mine, OwnWorkRow.state == "kept", OwnWorkRow.kind.in_(kinds))
            )
            done = await connection.execute(
                update(OwnWorkRow)
                .where(mine, OwnWorkRow.state == "read", OwnWorkRow.kind.in_(kinds))
                .values(state="kept")
            )
            await connection.execute(_pending(member))
            return int(done.rowcount)

    async def discard(self, member: int) -> int:
        """Drop the unconfirmed entries."""
        async with self._writer.begin() as connection:
            return int((await connection.execute(_pending(member))).rowcount)

    async def remove(self, member: int, number: int) -> bool:
        """Drop one of the member's own entries; False where it isn't theirs."""
        async with self._writer.begin() as connection:
            done = await connection.execute(
                delete(OwnWorkRow).where(OwnWorkRow.id == number, OwnWorkRow.member == member)
            )
            return bool(done.rowcount)

    # -- everything about a member ---------------------------------------------------------------

    async def held(self, member: int) -> dict[str, Any]:
        """All that is held about a member, ready for JSON."""
        entries = [*await self.of(member), *await self.of(member, "read")]
        names = ("kind", "state", "text", "venue", "year", "status", "paper_id")
        return {"from_cv": [{name: getattr(entry, name) for name in names} for entry in entries]}

    async def forget(self, member: int) -> int:
        """Delete all of it."""
        async with self._writer.begin() as connection:
            return int(
                (await connection.execute(delete(OwnWorkRow).where(OwnWorkRow.member == member))).rowcount
            )


def _entry(row: Any) -> OwnEntry:
    detail = json.loads(row.detail)
    known = (detail.get("venue") or "", detail.get("year"), detail.get("status") or "")
    return OwnEntry(row.id, row.kind, row.state, row.text, *known, row.paper_id)


def _pending(member: int) -> Any:
    return delete(OwnWorkRow).where(OwnWorkRow.member == member, OwnWorkRow.state == "read")
