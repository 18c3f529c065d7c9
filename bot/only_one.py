"""One process runs over a folder and a database, unless several share the shards; a second one is refused.

A lock in the folder ends with its process, however that ends. A lease in the database does the same for
other folders and other machines; it ends 15 s after its holder was last heard of.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import logging
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from bot.closes import ACT, LoginError
from commands.kit.supervise import ended
from data.stores.leases import Leases
from data.stores.repository import DATABASE_ERRORS
from data.stores.shards import HELD, Shards

log = logging.getLogger("labmate")
FILE = "labmate.run.lock"
LEASE = "in discord"
SECONDS = 15.0
"""How long the lease lasts."""
LOOK_EVERY = 4.0
_HOST = 22
"""Letters of the machine's name that the lease has room for."""
IN_DISCORD = (
    "Two would answer the same members and post the same digests. Stop it, then start this one again. "
    "To let several processes answer, give each shards of its own (docs/scale.md)."
)
LOCALLY = "Stop it first, or give this one its own folder: LABMATE_DATA=/tmp/labmate python -m bot run"
_held: list[int] = []
_unlocked: set[Path] = set()
"""Folders where no lock keeps a second process of this machine away, so that the lease has to."""


def hold_folder(folder: Path, advice: str = IN_DISCORD) -> None:
    """Hold the folder until this process ends.

    Raises
    ------
    LoginError
        Where another process holds it; it says which one.
    """
    # Not flock, which a child that was forked off would hold on to.
    handle = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        process = os.read(handle, 20).decode("ascii", "replace").strip()
        os.close(handle)
        who = f" (process {process})" if process.isdigit() else ""
        raise LoginError(f"Another Labmate already uses {folder}{who}. {advice}", status=ACT) from None
    except OSError as error:  # a file system without locks; the lease is left
        log.warning("%s can't be locked (%s)", folder / FILE, error.strerror)
        _unlocked.add(folder)
    os.truncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    _held.append(handle)


class OnlyOne:
    """Holds the right to be the one process of a database."""

    def __init__(self, leases: Leases, shards: Shards, folder: Path, advice: str = IN_DISCORD) -> None:
        self._leases, self._shards, self._advice = leases, shards, advice
        self._me = f"{socket.gethostname()[:_HOST]} {_mark(folder)}"
        self._lost = asyncio.Event()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Hold it, and renew it.

        Raises
        ------
        LoginError
            Where another process has it.
        """
        await self._take()
        keeping = asyncio.create_task(self._keep())
        try:
            if of := await self._sharing():
                raise LoginError(
                    f"Another Labmate of this database runs with shards ({of} in all), and this one without. "
                    f"Start this one with its own (--shards, --of {of}; docs/scale.md), or stop the others.",
                    status=ACT,
                )
            yield
        finally:
            await ended(keeping)
            with suppress(*DATABASE_ERRORS):
                await self._leases.release(LEASE, self._me)

    async def _take(self) -> None:
        while not await self._leases.take(LEASE, self._me, SECONDS):
            if holder := await living_holder(self._leases):
                raise LoginError(f"{already(holder)} {self._advice}", status=ACT)

    async def _sharing(self) -> int:
        """How many shards there are, if living processes hold some; it waits for those that were killed."""
        deadline = time.monotonic() + HELD + 1
        while (of := await self._shards.anybody()) and time.monotonic() < deadline:  # noqa: ASYNC110 - rows end
            await asyncio.sleep(LOOK_EVERY / 8)
        return of

    async def _keep(self) -> None:
        while not self._lost.is_set():
            await asyncio.sleep(LOOK_EVERY)
            try:
                if not await self._leases.take(LEASE, self._me, SECONDS):
                    self._lost.set()
            except DATABASE_ERRORS as error:
                log.warning("the right to this database could not be renewed: %s", type(error).__name__)

    async def until_lost(self) -> NoReturn:
        """Wait until another process has it, as after this one was suspended.

        Raises
        ------
        LoginError
            Then.
        """
        await self._lost.wait()
        raise LoginError(
            "Another Labmate of this database took over while this one was suspended or cut off, so this one "
            "ends. To let several processes answer, give each shards of its own (docs/scale.md).",
            status=ACT,
        )


def _mark(folder: Path) -> str:
    """What tells this folder on this machine from others, also those of the same name in other containers."""
    if folder in _unlocked:
        return secrets.token_hex(8)
    file = os.stat(folder / FILE)
    return hashlib.sha256(f"{folder.absolute()} {file.st_dev} {file.st_ino}".encode()).hexdigest()[:16]


async def living_holder(leases: Leases) -> str:
    """Who holds the right to the whole database and renews it; empty if nobody does, after 15 s at most."""
    first: datetime | None = None
    while await leases.holder(LEASE):
        standing = await leases.standing(LEASE)
        if standing is not None and first is None:
            first = standing[1]
            log.info("another Labmate has this database; waiting up to %.0f s, in case it is gone", SECONDS)
        elif standing is not None and first is not None and standing[1] > first:
            return standing[0]
        await asyncio.sleep(LOOK_EVERY / 8)
    return ""


def already(holder: str) -> str:
    """That another process has the right; its holder names the machine."""
    machine = holder.rpartition(" ")[0]
    return f"Another Labmate{f' (on {machine})' if machine else ''} is already using this database."
