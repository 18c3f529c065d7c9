"""When a digest is due: at a local time, once on each local day, even when clocks change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_DAY = timedelta(days=1)


def due_at(day: date, at: str, zone: str) -> datetime:
    """The instant (UTC) of a local time on a local day.

    If clocks skip the time, the digest is due right after (02:30 becomes 03:30); if the time repeats, at
    the first of the two (PEP 495).

    Parameters
    ----------
    at
        ``HH:MM``.
    zone
        An IANA name.
    """
    hour, minute = at.split(":")
    local = datetime.combine(day, time(int(hour), int(minute)), ZoneInfo(zone))
    return local.astimezone(UTC)


def slots(days: str, at: str, zone: str, since: datetime, now: datetime) -> Iterator[tuple[date, datetime]]:
    """The local days and instants of a digest after ``since`` and up to ``now``, in order.

    Parameters
    ----------
    days
        Seven digits, Monday to Sunday: ``1111100``.
    """
    day = since.astimezone(ZoneInfo(zone)).date() - _DAY
    last = now.astimezone(ZoneInfo(zone)).date() + _DAY
    while day <= last:
        if days[day.weekday()] == "1":
            due = due_at(day, at, zone)
            if since < due <= now:
                yield day, due
        day += _DAY


def undone(
    days: str, at: str, zone: str, changed: datetime, last: date | None, now: datetime
) -> list[tuple[date, datetime]]:
    """The slots of a digest that are due and not done, in order.

    Parameters
    ----------
    changed
        When the digest was last changed, in UTC without a zone; earlier slots count as done.
    last
        The last local day that is done.
    """
    since = changed.replace(tzinfo=UTC)
    if since > now + _DAY:  # the clock was ahead when it was changed
        since = now - _DAY
    if last is not None:
        # Nothing is due before the end of the last local day that is done.
        since = max(since, datetime.combine(last, datetime.min.time(), UTC) - _DAY)
    return [(slot, due) for slot, due in slots(days, at, zone, since, now) if last is None or slot > last]
