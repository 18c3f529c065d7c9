"""What replies read from SQLite, in one thread from the first statement to the last.

The event loop's connections cross to a thread and back for each statement, which takes longer than most
statements do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from data.database.engine import make_thread_reader, sqlite_path
from data.database.in_thread import begun_in_thread, finished
from data.database.unavailable import raise_unavailable

T = TypeVar("T")
THREADS = 4
_OF: WeakKeyDictionary[Engine, ThreadReader] = WeakKeyDictionary()


class ThreadReader:
    """Runs short functions that read a SQLite file, in a few threads with a connection each."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._opened: tuple[ThreadPoolExecutor, Engine] | None = None
        self._closing: list[asyncio.Future[None]] = []

    async def run(self, work: Callable[[Connection], T]) -> T:
        """What a function reads.

        Raises
        ------
        data.database.unavailable.DatabaseUnavailableError
            Where the file can't be read now.
        """
        if self._opened is None:
            threads = ThreadPoolExecutor(THREADS, thread_name_prefix="reading")
            self._opened = threads, make_thread_reader(self._file)
        threads, engine = self._opened
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, _with, engine, work)
        except DBAPIError as error:
            raise_unavailable(error)
            raise

    async def close(self) -> None:
        """Wait for what is being read, and let go of the file; a later question opens it again."""
        if self._opened is not None:
            opened, self._opened = self._opened, None
            self._closing.append(begun_in_thread(_shut, *opened))
        while self._closing:
            closing = self._closing[-1]
            try:
                await finished(closing)
            finally:
                if closing in self._closing:
                    self._closing.remove(closing)

    def abandon(self) -> None:
        """Let go of the file as soon as what is being read has ended."""
        if self._opened is not None:
            opened, self._opened = self._opened, None
            Thread(target=_shut, args=opened, name="closing", daemon=True).start()


def _with(engine: Engine, work: Callable[[Connection], T]) -> T:
    with engine.connect() as connection:
        return work(connection)


def _shut(threads: ThreadPoolExecutor, engine: Engine) -> None:
    """Wait for the threads, then close their connections; one still in use would stay open."""
    threads.shutdown()
    engine.dispose()


def reading(engine: AsyncEngine) -> ThreadReader | None:
    """An engine's one thread reader; None unless its database is a file of SQLite."""
    of = engine.sync_engine
    file = sqlite_path(of.url.render_as_string(hide_password=False))
    if file is None:
        return None
    if of not in _OF:
        made = _OF[of] = ThreadReader(file)
        event.listen(of, "engine_disposed", lambda _: made.abandon())
    return _OF[of]
