"""Databases as older versions of Labmate left them: any revision, every table filled with linked rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.script import Script, ScriptDirectory

from data.database.engine import MIGRATIONS, _upgrade
from tests.helpers import databases, postgres

ROWS = 3
Database = Path | str
"""A file of SQLite's, or the URL of a database of a server."""
Rows = dict[str, list[dict[str, Any]]]
"""The rows of every table, each as its columns' values."""


def revisions() -> list[Script]:
    """Every migration, oldest first."""
    return list(ScriptDirectory(str(MIGRATIONS)).walk_revisions())[::-1]


def place(file: Path) -> Database:
    """An empty place for the database that a test means by a file."""
    return postgres.new_database() if databases.IN_POSTGRES else file


def url_of(database: Database) -> str:
    """The URL under which Labmate opens it."""
    return f"sqlite+aiosqlite:///{database}" if isinstance(database, Path) else database


def engine_of(database: Database) -> sa.Engine:
    """An engine that enforces nothing by itself: what a test writes may be older than the code."""
    if isinstance(database, Path):
        return sa.create_engine(f"sqlite:///{database}")
    return sa.create_engine(database.replace("+asyncpg", "+psycopg"))


def begin(database: Database, revision: str) -> None:
    """Make an empty database of this revision."""
    engine = engine_of(database)
    with engine.begin() as connection:
        _upgrade(connection, revision)
    engine.dispose()


def make(database: Database, revision: str) -> Rows:
    """Fill a database of this revision, with rows in every table and no dangling keys; returns its rows."""
    begin(database, revision)
    engine, schema = engine_of(database), sa.MetaData()
    schema.reflect(engine)
    with engine.begin() as connection:
        for table in schema.sorted_tables:  # those first that others point to
            if table.name == "alembic_version":
                continue
            connection.execute(table.insert(), [_row(table, number) for number in range(ROWS)])
    engine.dispose()
    assert problems(database) == []
    rows = read(database)
    assert all(len(found) >= ROWS for name, found in rows.items() if name != "alembic_version")
    return rows


def _row(table: sa.Table, number: int) -> dict[str, Any]:
    """Row ``number`` points to row ``number`` of other tables and to the row before it in its own."""
    row = {}
    for column in table.columns:
        if column.nullable and number == 1:
            row[column.name] = None
            continue
        value = _value(column, number)
        for key in column.foreign_keys:
            itself = key.column.table is table
            value = _value(key.column, max(0, number - 1) if itself else number)
        row[column.name] = value
    return row


def _value(column: sa.Column[Any], number: int) -> Any:
    """A value of the column's type that no other row has (but for truth values)."""
    kind = column.type
    if isinstance(kind, sa.Boolean):
        return number % 2 == 0
    if isinstance(kind, sa.Integer):
        return 71 + number
    if isinstance(kind, sa.Float | sa.Numeric):
        return 0.25 * (number + 1)
    if isinstance(kind, sa.DateTime):
        return datetime(2026, 1, 5, 6, 7, 8, 9_000) + timedelta(days=number)
    if isinstance(kind, sa.Date):
        return date(2026, 1, 5) + timedelta(days=number)
    if isinstance(kind, sa.LargeBinary):
        return bytes([0, 255, number])
    if isinstance(kind, sa.String) and kind.length:
        return f"{number + 1}é'{column.name}"[: kind.length]
    if isinstance(kind, sa.String):
        return f'["{column.name}", {number}]'  # what migrations may read as JSON
    raise AssertionError(f"{column}: no value is known for {kind!r}; teach one here")


def read(database: Database) -> Rows:
    """Every row of every table, as the database has it."""
    if isinstance(database, Path):
        return _read_file(database)
    engine, schema = engine_of(database), sa.MetaData()
    schema.reflect(engine)
    with engine.connect() as connection:
        rows = {
            name: [dict(row) for row in connection.execute(table.select()).mappings()]
            for name, table in schema.tables.items()
        }
    engine.dispose()
    return rows


def _read_file(path: Path) -> Rows:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')]  # noqa: S608
            for name in names
            if not name.startswith("sqlite_")
        }


def problems(database: Database) -> list[Any]:
    """What SQLite finds wrong with a database; PostgreSQL refuses what is wrong."""
    if not isinstance(database, Path):
        return []
    with closing(sqlite3.connect(database)) as connection:
        found = [row for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
        return found + list(connection.execute("PRAGMA foreign_key_check"))


def lost(before: Rows, after: Rows, meant: set[str]) -> list[str]:
    """What changed besides the tables and columns (``table.column``) that were meant to change."""
    found = []
    for table, rows in before.items():
        if table == "alembic_version" or table in meant:
            continue
        if table not in after:
            found.append(f"{table} is gone")
            continue
        if len(after[table]) != len(rows):
            found.append(f"{table} had {len(rows)} rows and has {len(after[table])}")
            continue
        columns = [name for name in rows[0] if f"{table}.{name}" not in meant]
        missing = [name for name in columns if name not in after[table][0]]
        found += [f"{table}.{name} is gone" for name in missing]
        kept = [name for name in columns if name not in missing]
        if _values(rows, kept) != _values(after[table], kept):
            found.append(f"{table} has other values")
    return found


def _values(rows: list[dict[str, Any]], columns: list[str]) -> list[str]:
    return sorted(repr([row[name] for name in columns]) for row in rows)
