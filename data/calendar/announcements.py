"""When arXiv announces: Sunday to Thursday at 20:00 US Eastern, as the listing of the next day.

https://info.arxiv.org/help/availability.html. There is none on holidays, which we don't know in advance.
So a missing listing counts as a holiday if arXiv answered after the hour, else as a failure.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

EASTERN = ZoneInfo("America/New_York")
HOUR = time(20, 0)
LOOK_AFTER = timedelta(minutes=2)
"""The delay between an announcement and our request."""
LOOK_EVERY, LOOK_AGAIN = timedelta(hours=3), timedelta(minutes=15)
"""The time between requests, and the shorter one while a listing is late or arXiv does not answer."""
LOOK_FOR = timedelta(hours=12)
"""How long we use the shorter time for a late listing."""
_EVENINGS = frozenset({6, 0, 1, 2, 3})
"""Weekdays of announcements; Monday is 0."""


def announced_at(listing: date) -> datetime:
    """The instant (UTC) when arXiv announces a day's listing: the evening before."""
    return datetime.combine(listing - timedelta(days=1), HOUR, EASTERN).astimezone(UTC)


def is_listing_day(day: date) -> bool:
    """Whether this day can have a listing: Monday to Friday."""
    return (day - timedelta(days=1)).weekday() in _EVENINGS


def last_listing(now: datetime) -> date:
    """The day of the newest listing that should be out at an instant (with a zone)."""
    day = now.astimezone(EASTERN).date() + timedelta(days=1)
    while not (is_listing_day(day) and announced_at(day) <= now):
        day -= timedelta(days=1)
    return day


def next_announcement(now: datetime) -> datetime:
    """The instant (UTC) when arXiv announces its next listing, after an instant with a zone."""
    day = last_listing(now) + timedelta(days=1)
    while not is_listing_day(day):
        day += timedelta(days=1)
    return announced_at(day)


def ask_at(now: datetime, newest: date | None, *, reached: bool) -> datetime:
    """The time of the next request to arXiv, after one just now.

    Parameters
    ----------
    newest
        The newest listing that the store has.
    reached
        Whether arXiv answered.
    """
    due = last_listing(now)
    missing = (newest is None or newest < due) and now < announced_at(due) + LOOK_FOR
    if missing or not reached:
        return now + LOOK_AGAIN
    following = due + timedelta(days=1)
    while not is_listing_day(following):
        following += timedelta(days=1)
    return min(now + LOOK_EVERY, announced_at(following) + LOOK_AFTER)
