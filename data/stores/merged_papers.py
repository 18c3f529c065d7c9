"""What members keep of papers, once two of these turn out to be one work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import RowMapping, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.stores.library import MAX_NOTE, MOST_TAGS, STATES
from data.stores.slices import slices
from data.tables.digests import OpinionRow, SeedRow, ShownRow
from data.tables.library import LibraryRow, ListPaperRow
from data.tables.papers import CorrectionRow

_KEPT: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (LibraryRow, ("member",)),
    (ListPaperRow, ("list_id",)),
    (OpinionRow, ("guild", "member")),
    (SeedRow, ("digest_id",)),
    (ShownRow, ("place",)),
)
"""The tables, and what may have each paper only once."""


async def follow(connection: AsyncConnection, present: Mapping[int, int]) -> None:
    """Let what is kept of merged papers lead to those that they are now.

    Where both are kept, one stays: of opinions the later one, and in a library the notes of both.

    Parameters
    ----------
    present
        By the number of a merged paper, that of the one it is now.
    """
    for table, keys in _KEPT:
        for part in slices(present):
            rows = await connection.execute(select(table).where(table.paper_id.in_(part)))
            for row in rows.mappings().all():
                mine = [getattr(table, key) == row[key] for key in keys]
                await _follow_one(connection, table, mine, row, present[row["paper_id"]])
    for column in (CorrectionRow.paper_id, CorrectionRow.other_paper_id):
        for part in slices(present):
            found = await connection.execute(select(CorrectionRow.id, column).where(column.in_(part)))
            for number, paper in found.all():
                moved = update(CorrectionRow).where(CorrectionRow.id == number)
                await connection.execute(moved.values({column: present[paper]}))


async def _follow_one(
    connection: AsyncConnection, table: Any, mine: list[Any], row: RowMapping, present: int
) -> None:
    old = [*mine, table.paper_id == row["paper_id"]]
    new = [*mine, table.paper_id == present]
    other = (await connection.execute(select(table).where(*new))).mappings().first()
    if other is None:
        await connection.execute(update(table).where(*old).values(paper_id=present))
        return
    if table is LibraryRow:
        await connection.execute(update(table).where(*new).values(**_both(row, other)))
    elif table is OpinionRow and row["made"] > other["made"]:
        later = {"kind": row["kind"], "made": row["made"], "channel": row["channel"]}
        await connection.execute(update(table).where(*new).values(**later))
    await connection.execute(delete(table).where(*old))


def _both(one: RowMapping, other: RowMapping) -> dict[str, Any]:
    """What a member keeps of a paper that was in their library twice; what was removed counts for nothing."""
    there = [row for row in (other, one) if row["gone"] is None] or [other]
    notes = dict.fromkeys(row["note"] for row in there if row["note"])
    tags = dict.fromkeys(tag for row in there for tag in row["tags"].split("\n") if tag)
    return {
        "note": "\n".join(notes)[:MAX_NOTE],
        "tags": "\n".join(list(tags)[:MOST_TAGS]),
        "state": max((row["state"] for row in there), key=STATES.index),
        "made": min(row["made"] for row in there),
        "changed": max(row["changed"] for row in there),
        "gone": there[0]["gone"],
    }
