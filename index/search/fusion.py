"""How much words count beside vectors: chosen by what the query is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from index.search.lexical import Term

# Tuned with `python -m bot evaluate search` on other seeds; docs/search.md says how they are judged.
OWN_WORDS, OTHER_WORDS = 36, 60
"""Content words up to which a query may hold the paper's own, and from which on it retells it in others."""
WORDS_OWN, WORDS_OTHER = 1.5, 0.5
"""The weight of the words in either case."""
SIMILAR_WORDS, SIMILAR_TITLE = 0.5, 0.1
"""Weights of shared words, and shared title words, as a share of what the paper has with itself."""
SELF_SHARE = 0.6
"""What of the ideal score a text usually reaches with itself: the unit for a text that is no paper."""
RARE_TITLES = 3
"""A word that at most this many titles have names what they are about."""
RARE_ABSTRACTS = 60
SHARE = 50
"""Among few papers a word is rare that at most one in so many has (or one paper)."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a query is."""

    words: float
    """The weight of the words' coverage (0..1) beside the cosine."""
    names: tuple[Term, ...]
    """Words that name a system: in few titles, and hardly anywhere else."""
    unknown: tuple[Term, ...]
    """Words that no title and no abstract has: typos, or names of the future."""


def kind_of(terms: Sequence[Term], papers: int) -> Kind:
    """Judge a query by its number of words and how rare they are."""
    count = len(terms)
    retold = min(1.0, max(0.0, (count - OWN_WORDS) / (OTHER_WORDS - OWN_WORDS)))
    words = WORDS_OWN + (WORDS_OTHER - WORDS_OWN) * retold
    share = max(1, papers // SHARE)
    titles, few = min(RARE_TITLES, share), min(max(RARE_ABSTRACTS, papers // 2_000), share)
    names = tuple(t for t in terms if 0 < t.in_titles <= titles and t.in_abstracts <= few and len(t.word) > 2)
    unknown = tuple(t for t in terms if t.in_titles == 0 and t.in_abstracts == 0 and len(t.word) > 3)
    return Kind(words, names if count <= 4 else (), unknown if count <= 4 else ())


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


def fuse_query(closeness: np.ndarray, coverage: np.ndarray, weight: float) -> np.ndarray:
    """Scores for a query: the cosine, plus the coverage times its share of the best coverage.

    Squaring lets the words decide where one paper has far more of them than the others (its title, its
    name, its own sentences), and say little where many papers are covered alike.
    """
    best = float(coverage.max(initial=0.0))
    return _known(closeness) + (weight * coverage * coverage / best if best > 0 else 0.0)


def fuse_similar(closeness: np.ndarray, shared: np.ndarray, titles: np.ndarray) -> np.ndarray:
    """Scores beside a paper: the cosine, plus the shares of its words and of its title's words."""
    return _known(closeness) + SIMILAR_WORDS * shared + SIMILAR_TITLE * titles


def _known(closeness: np.ndarray) -> np.ndarray:
    """A paper without a vector counts as the least close one."""
    known = closeness[~np.isnan(closeness)]
    return np.where(np.isnan(closeness), float(known.min()) if len(known) else 0.0, closeness)
