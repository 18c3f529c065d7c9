"""Backups: the whole database in one checked file, made while Labmate runs; pruned and restored here, too."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from data.database import checksums, in_use, sqlite_files
from data.database.engine import NewerDatabaseError, StoreError, known_revisions, newer
from data.database.private_files import keep_database_private
from data.database.sqlite_files import Progress, readable, synced, writable, written_beside

DATABASE = "database"
"""The row of ``sequences`` with a number of this database's own: files made from another are told by it."""
_MAGIC = b"SQLite format 3\0"
_MODE, _WAL = 18, 2
"""The byte after the magic and the page size, in a database with a write-ahead log; no backup has one."""
_ANOTHER = " Use another backup."
_NAME = "labmate-%Y-%m-%dT%H-%M-%SZ.db"


@dataclass(frozen=True)
class Checked:
    """A backup that passed all checks."""

    path: Path
    schema: str
    size: int
    """Bytes."""
    rows: dict[str, int]
    """Rows of each table."""
    sealed: bool = True
    """Whether it has a checksum; those of older Labmates have none."""


@dataclass(frozen=True)
class Restored:
    """The result of a restore."""

    backup: Checked
    aside: Path | None
    """The path of the database that was there before."""


def back_up(database: Path, target: Path, progress: Progress | None = None) -> Checked:
    """Write a backup, which replaces ``target`` once it is complete, has every row and is on the disk.

    Raises
    ------
    StoreError
        Where it can't be made; ``target`` is then unchanged.
    """
    _must_be_file(database)
    if target.is_dir():
        raise StoreError(f"{target} is a folder. Name the file to write, such as {target / 'labmate.db'}.")
    if _same(database, target):
        raise StoreError(f"{target} is the database itself. Name another file for the backup.")
    with _explained(target):
        _refuse_others(target)
    with _explained(target), written_beside(target) as draft:
        with closing(writable(database)) as source:
            sqlite_files.revision_of(database, source)
            _enough_space(source, target)
            rows = sqlite_files.copy(source, draft, progress)
        _same_rows(rows, _looked_through(draft, database, progress))
        _draw_number(draft)  # it may be put in the database's place by hand
        checksums.seal(draft)
    return _checked(target)


def verify(path: Path, progress: Progress | None = None, *, altered: bool = False) -> Checked:
    """Check a backup.

    Raises
    ------
    StoreError
        Where it is missing, not a database, another program's, a newer Labmate's, or damaged; or where it
        has changed since it was made, unless it may be ``altered``.
    """
    _must_be_file(path, _ANOTHER)
    with _explained(path):
        try:
            _looked_through(path, path, progress)
        except NewerDatabaseError:
            raise
        except StoreError as error:
            raise StoreError(f"{error}{_ANOTHER}") from error
        if not altered and _is_altered(path, progress):
            raise StoreError(
                f"{path} was altered or damaged since it was made: its checksum does not match. Use another "
                "backup. If you have no other and trust this one all the same: "
                f"python -m bot restore --altered {path}"
            )
    return _checked(path)


def restore(
    backup: Path,
    database: Path,
    now: datetime,
    progress: Progress | None = None,
    *,
    altered: bool = False,
) -> Restored:
    """Put a backup in the database's place, and keep the former database beside it.

    At every moment, the database's name leads to a whole file: the old one or the new one. The new one gets
    another number (:data:`DATABASE`), since what was made from the old one may be of papers that are gone.

    Raises
    ------
    StoreError
        Where the backup fails a check, or the database is in use; the database is then unchanged.
    """
    _must_be_file(backup, _ANOTHER)
    if _same(backup, database):
        raise StoreError(f"{backup} is the database itself. Name a backup of it.")
    checked = verify(backup, progress, altered=altered)
    aside = database.with_name(f"{database.stem}.replaced-{now:%Y-%m-%dT%H-%M-%SZ}{database.suffix}")
    with _explained(database):
        database.parent.mkdir(parents=True, exist_ok=True)
    with in_use.alone(database), _explained(database), written_beside(database) as draft:
        with closing(readable(backup)) as source:
            _enough_space(source, database)
            sqlite_files.copy(source, draft, progress)
        _same_rows(checked.rows, _looked_through(draft, backup, progress))
        _draw_number(draft)
        synced(draft)
        kept = _set_aside(database, aside)
    return Restored(checked, aside if kept else None)


def folder_name(instant: datetime) -> str:
    """The name of a backup of an instant, in a folder of backups."""
    return instant.astimezone(UTC).strftime(_NAME)


def kept_in(folder: Path, now: datetime) -> dict[Path, datetime]:
    """The backups in a folder with their times, oldest first; other files are left out.

    Those from after ``now`` were made while the clock was ahead. They come first: their age is not known.
    """
    times = {}
    for path in folder.glob("labmate-*.db"):
        with contextlib.suppress(ValueError):
            times[path] = datetime.strptime(path.name, _NAME).replace(tzinfo=UTC)
    return dict(sorted(times.items(), key=lambda kept: (kept[1] <= now, kept[1])))


def newest_in(folder: Path, now: datetime) -> datetime | None:
    """When the newest backup in a folder was made; None without one, or if all are from after ``now``."""
    return max((made for made in kept_in(folder, now).values() if made <= now), default=None)


def remove_oldest(folder: Path, keep: int, now: datetime) -> list[Path]:
    """Remove all but the newest ``keep`` backups; returns the removed ones."""
    gone = list(kept_in(folder, now))[:-keep]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone


def drawn() -> int:
    """A number for a database, drawn by chance."""
    return 1 + secrets.randbelow(2**31 - 2)


