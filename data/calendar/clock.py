"""The time: the machine's clock or, for a simulation, a file's; a local Discord moves it ahead."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

LOOK_EVERY = 30.0
"""Seconds until a wait checks the clock again, to notice a laptop that slept or a clock that was set."""
_SIMULATED_EVERY = 0.05
_file: Path | None = None
_AHEAD = "LABMATE_CLOCK_AHEAD"
"""The variable by which processes that this one starts have the same time; nobody else sets it."""
_ahead = timedelta(seconds=float(os.environ.get(_AHEAD, 0)))
_moved: set[asyncio.Event] = set()
"""Tasks that wait for an instant; they look again when the clock is moved."""


def follow(file: Path | None) -> None:
    """Take the time from a file (an instant as ISO 8601 with a zone) from now on; None: from the machine."""
    global _file, _ahead  # one clock for the whole process
    _file, _ahead = file, timedelta(0)
    os.environ.pop(_AHEAD, None)


def move(by: timedelta) -> None:
    """Set the clock ahead, and wake who waits for it; call it in the event loop.

    It holds for this process and those that it starts from now on.

    Raises
    ------
    OSError, ValueError
        Where the file of a simulation is missing or has no instant.
    """
    global _ahead
    if _file is not None:
        show(_file, read(_file) + by)
    else:
        _ahead += by
        os.environ[_AHEAD] = str(_ahead.total_seconds())
    for waiting in _moved:
        waiting.set()


def is_ahead() -> bool:
    """Whether somebody moved the clock: what is read then says nothing of when it was read."""
    return bool(_ahead)


def show(file: Path, instant: datetime) -> None:
    """Set the clock of a simulation; a concurrent reader never sees half a file."""
    new = file.with_suffix(".new")
    new.write_text(instant.isoformat())
    new.replace(file)


def now() -> datetime:
    """Now, in UTC.

    Raises
    ------
    OSError, ValueError
        Where the file of a simulation is missing or has no instant.
    """
    if _file is None:
        return datetime.now(UTC) + _ahead
    return read(_file)


def read(file: Path) -> datetime:
    """The instant in the file of a simulation, in UTC.

    Raises
    ------
    OSError, ValueError
        Where it is missing, or has no instant with a zone.
    """
    instant = datetime.fromisoformat(file.read_text().strip())
    if instant.tzinfo is None:
        raise ValueError("a time without a zone")
    return instant.astimezone(UTC)


def utc_now() -> datetime:
    """Now, without a zone, as the store keeps times."""
    return now().replace(tzinfo=None)


async def wait_until(instant: datetime) -> None:
    """Wait until the clock reaches an instant."""
    moved = asyncio.Event()
    _moved.add(moved)
    try:
        while (left := (instant - now()).total_seconds()) > 0:
            moved.clear()
            pause = min(left, LOOK_EVERY) if _file is None else _SIMULATED_EVERY
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):  # wait_for can lose a cancellation
                    await moved.wait()
    finally:
        _moved.discard(moved)
