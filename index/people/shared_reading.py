"""Papers that two people would both read: by neither of them, and similar to the work of both."""

from __future__ import annotations

from typing import cast

import numpy as np

from index.search.vectors import Vectors

POOL = 60
"""Nearest papers to both that are looked at."""


def shared_reading(
    vectors: Vectors, mine: np.ndarray, theirs: np.ndarray, most: int
) -> list[tuple[int, float]]:
    """The papers closest to both people's work, each with the lesser of its two similarities.

    Parameters
    ----------
    mine, theirs
        Store ids of the papers of each.
    """
    one, other = _direction(vectors, mine), _direction(vectors, theirs)
    if one is None or other is None:
        return []
    between = (one + other) / np.linalg.norm(one + other)
    found, _ = vectors.search(between.astype(np.float32), POOL)
    own = set(mine.tolist()) | set(theirs.tolist())
    candidates = [int(paper) for paper in found if int(paper) not in own]
    if not candidates:
        return []
    lesser = np.minimum(vectors.closeness(one, candidates), vectors.closeness(other, candidates))
    order = np.argsort(-lesser, kind="stable")[:most]
    return [(candidates[place], float(lesser[place])) for place in order]


def _direction(vectors: Vectors, papers: np.ndarray) -> np.ndarray | None:
    """The mean direction of some papers, of length one; None where none of them is embedded."""
    total = vectors.rows(papers).astype(np.float32).sum(axis=0)
    return cast(np.ndarray, total / np.linalg.norm(total)) if total.any() else None
