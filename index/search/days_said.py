"""Points in time as people say them, such as "May", "last week" or "14 Aug 2026", read as days."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import date, timedelta

from index.search import seasons_said
from index.search.seasons_said import SEASONS, Days

MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_SHORT = {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
_DAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_COUNTS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "couple": 2,
    "couple of": 2,
    "a couple of": 2,
    "two": 2,
    "three": 3,
    "few": 3,
    "a few": 3,
}
_COUNTS |= {"four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12}
_UNITS = {"d": "day", "w": "week", "m": "month", "y": "year"}
EARLIEST = 1900
"""A smaller number is not a year that papers are from."""

_MONTH = rf"(?:{'|'.join(MONTHS)}|(?:{'|'.join(_SHORT)})\b\.?)"
_COUNT = rf"(?:\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})".replace(" ", r"\s+")
_UNIT = r"(?:day|week|fortnight|month|quarter|year|decade)"
YEAR = r"(?:19|20)\d\d"
POINT = rf"""(?:
    (?P<iso>{YEAR}-\d{{1,2}}(?:-\d{{1,2}})?)(?![\w-])
  | (?P<dmy>\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+{YEAR})?)(?!\w)
  | (?P<mdy>{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+{YEAR})?)(?!\w)
  | (?P<my>{_MONTH},?\s+(?:of\s+)?{YEAR})(?!\w)
  | (?P<quarter>q[1-4]\s*(?:of\s+)?{YEAR})(?!\w)
  | (?P<decade>(?:the\s+)?{YEAR[:-2]}\ds)(?!\w)
  | {SEASONS}
  | (?P<ago>{_COUNT}\s+{_UNIT}s?\s+ago)\b
  | (?P<rolling>(?:the\s+)?(?:last|past|previous)\s+{_COUNT}\s+{_UNIT}s?)\b
  | (?P<last>(?:the\s+)?(?:last|past|previous)\s+{_UNIT})\b
  | (?P<this>(?:earlier\s+)?(?:this|the\s+current)\s+{_UNIT})\b
  | (?P<short>\d{{1,3}}\s?[dwmy])\b
  | (?P<day>today|yesterday)\b
  | (?P<weekday>(?:last\s+|this\s+)?(?:{"|".join(_DAYS)}))\b
  | (?P<year>{YEAR})(?![\w-]|\.\w|\s*%)
  | (?P<month>{_MONTH})(?!\w)
)"""

FLAGS = re.IGNORECASE | re.VERBOSE


def kind_of_point(match: re.Match[str], prefix: str = "") -> str:
    """Which kind of point a match of the grammar is: ``iso``, ``month``, ``rolling``, ..."""
    return next(
        name.removeprefix(prefix)
        for name, value in match.groupdict().items()
        if value is not None and name.startswith(prefix) and name not in ("how", "onwards")
    )


def days_of(match: re.Match[str], prefix: str, today: date, newest: date | None) -> Days | None:
    """The days of a point that :data:`POINT` matched with its groups under a prefix; None for no such day.

    A relative point that begins after the newest listing is counted from that listing.
    """
    kind = kind_of_point(match, prefix)
    said = " ".join(match[prefix + kind].casefold().replace(",", " ").split())
    read = _READERS[kind]
    try:
        days = read(said, today)
        if newest is not None and days and days[0] > newest and kind in _RELATIVE:
            days = read(said, newest)
            if (days and days[0] > newest) or kind == "day":
                days = newest, newest
        return days
    except (ValueError, OverflowError, LookupError):
        return None


def _iso(said: str, today: date) -> Days:
    parts = [int(part) for part in said.split("-")]
    return _month(parts[0], parts[1]) if len(parts) == 2 else (date(*parts), date(*parts))


def _month(year: int, month: int) -> Days:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _number_of_month(word: str) -> int:
    word = word.rstrip(".")
    return MONTHS.get(word) or _SHORT[word if word == "sept" else word[:3]]


def _day_month(said: str, today: date) -> Days:
    numbers = [int(number) for number in re.findall(r"\d+", said)]
    month = next(_number_of_month(word) for word in said.split() if re.fullmatch(_MONTH, word))
    if len(numbers) > 1:
        day = date(numbers[1], month, numbers[0])
    else:
        day = date(today.year, month, numbers[0])
        if day > today:
            day = date(today.year - 1, month, numbers[0])
    return day, day


def _month_year(said: str, today: date) -> Days:
    words = said.split()
    return _month(int(words[-1]), _number_of_month(words[0]))


def _month_alone(said: str, today: date) -> Days:
    month = _number_of_month(said)
    return _month(today.year if month <= today.month else today.year - 1, month)


def _quarter(said: str, today: date) -> Days:
    quarter, year = int(said[1]), int(said[-4:])
    return _month(year, 3 * quarter - 2)[0], _month(year, 3 * quarter)[1]


def _decade(said: str, today: date) -> Days:
    first = int(re.findall(r"\d{4}", said)[0])
    return date(first, 1, 1), date(first + 9, 12, 31)


def _back(day: date, count: int, unit: str) -> date:
    if unit in ("day", "week", "fortnight"):
        return day - timedelta(count * {"day": 1, "week": 7, "fortnight": 14}[unit])
    months = (
        day.year * 12 + day.month - 1 - count * {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit]
    )
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _counted(said: str) -> tuple[int, str]:
    count, unit = re.fullmatch(rf".*?\b({_COUNT})\s+({_UNIT})s?(?:\s+ago)?", said).groups()  # type: ignore[union-attr]
    return int(count) if count.isdigit() else _COUNTS[count], unit


def _ago(said: str, today: date) -> Days:
    return _back(today, *_counted(said)), today


def _last(said: str, today: date) -> Days:
    unit = said.split()[-1]
    if unit == "year" and "past" not in said.split():
        return date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)
    return _back(today, 1, unit), today


def _this(said: str, today: date) -> Days:
    unit = said.split()[-1]
    first = {
        "day": today,
        "week": today - timedelta(today.weekday()),
        "fortnight": today - timedelta(14),
        "month": today.replace(day=1),
        "quarter": today.replace(month=3 * ((today.month - 1) // 3) + 1, day=1),
        "year": today.replace(month=1, day=1),
        "decade": date(today.year // 10 * 10, 1, 1),
    }[unit]
    return first, today


def _short(said: str, today: date) -> Days:
    return _back(today, int(said[:-1]), _UNITS[said[-1]]), today


def _day(said: str, today: date) -> Days:
    day = today - timedelta(said == "yesterday")
    return day, day


def _weekday(said: str, today: date) -> Days:
    back = (today.weekday() - _DAYS[said.split()[-1]]) % 7
    day = today - timedelta(back or (7 if said.startswith("last") else 0))
    return day, day


def _year(said: str, today: date) -> Days | None:
    year = int(said)
    return (date(year, 1, 1), date(year, 12, 31)) if EARLIEST <= year <= today.year + 1 else None


_RELATIVE = frozenset({"ago", "rolling", "last", "this", "short", "day", "weekday", "season"})
_READERS: dict[str, Callable[[str, date], Days | None]] = {
    "iso": _iso,
    "dmy": _day_month,
    "mdy": _day_month,
    "my": _month_year,
    "month": _month_alone,
    "quarter": _quarter,
    "decade": _decade,
    "ago": _ago,
    "rolling": _ago,
    "last": _last,
    "this": _this,
    "short": _short,
    "day": _day,
    "now": _day,
    "weekday": _weekday,
    "year": _year,
    "season": seasons_said.this_or_last,
    "winter": seasons_said.of_two_years,
    "dated": seasons_said.of_year,
    "bare": seasons_said.latest,
    "part": seasons_said.part_of_year,
    "christmas": seasons_said.christmas,
}
