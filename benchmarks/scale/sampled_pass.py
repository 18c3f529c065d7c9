"""A people pass of which only a share of the names is judged, to measure a size that would take hours.

The rest of the pass is real: gathering, statistics and writing. Who is who in the library is then taken from
the made collection's truth, so that questions about people can be asked.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.scale.place import records
from data.stores.store import Store
from index.evaluate.identity import bcubed, f1
from index.identity.collection import AuthorshipFiles
from index.identity.full_pass import FullPass, PassState
from index.identity.identity import Judge
from index.identity.judgement import Judgement
from index.identity.models import Models
from index.identity.unions import CertainPairs

_AT_ONCE = 4_000


@dataclass
class Sample:
    """What judging a share of the names cost, and how right it was."""

    share: float = 0.0
    """Of all authorships."""
    whole_cpu: float = 0.0
    """CPU seconds of what is done once for all names."""
    names_cpu: float = 0.0
    """CPU seconds of judging the share."""
    bcubed: float = 0.0

    @property
    def cpu(self) -> float:
        """CPU seconds of judging all names, at the same rate."""
        return self.whole_cpu + self.names_cpu / self.share if self.share else 0.0


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


@contextmanager
def sampled(truth: Truth, share: float, seed: int = 1) -> Iterator[Sample]:
    """While this holds, a full pass judges only about this share, and then takes the truth."""
    sample, real = Sample(), FullPass._judge

    def judge(
        running: FullPass,
        collection: AuthorshipFiles,
        judgement: Judgement,
        models: Models,
        certain: CertainPairs,
        state: PassState,
    ) -> None:
        begun = time.process_time()
        judging = Judge(collection.authorships, models, certain, statistics=collection.statistics)
        np.save(collection.folder / "odds.npy", judging.name_odds)
        units, counts = list(judging.units()), np.diff(collection.authorships.by_name[1])
        judging.evidence  # noqa: B018 - it is the collection's cost, not a name's
        sample.whole_cpu = time.process_time() - begun
        chosen = np.random.default_rng(seed).permutation(len(units))
        positions = np.asarray(collection.positions, np.int64)
        right = truth.people(np.asarray(collection.papers)[collection.authorships.paper], positions)
        begun, done = time.process_time(), 0
        for place in chosen.tolist():
            judging.judge_names(units[place], judgement)
            done += int(counts[units[place]].sum())
            if done >= share * len(collection):
                break
        sample.names_cpu = time.process_time() - begun
        sample.share = done / len(collection)
        judged = np.flatnonzero((judgement.person >= 0) & (right >= 0))
        precision, recall = bcubed(judgement.person[judged], right[judged])
        sample.bcubed = f1(float(precision.mean()), float(recall.mean()))
        _, first, number = np.unique(right, return_index=True, return_inverse=True)
        judgement.person[:] = np.where(right >= 0, first[number], np.arange(len(right)))
        judgement.confidence[:] = 0.97
        judgement.support[:] = -1
        state.judged = True
        running._keep(judgement, state)

    FullPass._judge = judge  # type: ignore[method-assign]
    try:
        yield sample
    finally:
        FullPass._judge = real  # type: ignore[method-assign]
