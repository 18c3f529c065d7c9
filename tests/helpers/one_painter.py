"""One drawing process a test process: each bot would start its own, and loading matplotlib takes seconds."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from commands.kit import painter

_begin = painter.Painter._process
_shared = painter.Painter()


def share() -> None:
    """Let the bots of this process draw in one process, for which they wait however busy the machine is."""
    painter.Painter._process = _process  # type: ignore[method-assign]
    painter.Painter.close = _close  # type: ignore[method-assign]
    painter.PATIENCE = 120.0


def _process(self: painter.Painter) -> ProcessPoolExecutor:
    if _shared._pool is not None and _shared._pool._broken:
        _shared._pool = None
    self._pool = _begin(_shared)
    return self._pool


def _close(self: painter.Painter) -> None:
    self._pool = None
