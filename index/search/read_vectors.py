"""The vectors of some papers, read once for several questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class ReadVectors:
    """The vectors of some papers.

    Attributes
    ----------
    rows
        float32, shape (papers that have one, dimension).
    has
        Which papers have one: bool, shape (papers,).
    """

    rows: np.ndarray
    has: np.ndarray

    def closeness(self, query: np.ndarray) -> np.ndarray:
        """Cosine with each paper's vector: float32, shape (papers,) or (queries, papers); NaN if it has none.

        Parameters
        ----------
        query
            float32, shape (dimension,) or (queries, dimension).
        """
        queries = np.atleast_2d(query)
        out = np.full((len(queries), len(self.has)), np.nan, np.float32)
        if len(self.rows):
            # Not a matrix product: for so few rows, its threads take longer to wake than to compute.
            out[:, self.has] = [np.einsum("ij,j->i", self.rows, one) for one in queries]
        return out.reshape(*query.shape[:-1], len(self.has))

    def mean(self, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The weighted mean of the vectors of the papers at some places, of zeros where there is none.

        float32, shape (dimension,).
        """
        held = self.has[places]
        rows = self.rows[(np.cumsum(self.has) - 1)[places[held]]]
        mean = (weights[held, None] * rows).sum(axis=0) / max(float(weights.sum()), 1e-9)
        return np.asarray(mean, np.float32)
