"""Answers that stand until the database changes, such as who is banned and which people bear a name."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.ext.asyncio import AsyncEngine

T = TypeVar("T")
MOST = 20_000
"""Answers that are kept at once."""
_OF: WeakKeyDictionary[Engine, Unchanged] = WeakKeyDictionary()


class Unchanged:
    """Keeps answers for as long as nobody writes to the database, in this process or another one.

    SQLite counts the commits of other connections (``PRAGMA data_version``); asking takes microseconds.
    So one connection that writes nothing sees them all. PostgreSQL has no such
    count: there, each question is asked.

    Parameters
    ----------
    file
        SQLite's file; None keeps nothing.
    """

    def __init__(self, file: str | None) -> None:
        self._file = file
        self._watching: sqlite3.Connection | None = None
        self._seen: int | None = None
        self._kept: dict[Hashable, Any] = {}

    async def ask(self, key: Hashable, question: Callable[[], Awaitable[T]]) -> T:
        """The answer to a question, kept under a key; the answer must not be changed by whoever gets it."""
        version = self._version()
        if version is None:
            return await question()
        if version != self._seen or len(self._kept) >= MOST:
            self._seen, self._kept = version, {}
        kept = self._kept
        if key in kept:
            return cast(T, kept[key])
        # A commit since then makes the next question find another version, however new this answer is; what
        # begins anew meanwhile never sees it, also where another connection counts to the same number.
        answer = kept[key] = await question()
        return answer

    def close(self) -> None:
        """Forget all, and let go of the file."""
        self._seen, self._kept = None, {}
        if self._watching is not None:
            self._watching.close()
            self._watching = None

    def _version(self) -> int | None:
        """The number of commits that were seen; None where they can't be counted now."""
        if self._file is None:
            return None
        try:
            if self._watching is None:
                self._watching = sqlite3.connect(self._file, timeout=0, check_same_thread=False)
                self._watching.isolation_level = None
            return int(self._watching.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error:
            self.close()
            return None


def unchanged(engine: AsyncEngine) -> Unchanged:
    """The answers of a database, one and the same for all that read with an engine."""
    of = engine.sync_engine
    if of not in _OF:
        file = of.url.database if of.dialect.name == "sqlite" else None
        kept = _OF[of] = Unchanged(None if file in (None, "", ":memory:") else file)
        event.listen(of, "engine_disposed", lambda _: kept.close())
    return _OF[of]
