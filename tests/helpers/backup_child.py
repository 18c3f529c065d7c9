"""Processes beside a backup: one keeps writing, one restores and is killed, some have little room."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from data.database import backups
from data.database.engine import StoreError
from data.database.sqlite_files import UNFINISHED
from data.stores.store import Store
from tests.helpers.records import record

A_SECOND = 70
NOW = datetime(2026, 1, 5, 6, 7, 8, tzinfo=UTC)


def write(path: Path, said: Connection) -> None:
    """Write 70 texts or papers a second, and print the count of texts each time, until nobody listens."""
    asyncio.run(_write(path, said))


async def _write(path: Path, said: Connection) -> None:
    store = await Store.open(f"sqlite+aiosqlite:///{path}")
    number = 0
    while True:
        number += 1
        await store.kept_texts.keep(f"text {number}")
        await store.upsert([record(number)])
        try:
            said.send(number)
        except BrokenPipeError:
            return
        await asyncio.sleep(2 / A_SECOND)


def restore(backup: Path, database: Path, stop: str | None, said: Connection) -> None:
    """Restore, and wait to be killed before the step ``stop``: ``linked``, ``renamed`` or ``synced``."""

    def at(step: str) -> None:
        if step == stop:
            said.send("here")
            time.sleep(600)

    def heard(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "os.link":
            at("linked")
        elif name == "os.rename" and str(arguments[0]).endswith(UNFINISHED):
            at("renamed")
        elif name == "open" and Path(str(arguments[0])) == database.parent:
            at("synced")

    sys.addaudithook(heard)
    backups.restore(backup, database, NOW)
    said.send("done")


def back_up(database: Path, target: Path, room: int | None, user: int | None, said: Connection) -> None:
    """Make a backup where a file may have ``room`` bytes at most, or as another user; say what went wrong."""
    if room is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    if user is not None:
        os.setuid(user)
    try:
        backups.back_up(database, target)
        said.send("done")
    except StoreError as error:
        said.send(str(error))
