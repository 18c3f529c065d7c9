"""Groups of numbers in one array, so that one look-up serves them all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np


def joined(groups: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Groups one after another, and which group each number is of; both int64, of the same length."""
    sizes = [len(group) for group in groups]
    return np.concatenate([np.zeros(0, np.int64), *groups]), np.repeat(np.arange(len(groups)), sizes)


def slices(group: np.ndarray, count: int) -> list[slice]:
    """Where each of ``count`` groups stands, from the ascending group numbers of an array."""
    ends = np.searchsorted(group, np.arange(count + 1)).tolist()
    return [slice(*both) for both in pairwise(ends)]
