"""Which passages of one paper a question is about: its words, and its meaning."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from index.answers.matching import stems, terms

K1, B = 1.2, 0.75
"""BM25's constants (Robertson and Zaragoza 2009, section 3.5)."""


def ranked(
    texts: Sequence[str], question: str, rows: np.ndarray | None = None, meant: np.ndarray | None = None
) -> tuple[list[int], list[float] | None]:
    """Places of texts from best to worst, and each one's closeness to the question.

    Parameters
    ----------
    rows, meant
        Unit vectors: float32, shapes (texts, dimension) and (dimension,); None without a model.

    Returns
    -------
    tuple
        The order by BM25 within the paper (as a share of its largest value) plus the cosine; and the
        cosines, or None where there are no vectors.
    """
    by_words = _bm25([Counter(stems(text)) for text in texts], question)
    total = by_words / by_words.max() if len(texts) and by_words.max() > 0 else by_words
    closeness = None
    if rows is not None and meant is not None:
        closeness = rows @ meant
        total = total + closeness
    order = [int(place) for place in np.argsort(-total, kind="stable")]
    return order, [float(one) for one in closeness] if closeness is not None else None


def _bm25(counts: Sequence[Counter[str]], question: str) -> np.ndarray:
    """float64, shape (texts,): 0 where a text has none of the question's words."""
    found = Counter(stem for one in counts for stem in one)

    def rarity(stem: str) -> float:
        return math.log(1 + (len(counts) - found[stem] + 0.5) / (found[stem] + 0.5))

    wanted = terms(question, rarity)
    lengths = np.array([one.total() for one in counts], float)
    mean = float(lengths.mean()) if len(counts) else 1.0
    scores = np.zeros(len(counts))
    for place, one in enumerate(counts):
        norm = K1 * (1 - B + B * lengths[place] / (mean or 1.0))
        scores[place] = sum(
            weight * one[stem] * (K1 + 1) / (one[stem] + norm) for stem, weight in wanted.items()
        )
    return scores
