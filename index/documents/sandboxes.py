"""Limiting how many processes read strangers' files at once; others wait in line or come back later."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

IN_LINE: ContextVar[Callable[[int], Awaitable[None]] | None] = ContextVar("in_line", default=None)
"""Called once before a wait, with the place in line."""


class LineFullError(Exception):
    """Too many are waiting already; come back later."""


class Places:
    """A number of places, handed out in the order of asking.

    Parameters
    ----------
    count
        Places in use at once, at most.
    line
        How many may wait for a place.
    """

    def __init__(self, count: int, line: int) -> None:
        self._free, self._line = count, line
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Hold a place for as long as this context is open.

        Raises
        ------
        LineFullError
            If the line is full.
        """
        await self._enter()
        try:
            yield
        finally:
            self._leave()

    async def _enter(self) -> None:
        if self._free:
            self._free -= 1
            return
        if len(self._waiting) >= self._line:
            raise LineFullError
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            if tell := IN_LINE.get():
                await tell(len(self._waiting))
            await place
        except BaseException:
            if place.done() and not place.cancelled():  # handed out but no longer wanted
                self._leave()
            place.cancel()
            raise

    def _leave(self) -> None:
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._free += 1


SANDBOXES = Places(2, 8)
