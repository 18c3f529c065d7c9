"""A people pass in which only some of the names are judged, to measure a size that would take hours.

The rest of the pass is real: gathering, statistics and writing. Who is who in the library is then taken from
the made collection's truth, so that questions about people can be asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from benchmarks.scale.truth import Truth, agreement
from benchmarks.scale.watching import Watch
from index.identity.collection import AuthorshipFiles
from index.identity.full_pass import FullPass, PassState
from index.identity.identity import Judge
from index.identity.judgement import Judgement
from index.identity.judging import ODDS, JudgedCollection, judged, usable_cores
from index.identity.large_names import LARGEST
from index.identity.models import Models
from index.identity.unions import CertainPairs

_COMMON, _OTHERS = 40_000, 200_000
"""Authorships of common names, and of families without one, that are judged."""


@dataclass
class Sample:
    """What judging some of the names cost, and how right it was."""

    judged: int = 0
    """Authorships."""
    seconds: float = 0.0
    cpu: float = 0.0
    """Seconds and CPU seconds of judging the sample."""
    all_seconds: float = 0.0
    all_cpu: float = 0.0
    """The same for all names at the sample's rates: one of common names, one of the others."""
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
        np.save(collection.folder / ODDS, judging.name_odds)
        sent = running._sent(collection, certain)
        _judge_some(judging, sent, judgement, sample, np.random.default_rng(seed))
        positions = np.asarray(collection.positions, np.int64)
        right = truth.people(np.asarray(collection.papers)[collection.authorships.paper], positions)
        done = np.flatnonzero(judgement.person >= 0)
        sample.bcubed = agreement(np.asarray(judgement.person[done]), right[done])
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


def _judge_some(
    judging: Judge,
    collection: JudgedCollection,
    judgement: Judgement,
    sample: Sample,
    rng: np.random.Generator,
) -> None:
    """Judge some common names, each alone, and some whole families without a common name."""
    counts, family = np.diff(judging.authorships.by_name[1]), judging.authorships.family_ids
    common = counts > LARGEST
    names = rng.permutation(np.flatnonzero(common))
    names = names[: int(np.searchsorted(np.cumsum(counts[names]), _COMMON)) + 1]
    others = rng.permutation(np.setdiff1d(family, family[common]))
    sizes = np.bincount(family, counts, int(family.max()) + 1)
    some = others[: int(np.searchsorted(np.cumsum(sizes[others]), _OTHERS)) + 1]
    families = np.array_split(some, 2 * usable_cores())
    groups = [
        (counts[common].sum(), np.array_split(names, len(names))),
        (counts[~common].sum(), [np.flatnonzero(np.isin(family, part)) for part in families]),
    ]
    for whole, units in groups:
        largest = sorted(units, key=lambda unit: -int(counts[unit].sum()))
        with Watch() as watch:
            for _, part in judged(collection, list(enumerate(largest)), usable_cores()):
                part.write(judgement)
        done = sum(int(counts[unit].sum()) for unit in units)
        sample.judged += done
        sample.seconds += watch.use.seconds
        sample.cpu += watch.use.cpu
        sample.all_seconds += watch.use.seconds * whole / done
        sample.all_cpu += watch.use.cpu * whole / done
        print(
            f"  {done:,} of {whole:,} authorships in {watch.use.seconds:.0f} s, {watch.use.cpu:.0f} s of CPU",
            flush=True,
        )
