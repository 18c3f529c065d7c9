"""What runs as long as Labmate does: no job dies unseen."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from data.database.unavailable import DatabaseUnavailableError

log = logging.getLogger("labmate")


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
