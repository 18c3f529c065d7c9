"""Seasons, parts of a year and Christmas ("last spring", "mid-2025"), read as days.

Seasons are the meteorological ones of the north: spring is March to May, and winter December to February.
The winter of a year is the one that begins in that December; where it hasn't begun yet, it's the one before.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

_FIRST_MONTH = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_PARTS = {"early": 1, "mid": 5, "late": 9}
_YEAR = r"(?:19|20)\d\d"
SEASON = rf"(?:{'|'.join(_FIRST_MONTH)})"
_NO_TIME = rf"(?!\s+(?:of|to|until|till|through|(?:and|or)\s+{SEASON})\b)"
"""A bare season before these is any year's: "from spring to autumn"."""
SEASONS = rf"""
    (?P<winter>(?:the\s+)?winter\s+(?:of\s+)?{_YEAR}\s?[-–/]\s?(?:20)?\d\d)(?![\w-])
  | (?P<dated>(?:(?:the|this|last)\s+)?{SEASON},?\s+(?:of\s+)?{_YEAR})(?![\w-]|\.\w|\s*%)
  | (?P<season>(?<!\bthe\s)(?:this\s+past|this|last|past|previous)\s+{SEASON})(?![\w-])
  | (?P<bare>(?<!\bthis\s)(?:(?<=\bsince\s)the\s+)?{SEASON})(?![\w-]){_NO_TIME}
  | (?P<part>(?:{"|".join(_PARTS)})(?:\s+in)?[\s-]+(?:{_YEAR}|(?:this|last)\s+year))(?![\w-]|\.\w|\s*%)
  | (?P<christmas>(?:last\s+)?(?:christmas|xmas)(?:\s+{_YEAR})?)(?![\w-])
"""
"""The grammar, for a verbose pattern."""

Days = tuple[date, date]
"""The first and the last day, both included."""


def this_or_last(said: str, today: date) -> Days | None:
    """This season, the latest that has begun, if it's of this year; the last is the latest that ended."""
    days = latest(said, today)
    if "this" in said.split() and "past" not in said.split():
        return days if days[1].year >= today.year else None
    return days if days[1] < today else _season(said, days[0].year - 1)


def latest(said: str, today: date) -> Days:
    """The latest season that has begun."""
    days = _season(said, today.year)
    return days if days[0] <= today else _season(said, today.year - 1)


def of_year(said: str, today: date) -> Days | None:
    """The season of a year."""
    year = int(said[-4:])
    days = _season(said, year)
    if "winter" in said and days[0] > today:
        days = _season(said, year - 1)
    return days if year <= today.year + 1 else None


def of_two_years(said: str, today: date) -> Days:
    """A winter that is said by both its years, such as 2025/26."""
    return _season("winter", int(re.findall(_YEAR, said)[0]))


def part_of_year(said: str, today: date) -> Days | None:
    """A third of a year: early is January to April, mid May to August, late September to December."""
    part, *_, last = re.split(r"[\s-]+", said)
    year = int(last) if last.isdigit() else today.year - ("last" in said.split())
    first = _PARTS[part]
    return _months(year, first, 4) if year <= today.year + 1 else None


def christmas(said: str, today: date) -> Days:
    """Christmas Day of a year, else the last one."""
    year = re.search(_YEAR, said)
    day = date(int(year[0]) if year else today.year, 12, 25)
    day = day if year or day <= today else day.replace(year=today.year - 1)
    return day, day


def _season(said: str, year: int) -> Days:
    season = re.findall(SEASON, said)[0]
    return _months(year, _FIRST_MONTH[season], 3)


def _months(year: int, first: int, count: int) -> Days:
    later, month = divmod(first - 1 + count, 12)
    return date(year, first, 1), date(year + later, month + 1, 1) - timedelta(1)
