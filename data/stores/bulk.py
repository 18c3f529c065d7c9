"""Statements for thousands of rows at once, where SQLAlchemy would handle each value by itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Table, func, insert, select
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
    """Insert rows of numbers and texts (no dates): a tuple each, in the order of ``columns``."""
    if not rows:
        return
    if connection.dialect.name != "sqlite":
        await connection.execute(insert(table), [dict(zip(columns, row, strict=True)) for row in rows])
        return
    statement = insert(table).compile(dialect=connection.dialect, column_keys=list(columns))
    assert getattr(statement, "positiontup", None) == list(columns), (
        "the columns are not in the table's order"
    )
    await connection.exec_driver_sql(str(statement), list(rows))
