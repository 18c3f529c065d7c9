"""Sets of whole numbers as ascending arrays.

From 2.3 on, NumPy's ``unique`` hashes whole numbers, which takes twenty times as long as sorting them;
``intersect1d``, ``union1d`` and ``isin`` rest on it.
"""

from __future__ import annotations

import numpy as np


def distinct(values: np.ndarray) -> np.ndarray:
    """The different values, ascending; of the same type, shape (n,)."""
    ascending = np.sort(values, axis=None)
    first = np.ones(len(ascending), bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    chosen: np.ndarray = ascending[first]
    return chosen


def common(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The different values that are in both, ascending."""
    return np.intersect1d(distinct(one), distinct(other), assume_unique=True)


def is_in(values: np.ndarray, ascending: np.ndarray) -> np.ndarray:
    """Whether each value is in an ascending array: bool, of the shape of ``values``."""
    if not len(ascending):
        return np.zeros(values.shape, bool)
    at = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    found: np.ndarray = ascending[at] == values
    return found
