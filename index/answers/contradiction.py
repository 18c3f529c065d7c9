"""Sentences about the same things that say the opposite."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from index.answers.matching import STOP_WORDS, stems
from index.search.passages import stem

SHARED = 0.5
"""Two sentences share at least this share of the shorter one's content words."""
REACH = 4
"""A negation denies a word up to so many words behind it."""
_NEGATIONS = frozenset(
    stem(word)
    for word in "not no never neither nor without cannot unlikely fail fails failed lack lacks unable hardly "
    "none doesn don didn isn wasn aren weren won couldn".split()
)
_OPPOSITES = (
    ("increase increased increases increasing higher rise rises rose raises raised more greater",
     "decrease decreased decreases decreasing lower fall falls fell reduces reduced reduce less fewer"),
    ("improve improves improved improving improvement better outperform outperforms outperformed gain gains",
     "worsen worsens worsened degrade degrades degraded worse harm harms harmed hurt hurts underperform "
     "underperforms"),
    ("effective beneficial useful helps help robust", "ineffective harmful useless brittle unreliable"),
    ("possible able sufficient", "impossible unable insufficient"),
    ("positive positively", "negative negatively"),
)  # fmt: skip
_SIDES = tuple(
    tuple(frozenset(stem(word) for word in side.split()) for side in opposite) for opposite in _OPPOSITES
)

_NO_CONTENT = STOP_WORDS | _NEGATIONS | {word for sides in _SIDES for side in sides for word in side}


def contradictions(sentences: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Pairs of places: they speak of the same things, and one denies the other."""
    read = [stems(sentence) for sentence in sentences]
    pairs = []
    for one, other in combinations(range(len(read)), 2):
        if _alike(read[one], read[other]) and _opposed(read[one], read[other]):
            pairs.append((one, other))
    return tuple(pairs)


def _content(words: Sequence[str]) -> set[str]:
    return {word for word in words if word not in _NO_CONTENT}


def _alike(one: Sequence[str], other: Sequence[str]) -> bool:
    mine, theirs = _content(one), _content(other)
    return len(mine & theirs) >= max(2.0, SHARED * min(len(mine), len(theirs)))


def _opposed(one: Sequence[str], other: Sequence[str]) -> bool:
    """One negation between them of a word that both have, or words of opposite direction, but not both."""
    shared = _content(one) & _content(other)
    turned = _denies(one, shared) != _denies(other, shared)
    for left, right in _SIDES:
        mine, theirs = (
            (bool(set(one) & left), bool(set(one) & right)),
            (
                bool(set(other) & left),
                bool(set(other) & right),
            ),
        )
        if mine in ((True, False), (False, True)) and theirs == mine[::-1]:
            return not turned
    return turned


def _denies(words: Sequence[str], shared: set[str]) -> bool:
    """Whether a sentence denies something that it says with one of these words, close behind."""
    denials = [place for place, word in enumerate(words) if word in _NEGATIONS]
    return sum(not shared.isdisjoint(words[place + 1 : place + 1 + REACH]) for place in denials) % 2 == 1
