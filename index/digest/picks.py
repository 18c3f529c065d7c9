"""A few papers picked from scored ones: those that match a taste, with variety among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.reasons import KnownWriter
from index.digest.taste import LEAST_ODDS

ALIKE, ALIKE_FROM = 2.7, 0.5
"""How much similarity (cosine) to a chosen paper takes off a standard score, and the value from which it does
(maximal marginal relevance, Carbonell and Goldstein 1998)."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A chosen paper: its similarity to the taste (cosine in the joint space), and the reasons for it.

    Attributes
    ----------
    near
        Liked papers that it is similar to, the most similar first.
    by
        Authors who count for its readers.
    query
        The description or followed topic that it is similar to; empty where it is similar to none.
    """

    paper: int
    closeness: float
    near: tuple[int, ...]
    by: tuple[KnownWriter, ...]
    query: str


@dataclass(frozen=True)
class Scored:
    """Candidates with their scores, and their similarity to liked papers and the query."""

    papers: list[int]
    joint: np.ndarray
    scores: np.ndarray
    odds: np.ndarray
    """The natural log odds that each is in the readers' area, shape (papers,); infinite where that can't be
    told."""
    liked: list[int]
    to_liked: np.ndarray
    to_queries: np.ndarray
    """Shape (papers, queries)."""
    queries: tuple[str, ...]
    nearest: np.ndarray
    by: list[tuple[KnownWriter, ...]]
    named: np.ndarray
    """Whether each prints all words of a short query (:data:`index.digest.short_queries.SHORT`) in one
    sentence, bool, shape (papers, queries)."""
    nothing_known: bool
    """There are no liked papers, no query and no people to match."""


def picked(scored: Scored, kept: np.ndarray, floor: float, most: int) -> list[Pick]:
    """The best rows of ``kept`` that match; any matches where nothing is known.

    Parameters
    ----------
    floor
        The least similarity at which a paper matches.
    """
    followed = np.array([bool(names) for names in scored.by])
    similar = (scored.nearest >= floor) & (scored.odds >= LEAST_ODDS)
    fits = similar | scored.named.any(axis=1) | followed | scored.nothing_known
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
                _query(scored, at, floor),
            )
        )
    return picks


def _query(scored: Scored, at: int, floor: float) -> str:
    if not scored.queries:
        return ""
    matched = (scored.to_queries[at] >= floor) | scored.named[at]
    best = int(np.where(matched, scored.to_queries[at], -np.inf).argmax())
    return scored.queries[best] if matched[best] else ""


def apart(scores: np.ndarray, joint: np.ndarray, most: int) -> list[int]:
    """Choose rows one by one: the best of the rest, less its similarity to those chosen before."""
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
