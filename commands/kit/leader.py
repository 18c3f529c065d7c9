"""The leader: of all processes of a Labmate, the one that posts digests and asks arXiv."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from commands.kit.supervise import ended
from data.stores.leases import Leases
from data.stores.repository import DATABASE_ERRORS

log = logging.getLogger("labmate")
LEASE = "digests"
SECONDS = 15.0
"""How long the lead lasts; when the leader is killed, another has it after that and one look."""
LOOK_EVERY = 4.0
_MARGIN = 3.0
"""Seconds before its end from which the leader no longer counts on it."""


class Leader:
    """Takes the lead where nobody has it, and renews it while this process lives.

    Attributes
    ----------
    gained
        Set while this process leads.
    """

    def __init__(self, leases: Leases) -> None:
        self._leases = leases
        self.holder = secrets.token_hex(16)
        self.gained = asyncio.Event()
        self._until = float("-inf")

    @property
    def leads(self) -> bool:
        """Whether this process can still count on its lead, without asking."""
        return time.monotonic() < self._until - _MARGIN

    async def lead(self) -> bool:
        """Take or renew the lead; False where another process has it."""
        asked = time.monotonic()
        if await self._leases.take(LEASE, self.holder, SECONDS):
            self._until = asked + SECONDS
            self.gained.set()
            return True
        self._lose()
        return False

    async def keep(self) -> None:
        """Take the lead when it is free and renew it, for ever; without the database, it ends by itself."""
        while True:
            led = self.gained.is_set()
            try:
                if await self.lead() and not led:
                    log.info("this process now posts digests and asks arXiv")
            except DATABASE_ERRORS as error:
                log.warning("the lead could not be renewed: %s", type(error).__name__)
                if not self.leads:
                    self._lose()
            await asyncio.sleep(LOOK_EVERY)

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncIterator[bool]:
        """Do what one process at a time may do, leader or not; False where another does it just now.

        The right is renewed for as long as it takes, and free soon after this process is killed.
        """
        if not await self._leases.take(name, self.holder, SECONDS):
            yield False
            return
        renewing = asyncio.create_task(self._renew(name))
        try:
            yield True
        finally:
            await ended(renewing)
            with suppress(*DATABASE_ERRORS):
                await self._leases.release(name, self.holder)

    async def _renew(self, name: str) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            with suppress(*DATABASE_ERRORS):
                await self._leases.take(name, self.holder, SECONDS)

    async def resign(self) -> None:
        """Let another process go on at once."""
        self._lose()
        await self._leases.release(LEASE, self.holder)

    def _lose(self) -> None:
        self._until = float("-inf")
        self.gained.clear()
