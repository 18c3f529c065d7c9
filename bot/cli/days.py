"""Days on the command line."""

from __future__ import annotations

from datetime import datetime

import typer


def a_day(value: str | datetime) -> datetime:
    """The day that was typed, such as 2026-05-18.

    Raises
    ------
    typer.BadParameter
        If it is none.
    """
    if isinstance(value, datetime):  # a default
        return value
    try:
        return datetime.strptime(value, "%Y-%m-%d")
    except ValueError:
        raise typer.BadParameter(f"{value[:40]!r} is not a day; write one such as 2026-05-18") from None
