"""Copying an installation's database to another place: from SQLite to PostgreSQL, or back.

Rows go table by table in the order of their keys, a batch in each transaction. So what a stopped move has
copied is a beginning of each table, and the next one goes on after its last row. At the end, every table is
read in both places and compared.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Row,
    Select,
    String,
    Table,
    bindparam,
    func,
    insert,
    literal,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

import data.stores.store  # noqa: F401 - every table is known then
from data.database import in_use
from data.database.engine import BULK, MOVING, make_engine, open_database, shown, sqlite_path
from data.database.sqlite_files import StoreError
from data.tables.papers import Base

_AT_ONCE = 2_000
"""Rows in a transaction."""
_BORN_WITH = {"counter_keys", "people_generation", "sequences"}
"""Tables that may have rows in a database that nobody has used yet."""
_ALL = 1 << 64
Report = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Content:
    """What a table holds: its rows, and a sum of their hashes, which their order does not change."""

    rows: int
    checksum: int


async def move(source: str, target: str, report: Report | None = None) -> dict[str, Content]:
    """Copy everything from the database of one URL to the new or partly filled one of another.

    Returns
    -------
    dict
        The content of each table, the same in both places.

    Raises
    ------
    StoreError
        Where one of them is in use or can't be opened, where the target has rows of its own, or where the two
        differ at the end. The source is never changed, except that an older one is migrated.
    """
    if shown(source) == shown(target):
        raise StoreError(f"{shown(source)} is where the database is already. Name another place.")
    tables = _tables()
    with ExitStack() as stack:
        for url in (source, target):
            await (await open_database(url, moving=url == target)).dispose()
            if path := sqlite_path(url):
                stack.enter_context(in_use.alone(path))
        reading, writing = make_engine(source), make_engine(target, paging=BULK, linked=False)
        writing = writing.execution_options(writes=True)
        try:
            await _refuse_users(reading, source)
            await _refuse_users(writing, target)
            await _mark(writing, shown(source), target)
            for number, table in enumerate(tables):
                await _copy(reading, writing, table, report)
                if report:
                    report("tables", number + 1, len(tables))
            moved = await _compare(reading, writing, tables, report)
            async with writing.begin() as connection:
                await _set_sequences(connection, tables)
                await connection.exec_driver_sql(f"DROP TABLE {MOVING}")
            return moved
        except (DBAPIError, OSError) as error:
            reason = error.orig if isinstance(error, DBAPIError) else error
            raise StoreError(f"The move stopped: {reason}. What was copied so far is kept.") from error
        finally:
            await reading.dispose()
            await writing.dispose()


def _tables() -> Sequence[Table]:
    """All tables, those first that others point to."""
    return Base.metadata.sorted_tables


async def _refuse_users(engine: AsyncEngine, url: str) -> None:
    """PostgreSQL knows who else has the database open."""
    if engine.dialect.name != "postgresql":
        return
    others = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )
    async with engine.connect() as connection:
        if await connection.scalar(others):
            raise StoreError(f"{shown(url)} is in use. Stop every Labmate that uses it, then try again.")


async def _mark(engine: AsyncEngine, source: str, target: str) -> None:
    """Write down where the rows come from; an unfinished move from the same place goes on."""
    async with engine.begin() as connection:
        await connection.exec_driver_sql(f"CREATE TABLE IF NOT EXISTS {MOVING} (source TEXT)")
        begun = (await connection.exec_driver_sql(f"SELECT source FROM {MOVING}")).scalars().all()  # noqa: S608
        if begun == [source]:
            return
        if begun:
            raise StoreError(
                f"{shown(target)} has part of a move from {begun[0]}. Finish that one, or name an empty "
                "database."
            )
        for table in _tables():
            if table.name in _BORN_WITH:
                await connection.execute(table.delete())
            elif await connection.scalar(select(literal(1)).select_from(table).limit(1)):
                raise StoreError(
                    f"{shown(target)} is not empty (it has rows in {table.name}). Name an empty database."
                )
        await connection.execute(text(f"INSERT INTO {MOVING} VALUES (:source)"), {"source": source})  # noqa: S608


# -- copying ---------------------------------------------------------------------------------------


async def _copy(reading: AsyncEngine, writing: AsyncEngine, table: Table, report: Report | None) -> None:
    """Copy the rows after the last one that is there."""
    own = {column.name: None for column in table.columns if _points_to_its_own_table(column)}
    whole, done = await _count(reading, table), await _count(writing, table)
    last = None
    if done:
        newest = select(table).order_by(*(part.desc() for part in _key(writing, table))).limit(1)
        async with writing.connect() as connection:
            last = (await connection.execute(newest)).one()
    async for rows in _parts(reading, _rows_after(reading, table, last)):
        async with writing.begin() as connection:
            await connection.execute(insert(table), [row | own for row in rows])
        done += len(rows)
        if report:
            report(f"copying {table.name}", done, whole)
    for name in own:
        await _point(reading, writing, table, table.columns[name])


async def _point(reading: AsyncEngine, writing: AsyncEngine, table: Table, column: Column[Any]) -> None:
    """Let rows point to others of their table, which are all there now."""
    [key] = table.primary_key.columns
    change = update(table).where(key == bindparam("row")).values({column: bindparam("points_to")})
    pointing = select(key.label("row"), column.label("points_to")).where(column.is_not(None))
    async for rows in _parts(reading, pointing):
        async with writing.begin() as connection:
            await connection.execute(change, rows)


def _points_to_its_own_table(column: Column[Any]) -> bool:
    return any(link.column.table is column.table for link in column.foreign_keys)


async def _count(engine: AsyncEngine, table: Table) -> int:
    async with engine.connect() as connection:
        return int(await connection.scalar(select(func.count()).select_from(table)) or 0)


def _key(engine: AsyncEngine, table: Table) -> list[ColumnElement[Any]]:
    """A table's key, in the same order in every database: texts byte by byte."""
    bytewise = engine.dialect.name == "postgresql"
    return [
        column.collate("C") if bytewise and isinstance(column.type, String) else column
        for column in table.primary_key.columns
    ]


