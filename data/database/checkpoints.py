"""Moving what was written from SQLite's log into the database, while writing goes on."""

from __future__ import annotations

import asyncio
import sqlite3
import weakref
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread

EVERY = 1.0
"""Seconds between two checkpoints."""


class Checkpoints:
    """A thread that makes passive checkpoints of a SQLite database.

    It ends with :meth:`stop`, or when nobody holds this any more.

    Without it, the writer itself makes one whenever the log is full: when millions of papers are read in, a
    sixth of the time is spent on that. It still does, but finds little left to move.

    Parameters
    ----------
    file
        The database, in the mode WAL.
    """

    def __init__(self, file: Path) -> None:
        self._stopped, self._ended = Event(), Future[None]()
        self._thread = Thread(
            target=_work, args=(file, self._stopped, self._ended), name="checkpoints", daemon=True
        )
        self._thread.start()
        weakref.finalize(self, self._stopped.set)

    async def stop(self) -> None:
        """End, after the checkpoint that is being made; also where this is cancelled."""
        self._stopped.set()
        try:
            await asyncio.shield(asyncio.wrap_future(self._ended))
        finally:
            self._thread.join()


def _work(file: Path, stopped: Event, ended: Future[None]) -> None:
    # An error only makes it slower: the writer meets it, too, and tells.
    with suppress(sqlite3.Error), closing(_connect(file)) as connection:
        while not stopped.wait(EVERY):
            with suppress(sqlite3.OperationalError):  # such as a full disk
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    ended.set_result(None)


def _connect(file: Path) -> sqlite3.Connection:
    address = f"{file.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    connection.execute("PRAGMA synchronous=FULL")
    return connection
