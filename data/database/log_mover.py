"""SQLite's write-ahead log, moved into the database in the background, so that no reply waits for it.

After a bulk load, the log holds up to 0.8 GB. By default, the next connection to commit moves it, which may
take seconds; in a running Labmate, a reply would wait. See "Checkpointing" in https://www.sqlite.org/wal.html
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

from data.database import sqlite_files
from data.database.in_thread import finished_in_thread

log = logging.getLogger("labmate")
LOOK_EVERY = 2.0
"""Seconds between two looks at the log's length."""


async def keep_log_short(database: Path, most: int) -> None:
    """Move the log's pages whenever its file is longer than ``most`` bytes and has changed since.

    It ends only when cancelled, and then waits for the move that has begun. An error, such as a full disk, is
    logged once; each further look tries again.

    Parameters
    ----------
    database
        The file of the database.
    most
        As long a log as its writers leave behind (``PRAGMA journal_size_limit``): one that is longer has
        pages to move, or had them until the last move.
    """
    file = database.with_name(f"{database.name}-wal")
    moved: tuple[int, int] | None = None
    failed = ""
    while True:
        await asyncio.sleep(LOOK_EVERY)
        now = _state(file)
        if now is None or now[0] <= most or now == moved:
            continue
        try:
            whole = await finished_in_thread(move_log, database)
        except sqlite3.Error as error:
            if str(error) != failed:
                log.warning("SQLite's log can't be moved into %s: %s. Trying again.", database, error)
            failed = str(error)
            continue
        failed = ""
        if whole:
            moved = now


def move_log(database: Path) -> bool:
    """Move all pages that no reader still needs from the log, while others read and write.

    Returns
    -------
    bool
        Whether the log had no other pages when the move ended.

    Raises
    ------
    sqlite3.Error
        Where the database can't be opened or written.
    """
    with closing(sqlite_files.writable(database)) as connection:
        busy, pages, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return not busy and pages == moved


def _state(file: Path) -> tuple[int, int] | None:
    """The file's length and when it was last written; None where there is none.

    It is never opened here: closing a file gives up the locks that SQLite holds on it in the same process.
    """
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns
