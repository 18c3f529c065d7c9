"""Judging the names of a collection in one process or in several: each judges some whole families.

Several are processes of this machine, or workers on a Ray cluster (:mod:`index.batch`). Both open the same
files: the collection's folder and the log of vectors. A machine that doesn't see them gets them once a pass,
as files (:mod:`index.batch.shipping`); a piece of work is a list of names, and its result four short arrays.
The process that holds the lock writes.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from index.batch.team import NoTeamError, Team
from index.identity.collection import AuthorshipFiles
from index.identity.identity import Judge
from index.identity.judgement import Judgement, JudgingError
from index.identity.models import Models
from index.identity.unions import CertainPairs
from index.search.vector_log import VectorLog
from index.search.vectors import Vectors

log = logging.getLogger("labmate")
WORTH = 100_000
"""From so many authorships on, other processes save more time than they take to start."""
_LOOK_EVERY = 1.0
"""Seconds between two looks at whether the parent is still there."""
ODDS = "odds.npy"
"""The log-odds of the collection's names, in its folder."""


@dataclass(frozen=True)
class JudgedNames:
    """What was decided about some names.

    Attributes
    ----------
    places
        int32, shape (n,): their authorships.
    person, confidence, support
        As :class:`Judgement`, shape (n,) each; people are known by their first authorship.
    """

    places: np.ndarray
    person: np.ndarray
    confidence: np.ndarray
    support: np.ndarray

    def write(self, judgement: Judgement) -> None:
        """Write it into the judgement of the whole collection."""
        judgement.person[self.places] = self.person
        judgement.confidence[self.places] = self.confidence
        judgement.support[self.places] = self.support


@dataclass(frozen=True)
class JudgedCollection:
    """A collection in a folder and the corrections that hold for it; any process can be sent one.

    Attributes
    ----------
    fingerprint
        Of the vectors, as :class:`index.search.vectors.Vectors` checks it.
    """

    folder: Path
    vectors: Path
    fingerprint: dict[str, Any]
    certain: CertainPairs
    number: str = field(default_factory=lambda: secrets.token_hex(8))
    """Another one for each pass: the next may have the same folder, and other files in it."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in (part.name for part in fields(self))}

    # -- on other machines, as index.batch.work.SharedWork -----------------------------------------

    wants = "core"

    def files(self) -> dict[Path, list[str]]:
        """The files that judging reads."""
        return {
            self.folder: sorted(path.name for path in self.folder.iterdir()),
            self.vectors: VectorLog.files_in(self.vectors),
        }

    def at(self, places: Mapping[Path, Path]) -> JudgedCollection:
        """The same collection in other folders."""
        return replace(self, folder=places[self.folder], vectors=places[self.vectors])

    def opened(self, _cores: int, *, gpu: bool) -> Callable[[np.ndarray], JudgedNames]:
        """What judges some whole families."""
        assert len(self.judge.authorships.paper)  # opened now, so that a damaged file shows here
        return self.judged

    @cached_property
    def judge(self) -> Judge:
        """What judges its names. :data:`ODDS` has to be there.

        Raises
        ------
        JudgingError
            If the collection is gone.
        """
        collection = AuthorshipFiles.open(
            self.folder, Vectors.open(self.vectors, self.fingerprint, writable=False)
        )
        if collection is None:
            raise JudgingError(f"The authorships in {self.folder} can't be read. Run the same command again.")
        judge = Judge(
            collection.authorships, Models.shipped(), self.certain, statistics=collection.statistics
        )
        judge.name_odds = np.load(self.folder / ODDS, mmap_mode="r")
        return judge

    @cached_property
    def _blank(self) -> Judgement:
        return Judgement.blank(len(self.judge.authorships.paper))

    def judged(self, names: np.ndarray) -> JudgedNames:
        """Judge some whole families."""
        judge, blank = self.judge, self._blank
        places = np.concatenate([judge.authorships.of_name(name) for name in names.tolist()])
        judge.judge_names(names, blank)
        parts = [
            blank.person[places].astype(np.int32),
            blank.confidence[places],
            blank.support[places].astype(np.int32),
        ]
        blank.person[places], blank.confidence[places], blank.support[places] = -1, 0.0, -1
        return JudgedNames(places.astype(np.int32), *parts)


_opened: list[JudgedCollection] = []
"""The collection that this process judges; empty or one."""


def _judged(collection: JudgedCollection, number: int, names: np.ndarray) -> tuple[int, JudgedNames]:
    """Judge some whole families; the process keeps the collection open for the next ones."""
    if not _opened or _opened[0] != collection:
        _opened[:] = [collection]
    return number, _opened[0].judged(names)


def _end_with(parent: int) -> None:
    """End this process soon after its parent; joblib would leave it waiting for five minutes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_EVERY)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def judged(
    collection: JudgedCollection,
    units: Sequence[tuple[int, np.ndarray]],
    processes: int,
    ray: str | None = None,
) -> Iterator[tuple[int, JudgedNames]]:
    """The judgement of each unit as soon as it is there, with its number.

    Parameters
    ----------
    units
        Numbers and names of whole families, as :meth:`Judge.units` has them.
    processes
        How many judge at a time; 1 judges in this one.
    ray
        The address of a Ray cluster that judges instead. What it leaves undone is judged here.

    Raises
    ------
    JudgingError
        If one of the processes is killed.
    """
    left = dict(units)
    if ray is not None:
        try:
            with Team(ray, collection) as team:
                for number, part in team.each(units):
                    del left[number]
                    yield number, part
        except NoTeamError as error:
            log.warning(
                "%s The rest is judged on this machine: %d of %d parts.", error, len(left), len(units)
            )
    yield from _judged_here(collection, list(left.items()), processes)


def _judged_here(
    collection: JudgedCollection, units: Sequence[tuple[int, np.ndarray]], processes: int
) -> Iterator[tuple[int, JudgedNames]]:
    if processes == 1:
        yield from ((number, collection.judged(names)) for number, names in units)
        return
    # joblib replaces a process that has read much more of the mapped files than after its first task.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
    working = Parallel(
        processes,
        return_as="generator_unordered",
        pre_dispatch="2*n_jobs",
        max_nbytes=None,
        initializer=_end_with,
        initargs=(os.getpid(),),
    )
    try:
        yield from working(delayed(_judged)(collection, number, names) for number, names in units)
    except BrokenProcessPool as error:
        raise JudgingError(
            "A process that matched authors was killed, perhaps for lack of memory. "
            "Run the same command again: it goes on where it was; --processes 1 takes the least memory."
        ) from error
