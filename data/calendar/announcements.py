"""When arXiv announces: Sunday to Thursday at 20:00 US Eastern, as the listing of the next day.

https://info.arxiv.org/help/availability.html. On holidays there is none; these are not known here beforehand, so that a
listing that does not come is told from a failure by whether arXiv could be asked after its hour.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

EASTERN = ZoneInfo("America/New_York")
HOUR = time(20, 0)
LOOK_AFTER = timedelta(minutes=2)
"""How long after an announcement arXiv is asked."""
LOOK_EVERY, LOOK_AGAIN = timedelta(hours=3), timedelta(minutes=15)
"""How often arXiv is asked, and how soon again where a listing that is due is not there, or arXiv did not answer."""
LOOK_FOR = timedelta(hours=12)
"""How long a listing that is due is looked for so often."""
_EVENINGS = frozenset({6, 0, 1, 2, 3})
"""Weekdays of announcements, Monday being 0."""


def announced_at(listing: date) -> datetime:
    """The instant (UTC) at which a day's listing is announced: the evening before."""
    return datetime.combine(listing - timedelta(days=1), HOUR, EASTERN).astimezone(UTC)


def is_listing_day(day: date) -> bool:
    """Whether a listing of this day can be: Monday to Friday."""
    return (day - timedelta(days=1)).weekday() in _EVENINGS


def last_listing(now: datetime) -> date:
    """The day of the newest listing that should have been announced by an instant (with a zone)."""
    day = now.astimezone(EASTERN).date() + timedelta(days=1)
    while not (is_listing_day(day) and announced_at(day) <= now):
        day -= timedelta(days=1)
    return day


def ask_at(now: datetime, newest: date | None, *, reached: bool) -> datetime:
    """When to ask arXiv next, having asked just now.

    Parameters
    ----------
    newest
        The newest listing that is known.
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
