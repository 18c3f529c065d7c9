"""Names with hundreds of authorships, sorted in parts so that the cost stays linear.

Authorships that share coauthors form teams. Teams are parted by their work and their coauthors until each
part is small. A part is sorted like a name of its own, and groups of different parts that share coauthors
are compared again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import DisjointSet
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.utils.extmath import randomized_svd

LARGEST = 300
"""Authorships of one name that are compared with each other, all with all."""
NEAREST = 12
"""Other groups with which a group is compared: those with the most coauthors in common."""
PAIRS = 5_000
"""Random pairs from which the prior of such a name is estimated."""
_MOST_GROUPS = 60
"""A coauthor of more groups than this does not help to tell them apart."""
_SKETCH = 128
"""Numbers that stand for the coauthors of an authorship."""
_CIRCLE = 2.0
"""How much more the coauthors count than the work where a name is cut in parts."""
_ROWS = 2_000


def parts(authorships: np.ndarray, features: np.ndarray, teams: np.ndarray) -> list[np.ndarray]:
    """Authorships in parts that are alike, each of at most :data:`LARGEST`; no team is in two.

    Each cut is near the median along the direction in which the rows differ most, or nearly so.

    Parameters
    ----------
    features
        A row for each authorship.
    teams
        The team of each authorship (:func:`teams_of`), integers.
    """
    if len(authorships) <= LARGEST:
        return [authorships]
    rows = np.asarray(features, np.float32)
    rows = rows - rows.mean(axis=0)
    _, _, directions = randomized_svd(rows, 1, random_state=0)
    _, team, sizes = np.unique(teams, return_inverse=True, return_counts=True)
    order = np.argsort(np.bincount(team, rows @ directions[0]) / sizes, kind="stable")
    before = np.cumsum(sizes[order]) <= len(authorships) // 2
    before[0], before[-1] = True, False
    first = np.zeros(len(sizes), bool)
    first[order[before]] = True
    sides = np.flatnonzero(first[team]), np.flatnonzero(~first[team])
    return [part for side in sides for part in parts(authorships[side], features[side], teams[side])]


def teams_of(coauthors: sparse.csr_matrix, weights: np.ndarray) -> np.ndarray:
    """The team of each authorship: those linked by what coauthors they share, strongest links first.

    Single linkage, along the tree of the strongest links. One that would make a team larger than half of
    :data:`LARGEST` is left out: namesakes among the coauthors link most teams in the end.

    Parameters
    ----------
    coauthors
        Authorships x names: 1 where an authorship is with somebody of that name.
    weights
        float32, shape (names,): how telling it is to share a name.

    Returns
    -------
    numpy.ndarray
        int64, shape (authorships,).
    """
    names, counts = np.unique(coauthors.indices, return_counts=True)
    names = names[(counts > 1) & (counts <= _MOST_GROUPS)]
    telling = _only(coauthors, names)
    if len(names):
        telling.data *= np.sqrt(weights[names])[telling.indices]
    shared = sparse.triu(telling @ telling.T, 1).tocsr()
    shared.data = 1 / np.maximum(shared.data, 1e-6)
    links = minimum_spanning_tree(shared).tocoo()
    teams = DisjointSet(range(coauthors.shape[0]))
    for place in np.argsort(links.data, kind="stable").tolist():
        one, other = int(links.row[place]), int(links.col[place])
        if teams.subset_size(one) + teams.subset_size(other) <= LARGEST // 2:
            teams.merge(one, other)
    return np.array([teams[place] for place in range(coauthors.shape[0])], np.int64)


def work_and_circle(vectors: np.ndarray, coauthors: sparse.csr_matrix, weights: np.ndarray) -> np.ndarray:
    """The vector of each authorship's paper beside a sketch of its coauthors, float32.

    A sketch adds up a random direction for each coauthor, by the rarity of the name.
    """
    names, column = np.unique(coauthors.indices, return_inverse=True)
    directions = np.random.default_rng(len(names)).standard_normal((len(names), _SKETCH)).astype(np.float32)
    local = sparse.csr_matrix(
        (weights[coauthors.indices], column, coauthors.indptr), (coauthors.shape[0], len(names))
    )
    sketch = np.asarray(local @ directions)
    sketch *= _CIRCLE / np.maximum(np.linalg.norm(sketch, axis=1, keepdims=True), 1e-6)
    return np.concatenate([np.asarray(vectors, np.float32), sketch], axis=1)


def most_in_common(
    one: sparse.csr_matrix, other: sparse.csr_matrix, weights: np.ndarray, part: np.ndarray | None = None
) -> Iterator[tuple[int, int]]:
    """For each group of one side those of the other with most coauthors in common, as pairs of places.

    Parameters
    ----------
    one, other
        Groups x names: 1 where a group wrote with somebody of that name.
    weights
        float32, shape (names,): how telling it is to share a name.
    part
        int64, shape (groups,), if both sides are the same groups: the part that each is from. Only groups of
        different parts count, each pair once, smaller place first.
    """
    names, counts = np.unique(other.indices, return_counts=True)
    names = np.intersect1d(names[counts <= _MOST_GROUPS], one.indices)
    left, right = (_only(side, names) for side in (one, other))
    left.data *= weights[names][left.indices]
    turned = right.T.tocsr()
    seen: set[tuple[int, int]] = set()
    for start in range(0, one.shape[0], _ROWS):
        shared = (left[start : start + _ROWS] @ turned).tocsr()
        for row in range(shared.shape[0]):
            span = slice(shared.indptr[row], shared.indptr[row + 1])
            others, values, place = shared.indices[span], shared.data[span], start + row
            if part is not None:
                away = part[others] != part[place]
                others, values = others[away], values[away]
            for found in others[np.lexsort((others, -values))[:NEAREST]].tolist():
                pair = (place, found) if part is None or place < found else (found, place)
                if pair not in seen:
                    seen.add(pair)
                    yield pair


def _only(groups: sparse.csr_matrix, names: np.ndarray) -> sparse.csr_matrix:
    """The columns of these names."""
    place = np.minimum(np.searchsorted(names, groups.indices), max(len(names) - 1, 0))
    kept = names[place] == groups.indices if len(names) else np.zeros(len(groups.indices), bool)
    rows = np.repeat(np.arange(groups.shape[0]), np.diff(groups.indptr))[kept]
    return sparse.csr_matrix(
        (np.ones(len(rows), np.float32), (rows, place[kept])), (groups.shape[0], max(len(names), 1))
    )


def random_pairs(authorships: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A sample of pairs of different authorships, the same each time."""
    rng = np.random.default_rng(len(authorships))
    one, other = rng.integers(0, len(authorships), (2, PAIRS))
    return authorships[one[one != other]], authorships[other[one != other]]


def few(authorships: np.ndarray, most: int) -> np.ndarray:
    """At most so many of them, evenly spread."""
    if len(authorships) <= most:
        return authorships
    return np.asarray(authorships[np.linspace(0, len(authorships) - 1, most).astype(int)])
