"""How much words count beside vectors, depending on the kind of query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from index.search import bm25
from index.search.lexical import Term

# Tuned with `python -m bot evaluate search` on other seeds; docs/search.md describes the evaluation.
OWN_WORDS, OTHER_WORDS = 36, 60
"""Up to the first number of content words a query may use the paper's own; from the second it paraphrases."""
WORDS_OWN, WORDS_OTHER = 1.5, 0.5
"""The weight of the words in each case."""
PAIRED = 0.3
"""The weight of two words side by side, beside that of each alone (1), in a paper with most of the words."""
PARTLY = 0.1
"""What is left of the words' weight where a paper has some words of a short question (docs/search.md)."""
MANY_WORDS = 8, 10
"""From the first to the second number of content words, all words of a question gain their full weight."""
HIGH_COVERAGE = 0.6, 0.9
"""From the first to the second coverage, a paper's words gain their full weight in a short question."""
OUTLIER, USUAL = (1.5, 2.5), 0.1
"""The same, from the first to the second multiple of the fourth best coverage, or of ``USUAL`` if more."""
SIMILAR_WORDS, SIMILAR_TITLE = 0.5, 0.1
"""Weights of shared words and shared title words, as a share of the paper's score with itself."""
SELF_SHARE = 0.6
"""The share of the ideal score that a text usually reaches with itself; the unit for pasted texts."""
RARE_TITLES = 3
"""A word that occurs in at most this many titles names their subject."""
RARE_ABSTRACTS = 60
SHARE = 50
"""Among few papers, a word is rare if at most one in this many has it (or one paper)."""


@dataclass(frozen=True, slots=True)
class QueryKind:
    """The kind of a query."""

    words: float
    """The weight of the words' coverage (0..1) beside the cosine."""
    names: tuple[Term, ...]
    """Words that name a system: in few titles, and hardly anywhere else."""
    unknown: tuple[Term, ...]
    """Words that no title and no abstract has: typos, or names of unknown systems."""


def kind_of(terms: Sequence[Term], papers: int) -> QueryKind:
    """Judge a query by the number of its words and their rarity."""
    count = len(terms)
    retold = min(1.0, max(0.0, (count - OWN_WORDS) / (OTHER_WORDS - OWN_WORDS)))
    words = WORDS_OWN + (WORDS_OTHER - WORDS_OWN) * retold
    share = max(1, papers // SHARE)
    titles, few = min(RARE_TITLES, share), min(max(RARE_ABSTRACTS, papers // 2_000), share)
    names = tuple(t for t in terms if 0 < t.in_titles <= titles and t.in_abstracts <= few and len(t.word) > 2)
    unknown = tuple(t for t in terms if t.in_titles == 0 and t.in_abstracts == 0 and len(t.word) > 3)
    return QueryKind(words, names if count <= 4 else (), unknown if count <= 4 else ())


def ideal_score(terms: Sequence[Term], papers: int, title_weight: float) -> float:
    """Roughly the BM25 score of a paper with every word once in title and abstract: the unit of coverage.

    The sum of the words' idf in titles and in abstracts.
    """
    held = np.array([(term.in_titles, term.in_abstracts) for term in terms], np.float64).reshape(-1, 2)
    return float(bm25.idf(held, papers).sum(axis=0) @ [title_weight, 1.0])


def with_pairs(coverage: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Coverage with what words side by side add; both float64, shape (candidates,).

    They count by the square of the paper's share of the best coverage: two words side by side can tell the
    sense of a query, but do not make up for its other words.
    """
    best = float(coverage.max(initial=0.0))
    return coverage + PAIRED * pairs * (coverage / best) ** 2 if best > 0 else coverage


def weight_in_question(coverage: np.ndarray, words: int) -> np.ndarray:
    """The share of the words' weight that counts in a question: float64, shape (candidates,).

    People ask in other words than papers use, so what a few everyday words find is mostly chance. They count
    fully in a paper that has most of them, or far more than other papers, and if they are many, as in
    sentences of an abstract.

    Parameters
    ----------
    coverage
        Of each candidate: float64, shape (candidates,).
    words
        How many content words the question has.
    """
    fourth = max(float(np.sort(coverage)[-4:].min(initial=np.inf)), USUAL)
    gained = np.max(
        [
            np.broadcast_to(np.interp(words, MANY_WORDS, (0.0, 1.0)), coverage.shape),
            np.interp(coverage, HIGH_COVERAGE, (0.0, 1.0)),
            np.interp(coverage / fourth, OUTLIER, (0.0, 1.0)),
        ],
        axis=0,
    )
    return np.asarray(PARTLY + (1.0 - PARTLY) * gained)


def fuse_query(closeness: np.ndarray, coverage: np.ndarray, weight: float | np.ndarray) -> np.ndarray:
    """Scores for a query: the cosine, plus the coverage times its share of the best coverage.

    Because of the square, words decide if one paper has far more of them than the others (its title, its
    name, its own sentences), and count little if many papers are covered equally.
    """
    best = float(coverage.max(initial=0.0))
    return known_or_least(closeness) + (weight * coverage * coverage / best if best > 0 else 0.0)


def fuse_similar(closeness: np.ndarray, shared: np.ndarray, titles: np.ndarray) -> np.ndarray:
    """Scores for similarity to a paper: the cosine, plus the shares of its words and its title's words."""
    return known_or_least(closeness) + SIMILAR_WORDS * shared + SIMILAR_TITLE * titles


def known_or_least(closeness: np.ndarray) -> np.ndarray:
    """Closeness where a paper without a vector (NaN) counts as the least close one."""
    known = closeness[~np.isnan(closeness)]
    return np.where(np.isnan(closeness), float(known.min()) if len(known) else 0.0, closeness)
