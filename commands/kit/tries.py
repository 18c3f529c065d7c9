"""How each try of a request ended. discord.py repeats a failed request and reports only the last try."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from commands.kit.refusals import UNAVAILABLE, was_reached

_LOST: ContextVar[list[int | BaseException] | None] = ContextVar("_LOST", default=None)


@contextmanager
def noting_lost() -> Iterator[list[int | BaseException]]:
    """Note, while something is sent, each try that Discord may have taken without saying so.

    Yields
    ------
    list of int or BaseException
        Grows by the status or the error with which such a try ended.
    """
    lost: list[int | BaseException] = []
    before = _LOST.set(lost)
    try:
        yield lost
    finally:
        _LOST.reset(before)


def note_try(method: str, ended: int | BaseException) -> None:
    """Note how a try of a request ended: with this status, or without an answer."""
    lost = _LOST.get()
    if lost is None or method == "GET":
        return
    if was_reached(ended) if isinstance(ended, BaseException) else ended >= 500 and ended != UNAVAILABLE:
        lost.append(ended)
