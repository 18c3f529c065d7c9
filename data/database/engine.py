"""Opening the database: engine, pragmas, migrations, and the refusal of a newer Labmate's files."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, inspect, make_url, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from data.database import in_use, sqlite_files
from data.database.connections import connect
from data.database.primary import StandbyError, to_primary
from data.database.private_files import keep_database_private
from data.database.servers import advice, serve
from data.database.sqlite_files import StoreError as StoreError
from data.database.unavailable import FULL, Why, why

MIGRATIONS = Path(__file__).parent.parent / "migrations"
HEAD = "0028"
"""The newest migration; a test compares it with alembic's own answer."""


MOVING = "moving"
"""The table of a database that an unfinished move is filling; it says from where."""
_MIGRATING = 0x1AB_3A7E
"""The advisory lock of a migration, one number in the whole database."""
_PAGE = 4_096
"""Bytes of SQLite's pages."""


@dataclass(frozen=True, slots=True)
class Paging:
    """How much a connection to SQLite keeps in memory and in its log.

    Attributes
    ----------
    cache
        KiB of pages in memory.
    log
        Pages to which the log's file is cut once all are in the database.
    moves_at
        Pages in the log at which a commit moves them into the database.
    """

    cache: int
    log: int
    moves_at: int

    @property
    def log_size(self) -> int:
        """``log`` in bytes."""
        return self.log * _PAGE


FEW = Paging(8_000, 16_000, 16_000)
"""For a few rows."""
BULK = Paging(200_000, 64_000, 64_000)
"""For many rows."""
MILLIONS = Paging(500_000, 192_000, 192_000)
"""For a snapshot, whose log may grow to 0.8 GB."""
ANSWERING = Paging(8_000, 16_000, 2 * MILLIONS.moves_at)
"""For replies, while :func:`data.database.log_mover.keep_log_short` moves the log;
a commit does it only if that is far behind."""


class AwayError(StoreError):
    """The database can't be opened now; a later try may succeed."""


class NewerDatabaseError(StoreError):
    """The database was written by a newer Labmate and is left untouched."""


