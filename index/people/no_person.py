"""Author names that name no person: groups ("Qwen Team"), and halves of a split name ("Yi R.", "Fung").

Nobody loses a card by this: it keeps such names out of suggestions.
"""

from __future__ import annotations

import re
from typing import Protocol

import numpy as np

_GROUPS = frozenset(
    """alliance collaboration committee community consortium contributors council foundation group inc
    initiative institute lab laboratory labs ltd project research school scientists team teams
    university""".split()
)
"""What the name of a group ends in; some such words are left to people, as in "Soler Company"."""
_ANYWHERE = frozenset(("team", "université", "university", "institute"))
_FUSED = re.compile(r"\S*[a-z]AI|\S+-AI|\S+[a-z]\.ai")
"""``OpenAI``, ``DeepSeek-AI``; a family name in capitals stands alone ("Bo AI")."""
_NAME = r"[^\W\d_a-zß-ÿ][^\W\d_]*(?:[-'’][^\W\d_]+)*"
_ONE_WORD, _NO_FAMILY = re.compile(_NAME), re.compile(rf"{_NAME}(?: [^\W\d_]\.)+")
_LOOKED_AT = 20
"""Newest papers of somebody that are looked at."""


class _People(Protocol):
    def name(self, person: int) -> str: ...
    def papers(self, person: int) -> np.ndarray: ...
    def writers(self, paper: int) -> np.ndarray: ...


def is_group(name: str) -> bool:
    """Whether a name is that of a group, by its words."""
    words = [word.strip(".,").casefold() for word in name.split()]
    if len(words) == 1:
        return bool(_FUSED.fullmatch(name))
    return bool(words) and (words[-1] in _GROUPS or not _ANYWHERE.isdisjoint(words))


def _may_be_group(name: str) -> bool:
    """``Essential AI`` and ``NVIDIA``: people may write a family name in capitals, too."""
    words = name.split()
    capitals = len(words) == 1 and len(name) > 3 and name.isupper()
    return capitals or (words[-1:] == ["AI"] and not name.isupper())


def are_halves(one: str, other: str) -> bool:
    """Whether two names may be one that was split: a single word, and another or one with initials only."""
    return any(
        _ONE_WORD.fullmatch(last) and (_ONE_WORD.fullmatch(first) or _NO_FAMILY.fullmatch(first))
        for first, last in ((one, other), (other, one))
    )


def may_suggest(people: _People, person: int) -> bool:
    """False for what may be a group, and for half a name: most of its papers name another half beside it."""
    name = people.name(person)
    if is_group(name) or _may_be_group(name):
        return False
    if not (_ONE_WORD.fullmatch(name) or _NO_FAMILY.fullmatch(name)):
        return True
    papers = people.papers(person)[:_LOOKED_AT].tolist()
    return 2 * sum(_names_another_half(people, person, paper) for paper in papers) <= len(papers)


def _names_another_half(people: _People, person: int, paper: int) -> bool:
    name, others = people.name(person), people.writers(paper).tolist()
    return any(other != person and are_halves(name, people.name(other)) for other in others)
