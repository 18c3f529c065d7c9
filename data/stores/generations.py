"""Generations of who is who in SQL: the one that readers see, and how a pass writes the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, bindparam, case, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.tables.papers import GenerationRow, IdentityPassRow, MembershipRow, PersonRow

FOREVER = 2_147_483_647
Place = tuple[int, int]
"""Paper and position."""

NOW = select(GenerationRow.current).where(GenerationRow.id == 1).scalar_subquery()
"""SQL: the generation that readers see."""
HOLDS = and_(MembershipRow.since <= NOW, MembershipRow.until > NOW)
"""SQL: the membership holds in it."""
_TAKEN = PersonRow.next_since <= NOW
NAME = case((_TAKEN, PersonRow.next_name), else_=PersonRow.name)
"""SQL: the most frequent form of a person's name."""
MERGED = case((_TAKEN, PersonRow.next_merged), else_=PersonRow.merged_into)
"""SQL: the person that this one turned out to be, or NULL."""
KNOWN = PersonRow.since <= NOW
"""SQL: readers see the person, who is not only in a draft."""

HERE = and_(
    MembershipRow.paper_id == bindparam("b_paper"),
    MembershipRow.position == bindparam("b_position"),
)
"""SQL: the membership stands at the place bound to it."""


def places_of(rows: Sequence[dict[str, Any]]) -> list[Place]:
    """Where these memberships stand."""
    return [(row["paper_id"], row["position"]) for row in rows]


def bound(places: Sequence[Place]) -> list[dict[str, Any]]:
    """The parameters of :data:`HERE` for each place."""
    return [{"b_paper": paper, "b_position": position} for paper, position in places]


def membership_rows(changed: Sequence[dict[str, Any]], since: int) -> list[dict[str, Any]]:
    """Memberships as rows that hold from a generation on."""
    return [{"judged": True, **row, "since": since, "until": FOREVER} for row in changed]


async def alone(connection: AsyncConnection) -> None:
    """Lock the generation's row, so that other writers of passes wait for this transaction."""
    await connection.execute(update(GenerationRow).values(current=GenerationRow.current))


async def current_generation(connection: AsyncConnection) -> int:
    """The number of the generation that readers see."""
    return int(await connection.scalar(select(GenerationRow.current)) or 0)


async def newest_number(connection: AsyncConnection) -> int:
    """The number of the newest pass or correction, 0 before the first."""
    return int(await connection.scalar(select(func.max(IdentityPassRow.id))) or 0)


async def end_memberships(connection: AsyncConnection, places: Sequence[Place], draft: int) -> None:
    """End the memberships at these places where the draft begins, and drop the draft's earlier rows there."""
    rows = bound(places)
    await connection.execute(delete(MembershipRow).where(HERE, MembershipRow.since == draft), rows)
    await connection.execute(update(MembershipRow).where(HERE, HOLDS).values(until=draft), rows)


async def note_pass(
    connection: AsyncConnection, kind: str, upto: int, corrections: int, counts: tuple[int, int]
) -> int:
    """Record a finished pass; returns its number."""
    row = {
        "kind": kind,
        "finished": utc_now(),
        "upto": upto,
        "corrections": corrections,
        "authorships": counts[0],
        "people": counts[1],
    }
    inserted = await connection.execute(insert(IdentityPassRow).values(**row).returning(IdentityPassRow.id))
    return int(inserted.scalar_one())
