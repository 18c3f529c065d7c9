"""A few papers picked from scored ones: those that match a taste, with variety among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data.reasons import KnownWriter
from index.digest.taste import LEAST_ODDS

ALIKE, ALIKE_FROM = 2.7, 0.5
"""How much similarity (cosine) to a chosen paper takes off a standard score, and the value from which it does
(maximal marginal relevance, Carbonell and Goldstein 1998)."""

MAIN = 0.75
"""What has less than this share of a paper's greatest similarity is no reason for it."""


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
        The description or followed topic that it is similar to or prints; empty for none.
    printed
        Whether it matches only by printing that.
    category
        A category that its reader follows.
    """

    paper: int
    closeness: float
    near: tuple[int, ...]
    by: tuple[KnownWriter, ...]
    query: str
    printed: bool = False
    category: str = ""


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
    """Shape (papers, queries); -1 where a query declines a paper."""
    queries: tuple[str, ...]
    nearest: np.ndarray
    by: list[tuple[KnownWriter, ...]]
    nothing_known: bool
    """Whether there is nothing to match: no liked papers and no query."""

    def similar(self, floor: float) -> np.ndarray:
        """Whether each has at least this similarity and is in the readers' area: bool, shape (papers,)."""
        return np.asarray((self.nearest >= floor) & (self.odds >= LEAST_ODDS))


def picked(
    scored: Scored, groups: Sequence[Sequence[int]], said: Sequence[str], floor: float, most: int
) -> list[Pick]:
    """The best of the rows that match.

    Parameters
    ----------
    groups
        Rows that match; those of a group come before those of the next.
    said
        For each candidate a query that it prints, or empty.
    floor
        The least similarity that is a reason.
    """
    picks, similar = [], scored.similar(floor)
    for at in _chosen(scored, groups, most):
        least = max(floor, MAIN * float(scored.nearest[at]))
        near = np.argsort(-scored.to_liked[at])[:3]
        printed = bool(said[at]) and not similar[at]
        picks.append(
            Pick(
                scored.papers[at],
                float(max(scored.nearest[at], 0.0)),
                tuple(scored.liked[n] for n in near if scored.to_liked[at, n] >= least and not printed),
                scored.by[at],
                said[at] if printed else _query(scored, at, least),
                printed,
            )
        )
    return picks


def _chosen(scored: Scored, groups: Sequence[Sequence[int]], most: int) -> list[int]:
    """Rows of one group after the other, each group's best first, with variety among all."""
    chosen: list[int] = []
    for group in groups:
        rows = np.array(group, np.int64)
        beside = scored.joint[chosen] if chosen else None
        found = apart(scored.scores[rows], scored.joint[rows], most - len(chosen), beside)
        chosen += rows[found].tolist()
    return chosen


def _query(scored: Scored, at: int, floor: float) -> str:
    if not scored.queries:
        return ""
    best = int(scored.to_queries[at].argmax())
    return scored.queries[best] if scored.to_queries[at, best] >= floor else ""


def apart(scores: np.ndarray, joint: np.ndarray, most: int, beside: np.ndarray | None = None) -> list[int]:
    """Choose rows one by one: the best of the rest, less its similarity to those chosen before.

    Parameters
    ----------
    beside
        Others that were chosen already, as rows of ``joint``.
    """
    chosen: list[int] = []
    left = np.ones(len(scores), bool)
    likeness = np.zeros(len(scores), np.float32)
    if beside is not None and len(scores):
        likeness = np.maximum(likeness, (joint @ beside.T).max(axis=1))
    while left.any() and len(chosen) < most:
        value = np.where(left, scores - ALIKE * np.maximum(likeness - ALIKE_FROM, 0), -np.inf)
        best = int(value.argmax())
        chosen.append(best)
        left[best] = False
        likeness = np.maximum(likeness, joint @ joint[best])
    return chosen
