"""Limits said alone in a direct message: what was asked there before is asked again within them.

"Only since 2024", "and by Percy Liang?", "newest first", "but not about vision".
"""

from __future__ import annotations

import re

from index.answers.asked_before import Before
from index.search.routing import Route, routed
from index.search.search import Search
from index.search.understood import Understood

_LIMIT = re.compile(
    r"(?i:by)(?:\s+(?:(?:and|or|de|van|von|der|el|al|et)\b|[^\W\d_a-z][\w.'’-]*))+"
    r"|(?i:not\s+(?:about|on|by|from|for)|without|excluding|except)(?:\s+[\w'’-]+){1,4}"
)
_DECLINES = re.compile(r"(?:but\s+)?(?:not|without|excluding|except)\b", re.IGNORECASE)
_NEWER = re.compile(
    r"(?:(?:show me|give me|find|any|the|something|anything)\s+)*(?:more recent|newer|newest|recent|latest)"
    r"(?: (?:ones?|papers?|works?))?(?:,? (?:please|pls|plz))?",
    re.IGNORECASE,
)
_CATEGORY = re.compile(r"(?:in\s+)?([a-z-]+\.[A-Za-z-]{2,})")
_MOST = 8
"""Words of limits alone."""


async def limited_before(search: Search, rest: str, before: Before, *, led: bool) -> Route | None:
    """The question or search before within the limits that are all that is said; None for anything else."""
    if len(rest.split()) > _MOST:
        return None
    if category := _CATEGORY.fullmatch(rest):
        rest = f"category:{category[1]}"
    if _NEWER.fullmatch(rest):
        rest = "newest first"
    read = await search.understand(rest)
    if read.lacks_subject:
        rest = _but_not(read)
    elif not (category or _LIMIT.fullmatch(rest) or _is_limit(read, led=led)):
        return None
    if before.command == "ask":
        return _asked_within(rest, read, before)
    if before.command in ("papers", "author") and not read.dates_said:  # a person's papers have few limits
        return None
    if before.command == "author":
        if read.since and not read.until:
            return Route("papers", {"author": before.person, "since": read.since.isoformat()})
        return Route("search", {"query": f"papers by {before.said} {rest}"})
    words = f"by {rest}" if read.people and rest.startswith(read.people_said) else rest
    whole = _in_place(before.said, words, await search.understand(before.said), read)
    made = await routed(search, whole)
    return made if made.command in ("search", "papers") else Route("search", {"query": whole})


def _but_not(read: Understood) -> str:
    """What a text leaves out that says no more: "but not surveys or robots, not by Percy Liang"."""
    people = [f"not by {name}" for name in read.unwanted_people[:1]]
    return ", ".join([*([f"but not {' or '.join(read.without)}"] if read.without else []), *people])


def _is_limit(read: Understood, *, led: bool) -> bool:
    """Whether a text has limits and no subject; a name or venue alone is a limit only after "and"."""
    if read.text.strip(" ?!.,") or read.authors_of or read.like:
        return False
    sets = bool(read.dates_said) or read.order != "best"
    return sets or (led and bool(read.people or read.venue))


def _asked_within(rest: str, read: Understood, before: Before) -> Route | None:
    """A question asked again since a day; within other limits only papers can be searched."""
    if before.asked.limits.get("paper"):
        return None
    only_since = read.since and not (read.until or read.people or read.venue or read.order != "best")
    if only_since and read.since and not read.text.strip():
        return Route("ask", {"question": before.said, "since": read.since.isoformat()})
    about = before.asked.about.replace(",", "")
    words = f"by {rest}" if read.people and rest.startswith(read.people_said) else rest
    if not about:
        return None
    by = words.lower().startswith("by ")  # "clusters emulated by Minlan Yu" would not name an author
    return Route("search", {"query": f"papers {words} on {about}" if by else f"papers on {about} {words}"})


def _in_place(said: str, limit: str, had: Understood, read: Understood) -> str:
    """A search with a limit; days and people that it had before make room for other ones."""
    for old, new in ((had.dates_said, read.dates_said), (had.people_said, read.people_said)):
        if old and new and old in said and new in limit:
            said, limit = said.replace(old, new), re.sub(rf"(?:\bby\s+)?{re.escape(new)}", " ", limit)
    declined = (had.without or had.unwanted_people) and _DECLINES.match(limit)
    return " ".join(f"{said}{',' * bool(declined)} {limit}".split()).rstrip(" ,?!.")
