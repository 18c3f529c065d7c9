"""Connections to SQLite that cross to their thread once for each statement, instead of four or five times.

aiosqlite runs each connection in a thread of its own, and sends it every single step: make a cursor, execute,
fetch, close the cursor, roll back. A statement of Labmate's takes less time than one such crossing.
SQLAlchemy takes these connections through its documented ``async_creator_fn``.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, Self, TypeVar
from weakref import WeakSet

import aiosqlite
from aiosqlite import core

T = TypeVar("T")

AT_ONCE = 1_000
"""Rows that come with the statement; a statement with more of them is asked for the rest."""


class Cursor:
    """A cursor of DB-API 2.0 whose calls are awaited, as SQLAlchemy uses it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open: sqlite3.Cursor | None = None
        self._rows: deque[Any] = deque()
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, operation: str, parameters: Sequence[Any] = ()) -> Self:
        """Run a statement, and bring its first rows along."""
        await self.close()
        await self._connection.run(self._run, sqlite3.Cursor.execute, operation, parameters)
        return self

    async def executemany(self, operation: str, parameters: Iterable[Sequence[Any]]) -> Self:
        """Run a statement for each of these parameters."""
        await self.close()
        await self._connection.run(self._run, sqlite3.Cursor.executemany, operation, parameters)
        return self

    def _run(self, execute: Any, operation: str, parameters: Any) -> None:
        """In the connection's thread: everything that most statements need."""
        cursor = self._connection._conn.cursor()
        try:
            execute(cursor, operation, parameters)
            rows = cursor.fetchmany(AT_ONCE) if cursor.description else []
        except BaseException:
            cursor.close()
            raise
        self.description, self.rowcount = cursor.description, cursor.rowcount
        self.lastrowid = cursor.lastrowid
        self._rows.extend(rows)
        if len(rows) == AT_ONCE:
            self._open = cursor
            self._connection.left_open.add(cursor)
        else:
            cursor.close()

    async def fetchone(self) -> Any:
        """The next row, or None."""
        rows = await self.fetchmany(1)
        return rows[0] if rows else None

    async def fetchmany(self, size: int | None = None) -> list[Any]:
        """The next rows."""
        size = self.arraysize if size is None else size
        if len(self._rows) < size and self._open is not None:
            more = max(size - len(self._rows), AT_ONCE)
            self._rows.extend(await self._connection.run(self._open.fetchmany, more))
        return [self._rows.popleft() for _ in range(min(size, len(self._rows)))]

    async def fetchall(self) -> list[Any]:
        """All further rows."""
        rows, self._rows = list(self._rows), deque()
        if self._open is not None:
            rows += await self._connection.run(self._open.fetchall)
            await self.close()
        return rows

    async def close(self) -> None:
        """Let go of the rows that were not fetched."""
        self._rows.clear()
        if self._open is not None:
            cursor, self._open = self._open, None
            await self._connection.run(cursor.close)


class Connection(aiosqlite.Connection):
    """aiosqlite's connection with such cursors; what has no transaction needs no end of one."""

    def __init__(self, connector: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(connector, iter_chunk_size=64)
        # As SQLAlchemy has it, a daemon: a forgotten connection must not keep the process alive.
        self._thread = Thread(target=_work, args=(self._tx,), daemon=True)
        self.left_open: WeakSet[sqlite3.Cursor] = WeakSet()
        """Cursors with further rows. While they are open, so is a closed connection's transaction."""

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do something in the connection's thread."""
        done: T = await self._execute(work, *arguments)  # type: ignore[no-untyped-call]
        return done

    def _close_cursors(self) -> None:
        for cursor in list(self.left_open):
            cursor.close()

    async def close(self) -> None:
        """Close the cursors, then the connection."""
        if self._connection is not None:
            await self.run(self._close_cursors)
        await super().close()

    def cursor(self) -> Cursor:  # type: ignore[override]
        """A new cursor; nothing is asked of the database yet."""
        return Cursor(self)

    async def commit(self) -> None:
        """Commit, if a transaction is open."""
        if self._conn.in_transaction:
            await super().commit()

    async def rollback(self) -> None:
        """Roll back, if a transaction is open."""
        if self._conn.in_transaction:
            await super().rollback()


def _work(queue: SimpleQueue[tuple[asyncio.Future[Any] | None, Callable[[], Any]]]) -> None:
    """In the connection's thread, as aiosqlite's own, but no error where a result's loop has ended."""
    result = None
    while result is not core._STOP_RUNNING_SENTINEL:
        future, function = queue.get()
        try:
            result = function()
        except BaseException as error:
            _tell(future, core.set_exception, error)
        else:
            _tell(future, core.set_result, result)


def _tell(future: asyncio.Future[Any] | None, how: Callable[..., None], outcome: object) -> None:
    if future is not None:
        with suppress(RuntimeError):  # a closed loop
            future.get_loop().call_soon_threadsafe(how, future, outcome)


def connect(database: str, **options: Any) -> Connection:
    """A connection that opens when it is awaited; options as :func:`sqlite3.connect` has them."""
    return Connection(lambda: sqlite3.connect(database, **options))
