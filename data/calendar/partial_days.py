"""Days of which only the month or the year is known."""

from __future__ import annotations

import re
from datetime import date
from typing import Literal

DatedBy = Literal["day", "month", "year"]
"""How much of a day is known."""
_PARTS = re.compile(r"(\d{4})(?:-(\d{1,2}))?")
_FINENESS: dict[str, int] = {"year": 0, "month": 1, "day": 2}


def read_day(text: str) -> tuple[date, DatedBy]:
    """A day, month or year in ISO form; a month stands as its 15th, a year as its 1 July, halfway through.

    Raises
    ------
    ValueError
        If it is none of these.
    """
    if parts := _PARTS.fullmatch(text.strip()):
        year, month = int(parts[1]), parts[2]
        return (date(year, int(month), 15), "month") if month else (date(year, 7, 1), "year")
    return date.fromisoformat(text.strip()[:10]), "day"


def finer(one: str, other: str) -> bool:
    """Whether one says more of a day than the other."""
    return _FINENESS[one] > _FINENESS[other]


def coarsest(all_of: list[DatedBy]) -> DatedBy:
    """The one that says least; ``day`` for none."""
    return min(all_of, key=lambda one: _FINENESS[one], default="day")
