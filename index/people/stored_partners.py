"""Possible collaborators from the files of a pass: nothing of everybody stands in memory."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from index.people.closest_work import ClosestWork
from index.people.network import HALF_LIFE
from index.people.network_file import StoredNetwork
from index.people.pair_features import LATELY, LEAST_PAPERS, Partners, Pool, Rows
from index.search.vectors import Vectors

_AT_ONCE = 20_000


class StoredPartners(Partners):
    """As :class:`Partners`, over a stored network and the stored directions of who can be suggested."""

    network: StoredNetwork

    def __init__(self, network: StoredNetwork, vectors: Rows, directions: ClosestWork) -> None:
        super().__init__(network, vectors)
        self._stored = directions
        self._kept: dict[bytes, np.ndarray] | None = None

    def compare(self, pool: Pool) -> np.ndarray:
        """As :meth:`Partners.compare`; the vectors of the candidates' papers are read once."""
        question = copy.copy(self)
        question._kept = {}
        return Partners.compare(question, pool)

    def _rows(self, papers: np.ndarray) -> np.ndarray:
        if self._kept is None:
            return super()._rows(papers)
        key = papers.tobytes()
        if key not in self._kept:
            self._kept[key] = super()._rows(papers)
        return self._kept[key]

    def _near(self, directions: np.ndarray) -> Iterator[np.ndarray]:
        for row in directions:
            yield np.fromiter(self._stored.nearest(row, self._most["text"], above=-2.0), np.int64)

    def _candidate_directions(self, people: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        different, places = np.unique(people, return_inverse=True)
        lately = self._directions(different, LATELY).astype(np.float16)
        return self._directions(different, HALF_LIFE), lately, places


def write_directions(path: Path, network: StoredNetwork, vectors: Vectors, **stamp: Any) -> None:
    """Write the directions of everybody who can be suggested, to be searched."""
    partners = Partners(network, lambda papers: vectors.rows(np.asarray(network.papers[papers], np.int64)))
    everybody = np.arange(len(network))
    able = everybody[network.counts(everybody) >= LEAST_PAPERS]
    ClosestWork.made(able, partners.directions, vectors.dimension).write(path, **stamp)
