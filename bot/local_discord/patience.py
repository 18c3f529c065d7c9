"""How long the local Discord waits for an answer: three seconds of a machine that has time for it."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

_RUNNABLE = Path("/proc/loadavg")
_LOOK_EVERY = 0.2


class Patience:
    """Seconds that are left to answer.

    While more is to run than there are processors, as where tests and builds share a machine, a second counts
    for less: half a second where there is twice as much. Discord's own seconds are always whole.
    """

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._looked = time.monotonic()

    def left(self) -> float:
        """The seconds left; 0 or less where patience is at its end."""
        now = time.monotonic()
        self._left -= (now - self._looked) / _crowd()
        self._looked = now
        return self._left

    async def until_over(self) -> None:
        """Wait until patience is at its end."""
        while (left := self.left()) > 0:  # noqa: ASYNC110 - nobody tells of a machine that is busy
            await asyncio.sleep(min(left, _LOOK_EVERY))


def _crowd() -> float:
    """How many there are to run for each processor; 1 where the machine has time, or does not tell."""
    try:
        runnable = int(_RUNNABLE.read_text().split()[3].partition("/")[0])
    except (OSError, IndexError, ValueError):
        return 1.0
    return max(1.0, runnable / (os.cpu_count() or 1))
