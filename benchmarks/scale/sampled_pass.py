"""A people pass in which only some of the names are judged, to measure a size that would take hours.

The rest of the pass is real: gathering, statistics and writing. Who is who in the library is then taken from
the made collection's truth, so that questions about people can be asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from benchmarks.scale.truth import Truth, agreement
from index.identity.collection import AuthorshipFiles
from index.identity.full_pass import FullPass, PassState
from index.identity.identity import Judge
from index.identity.judgement import Judgement
from index.identity.large_names import LARGEST
from index.identity.models import Models
from index.identity.unions import CertainPairs

_COMMON = 120.0
"""CPU seconds after which no further common name is judged."""
_OTHERS = 100_000
"""Authorships of families without a common name that are judged."""


@dataclass
class Sample:
    """What judging some of the names cost, and how right it was."""

    judged: int = 0
    """Authorships."""
    spent: float = 0.0
    """CPU seconds of judging the sample."""
    all_names: float = 0.0
    """CPU seconds of judging all names at the sample's rates: one of common names, one of the others."""
    bcubed: float = 0.0


@contextmanager
def sampled(truth: Truth, seed: int = 1) -> Iterator[Sample]:
    """While this holds, a full pass judges only some of the names, and then takes the truth."""
    sample, real = Sample(), FullPass._judge

    def judge(
        running: FullPass,
        collection: AuthorshipFiles,
        judgement: Judgement,
        models: Models,
        certain: CertainPairs,
        state: PassState,
    ) -> None:
        judging = Judge(collection.authorships, models, certain, statistics=collection.statistics)
        np.save(collection.folder / "odds.npy", judging.name_odds)
        judging.evidence  # noqa: B018 - it is the collection's cost, not a name's
        _judge_some(judging, judgement, sample, np.random.default_rng(seed))
        positions = np.asarray(collection.positions, np.int64)
        right = truth.people(np.asarray(collection.papers)[collection.authorships.paper], positions)
        judged = np.flatnonzero(judgement.person >= 0)
        sample.bcubed = agreement(np.asarray(judgement.person[judged]), right[judged])
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


def _judge_some(judging: Judge, judgement: Judgement, sample: Sample, rng: np.random.Generator) -> None:
    """Judge some common names alone, and some whole families without a common name."""
    counts, family = np.diff(judging.authorships.by_name[1]), judging.authorships.family_ids
    common = counts > LARGEST
    others = rng.permutation(np.setdiff1d(family, family[common]))
    sizes = np.bincount(family, counts, int(family.max()) + 1)
    some = others[: int(np.searchsorted(np.cumsum(sizes[others]), _OTHERS)) + 1]
    groups = [
        (counts[common].sum(), [np.array([name]) for name in rng.permutation(np.flatnonzero(common))]),
        (counts[~common].sum(), list(judging.units(np.isin(family, some)))),
    ]
    for whole, units in groups:
        begun, done = time.process_time(), 0
        for names in units:
            judging.judge_names(names, judgement)
            done += int(counts[names].sum())
            if len(names) == 1 and time.process_time() - begun > _COMMON:
                break
        spent = time.process_time() - begun
        sample.judged += done
        sample.spent += spent
        sample.all_names += spent * whole / max(1, done)
        print(f"  {done:,} of {whole:,} authorships in {spent:.0f} s of CPU", flush=True)
