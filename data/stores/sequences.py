"""Numbers and rows that two writers may want at once: one statement decides, on SQLite and PostgreSQL.

A number is taken by a statement that writes, so that a second writer waits until the first has
committed, whatever the database promises to transactions that only read.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Executable, ScalarSelect, case, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from data.tables.papers import AuthorRow, PaperRow, SequenceRow

_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_HIGHEST: dict[str, Any] = {"papers": PaperRow.id, "authors": AuthorRow.id, "changes": PaperRow.changed}
"""The column of each sequence. Its values count as taken, even if an older Labmate wrote them."""


async def take(connection: AsyncConnection, name: str, count: int = 1) -> int:
    """Take ``count`` numbers (from 1) that nobody else is given; returns the first.

    A count of 0 takes nothing, but other takers of this sequence still wait for the transaction's end.
    """
    taken = await connection.scalar(taking(connection.dialect.name, name, count))
    return int(taken or 0) - count + 1


def taking(dialect: str, name: str, count: int) -> Executable:
    """The statement of :func:`take`; it returns the last of the numbers."""
    highest: ScalarSelect[int] = select(func.coalesce(func.max(_HIGHEST[name]), 0)).scalar_subquery()
    insert = _INSERT[dialect](SequenceRow).values(name=name, last=highest + literal(count))
    last = case((SequenceRow.last < highest, highest), else_=SequenceRow.last)
    taken: Executable = insert.on_conflict_do_update(
        index_elements=[SequenceRow.name], set_={"last": last + literal(count)}
    ).returning(SequenceRow.last)
    return taken


async def insert_unless_there(connection: AsyncConnection, table: Any, row: dict[str, Any]) -> bool:
    """Insert a row; False where another has its key, even one written a moment ago."""
    insert = _INSERT[connection.dialect.name](table).values(**row).on_conflict_do_nothing()
    return bool((await connection.execute(insert)).rowcount == 1)
