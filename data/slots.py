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
