"""Merging the groups of a large name, which was judged in parts, where their coauthors speak for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from index.identity import large_names
from index.identity.authorships import Authorships
from index.identity.clusters import FIRM, Block
from index.identity.evidence import Evidence
from index.identity.group_pairs import MEMBERS, pooled
from index.identity.models import Models
from index.identity.unions import CertainPairs, Union
from index.models.shipped import margins


def grouped(blocks: list[Block]) -> list[np.ndarray]:
    """The authorships of each group of some blocks, ascending."""
    return [block.authorships[sorted(group)] for block in blocks for group in block.groups]


@dataclass(frozen=True)
class PartMerger:
    """Merges the best pairs of groups first, and looks again at what a merged group says.

    Attributes
    ----------
    cut
        Log-odds from which two groups are one person's.
    """

    authorships: Authorships
    evidence: Evidence
    models: Models
    certain: CertainPairs
    cut: float

    def merged(self, blocks: list[Block]) -> list[np.ndarray]:
        """The authorships of each group, ascending, after merging across the blocks of a name."""
        groups = grouped(blocks)
        part = np.repeat(np.arange(len(blocks)), [len(block.groups) for block in blocks])
        prior = float(np.mean([block.prior for block in blocks]))
        numbers, following = np.arange(len(groups)), len(groups)
        odds: dict[tuple[int, int], float] = {}
        while True:
            wrote_with = self.evidence.coauthors(groups)
            weights = self.evidence.statistics.weights
            pairs = sorted(set(large_names.most_in_common(wrote_with, wrote_with, weights, part)))
            keys = [(int(numbers[a]), int(numbers[b])) for a, b in pairs]
            new = [place for place, key in enumerate(keys) if key not in odds]
            chosen = np.array([pairs[place] for place in new], np.int64).reshape(-1, 2)
            for place, score in zip(
                new, self._across(groups, chosen, prior, blocks[0].name_odds), strict=True
            ):
                odds[keys[place]] = score
            scored = sorted(((odds[key], *pair) for key, pair in zip(keys, pairs, strict=True)), reverse=True)
            merged = self._disjoint(groups, scored)
            if not merged:
                return groups
            used = {place for pair in merged for place in pair}
            rest = [place for place in range(len(groups)) if place not in used]
            fresh = np.arange(following, following + len(merged))
            following += len(merged)
            groups = [groups[place] for place in rest] + [
                np.sort(np.concatenate([groups[a], groups[b]])) for a, b in merged
            ]
            numbers = np.concatenate([numbers[rest], fresh])
            part = np.concatenate([part[rest], len(blocks) + fresh])

    def _disjoint(
        self, groups: list[np.ndarray], scored: list[tuple[float, int, int]]
    ) -> list[tuple[int, int]]:
        """The best pairs above the cut, each group once."""
        used: set[int] = set()
        merged: list[tuple[int, int]] = []
        for score, a, b in scored:
            if score < self.cut:
                break
            if a in used or b in used:
                continue
            if Union(self.authorships, [groups[a], groups[b]], [-1, -1], self.certain).possible(0, 1):
                used |= {a, b}
                merged.append((a, b))
        return merged

    def _across(
        self, groups: list[np.ndarray], pairs: np.ndarray, prior: float, name_odds: float
    ) -> list[float]:
        """How much speaks for merging each pair of groups of a name, as log-odds."""
        sizes = np.minimum([len(group) for group in groups], MEMBERS)
        scored: list[float] = []
        start = 0
        for rows, likely in pooled(self.evidence, self.models, groups, pairs, min(prior, 0.0)):
            chosen = pairs[start : start + len(rows)]
            start += len(rows)
            one, other = sizes[chosen[:, 0]], sizes[chosen[:, 1]]
            context = np.stack(
                [
                    np.log1p(np.minimum(one, other)),
                    np.log1p(np.maximum(one, other)),
                    np.full(len(rows), prior),
                    np.full(len(rows), name_odds),
                    np.log(one + other),
                    np.full(len(rows), np.log(2)),
                ],
                axis=1,
            )
            features = np.concatenate([rows[:, :5], context, rows[:, 5:]], axis=1).astype(np.float32)
            odds = margins(self.models.groups, features)
            scored += np.where(likely >= 1 - FIRM, np.maximum(odds, self.cut), odds).tolist()
        return scored
