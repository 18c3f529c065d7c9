"""A library's own words: what sets a taste's papers apart from others of the same library.

The learned parts of a taste know the words of the papers that they were learned from. A library of another
field or decade uses other words, so there its own words count for more.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from index.digest.encoder import WORDS

SAMPLE, OTHERS = 12_000, 3_000
"""How many of a library's papers its words are counted from, and how many serve as negative examples."""
LEAST = 200
"""A smaller library has too few papers to weigh words."""
WEIGHT, STRANGE = 0.25, 2.4
"""The weight of the library's words beside a ranking that knows them, and how fast the ranking loses its say
as the share of unknown words grows: it has none left at 42 %."""
_PENALTY = 0.1
KEPT = 5_000
"""Texts that stay counted, so that a day's papers are counted once for all channels."""


def standard(values: np.ndarray) -> np.ndarray:
    """Standard deviations above the mean, float32."""
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-6), np.float32)


class LocalWords:
    """The words of a sample of a library's papers, as :func:`index.digest.encoder.words_text` has them."""

    def __init__(self, texts: Sequence[str], known: Collection[str]) -> None:
        """Count words.

        Parameters
        ----------
        known
            The words (and pairs of words) that the learned ranking knows.
        """
        from sklearn.feature_extraction.text import TfidfVectorizer  # lazy: takes half a second

        self._counter: Any = TfidfVectorizer(max_features=20_000, min_df=2, max_df=0.1, **WORDS)
        self._others = None
        self._rows: OrderedDict[str, tuple[np.ndarray, np.ndarray]] = OrderedDict()
        """For each text, latest last: the places of its words, and their weights."""
        self._counting = threading.Lock()
        self.strange = 0.0
        """How little the learned ranking knows of the library's words: 0 to 1."""
        if len(texts) < LEAST:
            return
        try:
            rows = self._counter.fit_transform(texts).tocsr()
        except ValueError:  # no word is left, as in a library in Russian: the recipe's words are English
            return
        self._others = rows[np.linspace(0, len(texts) - 1, min(OTHERS, len(texts))).astype(int)]
        mass = np.asarray(rows.multiply(rows).sum(axis=0)).ravel()
        learned = set(known)
        strange = np.array([word not in learned for word in self.words])
        self.strange = min(1.0, STRANGE * float(mass[strange].sum() / max(mass.sum(), 1e-9)))

    @property
    def words(self) -> list[str]:
        """The words, and pairs of words, that are counted."""
        return [str(word) for word in self._counter.get_feature_names_out()]

    def rows(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Texts as rows of tf-idf in the library's words."""
        if self._others is None or not texts:
            return sparse.csr_matrix((len(texts), 1), dtype=np.float32)
        with self._counting:
            self._count([text for text in dict.fromkeys(texts) if text not in self._rows])
            rows = [self._rows[text] for text in texts]
            for text in texts:
                self._rows.move_to_end(text)
            while len(self._rows) > KEPT:
                self._rows.popitem(last=False)
        ends = np.cumsum([0, *(len(places) for places, _ in rows)])
        places, weights = (np.concatenate(part) for part in zip(*rows, strict=True))
        return sparse.csr_matrix((weights, places, ends), (len(texts), self._others.shape[1]))

    def _count(self, texts: Sequence[str]) -> None:
        if not texts:
            return
        counted = self._counter.transform(texts).tocsr()
        for text, start, end in zip(texts, counted.indptr[:-1], counted.indptr[1:], strict=True):
            self._rows[text] = counted.indices[start:end].copy(), counted.data[start:end].copy()

    def beside(
        self,
        learned: np.ndarray,
        nearest: np.ndarray,
        candidates: sparse.csr_matrix,
        taste: sparse.csr_matrix,
    ) -> np.ndarray:
        """The scores of candidates with the library's words beside what was learned, in standard deviations.

        Where the words are strange, the learned ranking gives way to them and to plain similarity.

        Parameters
        ----------
        learned, nearest
            Shape (candidates,): the learned scores, and the cosine with the most similar paper of the taste.
        candidates, taste
            :meth:`rows` of both.
        """
        if self._others is None:
            return standard(learned)
        words = standard(self.scores(candidates, taste))
        return (
            (1 - self.strange) * standard(learned)
            + (WEIGHT + self.strange) * words
            + self.strange * standard(nearest)
        )

    def scores(self, candidates: sparse.csr_matrix, taste: sparse.csr_matrix) -> np.ndarray:
        """How much candidates look like a taste rather than like the library: float32, shape (candidates,).

        A linear support vector machine between the taste's papers and the sample, which is
        arxiv-sanity-lite's recommendation. Candidates and taste are :meth:`rows`.
        """
        from sklearn.svm import LinearSVC  # lazy: takes half a second

        if self._others is None or not taste.shape[0]:
            return np.zeros(candidates.shape[0], np.float32)
        model = LinearSVC(class_weight="balanced", C=_PENALTY, max_iter=2_000)
        model.fit(
            sparse.vstack([taste, self._others]),
            np.repeat([1.0, 0.0], [taste.shape[0], self._others.shape[0]]),
        )
        return np.asarray(model.decision_function(candidates), np.float32)
