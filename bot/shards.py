"""Shards of the gateway in several processes: who holds which, and how one follows another without a gap."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from bot.shard_range import ShardRange
from data.stores.leases import Leases
from data.stores.repository import DATABASE_ERRORS
from data.stores.shards import Shards

log = logging.getLogger("labmate")
Done = TypeVar("Done")
LOOK_EVERY = 1.0
"""Seconds between two looks at who holds what; a hand-over takes a few of them."""
UNHEARD = 4.0
"""Seconds after which a holder that doesn't see its follower counts as killed."""
BOTH = 20.0
"""Seconds after a hand-over for which its events may still reach both processes."""
IDENTIFIED_EVERY = 5.2
"""Seconds between two processes that identify in one bucket; Discord asks for five."""


class ShardKeeper:
    """Holds a process's shards in the store, follows their former holder, and hands them over.

    Attributes
    ----------
    lost
        Set once another process has taken all of this one's shards over.
    """

    def __init__(self, shards: Shards, leases: Leases, wanted: ShardRange) -> None:
        self._shards, self._leases, self.wanted = shards, leases, wanted
        self._me = secrets.token_hex(16)
        self._both_until = float("-inf")
        self._connected = frozenset(wanted.numbers)
        self.lost = asyncio.Event()

    @property
    def asks(self) -> bool:
        """Whether an event may have reached another process too, so that :meth:`takes` has to be asked."""
        return time.monotonic() < self._both_until

    async def takes(self, event: int) -> bool:
        """Whether this process acts on an event, by Discord's id of it."""
        try:
            return await self._shards.takes(event)
        except DATABASE_ERRORS:  # twice is refused by Discord, never would be silence
            return True

    async def claim(self) -> None:
        """Take what is free, and wait until the holders of the rest know of this process.

        Raises
        ------
        ShardsTakenError
            Where another process is in the way.
        """
        standing = await self._shards.claim(self._me, self.wanted.numbers, self.wanted.of)
        if not standing.awaited:
            return
        log.info("another process holds shards %s; this one follows it", _list(standing.awaited))
        self._expect_both(float("inf"))
        patience = time.monotonic() + UNHEARD
        while standing.awaited and not standing.shared and time.monotonic() < patience:
            await asyncio.sleep(LOOK_EVERY / 4)
            try:
                standing = await self._shards.renew(self._me)
            except DATABASE_ERRORS:  # the holder couldn't see its follower either
                patience = time.monotonic() + UNHEARD

    async def connected(self) -> None:
        """All wanted shards are connected: take them over."""
        await _once_there(lambda: self._shards.take_over(self._me))
        self._both_until = time.monotonic() + BOTH if self.asks else float("-inf")

    async def keep(self, give_up: Callable[[frozenset[int]], Awaitable[None]]) -> None:
        """Renew, make way for followers, and give up what another process has taken over, until that is all.

        Parameters
        ----------
        give_up
            Disconnects shards.
        """
        while not self.lost.is_set():
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self._look(give_up)
            except DATABASE_ERRORS as error:
                log.warning("the shards could not be renewed: %s", type(error).__name__)

    async def _look(self, give_up: Callable[[frozenset[int]], Awaitable[None]]) -> None:
        standing = await self._shards.renew(self._me)
        if standing.followed:
            if not self.asks:
                log.info("another process is about to take over shards %s", _list(standing.held))
            self._expect_both(time.monotonic() + BOTH)
            await self._shards.share(self._me)
        if gone := self._connected - standing.held - standing.awaited:
            log.info("another process has taken over shards %s", _list(gone))
            self._connected -= gone
            await give_up(gone)
        if not self._connected:
            self.lost.set()

    def _expect_both(self, until: float) -> None:
        self._both_until = max(self._both_until, until)

    async def may_identify(self, bucket: int) -> None:
        """Wait for the turn to identify in a bucket of shards: one process at a time, five seconds apart."""
        name, me = f"identify {bucket}", secrets.token_hex(16)
        while not await _once_there(lambda: self._leases.take(name, me, IDENTIFIED_EVERY)):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(LOOK_EVERY / 2)

    async def leave(self) -> None:
        """Give the shards back."""
        with suppress(*DATABASE_ERRORS):
            await self._shards.leave(self._me)


async def _once_there(work: Callable[[], Awaitable[Done]]) -> Done:
    """Do work in the database; where it is away, as soon as it is back."""
    while True:
        try:
            return await work()
        except DATABASE_ERRORS as error:
            log.warning("taking shards over waits for the database: %s", type(error).__name__)
            await asyncio.sleep(LOOK_EVERY)


def asking_first(
    keeper: ShardKeeper, parse: Callable[[Any], None], tasks: set[asyncio.Task[None]]
) -> Callable[[Any], None]:
    """A parser of gateway events that acts on one only where no other process did."""

    async def act(data: Any) -> None:
        if await keeper.takes(int(data["id"])):
            parse(data)

    def parser(data: Any) -> None:
        if not keeper.asks:
            parse(data)
            return
        task = asyncio.create_task(act(data))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    return parser


def _list(numbers: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
