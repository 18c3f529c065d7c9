"""Queries of a few words, which papers match by printing them: a vector of one word says little."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from index.search.lexical import Term, WordIndex
from index.search.passages import sentences

SHORT = 3
"""A query of at most so many content words is short."""


def named(words: WordIndex, texts: Sequence[str], queries: Sequence[str]) -> np.ndarray:
    """Whether texts have all words of a short query in one sentence, in any form of each.

    Returns
    -------
    np.ndarray
        bool, shape (texts, queries); False for queries that are not short.
    """
    out = np.zeros((len(texts), len(queries)), bool)
    short = {at: terms for at, query in enumerate(queries) if 0 < len(terms := words.terms(query)) <= SHORT}
    if not short:
        return out
    for row, text in enumerate(texts):
        stems = words.stems(text)
        for at, terms in short.items():
            if _has(stems, terms):
                parts = map(words.stems, sentences(text)) if len(terms) > 1 else [stems]
                out[row, at] = any(_has(part, terms) for part in parts)
    return out


def _has(stems: set[str], terms: Sequence[Term]) -> bool:
    return all(term.stem in stems or (term.also and term.also in stems) for term in terms)
