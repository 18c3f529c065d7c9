"""A day's papers as a map: where each lies, and what the regions are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from index.passages import WEAK
from index.taste import Items

FEWEST, MOST = 4, 9
"""Regions of a map."""
A_REGION = 30
"""Papers that make a region of their own, about."""
_SEED = 0


@dataclass(frozen=True)
class DayMap:
    """Regions of a set of papers.

    Attributes
    ----------
    region
        int64, shape (papers,): the region of each.
    names
        What each region is about, in a word or two.
    """

    region: np.ndarray
    names: tuple[str, ...]


def day_map(items: Items, vocabulary: Sequence[str]) -> DayMap:
    """Papers in regions that lie together in the joint space (k-means), named by what sets their words apart."""
    from sklearn.cluster import KMeans  # takes half a second: not at every start

    count = int(np.clip(len(items) // A_REGION, FEWEST, MOST))
    count = min(count, len(items))
    region = KMeans(count, n_init=3, random_state=_SEED).fit_predict(items.joint).astype(np.int64)
    overall = np.asarray(items.words.mean(axis=0)).ravel()
    names: list[str] = []
    for number in range(count):
        inside = items.words[np.flatnonzero(region == number)]
        apart = np.asarray(inside.mean(axis=0)).ravel() - overall
        # A pair of words says more than each of them; what only one paper has names no region.
        apart *= np.asarray((inside > 0).sum(axis=0)).ravel() > 1
        names.append(_name(apart, vocabulary, names))
    return DayMap(region, tuple(names))


def _name(apart: np.ndarray, vocabulary: Sequence[str], taken: Sequence[str]) -> str:
    used = {word for name in taken for word in name.split()}
    best: tuple[float, str] = (0.0, "other")
    for place in np.argsort(-apart)[:40]:
        words = vocabulary[int(place)].split()
        if apart[place] <= 0 or any(word in WEAK or word in used or len(word) < 3 for word in words):
            continue
        value = float(apart[place]) * (1.6 if len(words) > 1 else 1.0)
        if value > best[0]:
            best = (value, " ".join(words))
    return best[1]


def layout(joint: np.ndarray) -> np.ndarray:
    """Places on a plane at which papers that lie together in the joint space lie together: float32, shape (papers, 2).

    t-SNE (van der Maaten and Hinton 2008) begun at the principal components, so the same for the same papers.
    """
    from sklearn.manifold import TSNE

    found = TSNE(
        perplexity=min(25.0, (len(joint) - 1) / 3),
        init="pca",
        learning_rate="auto",
        max_iter=500,
        random_state=_SEED,
    )
    return np.asarray(found.fit_transform(joint.astype(np.float64)), np.float32)
