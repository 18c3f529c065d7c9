"""A few papers picked from scored ones: what fits a taste, kept apart from one another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data.keys import fold
from data.reasons import Writer

ALIKE, ALIKE_FROM = 2.7, 0.5
"""What likeness (cosine) beyond this to a paper chosen already takes off a standard score (maximal marginal relevance,
Carbonell and Goldstein 1998)."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A chosen paper: how near the taste it lies (cosine in the joint space), and what speaks for it.

    Attributes
    ----------
    near
        Liked papers that it lies close to, closest first.
    by
        Followed people who wrote it.
    on_query
        Whether it lies close to the query.
    """

    paper: int
    closeness: float
    near: tuple[int, ...]
    by: tuple[Writer, ...]
    on_query: bool


@dataclass(frozen=True)
class Scored:
    """Candidates with their scores, and what they lie near to."""

    papers: list[int]
    joint: np.ndarray
    scores: np.ndarray
    liked: list[int]
    to_liked: np.ndarray
    to_query: np.ndarray
    nearest: np.ndarray
    by: list[tuple[Writer, ...]]
    nothing_known: bool
    """Neither liked papers nor a query nor followed people say what fits."""


def picked(scored: Scored, kept: np.ndarray, floor: float, most: int, *, open_to_all: bool) -> list[Pick]:
    followed = np.array([bool(names) for names in scored.by])
    fits = (scored.nearest >= floor) | followed | (open_to_all and scored.nothing_known)
    rows = kept[fits[kept]]
    picks = []
    for row in apart(scored.scores[rows], scored.joint[rows], most):
        at = int(rows[row])
        near = np.argsort(-scored.to_liked[at])[:3]
        picks.append(
            Pick(
                scored.papers[at],
                float(max(scored.nearest[at], 0.0)),
                tuple(scored.liked[place] for place in near if scored.to_liked[at, place] >= floor),
                scored.by[at],
                bool(scored.to_query[at] >= floor),
            )
        )
    return picks


def apart(scores: np.ndarray, joint: np.ndarray, most: int) -> list[int]:
    """Rows chosen one after another: each the best of what is left, less its likeness to what was chosen."""
    chosen: list[int] = []
    left = np.ones(len(scores), bool)
    likeness = np.zeros(len(scores), np.float32)
    while left.any() and len(chosen) < most:
        value = np.where(left, scores - ALIKE * np.maximum(likeness - ALIKE_FROM, 0), -np.inf)
        best = int(value.argmax())
        chosen.append(best)
        left[best] = False
        likeness = np.maximum(likeness, joint @ joint[best])
    return chosen


def has_words(text: str, require: Sequence[str], exclude: Sequence[str]) -> bool:
    """Whether a text has one of the required words (if any are) and none of the excluded; whole words, any case."""
    plain = fold(text)
    return (not require or any(_stands(word, plain) for word in require)) and not any(
        _stands(word, plain) for word in exclude
    )


def _stands(word: str, plain: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(fold(word))}(?!\w)", plain) is not None
