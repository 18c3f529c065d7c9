"""What runs as long as Labmate does: no job dies unseen."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from data.database.unavailable import DatabaseUnavailableError

log = logging.getLogger("labmate")
TOLD_AGAIN = 3.0
"""Seconds until a task that does not end is told again."""


async def lasting(
    step: Callable[[], Awaitable[None]], *, pause: float = 60.0, failed: Callable[[], None] | None = None
) -> None:
    """Run an endless job; if it fails, log why, call ``failed``, and start again after ``pause`` seconds."""
    while True:
        try:
            await step()
            return
        except DatabaseUnavailableError as error:
            log.warning("%s waits: %s", getattr(step, "__qualname__", step), error)
        except Exception:  # whatever it was, what follows must not be missed
            log.exception("%s failed; it begins again in %.0f s", getattr(step, "__qualname__", step), pause)
        if failed is not None:
            failed()
        await asyncio.sleep(pause)


async def ended(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait until they have ended, however they do.

    A task that goes on is told again: in Python 3.11, a cancellation that comes while something ends that the
    task waits for can be lost (asyncio.wait_for, and what uses it).
    """
    going = {task for task in tasks if not task.done()}
    while going:
        for task in going:
            task.cancel()
        _, going = await asyncio.wait(going, timeout=TOLD_AGAIN)
    await asyncio.gather(*tasks, return_exceptions=True)  # else Python warns that nobody asked how they ended


async def first_of(*waiting: Awaitable[Any]) -> None:
    """Wait for the first to end, cancel the others, and raise whatever the first raised."""
    tasks = [asyncio.ensure_future(one) for one in waiting]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
    for task in done:
        task.result()
