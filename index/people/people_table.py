"""Who wrote what in flat arrays: made in memory from pairs, or mapped from the file of a pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from index.models.distinct import distinct
from index.models.mapped import Draft, MappedArrays, are_ends, parts, within
from index.models.read_ahead import gathered
from index.people.packed_names import PackedNames

FORMAT = "people-1"
_TOP = np.iinfo(np.int32).max
_ARRAYS = ("ids", "ends", "papers", "paper_ids", "paper_ends", "writers", "numbers", "name_ends", "names")


class PeopleTable:
    """Papers of people and people of papers.

    Attributes
    ----------
    ids, papers, ends
        int32: people ascending, and their papers (ascending), those of the person at ``n`` from ``ends[n]``.
    paper_ids, writers, paper_ends
        The same the other way round.
    """

    def __init__(
        self,
        ids: np.ndarray,
        ends: np.ndarray,
        papers: np.ndarray,
        paper_ids: np.ndarray,
        paper_ends: np.ndarray,
        writers: np.ndarray,
    ) -> None:
        self.ids, self.ends, self.papers = ids, ends, papers
        self.paper_ids, self.paper_ends, self.writers = paper_ids, paper_ends, writers

    @classmethod
    def of(cls, memberships: np.ndarray) -> PeopleTable:
        """From rows of (person, paper), int64, in any order, some of them twice."""
        codes = distinct(memberships[:, 0] << 32 | memberships[:, 1])
        person, papers = (codes >> 32).astype(np.int32), (codes & 0xFFFFFFFF).astype(np.int32)
        ids, ends = _runs(person)
        order = np.lexsort((person, papers))
        paper_ids, paper_ends = _runs(papers[order])
        return cls(ids, ends, papers, paper_ids, paper_ends, person[order])

    @classmethod
    def open(cls, path: Path) -> tuple[PeopleTable, PackedNames, dict[str, int]] | None:
        """From a file, with everybody's name and its stamp; None where it is missing, torn or doesn't fit."""
        held = MappedArrays.open(path, FORMAT, _ARRAYS)
        if held is None:
            return None
        table = cls(*(held[name] for name in _ARRAYS[:6]))
        names = PackedNames(held["numbers"], held["name_ends"], held["names"])
        count = len(table.papers)
        fits = (
            len(table.writers) == count
            and are_ends(table.ends, len(table.ids), count)
            and are_ends(table.paper_ends, len(table.paper_ids), count)
            and within(table.papers, _TOP)
            and are_ends(held["name_ends"], len(held["numbers"]), len(held["names"]))
        )
        return (table, names, held.stamp) if fits else None

    def write(self, path: Path, names: PackedNames, **stamp: int) -> None:
        """Write to a file, with everybody's name."""
        arrays = (self.ids, self.ends, self.papers, self.paper_ids, self.paper_ends, self.writers)
        with Draft(path, FORMAT) as draft:
            for name, array in zip(_ARRAYS, (*arrays, *names.arrays), strict=True):
                draft.add(name, array)
            draft.publish(**stamp)

    def papers_of(self, person: int) -> np.ndarray:
        """A person's papers, int64, ascending; empty for a stranger."""
        return _of(self.ids, self.ends, self.papers, person)

    def writers_of(self, paper: int) -> np.ndarray:
        """The people who wrote a paper, int64, ascending."""
        return _of(self.paper_ids, self.paper_ends, self.writers, paper)

    def written_by(self, papers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The people who wrote some papers, int64, paper after paper; the place of each one's paper."""
        if not len(self.paper_ids):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        at = np.minimum(np.searchsorted(self.paper_ids, papers.astype(np.int32)), len(self.paper_ids) - 1)
        known = np.flatnonzero(self.paper_ids[at] == papers)
        places, starts = parts(self.paper_ends, at[known])
        return gathered(self.writers, places).astype(np.int64), np.repeat(known, np.diff(starts))

    def pairs(self) -> np.ndarray:
        """Everything as rows of (person, paper), int64."""
        person = np.repeat(self.ids, np.diff(self.ends)).astype(np.int64)
        return np.stack([person, self.papers.astype(np.int64)], axis=1)


def _runs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values of an ascending array, and where each begins, with the end."""
    starts = np.flatnonzero(values[1:] != values[:-1]) + 1 if len(values) else np.zeros(0, np.int64)
    firsts = np.concatenate([[0], starts]).astype(np.int64) if len(values) else starts
    return values[firsts], np.append(firsts, len(values)).astype(np.int32)


def _of(keys: np.ndarray, ends: np.ndarray, values: np.ndarray, key: int) -> np.ndarray:
    if not 0 <= key <= _TOP:
        return np.zeros(0, np.int64)
    # An int32 beside int32: any other number would have the whole array copied.
    at = int(np.searchsorted(keys, np.int32(key)))
    if at == len(keys) or keys[at] != key:
        return np.zeros(0, np.int64)
    return np.asarray(values[ends[at] : ends[at + 1]], np.int64)
