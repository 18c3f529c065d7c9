"""Sentences about the same things that say the opposite."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from index.answers.claim_words import LIMITS
from index.answers.claims import ReadClaims, claims
from index.answers.turning_words import opposite
from index.search.passages import stem

SHARED = 0.5
"""Two sentences share at least this share of the shorter one's content words."""
LEAST = 2
"""Two claims are about the same if they share so many content words, or one where the rest is the same."""
SAME = 0.75
"""The rest is the same if two sentences share this share of all their content words."""
_CASES = tuple({stem(one), stem(other)} for one, other in LIMITS)


def contradictions(sentences: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Pairs of places: they speak of the same things, and one denies the other.

    A warning that is wrong is worse than one that is missing: where one sentence speaks of another condition,
    of earlier methods or of an aim, it contradicts nothing.
    """
    read = [claims(sentence) for sentence in sentences]
    return tuple(
        (one, other)
        for one, other in combinations(range(len(read)), 2)
        if _alike(read[one], read[other]) and _opposed(read[one], read[other])
    )


def _alike(one: ReadClaims, other: ReadClaims) -> bool:
    """Whether they speak of the same things, under the same conditions."""
    shared = one.content & other.content
    if len(shared) < max(float(LEAST), SHARED * min(len(one.content), len(other.content))):
        return False
    if shared & (one.lacking ^ other.lacking):
        return False
    if (one.of_others and other.of_own) or (one.of_own and other.of_others):
        return False
    mine, theirs = one.content - shared, other.content - shared
    return not any(opposite(word, known) or {word, known} in _CASES for word, known in product(mine, theirs))


def _opposed(one: ReadClaims, other: ReadClaims) -> bool:
    return _turned(one, other) or _denies(one, other) or _denies(other, one)


def _turned(one: ReadClaims, other: ReadClaims) -> bool:
    """Whether they judge the same thing in opposite ways, and nothing alike in the same way."""
    common = {True: 0, False: 0}
    for mine, theirs in product(one.made, other.made):
        agree = mine.sign == theirs.sign
        common[agree] = max(common[agree], mine.common(theirs))
    return common[True] < LEAST and common[False] >= _least(one, other)


def _denies(one: ReadClaims, other: ReadClaims) -> bool:
    """Whether one says that something isn't done that the other, with nothing bad to say, states."""
    return not other.unfavourable and any(
        denial.act in other.stated and len(denial.about & other.stated) >= _least(one, other)
        for denial in one.denied
    )


def _least(one: ReadClaims, other: ReadClaims) -> int:
    same = len(one.content & other.content) >= SAME * len(one.content | other.content)
    return 1 if same else LEAST
