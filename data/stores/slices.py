"""Lists of ids in slices that fit one SQL statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")
PARAMETERS = 4_000
"""Bound parameters in one IN (...): SQLite allows 32,766, PostgreSQL 65,535."""


def slices(items: Iterable[_Item], size: int = PARAMETERS) -> Iterator[Sequence[_Item]]:
    """The items in order, ``size`` at a time."""
    held = items if isinstance(items, Sequence) else list(items)
    for start in range(0, len(held), size):
        yield held[start : start + size]
