"""Fields by their usual names. Codes in, text out."""

from __future__ import annotations

from collections.abc import Iterable

from commands.cards.text import shown
from data.sources.arxiv_fields import field_name

MOST = 6


def fields_line(codes: Iterable[str], most: int = MOST) -> str:
    """The names of categories, each once, and how many more there are; "" if there are none."""
    names = list(dict.fromkeys(shown(field_name(code), 60) for code in codes))
    more = len(names) - most
    if more > 0:
        return f"{', '.join(names[:most])} and {more} more {'field' if more == 1 else 'fields'}"
    return ", ".join(names)
