"""Which sentences an answer is made of, and their order: good ones that don't repeat each other."""

from __future__ import annotations

from itertools import islice

import numpy as np

from index.answers.contradiction import contradictions
from index.answers.evidence import SentenceEvidence

FRESH = 0.35
"""How much repeating a chosen sentence takes off (Carbonell and Goldstein, The use of MMR, SIGIR 1998)."""
SAME = 0.93
"""Sentences this close say the same; only the better one is quoted."""
_ALIKE = 0.6
LEAST = 0.25
"""A sentence worth less than this share of the best one is left out."""
LEAST_DENIAL = 0.05
"""The same for a sentence that denies a chosen one: who reads the one should know the other."""


def choose(worth: np.ndarray, evidence: SentenceEvidence, most: int, least: float = LEAST) -> list[int]:
    """Places of up to ``most`` sentences, in the order they were chosen."""
    if not len(worth):
        return []
    left = list(np.argsort(-worth, kind="stable"))
    chosen: list[int] = []
    while left and len(chosen) < most:
        best, value = -1, -np.inf
        for place in left:
            repeated = max((_repeats(place, c, evidence) for c in chosen), default=0.0)
            if repeated > SAME:
                continue
            fresh = worth[place] * (1 - FRESH * max(0.0, repeated))
            if fresh > value:
                best, value = int(place), fresh
        if best < 0 or (chosen and worth[best] < least * worth[chosen[0]]):
            break
        chosen.append(best)
        left.remove(best)
    if len(chosen) < most:
        chosen += _denial(worth, evidence, chosen)
    return chosen


def _denial(worth: np.ndarray, evidence: SentenceEvidence, chosen: list[int]) -> list[int]:
    """The best sentence left out that denies a chosen one, unless one of these is denied already."""
    pairs = [(place, other) for place in chosen for other in chosen if place < other]
    if any(denies(place, other, evidence) for place, other in pairs):
        return []
    enough = LEAST_DENIAL * worth[chosen[0]]
    left = [place for place in np.argsort(-worth, kind="stable").tolist() if place not in chosen]
    denials = (
        place
        for place in left
        if worth[place] >= enough and any(denies(place, other, evidence) for other in chosen)
    )
    return list(islice(denials, 1))


def denies(place: int, other: int, evidence: SentenceEvidence) -> bool:
    """Whether one sentence denies another that is close to it, of another paper: none contradicts itself."""
    if evidence.papers[place] == evidence.papers[other]:
        return False
    closeness = float(evidence.vectors[place] @ evidence.vectors[other])
    pair = [evidence.sentences[place].text, evidence.sentences[other].text]
    return closeness > _ALIKE and bool(contradictions(pair))


def _repeats(place: int, other: int, evidence: SentenceEvidence) -> float:
    """How much a sentence repeats another: their cosine, but nothing if one denies the other."""
    if denies(place, other, evidence):
        return 0.0
    return float(evidence.vectors[place] @ evidence.vectors[other])


def reading_order(chosen: list[int], evidence: SentenceEvidence) -> list[int]:
    """The best sentence's paper first, and each paper's sentences together, as they stand in it."""
    papers = list(dict.fromkeys(int(evidence.papers[place]) for place in chosen))
    ordered: list[int] = []
    for paper in papers:
        own = [place for place in chosen if evidence.papers[place] == paper]
        ordered += sorted(
            own, key=lambda place: (evidence.sentences[place].passage, evidence.sentences[place].start)
        )
    return ordered
