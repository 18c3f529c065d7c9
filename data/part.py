"""What every part of the store is: a reader and a writer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine


class Part:
    """A subject of the store: asks with one engine, changes with another; every change is one transaction."""

    def __init__(self, reader: AsyncEngine, writer: AsyncEngine) -> None:
        self._engine = reader
        self._writer = writer

    @asynccontextmanager
    async def _read(self) -> AsyncIterator[AsyncConnection]:
        async with self._engine.connect() as connection:
            yield connection