def sqlite_path(url: str) -> Path | None:
    """The file behind a SQLite URL; None for other databases and for memory."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    return Path(str(parsed.database))


def shown(url: str) -> str:
    """A database's address without secrets: a file's path, or the URL without its password."""
    return str(sqlite_path(url) or make_url(url).render_as_string(hide_password=True))


def make_engine(url: str, *, paging: Paging = FEW, linked: bool = True) -> AsyncEngine:
    """An async engine that writes; SQLite gets WAL, foreign keys (where ``linked``) and a patient lock.

    A commit is on the disk when it returns, so a power cut loses nothing that was answered, posted or
    recorded as read (docs/reliability.md gives the cost). Its errors show no values.
    """
    engine = create_async_engine(
        url, hide_parameters=True, connect_args=_how(url), pool_pre_ping=_is_far(url)
    )
    if engine.dialect.name == "sqlite":
        _prepare(engine.sync_engine, paging, linked=linked)

        @event.listens_for(engine.sync_engine, "begin")
        def _begin(connection: Connection) -> None:
            writes = connection.get_execution_options().get("writes")
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    else:
        serve(engine, tables=not linked)
    return engine


def make_reader(url: str) -> AsyncEngine:
    """An async engine for reading: each statement runs by itself, so that none waits for another."""
    engine = create_async_engine(
        url,
        isolation_level="AUTOCOMMIT",
        pool_reset_on_return=None,
        hide_parameters=True,
        connect_args=_how(url),
        pool_pre_ping=_is_far(url),
    )
    if engine.dialect.name == "sqlite":
        _prepare(engine.sync_engine, FEW)
    else:
        serve(engine)
    return engine


def make_thread_reader(file: Path) -> Engine:
    """An engine for reading a SQLite file in threads, as :func:`make_reader` is for the event loop."""
    engine = create_engine(
        URL.create("sqlite", database=str(file)),
        isolation_level="AUTOCOMMIT",
        pool_reset_on_return=None,
        hide_parameters=True,
        connect_args={"check_same_thread": False},
    )
    _prepare(engine, FEW)
    return engine


def _is_far(url: str) -> bool:
    """Whether a server may have cut a connection since it was last used."""
    return make_url(url).get_backend_name() != "sqlite"


def _how(url: str) -> dict[str, Any]:
    """How SQLAlchemy connects."""
    return {"async_creator_fn": to_primary() if _is_far(url) else connect}


def _prepare(engine: Engine, paging: Paging, *, linked: bool = True) -> None:
    @event.listens_for(engine, "connect")
    def _pragmas(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # SQLAlchemy sends BEGIN itself, so that DDL rolls back, too
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute(f"PRAGMA foreign_keys={'ON' if linked else 'OFF'}")
        cursor.execute("PRAGMA busy_timeout=20000")
        cursor.execute(f"PRAGMA cache_size=-{paging.cache}")
        cursor.execute(f"PRAGMA temp_store={'MEMORY' if linked else 'FILE'}")
        if not linked:  # a migration sorts whole tables: next to the database, where there is room
            quoted = str(Path(engine.url.database or "").absolute().parent).replace("'", "''")
            cursor.execute(f"PRAGMA temp_store_directory='{quoted}'")
        cursor.execute(f"PRAGMA wal_autocheckpoint={paging.moves_at}")
        # The log of a bulk load is cut to this size by whoever writes after it.
        cursor.execute(f"PRAGMA journal_size_limit={paging.log_size}")
        cursor.close()


async def open_database(url: str, *, paging: Paging = FEW, moving: bool = False) -> AsyncEngine:
    """Connect, and migrate an older database to this Labmate's schema.

    Raises
    ------
    NewerDatabaseError
        Where this Labmate does not know the schema. Nothing is written.
    StoreError
        Where the file isn't a database or can't be opened, or a backup is being restored to it. Also, unless
        it is opened for ``moving``, where a move to it has not ended.
    """
    path = sqlite_path(url)
    held = _reserve(path) if path else None
    engine = make_engine(url, paging=paging)
    if held is not None:
        _let_go_with(engine, held)
    try:
        async with engine.connect() as connection:
            revision = await connection.run_sync(_revision)
            tables = await connection.run_sync(lambda c: inspect(c).get_table_names())
            half_moved = MOVING in tables
        if path:
            await asyncio.to_thread(_unseal, path)
        if half_moved and not moving:
            raise StoreError(
                f"{shown(url)} has only a part of what is being moved to it. Run the same "
                "`python -m bot move` again to finish, or go on with the old database until then."
            )
        if revision == HEAD:
            return engine
        if revision is None and {"alembic_version", "papers"} <= set(tables):
            raise StoreError(
                f"{shown(url)} holds papers, but no longer says which schema they have (its table "
                "alembic_version is empty), so it can't be updated. Nothing was changed. Restore a backup: "
                "python -m bot restore PATH"
            )
        if revision is not None and revision not in known_revisions():
            raise NewerDatabaseError(newer(shown(url), revision))
        if path and revision is not None:
            await asyncio.to_thread(_copy_aside, path, revision)
        await _migrate(url)
        if path:
            await asyncio.to_thread(_empty_log, path)
    except (DBAPIError, sqlite3.Error) as error:
        await engine.dispose()
        if why(error) is Why.FULL:
            raise StoreError(FULL) from error
        if not isinstance(error, DBAPIError):
            raise StoreError(f"{shown(url)} can't be used as a database: {error}") from error
        kind = AwayError if why(error) in (Why.AWAY, Why.BUSY) else StoreError
        raise kind(f"{shown(url)} can't be used as a database: {error.orig}{advice(error)}") from error
    except StandbyError as error:
        await engine.dispose()
        raise AwayError(
            f"DATABASE_URL: {shown(url)} only copies another server (it is a standby), and may be behind. "
            "Name the primary. If you name all servers (?host=one:5432&host=two:5432), Labmate finds it."
        ) from error
    except OSError as error:  # asyncpg can't reach the server
        await engine.dispose()
        raise AwayError(
            f"DATABASE_URL: {shown(url)} can't be reached ({error.strerror or error}). Is the server running?"
        ) from error
    except StoreError:
        await engine.dispose()
        raise
    return engine


def _reserve(path: Path) -> int:
    """Make the folder, check the file in it, and hold it as in use by this process."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {path.parent} can't be made: {error.strerror}") from error
    _refuse_newer(path)
    held = in_use.hold(path)
    try:
        keep_database_private(path)
    except OSError as error:
        os.close(held)
        raise StoreError(f"{path} can't be made: {error.strerror}") from error
    return held


