"""SQLite's write-ahead log, moved into the database in the background, so that no reply does it.

After a bulk load, the log holds up to 0.8 GB. By default, the next connection to commit moves it, which may
take seconds; in a running Labmate, a reply would wait. See "Checkpointing" in https://www.sqlite.org/wal.html
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from data.database import sqlite_files
from data.database.in_thread import begun_in_thread, finished

log = logging.getLogger("labmate")
LOOK_EVERY = 2.0
"""Seconds between two looks at the log's length."""


async def keep_log_short(database: Path, most: int, too_long: int) -> None:
    """Move the log's pages when its file is longer than ``most`` bytes and nobody has written for a while.

    A running bulk load moves the log itself, but rarely, so that it writes each page fewer times. This
    function helps only when the file grows beyond ``too_long``. It ends when it is cancelled; a move that has
    begun is then interrupted. An error, such as a full disk, is logged once; each further look tries again.

    Parameters
    ----------
    database
        The file of the database.
    most
        The size in bytes to which writers cut the log (``PRAGMA journal_size_limit``). A larger log has pages
        to move, or had them until the last move.
    too_long
        The size in bytes beyond which the log is moved even while it is being written.
    """
    database = database.resolve()  # SQLite keeps the log beside the file that a link leads to
    file = database.with_name(f"{database.name}-wal")
    before, moved, failed = (0, 0), (0, 0), ""
    while True:
        await asyncio.sleep(LOOK_EVERY)
        try:
            now = _state(file)
            paused, before = now == before, now
            size, _ = now
            if size <= most or now == moved or not (paused or size > too_long):
                continue
            if await _move(database):
                moved = now
        except (OSError, sqlite3.Error) as error:
            if str(error) != failed:
                log.warning("SQLite's log can't be moved into %s: %s. Trying again.", database, error)
            failed = str(error)
        else:
            failed = ""


async def _move(database: Path) -> bool:
    """:func:`move_log` in a thread, interrupted when it is cancelled."""
    with closing(sqlite_files.writable(database)) as connection:
        moving = begun_in_thread(move_log, connection)
        try:
            return await asyncio.shield(moving)
        except asyncio.CancelledError:
            connection.interrupt()
            with suppress(sqlite3.Error):
                await finished(moving)
            raise


def move_log(connection: sqlite3.Connection) -> bool:
    """Move all pages that no reader still needs from the log, while others read and write.

    It can be interrupted at any point: what was not moved stays in the log.

    Returns
    -------
    bool
        Whether the log had no other pages when the move ended.

    Raises
    ------
    sqlite3.Error
        Where the database can't be read or written.
    """
    busy, pages, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return not busy and pages == moved


def _state(file: Path) -> tuple[int, int]:
    """The file's length and when it was last written; (0, 0) where there is none.

    It is never opened here: closing a file gives up the locks that SQLite holds on it in the same process.
    """
    try:
        found = file.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
