"""What time it is: the machine's clock, or, for a simulation, what a file says."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

LOOK_EVERY = 30.0
"""Seconds after which a wait looks at the clock again: a laptop that slept, or a clock that was set, is noticed."""
_SIMULATED_EVERY = 0.05
_file: Path | None = None


def follow(file: Path | None) -> None:
    """From now on take the time from a file that holds an instant as ISO 8601 with a zone; None: from the machine."""
    global _file  # one time for a process
    _file = file


def show(file: Path, instant: datetime) -> None:
    """Set the clock of a simulation; whoever reads the file meanwhile finds it whole."""
    new = file.with_suffix(".new")
    new.write_text(instant.isoformat())
    new.replace(file)


def now() -> datetime:
    """Now, in UTC.

    Raises
    ------
    OSError, ValueError
        Where the file of a simulation is missing or holds no instant.
    """
    if _file is None:
        return datetime.now(UTC)
    return read(_file)


def read(file: Path) -> datetime:
    """The instant that the file of a simulation holds, in UTC.

    Raises
    ------
    OSError, ValueError
        Where it is missing, or holds no instant with a zone.
    """
    instant = datetime.fromisoformat(file.read_text().strip())
    if instant.tzinfo is None:
        raise ValueError("a time without a zone")
    return instant.astimezone(UTC)


def utc_now() -> datetime:
    """Now, without a zone, as the store keeps times."""
    return now().replace(tzinfo=None)


async def wait_until(instant: datetime) -> None:
    """Return once the clock has reached an instant."""
    while (left := (instant - now()).total_seconds()) > 0:  # noqa: ASYNC110 - nobody tells of a clock that was set
        await asyncio.sleep(min(left, LOOK_EVERY) if _file is None else _SIMULATED_EVERY)
