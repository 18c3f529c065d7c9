"""What runs as long as Labmate does: no job dies unseen."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

log = logging.getLogger("labmate")


async def lasting(
    step: Callable[[], Awaitable[None]], *, pause: float = 60.0, failed: Callable[[], None] | None = None
) -> None:
    """Run an endless job; if it fails, log why, call ``failed``, and start again after ``pause`` seconds."""
    while True:
        try:
            await step()
            return
        except Exception:  # whatever it was, what follows must not be missed
            log.exception("%s failed; it begins again in %.0f s", getattr(step, "__qualname__", step), pause)
        if failed is not None:
            failed()
        await asyncio.sleep(pause)