def _let_go_with(engine: AsyncEngine, held: int) -> None:
    @event.listens_for(engine.sync_engine, "engine_disposed")
    def _let_go(_engine: Any) -> None:
        nonlocal held
        if held >= 0:
            os.close(held)
            held = -1


def _refuse_newer(path: Path) -> None:
    """Look at a SQLite file read-only first: WAL mode itself would write to it."""
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            if sqlite_files.is_blank(connection):
                return
            revision = sqlite_files.revision_of(path, connection)
    except sqlite3.Error as error:
        raise StoreError(f"{path} can't be opened: {error}") from error
    except StoreError as error:
        advice = (
            "Name another file in DATABASE_URL."
            if "not one of" in str(error)
            else "Move it away, or restore a backup: python -m bot restore PATH"
        )
        raise StoreError(f"{error} {advice}") from error
    if revision not in (None, HEAD) and revision not in known_revisions():
        raise NewerDatabaseError(newer(str(path), revision))


def newer(where: str, revision: str) -> str:
    """The error for a database that this Labmate does not know."""
    return (
        f"{where} was written by a newer Labmate (schema {revision}; this one knows up to {HEAD}). "
        "It was left untouched. Update Labmate, or name another file in DATABASE_URL."
    )


def known_revisions() -> set[str]:
    """Every schema that this Labmate can migrate."""
    from alembic.script import ScriptDirectory  # lazy: only where a database is not of this version

    return {script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _copy_aside(path: Path, revision: str) -> None:
    """Keep a copy of the database before migrating it, unless another process has already migrated it.

    Raises
    ------
    StoreError
        Where the copy can't be written; then nothing is migrated.
    """
    target = path.with_suffix(f".before-{revision}{path.suffix}")
    try:
        with sqlite_files.written_beside(target) as draft:
            with closing(sqlite_files.writable(path)) as source:
                sqlite_files.copy(source, draft)
            with closing(sqlite_files.readable(draft)) as copied:
                if sqlite_files.revision_of(draft, copied) != revision:
                    raise _MigratedMeanwhileError
    except _MigratedMeanwhileError:
        return
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"The database has to be brought up to date, and no copy of it can be kept as {target} first: "
            f"{error}. Nothing was changed."
        ) from error


def _unseal(path: Path) -> None:
    """Take away the checksum of a backup that somebody put in the place of the database."""
    with closing(sqlite_files.writable(path)) as connection:
        if sqlite_files.is_sealed(connection):
            sqlite_files.unseal(connection)


def _empty_log(path: Path) -> None:
    """Give back the room that a migration took in SQLite's log, which otherwise keeps its size."""
    with closing(sqlite_files.writable(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class _MigratedMeanwhileError(Exception):
    """Another process was quicker."""


async def _migrate(url: str) -> None:
    """Bring the schema up to date in one transaction.

    A migration may rebuild a table that others point to, which SQLite refuses while it enforces foreign keys.
    So this connection leaves them unenforced, and checks them before the transaction ends.
    """
    engine = make_engine(url, paging=BULK, linked=False)
    try:
        async with engine.execution_options(writes=True).begin() as connection:
            if connection.dialect.name == "postgresql":  # SQLite's transaction is the lock
                await connection.execute(select(func.pg_advisory_xact_lock(_MIGRATING)))
            if await connection.run_sync(_revision) == HEAD:  # another process was quicker
                return
            before = await connection.run_sync(_astray)
            await connection.run_sync(_upgrade)
            if lost := await connection.run_sync(_astray) - before:
                raise StoreError(
                    f"{shown(url)} can't be brought up to date: rows would point nowhere ({dict(lost)}). "
                    "Nothing was changed. Please report this."
                )
    finally:
        await engine.dispose()


def _astray(connection: Connection) -> Counter[str]:
    """The number of rows that point to a missing row, by table."""
    if connection.dialect.name != "sqlite":
        return Counter()
    return Counter(str(row[0]) for row in connection.exec_driver_sql("PRAGMA foreign_key_check"))


def _upgrade(connection: Connection, revision: str = "head") -> None:
    from alembic import command  # lazy: only where a database is not of this version
    from alembic.config import Config  # lazy: as above

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
