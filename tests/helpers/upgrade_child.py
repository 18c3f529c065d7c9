"""Processes that a test kills: while they open an older database, or right after they filled one."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from data.database.engine import open_database
from data.database.sqlite_files import UNFINISHED
from tests.helpers import older_databases


def upgrade(path: Path, stop: str | int | None, said: Connection) -> None:
    """Open the database, say each step of its migration, and wait to be killed before the step ``stop``.

    The steps are the statements that write, numbered, and ``copying``, ``copied`` and ``commit``.
    """
    steps = 0

    def at(step: str | int) -> None:
        if step == stop:
            said.send("here")
            time.sleep(600)

    def statement(_c: Any, _cursor: Any, sql: str, *_: Any) -> None:
        nonlocal steps
        if not sql.lstrip().upper().startswith(("PRAGMA", "SELECT", "BEGIN")):
            at(steps)
            steps += 1

    def heard(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "sqlite3.connect" and str(arguments[0]).endswith(UNFINISHED):
            at("copying")
        if name == "os.rename" and str(arguments[0]).endswith(UNFINISHED):
            at("copied")

    sys.addaudithook(heard)
    event.listen(Engine, "before_cursor_execute", statement)
    event.listen(Engine, "commit", lambda _connection: steps and at("commit"))
    asyncio.run(_open(path))
    said.send(steps)


async def _open(path: Path) -> None:
    await (await open_database(f"sqlite+aiosqlite:///{path}")).dispose()


def fill_the_log_alone(path: Path, revision: str) -> None:
    """Make a filled database all of which is still in its write-ahead log, and be killed."""
    sqlite3.connect(path).execute("PRAGMA journal_mode=WAL")
    open_ = sqlite3.connect(path)  # while another has it open, nothing is taken over from the log
    open_.execute("SELECT * FROM sqlite_master").fetchall()
    older_databases.make(path, revision)
    os.kill(os.getpid(), signal.SIGKILL)
