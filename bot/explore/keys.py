"""Keys of what the explorer shows: ``p12`` is a person, ``w12`` a paper, ``t:deep learning`` a topic."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

Kind = Literal["person", "paper", "topic"]
MOST = 200
"""Characters of a topic's phrase."""
HIGHEST = 2**31 - 1
"""The highest number that PostgreSQL can be asked for."""
_NUMBERED = re.compile(r"([pw])([1-9][0-9]{0,11})")


@dataclass(frozen=True, slots=True)
class Key:
    """A node's identity: a person or a paper by number, or a topic by its phrase."""

    kind: Kind
    number: int = 0
    phrase: str = ""

    @classmethod
    def person(cls, number: int) -> Key:
        """The key of a person."""
        return cls("person", number)

    @classmethod
    def paper(cls, number: int) -> Key:
        """The key of a paper."""
        return cls("paper", number)

    @classmethod
    def topic(cls, phrase: str) -> Key:
        """The key of a topic."""
        return cls("topic", phrase=phrase)

    @classmethod
    def read(cls, text: str) -> Key:
        """A key as it stands in an address.

        Raises
        ------
        LookupError
            Where it is none.
        """
        if match := _NUMBERED.fullmatch(text):
            return cls("person" if match[1] == "p" else "paper", number_of(match[2]))
        if text.startswith("t:") and 2 < len(text) <= MOST + 2:
            return cls.topic(text[2:])
        raise LookupError(text)

    def __str__(self) -> str:
        if self.kind == "topic":
            return f"t:{self.phrase}"
        return f"{'p' if self.kind == 'person' else 'w'}{self.number}"

    @property
    def path(self) -> str:
        """The address of its page, below the explorer's own."""
        if self.kind == "topic":
            return f"/topic/{quote(self.phrase, safe='')}"
        return f"/{self.kind}/{self.number}"


def number_of(text: str) -> int:
    """The number that digits in an address mean.

    Raises
    ------
    LookupError
        Where nothing can have it.
    """
    number = int(text)
    if number > HIGHEST:
        raise LookupError(text)
    return number
