"""A day's papers as a map: a place for each paper, and a name for each region."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from index.digest.encoder import Items
from index.search.passages import WEAK

FEWEST, MOST = 4, 10
"""Regions of a map."""
A_REGION = 18
"""About how many papers make a region of their own."""
NAMING = 0.1
"""The share of a region's papers that must have the words of its name."""
PAIR = 2.2
"""How much more a pair of words says than a single one."""
_SEED = 0
Namer = Callable[[np.ndarray], Sequence[str | None]]
"""Gives each region its name, or None, from the region of each paper."""


@dataclass(frozen=True)
class DayMap:
    """Regions of a set of papers.

    Attributes
    ----------
    places
        float32, shape (papers, 2): papers of like words and meaning lie together.
    region
        int64, shape (papers,): the region of each.
    names
        The topic of each region, in a word or two.
    """

    places: np.ndarray
    region: np.ndarray
    names: tuple[str, ...]


def day_map(items: Items, vocabulary: Sequence[str], namer: Namer | None = None) -> DayMap:
    """Papers on a plane, in regions (k-means) named by a topic of their papers, else by distinctive words.

    Parameters
    ----------
    namer
        Names the regions by topics.
    """
    from sklearn.cluster import KMeans  # lazy: takes half a second

    count = int(np.clip(len(items) // A_REGION, FEWEST, MOST))
    count = min(count, len(items))
    places = layout(_apart(items))
    count = min(count, len(np.unique(places.round(3), axis=0)))  # papers of one text lie on one spot
    region = KMeans(count, n_init=3, random_state=_SEED).fit_predict(places)
    _, region = np.unique(region, return_inverse=True)
    overall = np.asarray(items.words.mean(axis=0)).ravel()
    names: list[str] = []
    given = namer(region) if namer else [None] * (int(region.max()) + 1)
    for number, name in enumerate(given):
        inside = items.words[np.flatnonzero(region == number)]
        apart = np.asarray(inside.mean(axis=0)).ravel() - overall
        # Words that hardly any paper of a region has do not name it.
        apart *= np.asarray((inside > 0).sum(axis=0)).ravel() >= max(2, NAMING * inside.shape[0])
        names.append(name or _name(apart, vocabulary, names))
    return DayMap(places, region.astype(np.int64), tuple(names))


def _name(apart: np.ndarray, vocabulary: Sequence[str], taken: Sequence[str]) -> str:
    used = {word for name in taken for word in name.split()}
    best: tuple[float, str] = (0.0, "other")
    for place in np.argsort(-apart)[:40]:
        words = vocabulary[int(place)].split()
        if apart[place] <= 0 or any(word in WEAK or word in used or len(word) < 3 for word in words):
            continue
        value = float(apart[place]) * (PAIR if len(words) > 1 else 1.0)
        if value > best[0]:
            best = (value, " ".join(words))
    return best[1]


def _apart(items: Items) -> np.ndarray:
    """What lays papers out: their joint places beside their meaning, each without what the day shares."""
    parts = [part.astype(np.float64) for part in (items.joint, items.meaning)]
    parts = [part - part.mean(axis=0) for part in parts]
    return np.hstack([part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-9) for part in parts])


def layout(rows: np.ndarray) -> np.ndarray:
    """Places on a plane, where papers near in their space stay near: float32, shape (papers, 2).

    t-SNE (van der Maaten and Hinton 2008) begun at the principal components, so the same for the same papers.
    """
    from sklearn.manifold import TSNE  # lazy: takes half a second

    found = TSNE(
        perplexity=min(25.0, (len(rows) - 1) / 3),
        init="pca",
        learning_rate="auto",
        max_iter=500,
        random_state=_SEED,
    )
    return np.asarray(found.fit_transform(rows.astype(np.float64)), np.float32)
