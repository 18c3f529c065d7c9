"""Who wrote what in a made collection, and how well a library's people agree with it."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from benchmarks.scale.place import records
from data.stores.store import Store
from index.evaluate.identity import bcubed, f1

_AT_ONCE = 4_000


class Truth:
    """Who wrote what in a made collection, by store id."""

    def __init__(self, made: Path) -> None:
        self._made = made
        self._person, self._begins = np.load(made / "people.npy"), np.load(made / "authorships.npy")
        self._line = np.zeros(0, np.int64)

    async def read(self, store: Store) -> None:
        """Find each paper's line."""
        self._line = np.full(await store.count() + 1, -1, np.int64)
        ids, line = (paper["id"] for paper in records(self._made)), 0
        while names := list(itertools.islice(ids, _AT_ONCE)):
            known = await store.paper_keys.by_arxiv_id(names)
            for place, name in enumerate(names):
                if name in known:
                    self._line[known[name][0]] = line + place
            line += len(names)

    def people(self, papers: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """The person of each authorship, -1 where the library has more authors than the collection."""
        lines = self._line[papers]
        places = self._begins[lines] + positions
        inside = (lines >= 0) & (places < self._begins[lines + 1])
        return np.where(inside, self._person[np.minimum(places, len(self._person) - 1)], -1)

    async def bcubed(self, store: Store) -> float:
        """B-cubed F1 of the library's people."""
        found, right = [], []
        for start in range(0, len(self._line), _AT_ONCE):
            rows = await store.people.standing_between(start, start + _AT_ONCE)
            places = np.array([(row.paper_id, row.position, row.person_id) for row in rows if row.there])
            if len(places):
                found.append(places[:, 2])
                right.append(self.people(places[:, 0], places[:, 1]))
        return agreement(np.concatenate(found), np.concatenate(right))


def agreement(found: np.ndarray, right: np.ndarray) -> float:
    """B-cubed F1 of people against the truth, where it is known (not -1)."""
    known = right >= 0
    precision, recall = bcubed(found[known], right[known])
    return f1(float(precision.mean()), float(recall.mean()))
