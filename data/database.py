"""Opening the database: engine, pragmas, migrations, and the refusal of what a newer Labmate wrote."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, inspect, make_url, text
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

MIGRATIONS = Path(__file__).parent / "migrations"
HEAD = "0007"
"""The newest migration; a test compares it with alembic's own answer."""


_CACHE, _BULK_CACHE = 8_000, 200_000  # KiB of page cache a connection


class StoreError(RuntimeError):
    """The database can't be used; the message says why and what to do."""


class NewerDatabaseError(StoreError):
    """The database was written by a newer Labmate and is left untouched."""


def sqlite_path(url: str) -> Path | None:
    """The file behind a SQLite URL; None for other databases and for memory."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    return Path(str(parsed.database))


def make_engine(url: str, *, bulk: bool = False) -> AsyncEngine:
    """An async engine that writes; SQLite gets WAL, foreign keys and a patient lock."""
    engine = create_async_engine(url)
    if engine.dialect.name == "sqlite":
        _prepare(engine, _BULK_CACHE if bulk else _CACHE)

        @event.listens_for(engine.sync_engine, "begin")
        def _begin(connection: Connection) -> None:
            writes = connection.get_execution_options().get("writes")
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def make_reader(url: str) -> AsyncEngine:
    """An async engine for questions: each statement by itself, so that none waits for the next."""
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT", pool_reset_on_return=None)
    if engine.dialect.name == "sqlite":
        _prepare(engine, _CACHE)
    return engine


def _prepare(engine: AsyncEngine, cache: int) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def _pragmas(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # SQLAlchemy says BEGIN itself, so that DDL rolls back, too
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA busy_timeout=20000")
        cursor.execute(f"PRAGMA cache_size=-{cache}")
        cursor.execute("PRAGMA temp_store=MEMORY")
        cursor.execute("PRAGMA wal_autocheckpoint=16000")
        cursor.close()


async def open_database(url: str, *, bulk: bool = False) -> AsyncEngine:
    """Connect, for reading many papers in with ``bulk``, and migrate to this Labmate's schema if it is behind.

    Raises
    ------
    NewerDatabaseError
        Where the schema is one this Labmate does not know. Nothing is written.
    StoreError
        Where the file is no database or can't be opened.
    """
    path = sqlite_path(url)
    if path:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"the folder {path.parent} can't be made: {error.strerror}") from error
        _refuse_newer(path)
    engine = make_engine(url, bulk=bulk)
    try:
        async with engine.connect() as connection:
            revision = await connection.run_sync(_revision)
        if revision == HEAD:
            return engine
        if revision is not None and revision not in _known_revisions():
            raise NewerDatabaseError(_newer(url, revision))
        if path and revision is not None:
            _copy_aside(path, revision)
        async with engine.execution_options(writes=True).begin() as connection:
            if await connection.run_sync(_revision) != HEAD:  # another process may have been quicker
                await connection.run_sync(_upgrade)
    except (DatabaseError, OperationalError) as error:
        await engine.dispose()
        raise StoreError(f"{path or url} can't be used as a database: {error.orig}") from error
    except StoreError:
        await engine.dispose()
        raise
    return engine


def _refuse_newer(path: Path) -> None:
    """Look at a SQLite file read-only first: WAL mode itself would write to it."""
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        finally:
            connection.close()
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise StoreError(f"{path} can't be opened: {error}") from error
        raise StoreError(
            f"{path} is a database, but not one of Labmate's. Name another file in DATABASE_URL."
        ) from error
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{path} is not a database ({error}). Move it away, or restore it from a backup."
        ) from error
    if found and found[0] != HEAD and found[0] not in _known_revisions():
        raise NewerDatabaseError(_newer(str(path), found[0]))


def _newer(where: str, revision: str) -> str:
    return (
        f"{where} was written by a newer Labmate (schema {revision}; this one knows up to {HEAD}). "
        "It was left untouched. Update Labmate, or name another file in DATABASE_URL."
    )


def _known_revisions() -> set[str]:
    from alembic.script import ScriptDirectory

    return {script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _copy_aside(path: Path, revision: str) -> None:
    shutil.copy2(path, path.with_suffix(f".before-{revision}{path.suffix}"))


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
