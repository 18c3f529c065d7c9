"""The base of every part of the store: a reader and a writer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

BEFORE_WRITING: ContextVar[Callable[[], Awaitable[None]] | None] = ContextVar("before_writing", default=None)
"""Awaited before the current task writes, such as a call that tells a person their wish has arrived."""


class Writer:
    """The engine that changes the database; each transaction waits for :data:`BEFORE_WRITING` first."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine.execution_options(writes=True)

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """Begin one transaction, committed at the end."""
        before = BEFORE_WRITING.get()
        if before is not None:
            await before()
        async with self._engine.begin() as connection:
            yield connection

    async def dispose(self) -> None:
        """Give the connections back."""
        await self._engine.dispose()


class Repository:
    """One subject of the store: it reads with one engine and writes with another, one transaction each."""

    def __init__(self, reader: AsyncEngine, writer: Writer) -> None:
        self._engine = reader
        self._writer = writer

    @asynccontextmanager
    async def _read(self) -> AsyncIterator[AsyncConnection]:
        async with self._engine.connect() as connection:
            yield connection

    @asynccontextmanager
    async def _read_as_it_comes(self) -> AsyncIterator[AsyncConnection]:
        """For results that are too long to hold; PostgreSQL hands those out only within a transaction."""
        async with self._engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                yield connection
                return
            await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            async with connection.begin():
                yield connection