def _rows_after(engine: AsyncEngine, table: Table, last: Row[Any] | None) -> Select[Any]:
    """The rows of a table, in the order of their keys, after the last one that was copied."""
    key = _key(engine, table)
    query = select(table).order_by(*key)
    if last is None:
        return query
    given = [literal(last._mapping[column.name], column.type) for column in table.primary_key.columns]
    return query.where(tuple_(*key) > tuple_(*given))


async def _parts(engine: AsyncEngine, query: Select[Any]) -> AsyncIterator[list[dict[str, Any]]]:
    """The rows of a query, some at a time."""
    async with engine.connect() as connection, connection.stream(query) as result:
        async for part in result.mappings().partitions(_AT_ONCE):
            yield [dict(row) for row in part]


async def _set_sequences(connection: AsyncConnection, tables: Sequence[Table]) -> None:
    """Let PostgreSQL number new rows after those that came with a number."""
    if connection.dialect.name != "postgresql":
        return
    for table in tables:
        column = table.autoincrement_column
        if column is None:
            continue
        name = await connection.scalar(select(func.pg_get_serial_sequence(table.name, column.name)))
        highest = await connection.scalar(select(func.max(column)))
        if name is not None and highest is not None:
            await connection.execute(select(func.setval(name, highest)))


# -- comparing -------------------------------------------------------------------------------------


async def _compare(
    reading: AsyncEngine, writing: AsyncEngine, tables: Sequence[Table], report: Report | None
) -> dict[str, Content]:
    """What each table holds, if it is the same in both places."""
    found: dict[str, Content] = {}
    for number, table in enumerate(tables):
        here, there = await asyncio.gather(_content(reading, table), _content(writing, table))
        if here != there:
            raise StoreError(
                f"The copy of {table.name} differs: {here.rows:,} rows before, {there.rows:,} after. The old "
                "database is as it was. Empty the new one and move again, with every Labmate stopped."
            )
        found[table.name] = here
        if report:
            report("comparing tables", number + 1, len(tables))
    return found


async def _content(engine: AsyncEngine, table: Table) -> Content:
    rows = checksum = 0
    async for part in _parts(engine, select(table)):
        rows += len(part)
        checksum = (checksum + await asyncio.to_thread(_sum, part)) % _ALL
    return Content(rows, checksum)


def _sum(rows: Sequence[dict[str, Any]]) -> int:
    total = 0
    for row in rows:
        printed = "\x1f".join(map(_printed, row.values())).encode()
        total += int.from_bytes(hashlib.blake2b(printed, digest_size=8).digest(), "big")
    return total


def _printed(value: Any) -> str:
    """A value as one text, whatever the driver makes of it."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, date):  # datetimes too
        return value.isoformat()
    return repr(int(value)) if isinstance(value, bool) else repr(value)
