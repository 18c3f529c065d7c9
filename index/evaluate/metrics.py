"""The measures that evaluations print, with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 1_000


def reciprocal_rank(rank: int | None) -> float:
    """1 / rank, counted from 1; 0 if the item was not found."""
    return 1.0 / rank if rank else 0.0


def interval(values: Sequence[float] | np.ndarray, seed: int = 0) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the mean (Efron and Tibshirani 1993, chapter 13)."""
    sample = np.asarray(values, np.float64)
    if not len(sample):
        return 0.0, 0.0
    draws = np.random.default_rng(seed).integers(0, len(sample), (RESAMPLES, len(sample)))
    low, high = np.percentile(sample[draws].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def summary(name: str, values: Sequence[float] | np.ndarray, seed: int = 0) -> dict[str, float]:
    """The mean of a measure and its interval, under ``name``, ``name_low``, ``name_high``."""
    low, high = interval(values, seed)
    mean = float(np.mean(values)) if len(values) else 0.0
    return {name: round(mean, 4), f"{name}_low": round(low, 4), f"{name}_high": round(high, 4)}
