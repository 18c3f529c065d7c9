"""A digest as it was set up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

_PHRASE = re.compile(r'\s*(?:"[^"\n]*"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»)(?=\s*(?:[,;\n]|$))|[^\n,;]+')


class DigestRefused(Exception):
    """A digest that can't be made; its text says why."""


@dataclass(frozen=True, slots=True)
class Digest:
    """What is posted where, when, and of what; see :class:`data.tables.digests.DigestRow`."""

    guild: int
    channel: int
    owner: int
    id: int = 0
    name: str = "New papers"
    state: str = "draft"
    why: str = ""
    form: str = "message"
    style: str = "compact"
    picture: bool = True
    theme: str = ""
    """The theme of its picture: ``light``; or empty: its owner's by direct message, dark in a channel."""
    categories: str = ""
    query: str = ""
    people: str = ""
    followed: bool = False
    require: str = ""
    exclude: str = ""
    most: int = 5
    days: str = "1111100"
    at: str = "09:00"
    zone: str = ""
    """An IANA name; empty until somebody chooses it, and nothing is posted before that."""
    quiet: bool = False
    made: datetime = datetime.min
    changed: datetime = datetime.min
    upto: date = date.min
    seen: int = 0
    left_out: str = ""
    news: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it goes to its owner by direct message."""
        return self.guild == 0

    @property
    def category_set(self) -> frozenset[str]:
        """The categories; none means all that are followed."""
        return frozenset(self.categories.split())

    @property
    def person_numbers(self) -> tuple[int, ...]:
        """The people whose papers are wanted."""
        return tuple(int(number) for number in self.people.split())

    @property
    def required(self) -> tuple[str, ...]:
        """Words or phrases of which a paper needs one."""
        return phrases(self.require)

    @property
    def excluded(self) -> tuple[str, ...]:
        """Words or phrases of which a paper may have none."""
        return phrases(self.exclude)


def phrases(text: str) -> tuple[str, ...]:
    """Words or phrases, one a line or with commas between them; commas in quotes count as they are."""
    found = (phrase.strip() for phrase in _PHRASE.findall(text))
    return tuple(dict.fromkeys(filter(None, found)))


def lines(text: str) -> tuple[str, ...]:
    """Words or phrases, one a line."""
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