# -- steps ---------------------------------------------------------------------------------------


def _draw_number(draft: Path) -> None:
    """Give a copy a number of its own; one of before there were numbers gets it when it is first opened."""
    with closing(writable(draft)) as connection:
        if sqlite_files.has_table(connection, "sequences"):
            connection.execute(
                "INSERT OR REPLACE INTO sequences (name, last) VALUES (?, ?)", (DATABASE, drawn())
            )


def _set_aside(database: Path, aside: Path) -> bool:
    """Give the database a second name, under which it stays; returns whether there was one.

    Its log is merged in first or moves along: beside another database, SQLite would read it as that one's.
    """
    if not database.exists():
        return False
    try:
        with closing(writable(database)) as connection:
            connection.execute("PRAGMA busy_timeout=0")
            [mode] = connection.execute("PRAGMA journal_mode=DELETE").fetchone()
            if mode != "delete":
                raise in_use.in_use(database)
            sqlite_files.unseal(connection)  # it may be a backup that was put there by hand
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):  # by a program that ignores our lock, such as sqlite3
            raise in_use.in_use(database) from error
        for rest in ("-wal", "-shm", "-journal"):  # damaged: keep it as it is
            log = database.with_name(database.name + rest)
            if log.exists():
                log.rename(aside.with_name(aside.name + rest))
    try:
        os.link(database, aside)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
            raise
        shutil.copy2(database, aside)  # a file system without hard links
        synced(aside)
    keep_database_private(aside)
    return True


def _looked_through(file: Path, name: Path, progress: Progress | None) -> dict[str, int]:
    """The rows of a database's tables, if it is whole and has a known schema; errors call it ``name``."""
    if progress:
        progress("checking", 0, 0)
    with closing(readable(file)) as connection:
        schema = sqlite_files.revision_of(name, connection)
        if schema is None:
            raise StoreError(f"{name} doesn't say which schema it has (its table alembic_version is empty).")
        if schema not in known_revisions():
            raise NewerDatabaseError(newer(str(name), schema))
        if what := sqlite_files.damage(connection):
            raise StoreError(f"{name} is damaged ({what}).")
        rows = sqlite_files.rows_of(connection)
        if missing := sorted({"authors", "papers"} - rows.keys()):
            raise StoreError(f"{name} lacks tables that every database of Labmate has: {', '.join(missing)}.")
        if progress:
            progress("checking", 1, 1)
        return rows


def _checked(path: Path) -> Checked:
    with _explained(path), closing(readable(path)) as connection:
        schema = sqlite_files.revision_of(path, connection)
        rows = sqlite_files.rows_of(connection)
        return Checked(path, str(schema), path.stat().st_size, rows, checksums.is_sealed(path))


def _is_altered(path: Path, progress: Progress | None) -> bool:
    """Whether a backup's checksum is wrong; a database that is in use has none, even if it was a backup."""
    with path.open("rb") as file:
        if file.read(_MODE + 1)[_MODE:] == bytes([_WAL]):
            return False
    report = None if progress is None else lambda done, total: progress("checksum", done, total)
    return checksums.is_altered(path, report)


def _same_rows(source: dict[str, int], copied: dict[str, int]) -> None:
    if source != copied:
        tables = sorted(
            name for name in source.keys() | copied.keys() if source.get(name) != copied.get(name)
        )
        raise StoreError(
            f"The copy differs from its source in the rows of: {', '.join(tables)}. It was thrown away."
        )


def _must_be_file(path: Path, if_empty: str = "") -> None:
    with _explained(path):
        if path.is_dir():
            raise StoreError(f"{path} is a folder. Name a file.")
        if not path.exists():
            raise StoreError(f"{path}: there is no such file.")
        if not os.access(path, os.R_OK):  # don't open it: closing would release SQLite's locks on it
            raise PermissionError(errno.EACCES, "you may not read it")
        if not path.stat().st_size:
            raise StoreError(f"{path} is empty.{if_empty}")


def _refuse_others(target: Path) -> None:
    """A backup replaces an earlier one, even a damaged one, and no other file."""
    if not target.exists():
        return
    if not target.is_file():  # a rename would put the backup in the place of /dev/null
        raise StoreError(
            f"{target} is not a file, but a device or a pipe. Name another place for the backup."
        )
    if not target.stat().st_size:
        return
    with target.open("rb") as file:
        head = file.read(len(_MAGIC) + 3)
    ours, live = head.startswith(_MAGIC), head[-1] == _WAL
    if ours:
        try:
            with closing(readable(target)) as former:
                sqlite_files.revision_of(target, former)
        except StoreError as error:
            ours = "is damaged" in str(error) or "is not a database" in str(error)
    if ours and live:
        raise StoreError(f"{target} is the database of a Labmate, so it is not replaced. Name another file.")
    if not ours:
        raise StoreError(f"{target} is not a backup, so it is not replaced. Name another file.")


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return one.absolute() == other.absolute()


def _enough_space(source: sqlite3.Connection, target: Path) -> None:
    [pages], [size] = (source.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    free = shutil.disk_usage(target.parent).free
    if pages * size > free:
        raise StoreError(
            f"The disk of {target.parent} is full: {pages * size / 1e6:,.1f} MB are needed, "
            f"{free / 1e6:,.1f} MB are free. Make room there, or use another disk."
        )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """An error that says in one line why a file can't be read or written."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            reason = f"the disk is full ({reason})"
        raise StoreError(f"{path} can't be used: {reason}.") from error
    except sqlite3.Error as error:
        raise StoreError(f"{path} can't be used: {error}.") from error
