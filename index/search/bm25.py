"""BM25 of given papers for words and for words side by side, from the forward index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from index.search.forward_index import FieldWords
from index.search.word_codes import BESIDE

K1, B = 1.2, 0.75
"""As tantivy has them, which finds the papers that are scored here."""
_SLOTS = 1 << 16
_SLOT = np.uint32(_SLOTS - 1)


def idf(held: np.ndarray, papers: int) -> np.ndarray:
    """The idf of terms that ``held`` of all papers have (at most all): float64.

    Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), eq. 3.2, made positive.
    """
    held = np.minimum(held, papers)
    return np.asarray(np.log1p((papers - held + 0.5) / (held + 0.5)))


def weighted(counts: np.ndarray, field: FieldWords) -> np.ndarray:
    """What occurrences count in papers of these lengths: float64; both of shape (papers, terms)."""
    longer = K1 * (1 - B + B * field.lengths / field.average)
    return np.asarray((K1 + 1) * counts / (counts + longer[:, None]))


@dataclass(frozen=True)
class Occurrences:
    """Where some terms stand in a field of some papers.

    Attributes
    ----------
    field
        The field.
    at
        int64, shape (occurrences,): the places in ``field.codes``, ascending.
    term
        int64, shape (occurrences,): the number of the term that stands there.
    terms
        How many terms were looked for.
    """

    field: FieldWords
    at: np.ndarray
    term: np.ndarray
    terms: int

    @classmethod
    def find(cls, field: FieldWords, terms: Sequence[Sequence[int]]) -> Occurrences:
        """Where terms stand; each is given by the codes of its forms."""
        number_of = {code: number for number, codes in enumerate(terms) for code in codes}
        codes = np.array(sorted(number_of), np.uint32)
        numbers = np.array([number_of[code] for code in codes.tolist()], np.int64)
        bare = field.codes & ~BESIDE
        if not len(codes) or not len(bare):
            none = np.zeros(0, np.int64)
            return cls(field, none, none, len(terms))
        maybe = np.zeros(_SLOTS, bool)
        maybe[codes >> BESIDE & _SLOT] = True
        at = np.flatnonzero(maybe[bare >> BESIDE & _SLOT])  # few are left to be looked up
        near = np.minimum(np.searchsorted(codes, bare[at]), len(codes) - 1)
        found = codes[near] == bare[at]
        return cls(field, at[found], numbers[near[found]], len(terms))

    def counts(self) -> np.ndarray:
        """How often each paper has each term: int64, shape (papers, terms)."""
        return _counted(self.field.paper[self.at], self.term, len(self.field.lengths), self.terms)

    def counts_beside(self, pairs: np.ndarray) -> np.ndarray:
        """How often each paper has two terms side by side, in this order: int64, shape (papers, pairs).

        ``pairs`` are numbers of terms: int64, shape (pairs, 2), none twice.
        """
        number = np.full(self.terms**2, -1, np.int64)
        number[pairs[:, 0] * self.terms + pairs[:, 1]] = np.arange(len(pairs))
        first, second = self.at[:-1], self.at[1:]
        beside = (second == first + 1) & (self.field.codes[second] & BESIDE == BESIDE)
        pair = number[self.term[:-1][beside] * self.terms + self.term[1:][beside]]
        paper = self.field.paper[second[beside]]
        return _counted(paper[pair >= 0], pair[pair >= 0], len(self.field.lengths), len(pairs))


def _counted(row: np.ndarray, column: np.ndarray, rows: int, columns: int) -> np.ndarray:
    return np.bincount(row * columns + column, minlength=rows * columns).reshape(rows, columns)
