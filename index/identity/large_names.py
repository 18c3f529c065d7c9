"""Names with thousands of authorships, sorted in parts so that the cost stays linear.

Authorships are halved by their work until a part is small, each part is sorted like a name of its own, and
groups of different parts that share coauthors are compared again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

LARGEST = 1_200
"""Authorships of one name that are compared with each other, all with all."""
NEAREST = 12
"""Groups of other parts with which a group is compared: those with the most coauthors in common."""
PAIRS = 5_000
"""Random pairs from which the prior of such a name is estimated."""
_MOST_GROUPS = 60
"""A coauthor of more groups than this does not help to tell them apart."""
MEMBERS = 25
"""The most authorships of each group in that comparison."""


def parts(authorships: np.ndarray, vectors: np.ndarray) -> list[np.ndarray]:
    """Authorships in parts of similar work, each of at most :data:`LARGEST`; ``vectors`` has a row for each.

    Each cut is at the median along the direction in which the rows differ most.
    """
    if len(authorships) <= LARGEST:
        return [authorships]
    rows = np.asarray(vectors, np.float32)
    rows = rows - rows.mean(axis=0)
    _, directions = np.linalg.eigh(rows.T @ rows)
    order = np.argsort(rows @ directions[:, -1], kind="stable")
    sides = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    return [part for side in sides for part in parts(authorships[side], vectors[side])]


def across(
    groups: Sequence[np.ndarray], part: np.ndarray, coauthors: sparse.csr_matrix, weights: np.ndarray
) -> Iterator[tuple[int, int]]:
    """Pairs of groups of different parts that share coauthors, smaller place first.

    Parameters
    ----------
    groups
        The authorships of each group.
    part
        int64, shape (groups,): the part that each is from.
    coauthors
        Authorships x names: the other authors of each authorship's paper.
    weights
        float32, shape (names,): how telling it is to share a name.
    """
    of_group = sparse.csr_matrix(
        (
            np.ones(sum(map(len, groups)), np.float32),
            (np.repeat(np.arange(len(groups)), [len(g) for g in groups]), np.concatenate(groups)),
        ),
        (len(groups), coauthors.shape[0]),
    )
    wrote_with = (of_group @ coauthors).tocsr()
    wrote_with.data[:] = 1.0
    common = np.asarray(wrote_with.sum(axis=0)).ravel() > _MOST_GROUPS
    wrote_with = wrote_with @ sparse.diags(np.where(common, 0.0, 1.0).astype(np.float32))
    shared = (wrote_with @ sparse.diags(weights) @ wrote_with.T).tocsr()
    for one in range(len(groups)):
        row = slice(shared.indptr[one], shared.indptr[one + 1])
        others, values = shared.indices[row], shared.data[row]
        away = part[others] != part[one]
        others, values = others[away], values[away]
        for other in others[np.lexsort((others, -values))[:NEAREST]].tolist():
            yield (one, other) if one < other else (other, one)


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
