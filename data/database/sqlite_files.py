"""SQLite databases as files: a consistent copy while others write, its check, and its swap into place."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

PAGES_AT_ONCE = 2_000
"""Pages of 4 KiB between two reports of progress."""
PATIENCE = 20.0
_CACHE = 200_000
"""KiB of pages that a check keeps."""
UNFINISHED = ".labmate-part"
"""The suffix of an unfinished file; if a crash leaves one behind, the next copy removes it."""

Progress = Callable[[str, int, int], None]
"""Called at each step with its name, the amount done, and the total (0 if unknown)."""


class StoreError(RuntimeError):
    """The database can't be used; the message explains why and how to go on."""


def writable(path: Path) -> sqlite3.Connection:
    """A connection to an existing database, for any thread; the last one to close merges the log in.

    Raises
    ------
    sqlite3.Error
        Where it is missing or can't be written.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=PATIENCE, check_same_thread=False)


def readable(path: Path) -> sqlite3.Connection:
    """A connection to a copy that nobody writes to; it makes no files unless there is a log to read."""
    log = path.with_name(path.name + "-wal")
    how = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None)


@contextmanager
def written_beside(target: Path) -> Iterator[Path]:
    """An empty file beside ``target`` that replaces it in one step if all goes well, and is removed if not.

    Raises
    ------
    OSError
        Where the folder can't be written to.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    _sweep(target.parent)
    handle, name = tempfile.mkstemp(UNFINISHED, f"{target.name}.", target.parent)
    draft = Path(name)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)  # marks this file as not a leftover
        yield draft
        synced(draft)
        draft.replace(target)
        synced(target.parent)
    finally:
        for rest in ("", "-journal", "-wal", "-shm"):
            draft.with_name(draft.name + rest).unlink(missing_ok=True)
        os.close(handle)


def _sweep(folder: Path) -> None:
    """Remove files that killed processes left unfinished."""
    for left in folder.glob(f"*{UNFINISHED}"):
        with contextlib.suppress(OSError), left.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink(missing_ok=True)


def synced(path: Path) -> None:
    """Sync a file's contents, or the renames in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def copy(source: sqlite3.Connection, target: Path, progress: Progress | None = None) -> dict[str, int]:
    """Copy a database as it is now into one file, while others write to it.

    One read transaction fixes the moment: SQLite's backup starts over whenever another connection writes,
    but not for a reader that stays in one snapshot.

    Returns
    -------
    dict
        Rows of each table at that moment.

    Raises
    ------
    sqlite3.Error
        Where the source is damaged or the disk is full.
    """
    with closing(sqlite3.connect(target, isolation_level=None)) as out:
        out.execute("PRAGMA synchronous=OFF")  # written_beside syncs the whole file later
        source.execute("BEGIN")
        try:
            counts = rows_of(source)
            source.backup(
                out,
                pages=PAGES_AT_ONCE,
                progress=lambda _, left, total: (
                    progress("copying", total - left, total) if progress else None
                ),
                sleep=0,
            )
        finally:
            source.execute("ROLLBACK")
        unseal(out)
        out.execute("PRAGMA journal_mode=DELETE")  # a single file, readable even on a read-only disk
    return counts


_SEAL = ("user_version", "application_id")


def is_sealed(connection: sqlite3.Connection) -> bool:
    """Whether it has the checksum of a backup (:mod:`data.database.checksums`)."""
    return any(connection.execute(f"PRAGMA {number}").fetchone()[0] for number in _SEAL)


def unseal(connection: sqlite3.Connection) -> None:
    """Take away the checksum of a backup, which will not stay one."""
    for number in _SEAL:
        connection.execute(f"PRAGMA {number}=0")


def rows_of(connection: sqlite3.Connection) -> dict[str, int]:
    """The number of rows in each table."""
    names = connection.execute(
        "SELECT name FROM sqlite_master"
        " WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"
    )
    return {
        name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]  # noqa: S608
        for (name,) in names.fetchall()
    }


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether there is a table with this name."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return connection.execute(query, (name,)).fetchone() is not None


def damage(connection: sqlite3.Connection) -> str:
    """The faults of a database, if any: in pages and indexes, and rows that point to missing ones."""
    try:
        # Pages are visited many times, in no particular order.
        connection.execute(f"PRAGMA cache_size=-{_CACHE}")
        [said] = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if said != "ok":
            return str(said).splitlines()[-1]
        astray = connection.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return f"a row of {astray[0]} points to a row of {astray[2]} that is not there" if astray else ""


def is_blank(connection: sqlite3.Connection) -> bool:
    """Whether a database is empty because its first start ended before the schema was made."""
    try:
        return connection.execute("SELECT name FROM sqlite_master LIMIT 1").fetchone() is None
    except sqlite3.DatabaseError:
        return False


def revision_of(path: Path, connection: sqlite3.Connection) -> str | None:
    """The schema version of a Labmate database.

    Raises
    ------
    StoreError
        Where it isn't a database, can't be opened, or is another program's.
    """
    try:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise StoreError(f"{path} can't be opened: {error}") from error
        raise StoreError(f"{path} is a database, but not one of Labmate's.") from error
    except sqlite3.DatabaseError as error:
        what = "is damaged" if "malformed" in str(error) else "is not a database"
        raise StoreError(f"{path} {what} ({error}).") from error
    return str(row[0]) if row else None
