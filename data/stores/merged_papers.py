"""What members keep of papers, once two of these turn out to be one work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import RowMapping, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.stores.library import STATES
from data.stores.slices import slices
from data.tables.digests import OpinionRow, SeedRow, ShownRow
from data.tables.library import LibraryRow, ListPaperRow
from data.tables.members import FollowRow
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

    Where both are kept, one stays: of opinions the later one, of what lists, digests and followers have the
    earlier one, and in a library the notes and tags of both.

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
    await _lead_followers(connection, present)
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
    await connection.execute(update(table).where(*new).values(**_joined(table, row, other)))
    await connection.execute(delete(table).where(*old))


async def _lead_followers(connection: AsyncConnection, present: Mapping[int, int]) -> None:
    of_papers = FollowRow.kind == "paper"
    for part in slices(present):
        old = FollowRow.target.in_([str(number) for number in part])
        rows = await connection.execute(select(FollowRow.__table__).where(of_papers, old))
        for row in rows.mappings().all():
            now = str(present[int(row["target"])])
            same = (of_papers, FollowRow.member == row["member"], FollowRow.target == now)
            made = await connection.scalar(select(FollowRow.made).where(*same))
            if made is None:
                moved = update(FollowRow).where(FollowRow.id == row["id"])
                await connection.execute(moved.values(target=now))
                continue
            await connection.execute(delete(FollowRow).where(FollowRow.id == row["id"]))
            await connection.execute(update(FollowRow).where(*same).values(made=min(made, row["made"])))


def _joined(table: Any, one: RowMapping, other: RowMapping) -> dict[str, Any]:
    """What stays of two rows, but for their keys."""
    if table is LibraryRow:
        return _both(one, other)
    if table is OpinionRow:  # a question that was not answered says nothing
        stays = max((other, one), key=lambda row: (row["kind"] != "skip", row["made"]))
    elif table is ShownRow:
        stays = max((other, one), key=lambda row: row["day"])
    else:
        stays = min((other, one), key=lambda row: row["made"])
    keys = {column.name for column in table.__table__.primary_key}
    return {name: value for name, value in stays.items() if name not in keys}


def _both(one: RowMapping, other: RowMapping) -> dict[str, Any]:
    """What a member keeps of a paper that was in their library twice; what was removed counts for nothing.

    Notes and tags stay whole, also where they are longer together than a member may write at once.
    """
    there = [row for row in (other, one) if row["gone"] is None] or [other]
    notes = dict.fromkeys(row["note"] for row in there if row["note"])
    tags = dict.fromkeys(tag for row in there for tag in row["tags"].split("\n") if tag)
    return {
        "note": "\n".join(notes),
        "tags": "\n".join(tags),
        "state": max((row["state"] for row in there), key=STATES.index),
        "made": min(row["made"] for row in there),
        "changed": max(row["changed"] for row in there),
        "gone": there[0]["gone"],
    }
