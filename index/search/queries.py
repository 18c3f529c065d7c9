"""Parsing a search: words, quoted phrases and fields. Any text is valid; there are no syntax errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from data.calendar.arxiv_ids import CATEGORY
from data.keys import clean

MAX_QUERY = 4_000
"""Characters that are read; the first page of a pasted paper is enough."""
_PART = re.compile(r'(?:(\w+):)?"([^"]+)"|(\b(?:author|category|cat|year|since)):(\S+)|(\S+)', re.IGNORECASE)
_DAY = re.compile(r"^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$")


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed search query."""

    text: str
    """The words and phrases without the fields; this text is embedded."""
    phrases: tuple[str, ...] = ()
    author: str | None = None
    category: str | None = None
    since: date | None = None
    until: date | None = None
    ignored: tuple[str, ...] = ()
    """Fields with an invalid value, to tell the person."""


def parse_query(typed: str) -> Query:
    """Parse a query; anything that is not a field stays text."""
    words: list[str] = []
    phrases: list[str] = []
    ignored: list[str] = []
    fields: dict[str, str] = {}
    for prefix, quoted, name, value, word in _PART.findall(clean(typed[:MAX_QUERY])):
        field_name = (prefix or name).lower()
        if field_name in ("author", "category", "cat", "year", "since"):
            fields["category" if field_name == "cat" else field_name] = quoted or value.strip('"')
        elif quoted:
            words += ([prefix] if prefix else []) + [quoted]
            phrases.append(quoted)
        else:
            words.append(word)
    category = fields.get("category")
    if category and not CATEGORY.match(category):
        ignored.append(f"category:{category}")
        category = None
    since, until = parse_day(fields.get("since", "")), None
    if fields.get("since") and since is None:
        ignored.append(f"since:{fields['since']}")
    if year := fields.get("year"):
        match = re.match(r"^(\d{4})$", year)
        if match and 1 <= int(year) <= 9998:
            first, last = date(int(year), 1, 1), date(int(year), 12, 31)
            since, until = max(since, first) if since else first, last
        else:
            ignored.append(f"year:{year}")
    return Query(
        " ".join(words).replace('"', " ").strip(),
        tuple(phrases),
        fields.get("author"),
        category,
        since,
        until,
        tuple(ignored),
    )


def parse_day(text: str) -> date | None:
    """``2026``, ``2026-05`` or ``2026-05-18`` as a day (the first of the year or month); else None."""
    match = _DAY.match(text.strip())
    if not match:
        return None
    try:
        return date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        return None
