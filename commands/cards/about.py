"""Labmate's status in Discord: what it reads. Facts in, text out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from commands.cards.text import day, plural
from data.calendar.partial_days import DatedBy
from data.sources.arxiv_fields import field_name

MOST = 128
"""Characters of a status (https://docs.discord.com/developers/events/gateway-events#activity-object)."""


def reading(codes: Sequence[str], papers: int, newest: date | None, dated_by: DatedBy = "day") -> str:
    """The fields read from arXiv, the number of papers and the newest day, as far as there is room."""
    held = plural(papers, "paper") + (f" up to {day(newest, dated_by)}" if newest and papers else "")
    if not codes:
        return held
    tail = f" · {held}"
    names = [field_name(code) for code in codes]
    for count in range(len(names), 0, -1):
        left = len(names) - count
        more = f" and {left} more" if left else ""
        text = f"Reading arXiv: {', '.join(names[:count])}{more}{tail}"
        if len(text) <= MOST:
            return text
    return f"Reading {plural(len(names), 'field')} of arXiv{tail}"[:MOST]
