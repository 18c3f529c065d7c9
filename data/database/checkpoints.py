"""Moving what was written from SQLite's log into the database, while writing goes on."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread

EVERY = 1.0
"""Seconds between two checkpoints."""


class Checkpoints:
    """A thread that makes passive checkpoints of a SQLite database, until :meth:`stop`.

    Without it, the writer itself makes one whenever the log is full: when millions of papers are read in, a
    sixth of the time is spent on that. It still does, but finds little left to move.

    Parameters
    ----------
    file
        The database, in the mode WAL.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._stopped = Event()
        self._thread = Thread(target=self._work, name="checkpoints", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, after the checkpoint that is being made."""
        self._stopped.set()
        self._thread.join()

    def _work(self) -> None:
        address = f"{self._file.absolute().as_uri()}?mode=rw"
        with suppress(sqlite3.Error), closing(_connect(address)) as connection:
            while not self._stopped.wait(EVERY):
                with suppress(sqlite3.OperationalError):  # such as a full disk, which the writer meets, too
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    connection.execute("PRAGMA synchronous=FULL")
    return connection
