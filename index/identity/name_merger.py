"""Merging the groups of one person across the names that they print, such as *W. Wang* and *Wei Wang*."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from index.identity.authorships import Authorships
from index.identity.evidence import Evidence
from index.identity.judgement import Judgement
from index.identity.models import Models
from index.identity.unions import CertainPairs, Union, best_rivals
from index.identity.variants import VARIANT_FEATURES, Variants, find_variants
from index.models.shipped import margins


@dataclass(frozen=True)
class NameMerger:
    """Merges the best pairs of groups first, unless another group fits nearly as well.

    Attributes
    ----------
    cut
        Log-odds above which two groups of one name merge.
    """

    authorships: Authorships
    evidence: Evidence
    models: Models
    certain: CertainPairs
    cut: float

    def merged(
        self,
        groups: list[np.ndarray],
        judgement: Judgement,
        anchors: list[int] | None = None,
        fresh: set[int] | None = None,
    ) -> tuple[list[np.ndarray], list[int]]:
        """Groups united across names, and the known person of each (-1 if there is none).

        What a merge makes less sure is written down in the judgement.
        """
        pairs, scores, initial = self._scored(groups, fresh)
        union = Union(self.authorships, groups, anchors or [-1] * len(groups), self.certain)
        for a, b in union.together:
            union.unite(a, b)
        rivals = best_rivals(pairs, scores, len(groups))
        for place in np.argsort(-scores, kind="stable"):
            if scores[place] < self.models.variant_cut:
                break
            one, other = (int(x) for x in pairs[place])
            lead = scores[place] - self.models.variant_lead
            if initial[place] and union.contested(one, other, lead, rivals):
                continue
            # What resembles two groups of one name joins them only where it is as sure as they must be.
            if scores[place] < self.cut and union.share_a_name(one, other):
                continue
            if union.possible(one, other):
                union.unite(one, other)
                sure = np.float32(1 / (1 + np.exp(-scores[place])))
                for group in (one, other):
                    mine = groups[group]
                    judgement.confidence[mine] = np.minimum(judgement.confidence[mine], sure)
        return union.groups(), union.anchors()

    def _scored(
        self, groups: list[np.ndarray], fresh: set[int] | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pairs of groups, their log-odds, and whether one has only an initial.

        Worse ones than these neither merge nor contest a merge; most are.
        """
        pairs, scores, initial = [np.zeros((0, 2), np.int32)], [np.zeros(0, np.float32)], [np.zeros(0, bool)]
        least = self.models.variant_cut - self.models.variant_lead
        for part in find_variants(self.authorships, self.evidence, self.models, groups, fresh):
            odds = margins(self.models.variants, part.features)
            near = odds >= least
            pairs.append(part.pairs[near])
            scores.append(odds[near])
            initial.append(_by_initial(part)[near])
        return np.concatenate(pairs), np.concatenate(scores), np.concatenate(initial)


def _by_initial(part: Variants) -> np.ndarray:
    """Whether one of the names has no more than an initial (:func:`relation`); bool, shape (pairs,)."""
    return np.asarray(part.features[:, -len(VARIANT_FEATURES)] >= 4)
