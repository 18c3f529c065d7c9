"""Pairs of groups under different names that could be one person's, with their features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from index.identity.authorships import Authorships
from index.identity.clusters import MATRICES, batches, between
from index.identity.evidence import FEATURES, PAIR_COLUMNS, Evidence
from index.identity.models import Models
from index.identity.person_names import partners, relation
from index.models.shipped import margins

VARIANT_FEATURES = ("relation", "candidates", "other_candidates", "spelled_names")
_PAIRS_AT_ONCE = 400_000


@dataclass(frozen=True)
class Variants:
    """Pairs of groups (int64, shape (n, 2)) with features (float32, shape (n, features))."""

    pairs: np.ndarray
    features: np.ndarray


def find_variants(
    authorships: Authorships,
    evidence: Evidence,
    models: Models,
    groups: list[np.ndarray],
    fresh: set[int] | None = None,
) -> Variants:
    """Find the pairs of groups whose names one person could use.

    With ``fresh``, only pairs that contain one of these groups.
    """
    ids, names = authorships.name_ids
    of_name: dict[int, list[int]] = {}
    for place, group in enumerate(groups):
        of_name.setdefault(int(ids[group[0]]), []).append(place)
    used = sorted(of_name)
    many = np.zeros(len(groups))
    sides: list[tuple[list[int], list[int]]] = []
    for one, other in partners([names[name] for name in used]):
        a, b = used[one], used[other]
        many[of_name[a]] += len(of_name[b])
        many[of_name[b]] += len(of_name[a])
        if fresh is None:
            sides.append((of_name[a], of_name[b]))
            continue
        sides.append(([p for p in of_name[a] if p in fresh], of_name[b]))
        sides.append(([p for p in of_name[a] if p not in fresh], [p for p in of_name[b] if p in fresh]))
    sides = [side for side in sides if side[0] and side[1]]
    pairs: list[np.ndarray] = []
    rows: list[np.ndarray] = []
    for part in batches([_as_block(groups, *side) for side in sides], _PAIRS_AT_ONCE):
        _compare(authorships, evidence, models, groups, sides[part], many, pairs, rows)
    width = 5 + 2 * len(MATRICES) + len(VARIANT_FEATURES)
    return Variants(
        np.concatenate(pairs) if pairs else np.zeros((0, 2), np.int64),
        np.concatenate(rows) if rows else np.zeros((0, width), np.float32),
    )


def _compare(
    authorships: Authorships,
    evidence: Evidence,
    models: Models,
    groups: list[np.ndarray],
    sides: list[tuple[list[int], list[int]]],
    many: np.ndarray,
    pairs: list[np.ndarray],
    rows: list[np.ndarray],
) -> None:
    """Append the pairs between the two sides, and their features, to ``pairs`` and ``rows``."""
    ids, names = authorships.name_ids
    members = [tuple(np.concatenate([groups[p] for p in side]) for side in both) for both in sides]
    features = evidence.compare(
        np.concatenate([np.repeat(left, len(right)) for left, right in members]),
        np.concatenate([np.tile(right, len(left)) for left, right in members]),
    )
    scores = margins(models.pairs, features[:, PAIR_COLUMNS])
    start = 0
    for (one_side, other_side), (left, right) in zip(sides, members, strict=True):
        stop, shape = start + len(left) * len(right), (len(left), len(right))
        matrices = np.stack([features[start:stop, FEATURES.index(name)].reshape(shape) for name in MATRICES])
        starts = [
            np.concatenate([[0], np.cumsum([len(groups[p]) for p in side])[:-1]])
            for side in (one_side, other_side)
        ]
        pooled = between(scores[start:stop].reshape(shape), matrices, starts[0], starts[1])
        one, other = (grid.ravel() for grid in np.meshgrid(one_side, other_side, indexing="ij"))
        a, b = names[ids[left[0]]], names[ids[right[0]]]
        context = np.stack(
            [
                np.full(len(one), relation(a, b)),
                np.log1p(np.minimum(many[one], many[other])),
                np.log1p(np.maximum(many[one], many[other])),
                np.full(len(one), int(a.spelled) + int(b.spelled)),
            ],
            axis=1,
        )
        pairs.append(np.stack([one, other], axis=1))
        rows.append(np.concatenate([pooled.reshape(len(pooled), -1).T, context], axis=1).astype(np.float32))
        start = stop


def _as_block(groups: list[np.ndarray], one: list[int], other: list[int]) -> int:
    """The size of a block that has as many pairs as these two sides, for :func:`batches`."""
    left, right = (sum(len(groups[place]) for place in side) for side in (one, other))
    return int(np.sqrt(2 * left * right)) + 1
