"""Who has a database open: every process holds a lock beside it together; putting another in its place takes it alone.

The system lets go of a lock when its process ends, however it ends. The lock lies in a file of its own, so that it
also holds for a database that is damaged or not there.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from data.database.sqlite_files import StoreError


def hold(database: Path) -> int:
    """Note that this process uses the database; close the handle to let go.

    Raises
    ------
    StoreError
        While another process puts a backup in its place, or where the lock can't be made.
    """
    handle = _open(database)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise StoreError(f"A backup is being restored to {database}. Wait until that has ended.") from error
    return handle


@contextmanager
def alone(database: Path) -> Iterator[None]:
    """Keep everybody else from opening the database.

    Raises
    ------
    StoreError
        Where a process has it open.
    """
    handle = _open(database)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise in_use(database) from error
        yield
    finally:
        os.close(handle)


def in_use(database: Path) -> StoreError:
    """The error that says so."""
    return StoreError(
        f"{database} is in use. Stop Labmate and everything else that works on it, then try again."
    )


def _open(database: Path) -> int:
    path = database.with_name(database.name + ".lock")
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"{path} can't be opened: {error.strerror}") from error
