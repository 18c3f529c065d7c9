"""How much words count beside vectors: chosen by what the query is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from index.lexical import Term

# Tuned with `python -m bot evaluate search` on other seeds; docs/search.md says what was tried.
SHORT, LONG = 6, 14
"""Content words up to which a query names things, and from which on it is a question in own words."""
WORDS_SHORT, WORDS_LONG = 0.40, 0.10
STANDOUT_SHORT, STANDOUT_LONG = 4.0, 2.5
STANDOUT_RANK = 10
"""Coverage counts much more where it stands out from that of the paper at this rank: then the words
are the paper's own; where many papers are covered alike, they are only the field's."""
SIMILAR_WORDS, SIMILAR_TITLE = 0.5, 0.1
"""Weights of shared words, and shared title words, as a share of what the paper has with itself."""
SELF_SHARE = 0.6
"""What of the ideal score a text usually reaches with itself: the unit for a text that is no paper."""
RARE_TITLES = 3
"""A word that at most this many titles have names what they are about."""
RARE_ABSTRACTS = 60


@dataclass(frozen=True, slots=True)
class Kind:
    """What a query is."""

    words: float
    """The weight of the words' coverage (0..1) beside the cosine."""
    standout: float
    """The weight of the coverage by which a paper stands out."""
    names: tuple[Term, ...]
    """Words that name a system: in few titles, and hardly anywhere else."""
    unknown: tuple[Term, ...]
    """Words that no title and no abstract has: typos, or names of the future."""


def kind_of(terms: Sequence[Term], papers: int) -> Kind:
    """Judge a query by its number of words and how rare they are."""
    count = len(terms)
    long = min(1.0, max(0.0, (count - SHORT) / (LONG - SHORT)))
    words = WORDS_SHORT + (WORDS_LONG - WORDS_SHORT) * long
    standout = STANDOUT_SHORT + (STANDOUT_LONG - STANDOUT_SHORT) * long
    few = max(RARE_ABSTRACTS, papers // 2_000)
    names = tuple(
        t for t in terms if 0 < t.in_titles <= RARE_TITLES and t.in_abstracts <= few and len(t.word) > 2
    )
    unknown = tuple(t for t in terms if t.in_titles == 0 and t.in_abstracts == 0 and len(t.word) > 3)
    return Kind(words, standout, names if count <= 4 else (), unknown if count <= 4 else ())


def ideal_score(terms: Sequence[Term], papers: int, title_weight: float) -> float:
    """What BM25 gives, about, to a paper with every word once in title and abstract: the unit of coverage.

    The sum of Robertson and Zaragoza's idf (The Probabilistic Relevance Framework, 2009, eq. 3.2)
    over title and abstract.
    """
    total = 0.0
    for term in terms:
        for found, weight in ((term.in_titles, title_weight), (term.in_abstracts, 1.0)):
            total += weight * math.log(1 + (papers - found + 0.5) / (found + 0.5))
    return total


def combine(closeness: np.ndarray, coverage: np.ndarray, words: float, standout: float = 0.0) -> np.ndarray:
    """Cosine plus weighted coverage; a paper without a vector counts as the least close one."""
    known = closeness[~np.isnan(closeness)]
    floor = float(known.min()) if len(known) else 0.0
    scores = np.where(np.isnan(closeness), floor, closeness) + words * coverage
    if standout and len(coverage):
        common = np.sort(coverage)[::-1][min(STANDOUT_RANK, len(coverage) - 1)]
        scores = scores + standout * np.maximum(0.0, coverage - common)
    return scores
