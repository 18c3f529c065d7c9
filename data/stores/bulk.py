"""Statements for thousands of rows at once, where SQLAlchemy would handle each value by itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Date, DateTime, Table, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection


def among(
    connection: AsyncConnection, column: Any, values: Collection[int] | Collection[str]
) -> ColumnElement[bool]:
    """SQL: the column has one of these values; on SQLite they go as one parameter, on others as many."""
    listed = list(values)
    if connection.dialect.name != "sqlite":
        within: ColumnElement[bool] = column.in_(listed)
        return within
    each = func.json_each(orjson.dumps(listed).decode()).table_valued("value")
    chosen: ColumnElement[bool] = column.in_(select(each.c.value))
    return chosen


async def insert_rows(
    connection: AsyncConnection, table: Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows of numbers, texts and days: a tuple each, in the order of ``columns``."""
    if not rows:
        return
    if connection.dialect.name != "sqlite":
        await connection.execute(insert(table), [dict(zip(columns, row, strict=True)) for row in rows])
        return
    kinds = [table.c[column].type for column in columns]
    assert not any(isinstance(kind, DateTime) for kind in kinds), "moments are not written here"
    if days := [place for place, kind in enumerate(kinds) if isinstance(kind, Date)]:
        rows = [_with_days_as_text(row, days) for row in rows]
    statement = insert(table).compile(dialect=connection.dialect, column_keys=list(columns))
    assert getattr(statement, "positiontup", None) == list(columns), (
        "the columns are not in the table's order"
    )
    await connection.exec_driver_sql(str(statement), list(rows))


def _with_days_as_text(row: tuple[Any, ...], days: Sequence[int]) -> tuple[Any, ...]:
    """A row as SQLite holds it."""
    values = list(row)
    for place in days:
        if values[place] is not None:
            values[place] = values[place].isoformat()
    return tuple(values)
