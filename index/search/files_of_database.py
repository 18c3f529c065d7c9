"""Files that were made from another database: who opens a corpus removes them, and nobody reads them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from filelock import AsyncFileLock, Timeout

from data.stores.store import Store
from index.search import origin

PATIENCE = 20.0
"""Seconds to wait for a process that writes to files of another database."""


class BusyError(RuntimeError):
    """Another process is writing to the indexes."""


@asynccontextmanager
async def of_this_database(store: Store, folder: Path, *, may_remove: bool) -> AsyncIterator[bool]:
    """Remove files of another database, under the lock, and note whose they are; yields if there were any.

    Raises
    ------
    BusyError
        If a process has been writing to them for :data:`PATIENCE`.
    StoreError
        If the database may have been named by mistake, or the note can't be read or written.
    """
    number = await store.number()
    before = origin.made_from(folder)
    if number is None or before in (number, None):
        yield False
        if number is not None and before is None:
            origin.note(folder, number)
        return
    origin.refuse_mistakes(folder, await store.count(), may_remove=may_remove)
    lock = AsyncFileLock(folder / "write.lock", timeout=PATIENCE)
    try:
        await lock.acquire()
    except Timeout as error:
        raise BusyError(
            f"The files in {folder} were made from another database, and another Labmate process is writing "
            "to them. Wait for it to end, or stop it. If it is of another database, check DATABASE_URL and "
            "LABMATE_DATA."
        ) from error
    try:
        foreign = origin.made_from(folder) != number
        if foreign:
            await asyncio.to_thread(origin.remove_derived, folder)
        yield foreign
        if foreign:
            origin.note(folder, number)
    finally:
        await lock.release()
