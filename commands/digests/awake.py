"""When this process last started or woke: what it missed meanwhile has to be asked for first."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from data.calendar import clock

_SLEPT = timedelta(minutes=10).total_seconds()
"""A machine that stood still for longer may have missed a listing."""


class Awake:
    """Knows the last start: of this process, or of its machine where that slept meanwhile."""

    def __init__(self) -> None:
        self._since = clock.now()
        self._apart = _apart()

    def since(self) -> datetime:
        """When it was; call it again and again."""
        apart = _apart()
        if apart - self._apart > _SLEPT:
            self._since = clock.now()
        self._apart = apart
        return self._since


def _apart() -> float:
    """The seconds between two clocks, of which one stands still while the machine sleeps."""
    return time.time() - time.monotonic()
