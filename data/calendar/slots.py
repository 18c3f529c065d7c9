"""When a digest is due: a time of day in a time zone, once on each local day, whatever clocks do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def due_at(day: date, at: str, zone: str) -> datetime:
    """The instant (UTC) of a local time on a local day.

    A time that clocks jump over is as long after midnight as it would have been (02:30 becomes 03:30); of a time that
    comes twice the first is meant (PEP 495).

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
    """The local days and instants at which a digest was due after ``since`` and up to ``now``, in order.

    Parameters
    ----------
    days
        Seven digits, Monday to Sunday: ``1111100``.
    """
    day = since.astimezone(ZoneInfo(zone)).date() - timedelta(days=1)
    last = now.astimezone(ZoneInfo(zone)).date() + timedelta(days=1)
    while day <= last:
        if days[day.weekday()] == "1":
            due = due_at(day, at, zone)
            if since < due <= now:
                yield day, due
        day += timedelta(days=1)


def undone(
    days: str, at: str, zone: str, changed: datetime, last: date | None, now: datetime
) -> list[tuple[date, datetime]]:
    """The slots of a digest that are due and were not dealt with, in order.

    Parameters
    ----------
    changed
        When it was last changed, in UTC without a zone: what was due before counts as done.
    last
        The last local day that was dealt with.
    """
    since = changed.replace(tzinfo=UTC)
    if last is not None:
        # Up to the end of the last local day that was dealt with nothing is due any more.
        since = max(since, datetime.combine(last, datetime.min.time(), UTC) - timedelta(days=1))
    return [(slot, due) for slot, due in slots(days, at, zone, since, now) if last is None or slot > last]
