"""The base of every part of the store: a reader and a writer."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.database.reading import reading
from data.database.unavailable import DatabaseUnavailableError, available
from data.database.unchanged import unchanged

T = TypeVar("T")
DATABASE_ERRORS: tuple[type[Exception], ...] = (DatabaseUnavailableError, SQLAlchemyError, OSError)
"""What a method raises where the database can't be reached or refuses."""

BEFORE_WRITING: ContextVar[Callable[[], Awaitable[None]] | None] = ContextVar("before_writing", default=None)
"""Awaited before the current task writes, such as a call that tells a person their wish has arrived."""


PATIENCE = 20.0
"""Seconds that a writer waits for the others before it gives up, as on SQLite."""
_STUCK = 60.0
"""Seconds after which PostgreSQL ends the transaction of a machine that no longer says anything."""
_WRITING = 0x1AB_3A80
"""The upper half of the advisory locks of whoever writes; the lower is the subject's."""


class Writer:
    """The engine that changes the database; each transaction waits for :data:`BEFORE_WRITING` first.

    In SQLite, one transaction at a time writes. In PostgreSQL, one at a time for each ``subject`` does, so
    that what it has looked up, such as how often somebody did a thing today, still holds when it writes;
    other subjects and readers don't wait. A writer without a subject, as for papers, waits for nobody: its
    statements hold whoever else writes.
    """

    def __init__(self, engine: AsyncEngine, subject: str = "") -> None:
        self._engine = engine.execution_options(writes=True)
        self._subject = subject

    def of(self, subject: str) -> Writer:
        """A writer of one subject, on the same engine."""
        return Writer(self._engine, subject)

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """Begin one transaction, committed at the end."""
        before = BEFORE_WRITING.get()
        if before is not None:
            await before()
        async with available(self._engine.begin()) as connection:
            if connection.dialect.name == "postgresql":  # SQLite's transaction is the lock
                await connection.execute(_waiting(self._subject))
            yield connection

    async def dispose(self) -> None:
        """Give the connections back."""
        await self._engine.dispose()


def _waiting(subject: str) -> Select[Any]:
    """The statement that waits until nobody else writes on a subject, for no longer than :data:`PATIENCE`."""
    settings = (
        func.set_config("lock_timeout", f"{PATIENCE:.3f}s", True),
        func.set_config("idle_in_transaction_session_timeout", f"{_STUCK:.0f}s", True),
    )
    if not subject:
        return select(*settings)
    return select(*settings, func.pg_advisory_xact_lock(_WRITING << 32 | zlib.crc32(subject.encode())))


class Repository:
    """One subject of the store: it reads with one engine and writes with another, one transaction each."""

    ONE_AT_A_TIME = True
    """Whether its writers wait for each other in PostgreSQL; not where each statement decides by itself."""

    def __init__(self, reader: AsyncEngine, writer: Writer) -> None:
        self._engine = reader
        self._unchanged = unchanged(reader)
        self._reading = reading(reader)
        self._writer = writer.of(type(self).__name__ if self.ONE_AT_A_TIME else "")

    @asynccontextmanager
    async def _read(self) -> AsyncIterator[AsyncConnection]:
        async with available(self._engine.connect()) as connection:
            yield connection

    async def _read_in_thread(self, work: Callable[[Connection], T]) -> T:
        """What a function reads, each statement by itself as with :meth:`_read`; for what replies wait for.

        On SQLite it runs in one of a few threads, so it must be short.
        """
        if self._reading is not None:
            return await self._reading.run(work)
        async with self._read() as connection:
            return await connection.run_sync(work)

    @asynccontextmanager
    async def _read_as_it_comes(self) -> AsyncIterator[AsyncConnection]:
        """For results that are too long to hold; PostgreSQL hands those out only within a transaction."""
        async with available(self._engine.connect()) as connection:
            if connection.dialect.name == "sqlite":
                yield connection
                return
            await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            async with connection.begin():
                yield connection
