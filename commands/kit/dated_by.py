"""How much of a day that papers have is known, to show no more of it."""

from __future__ import annotations

from datetime import date

from commands.kit.services import Services
from data.calendar.partial_days import DatedBy


async def dated_by(services: Services, day: date | None) -> DatedBy:
    """How much is known of a day."""
    return (await services.store.listings.dated_by([day])).get(day, "day") if day else "day"
