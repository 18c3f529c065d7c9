"""Uniting groups of authorships across names, and the evidence that forbids it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from index.identity.authorships import Authorships
from index.identity.person_names import compatible


@dataclass(frozen=True)
class CertainPairs:
    """Pairs of authorships that are certainly by one person or by two, from corrections or an ORCID."""

    together: Sequence[tuple[int, int]] = ()
    apart: Sequence[tuple[int, int]] = ()

    def together_among(self, authorships: Collection[int]) -> list[tuple[int, int]]:
        """Those of the pairs :attr:`together` of which both are given."""
        return _among(authorships, self._together_of)

    def apart_among(self, authorships: Collection[int]) -> list[tuple[int, int]]:
        """Those of the pairs :attr:`apart` of which both are given."""
        return _among(authorships, self._apart_of)

    @cached_property
    def _together_of(self) -> dict[int, list[int]]:
        return _partners(self.together)

    @cached_property
    def _apart_of(self) -> dict[int, list[int]]:
        return _partners(self.apart)


def _partners(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    partners: dict[int, list[int]] = {}
    for one, other in pairs:
        partners.setdefault(one, []).append(other)
    return partners


def _among(authorships: Collection[int], partners: Mapping[int, Sequence[int]]) -> list[tuple[int, int]]:
    """Looked up from the authorships, since all names are judged with the pairs of the whole collection."""
    if not partners or partners.keys().isdisjoint(authorships):
        return []
    inside = set(authorships)
    return [(one, other) for one in authorships for other in partners.get(one, ()) if other in inside]


class Union:
    """Groups being united, with the pairs that must stay apart."""

    def __init__(
        self, authorships: Authorships, groups: list[np.ndarray], anchors: list[int], certain: CertainPairs
    ) -> None:
        self._authorships = authorships
        self._groups = groups
        self._anchor = dict(enumerate(anchors))
        self._members = {place: [place] for place in range(len(groups))}
        self._whose = list(range(len(groups)))
        owner = {int(a): place for place, group in enumerate(groups) for a in group}
        self.together = [(owner[a], owner[b]) for a, b in certain.together_among(owner)]
        self._apart: dict[int, set[int]] = {}
        for a, b in certain.apart_among(owner):
            self._apart.setdefault(owner[a], set()).add(owner[b])
            self._apart.setdefault(owner[b], set()).add(owner[a])

    def possible(self, one: int, other: int) -> bool:
        """Whether two groups can be one person: nothing in one contradicts the other."""
        a, b = self._whose[one], self._whose[other]
        if a == b or (self._anchor[a] >= 0 and self._anchor[b] >= 0):
            return False
        if any(self._apart.get(x, set()) & set(self._members[b]) for x in self._members[a]):
            return False
        names = self._authorships.name_ids[1]
        together = [*self._members[a], *self._members[b]]
        printed = sorted(self._printed(a) | self._printed(b))
        papers = np.concatenate([self._authorships.paper[self._groups[place]] for place in together])
        return len(np.unique(papers)) == len(papers) and all(
            compatible(names[x], names[y]) for at, x in enumerate(printed) for y in printed[at + 1 :]
        )

    def _printed(self, place: int) -> set[int]:
        """The names that a person prints, by their numbers."""
        ids = self._authorships.name_ids[0]
        return {int(ids[self._groups[member][0]]) for member in self._members[place]}

    def share_a_name(self, one: int, other: int) -> bool:
        """Whether two persons print one name: their groups under it were told apart."""
        return not self._printed(self._whose[one]).isdisjoint(self._printed(self._whose[other]))

    def contested(self, one: int, other: int, least: float, rivals: list[dict[int, float]]) -> bool:
        """Whether somebody else fits nearly as well."""
        mine = {self._whose[one], self._whose[other]}
        return any(
            score > least and self._whose[rival] not in mine
            for group in (one, other)
            for rival, score in rivals[group].items()
        )

    def unite(self, one: int, other: int) -> None:
        """Unite two groups into one person."""
        into, gone = sorted((self._whose[one], self._whose[other]))
        if into == gone:
            return
        for place in self._members[gone]:
            self._whose[place] = into
        self._members[into] += self._members.pop(gone)
        self._anchor[into] = max(self._anchor[into], self._anchor.pop(gone))

    def groups(self) -> list[np.ndarray]:
        """The authorships of each person, ascending."""
        return [
            np.sort(np.concatenate([self._groups[p] for p in places])) for places in self._members.values()
        ]

    def anchors(self) -> list[int]:
        """The known person of each group, in the order of :meth:`groups`."""
        return [self._anchor[place] for place in self._members]


def best_rivals(pairs: np.ndarray, scores: np.ndarray, groups: int) -> list[dict[int, float]]:
    """Each group's three best candidates with their scores."""
    best: list[dict[int, float]] = [{} for _ in range(groups)]
    for place in np.argsort(-scores, kind="stable"):
        one, other = (int(x) for x in pairs[place])
        for group, rival in ((one, other), (other, one)):
            if len(best[group]) < 3:
                best[group][rival] = float(scores[place])
    return best
