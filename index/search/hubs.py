"""How near each paper stands to everything: a title without an abstract is near to many queries.

Such hubs come up for every query. How near one is on average says nothing about the query, so part of that is
taken off its closeness (Radovanović, Nanopoulos and Ivanović, Hubs in space, JMLR 2010). For papers with an
abstract, plain questions find more of what is meant with nothing taken off (docs/search.md).
"""

from __future__ import annotations

import threading

import numpy as np

from index.search.corpus import Corpus

TAKEN_OFF = 0.5
"""The share of its mean closeness that is taken off a paper without an abstract (docs/search.md)."""
SAMPLE = 4_000
"""Papers that stand for all."""
_GROWN = 1.25
"""The sample is drawn again when the number of papers has grown by this factor."""


class Hubs:
    """Where the library's papers stand on average; safe to use from several threads."""

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus
        self._mean: np.ndarray | None = None
        self._held = 0
        self._lock = threading.Lock()

    def centre(self) -> np.ndarray | None:
        """The mean vector of a sample, float32, shape (dimension,): its product is the mean cosine."""
        vectors = self._library.vectors
        held = len(vectors) if vectors is not None else 0
        if vectors is None or not held:
            return None
        with self._lock:
            if self._mean is None or not self._held / _GROWN <= held <= self._held * _GROWN:
                ids, _ = vectors.known()
                places = np.linspace(0, len(ids) - 1, min(SAMPLE, len(ids))).astype(int)
                self._mean = vectors.rows(np.sort(ids)[places]).astype(np.float32).mean(axis=0)
                self._held = held
            return self._mean
