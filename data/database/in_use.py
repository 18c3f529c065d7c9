"""A lock beside the database: every process that has it open shares it; restoring a backup takes it alone.

The system releases a lock when its process ends, however it ends. The lock lies in a file of its own, so
that it also works for a database that is damaged or missing.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from data.database.sqlite_files import StoreError


def hold(database: Path) -> int:
    """Hold the database as in use by this process; close the handle to let go.

    Raises
    ------
    StoreError
        While another process restores a backup to it, or where the lock can't be made.
    """
    handle = _open(database)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise StoreError(f"A backup is being restored to {database}. Wait until that is done.") from error
    return handle


@contextmanager
def alone(database: Path) -> Iterator[None]:
    """Keep other processes from opening the database.

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
    """The error for a database that is in use."""
    return StoreError(
        f"{database} is in use. Stop Labmate and every other program that uses it, then try again."
    )


def _open(database: Path) -> int:
    path = database.with_name(database.name + ".lock")
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"{path} can't be opened: {error.strerror}") from error
