"""Pairs of groups under different names that could be one person's, with their features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from index.identity.authorships import Authorships
from index.identity.evidence import Evidence
from index.identity.group_pairs import POOLED, pooled
from index.identity.large_names import most_in_common
from index.identity.models import Models
from index.identity.person_names import partners, relation
from index.models.distinct import distinct

VARIANT_FEATURES = ("relation", "candidates", "other_candidates", "spelled_names")
MANY = 40
"""Groups under other names with which a group is compared; of more, those with most coauthors in common."""


@dataclass(frozen=True)
class Variants:
    """Pairs of groups (int32, shape (n, 2)) with features (float32, shape (n, features))."""

    pairs: np.ndarray
    features: np.ndarray

    @classmethod
    def joined(cls, parts: Iterable[Variants]) -> Variants:
        """All pairs of some parts together."""
        every = list(parts)
        if not every:
            return cls(np.zeros((0, 2), np.int32), np.zeros((0, POOLED + len(VARIANT_FEATURES)), np.float32))
        return cls(
            np.concatenate([one.pairs for one in every]), np.concatenate([one.features for one in every])
        )


@dataclass(frozen=True)
class _Side:
    """The groups of a name, and the names that it could stand for."""

    groups: list[int]
    partners: list[int]


def find_variants(
    authorships: Authorships,
    evidence: Evidence,
    models: Models,
    groups: list[np.ndarray],
    fresh: set[int] | None = None,
) -> Iterator[Variants]:
    """Find the pairs of groups whose names one person could use; they come some at a time, in order.

    A large family has too many pairs to keep the features of all. With ``fresh``, only pairs that contain
    one of these groups. The cost grows with the number of groups: one that could be any of many is
    compared with those that share coauthors with it.
    """
    ids, names = authorships.name_ids
    of_name: dict[int, list[int]] = {}
    for place, group in enumerate(groups):
        of_name.setdefault(int(ids[group[0]]), []).append(place)
    sides = {name: _Side(places, []) for name, places in sorted(of_name.items())}
    used = list(sides)
    many = np.zeros(len(groups))
    couples: list[tuple[int, int]] = []
    for one, other in partners([names[name] for name in used]):
        a, b = used[one], used[other]
        sides[a].partners.append(b)
        sides[b].partners.append(a)
        many[of_name[a]] += len(of_name[b])
        many[of_name[b]] += len(of_name[a])
        couples.append((a, b))
    pairs, of_couple = _candidates(evidence, groups, sides, couples, many, fresh)
    if not len(pairs):
        return
    relations = np.array([relation(names[a], names[b]) for a, b in couples], np.float32)
    spelled = np.array([int(names[a].spelled) + int(names[b].spelled) for a, b in couples], np.float32)
    start = 0
    for rows, _ in pooled(evidence, models, groups, pairs):
        part = slice(start, start + len(rows))
        start = part.stop
        one, other = pairs[part].T
        context = np.stack(
            [
                relations[of_couple[part]],
                np.log1p(np.minimum(many[one], many[other])),
                np.log1p(np.maximum(many[one], many[other])),
                spelled[of_couple[part]],
            ],
            axis=1,
        )
        yield Variants(pairs[part], np.concatenate([rows, context], axis=1).astype(np.float32))


def _candidates(
    evidence: Evidence,
    groups: Sequence[np.ndarray],
    sides: dict[int, _Side],
    couples: list[tuple[int, int]],
    many: np.ndarray,
    fresh: set[int] | None,
) -> tuple[np.ndarray, np.ndarray]:
    """(pairs of groups to compare, int32, shape (n, 2); for each the place of its names in ``couples``)."""
    new = np.ones(len(groups), bool)
    if fresh is not None:
        new[:] = False
        new[sorted(fresh)] = True
    few = many <= MANY
    keys: list[np.ndarray] = []  # of one number a pair: a large family has tens of millions
    for number, (a, b) in enumerate(couples):
        left, right = np.array(sides[a].groups), np.array(sides[b].groups)
        if not (new[left].any() or new[right].any()):
            continue
        for some, others in ((left[few[left]], right), (left[~few[left]], right[few[right]])):
            one, other = np.repeat(some, len(others)), np.tile(others, len(some))
            wanted = new[one] | new[other]
            keys.append(_keys(number, one[wanted], other[wanted], len(groups)))
    numbers = {couple: number for number, couple in enumerate(couples)}
    for name, side in sides.items():
        crowded = [place for place in side.groups if not few[place] and new[place]]
        beside = [
            (place, partner)
            for partner in (side.partners if crowded else ())
            for place in sides[partner].groups
            if not few[place]
        ]
        near = _near(evidence, groups, name, crowded, beside, numbers)
        keys.append(_keys(near[:, 0], near[:, 1], near[:, 2], len(groups)))
    whole = distinct(np.concatenate(keys)) if keys else np.zeros(0, np.int64)
    del keys
    of_couple, ends = np.divmod(whole, len(groups) ** 2)
    del whole
    return np.stack(np.divmod(ends, len(groups)), axis=1).astype(np.int32), of_couple.astype(np.int32)


def _keys(number: int | np.ndarray, one: np.ndarray, other: np.ndarray, groups: int) -> np.ndarray:
    """A couple of names and two groups as one int64: it holds 30 million couples of half a million groups."""
    keys: np.ndarray = (np.int64(number) * groups + one) * groups + other
    return keys


def _near(
    evidence: Evidence,
    groups: Sequence[np.ndarray],
    name: int,
    crowded: list[int],
    others: list[tuple[int, int]],
    numbers: dict[tuple[int, int], int],
) -> np.ndarray:
    """The other groups that have most coauthors by initials in common with each of a name's crowded ones.

    Returns int64, shape (pairs, 3): the couple of names, and a group of the one and of the other.
    """
    if not crowded or not others:
        return np.zeros((0, 3), np.int64)
    weights = evidence.statistics.short_weights
    mine = evidence.coauthors([groups[place] for place in crowded], short=True)
    theirs = evidence.coauthors([groups[place] for place, _ in others], short=True)
    rows: list[tuple[int, int, int]] = []
    for one, other in most_in_common(mine, theirs, weights):
        place, (partner, partner_name) = crowded[one], others[other]
        couple = (name, partner_name)
        if couple in numbers:
            rows.append((numbers[couple], place, partner))
        else:
            rows.append((numbers[partner_name, name], partner, place))
    return np.array(rows, np.int64).reshape(-1, 3)
