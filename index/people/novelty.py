"""How far a paper lay from earlier ones, and how many later papers lie nearest to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from index.models.mapped import Draft, MappedArrays
from index.search.vectors import Vectors

FORMAT = "novelty-2"
_ARRAYS = ("papers", "days", "earlier", "cosines")
EXACT_UNTIL = 250_000
"""Up to so many papers each is compared with all earlier ones, which costs the square of their number."""
PROBED = 32
"""How many of the 2 sqrt(N) lists of earlier papers are searched beyond."""
FOUND = 40
"""How many papers the lists' 4-bit codes find; the vectors themselves then choose the nearest of these."""
_AT_ONCE = 2_000
_BLOCK = 1_000
"""Papers of several days that are compared together, unless a day has more."""
_NONE = -2.0
"""Below every cosine."""
NEAREST = 5
"""How many earlier papers each paper is compared with."""
Progress = Callable[[int, int], None]


class Novelty:
    """Each paper's nearest earlier papers.

    The distance of a document from what came before is the common measure of novelty for embedded texts
    (Shibayama, Yin and Matsumoto, Measuring novelty in science with word embedding, PLOS ONE 2021); here it
    is 1 minus the mean cosine with the five nearest papers of earlier days.

    Attributes
    ----------
    papers
        Whole numbers: store ids in order of day and id.
    earlier
        Whole numbers, shape (papers, 5): store ids of the nearest earlier papers, -1 if there is none.
    cosines
        Floats, shape (papers, 5).
    """

    def __init__(
        self, papers: np.ndarray, days: np.ndarray, earlier: np.ndarray, cosines: np.ndarray
    ) -> None:
        self.papers = papers
        self.days = days
        self.earlier = earlier
        self.cosines = cosines

    @cached_property
    def _row(self) -> np.ndarray:
        """By store id the row of a paper, -1 where it was not compared."""
        row = np.full(int(self.papers.max(initial=-1)) + 1, -1, np.int32)
        row[self.papers] = np.arange(len(self.papers))
        return row

    def __len__(self) -> int:
        return len(self.papers)

    @classmethod
    def build(
        cls, papers: np.ndarray, days: np.ndarray, vectors: Vectors, progress: Progress | None = None
    ) -> Novelty:
        """Compare every paper that has a vector and a day with all papers of earlier days."""
        order = np.lexsort((papers, days))
        order = order[(days[order] > 0) & embedded(papers[order], vectors)]
        papers, days = papers[order], days[order]
        earlier = np.full((len(papers), NEAREST), -1, np.int32)
        cosines = np.zeros((len(papers), NEAREST), np.float32)
        before = _Before(papers, vectors)
        starts = np.flatnonzero(np.diff(days, prepend=-1))
        for start, stop in _blocks(starts, len(days)):
            found = []
            for first in range(start, stop, _AT_ONCE):
                rows = vectors.rows(papers[first : min(first + _AT_ONCE, stop)]).astype(np.float32)
                found.append(before.nearest(rows))
            near, scores = (np.concatenate(parts) for parts in zip(*found, strict=True))
            if days[start] < days[stop - 1]:
                block = slice(start, stop)
                near, scores = _nearest_too(near, scores, papers[block], days[block], vectors)
            earlier[start:stop], cosines[start:stop] = near, scores
            before.add(start, stop)
            if progress:
                progress(stop, len(papers))
        return cls(papers, days, earlier, cosines)

    def extended(self, papers: np.ndarray, days: np.ndarray, vectors: Vectors) -> Novelty:
        """Add further papers; those already compared stay as they are."""
        fresh = np.flatnonzero((days > 0) & self.lacking(papers, vectors)).tolist()
        compared: list[int] = []
        earlier = np.full((len(fresh), NEAREST), -1, np.int64)
        cosines = np.zeros((len(fresh), NEAREST), np.float32)
        all_papers, all_days = (
            np.concatenate([self.papers, papers[fresh]]),
            np.concatenate([self.days, days[fresh]]),
        )
        top = int(all_papers.max(initial=-1)) + 1
        day_of = np.full(top, np.iinfo(np.int64).max)
        day_of[all_papers] = all_days
        for at, place in enumerate(fresh):
            row = vectors.row(int(papers[place]))
            if row is None:
                continue
            nearest, scores = vectors.search(row, NEAREST, day_of < days[place])
            earlier[at, : len(nearest)] = nearest
            cosines[at, : len(nearest)] = scores
            compared.append(at)
        chosen = np.asarray(fresh, np.int64)[compared]
        return Novelty(
            np.concatenate([self.papers, papers[chosen]]),
            np.concatenate([self.days, days[chosen]]),
            np.concatenate([self.earlier, earlier[compared]]),
            np.concatenate([self.cosines, cosines[compared]]),
        )

    def has(self, paper: int) -> bool:
        """Whether the paper was compared."""
        return 0 <= paper < len(self._row) and self._row[paper] >= 0

    def lacking(self, papers: np.ndarray, vectors: Vectors) -> np.ndarray:
        """Which papers (store ids) have a vector, but were not compared yet."""
        inside = papers < len(self._row)
        known = np.zeros(len(papers), bool)
        known[inside] = self._row[papers[inside]] >= 0
        return embedded(papers, vectors) & ~known

    def distances(self, papers: Sequence[int] | np.ndarray) -> np.ndarray:
        """1 minus the mean cosine with the nearest earlier papers; NaN if there is none."""
        ids = np.asarray(papers, np.int64)
        inside = (ids >= 0) & (ids < len(self._row))
        rows = np.full(len(ids), -1, np.int64)
        rows[inside] = self._row[ids[inside]]
        out = np.full(len(ids), np.nan, np.float32)
        compared = rows >= 0
        whole = (self.earlier[rows[compared]] >= 0).all(axis=1)
        out[compared] = np.where(
            whole, 1 - self.cosines[rows[compared]].astype(np.float32).mean(axis=1), np.nan
        )
        return out

    def followers(self, size: int, *, until: int | None = None, after: int | None = None) -> np.ndarray:
        """int64, by store id up to ``size``: how many later papers have it among their nearest earlier ones.

        ``until`` and ``after`` (ordinals) limit the days of the later papers.
        """
        chosen = np.ones(len(self.papers), bool)
        if until is not None:
            chosen &= self.days <= until
        if after is not None:
            chosen &= self.days > after
        neighbours = self.earlier[chosen].ravel()
        return np.bincount(neighbours[(neighbours >= 0) & (neighbours < size)], minlength=size)

    # -- keeping ---------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write to a file, whole or not at all."""
        with Draft(path, FORMAT) as draft:
            draft.add("papers", self.papers.astype(np.int32))
            draft.add("days", self.days.astype(np.int32))
            draft.add("earlier", self.earlier.astype(np.int32))
            draft.add("cosines", self.cosines.astype(np.float16))
            draft.publish()

    @classmethod
    def load(cls, path: Path) -> Novelty | None:
        """Map a file; None if it is missing or torn, or its parts don't fit each other."""
        held = MappedArrays.open(path, FORMAT, _ARRAYS)
        if held is None:
            return None
        return cls.of_parts(*(held[name] for name in _ARRAYS))

    @classmethod
    def of_parts(
        cls, papers: np.ndarray, days: np.ndarray, earlier: np.ndarray, cosines: np.ndarray
    ) -> Novelty | None:
        """From such arrays; None if they don't fit each other."""
        wide = (len(papers), NEAREST)
        if papers.shape != days.shape or earlier.shape != wide or cosines.shape != wide:
            return None
        if int(papers.min(initial=0)) < 0:
            return None
        return cls(papers, days, earlier, cosines)


def embedded(papers: np.ndarray, vectors: Vectors) -> np.ndarray:
    """Which papers (store ids) have a vector."""
    return np.isin(papers, vectors.known()[0])


def _blocks(starts: np.ndarray, count: int) -> Iterator[tuple[int, int]]:
    """Whole days, several together while they have few papers: (first, last + 1) of each block.

    Comparing one paper with all earlier ones reads as much memory as comparing many.
    """
    ends = np.append(starts[1:], count)[: len(starts)]
    first = 0
    while first < len(starts):
        last = max(first, int(np.searchsorted(ends, starts[first] + _BLOCK, side="right")) - 1)
        yield int(starts[first]), int(ends[last])
        first = last + 1


def _nearest_too(
    near: np.ndarray, scores: np.ndarray, papers: np.ndarray, days: np.ndarray, vectors: Vectors
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest papers, now also among those of a block's own earlier days."""
    rows = vectors.rows(papers).astype(np.float32)
    close = rows @ rows.T
    close[days[None, :] >= days[:, None]] = _NONE
    both = np.hstack([np.where(near >= 0, scores, _NONE), close])
    ids = np.hstack([near, np.broadcast_to(papers, close.shape)])
    order = np.argsort(-both, axis=1, kind="stable")[:, :NEAREST]
    both, ids = np.take_along_axis(both, order, 1), np.take_along_axis(ids, order, 1)
    return np.where(both > _NONE, ids, -1), np.where(both > _NONE, both, 0.0)


class _Before:
    """The papers of earlier days, to be searched: all of them while they are few, else in some lists."""

    def __init__(self, papers: np.ndarray, vectors: Vectors) -> None:
        self._papers, self._vectors = papers, vectors
        self._exact = len(papers) <= EXACT_UNTIL
        if self._exact:
            self._index: Any = faiss.IndexFlatIP(vectors.dimension)
            return
        lists, codes = int(2 * len(papers) ** 0.5), vectors.dimension // 2
        description = f"IVF{lists},PQ{codes}x4fs"
        self._index = faiss.index_factory(vectors.dimension, description, faiss.METRIC_INNER_PRODUCT)
        some = np.sort(np.random.default_rng(0).choice(len(papers), min(len(papers), 40 * lists), False))
        self._index.train(vectors.rows(papers[some]).astype(np.float32))
        self._index.nprobe = PROBED

    def add(self, start: int, stop: int) -> None:
        for first in range(start, stop, _AT_ONCE):
            part = self._papers[first : min(first + _AT_ONCE, stop)]
            self._index.add(self._vectors.rows(part).astype(np.float32))

    def nearest(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Store ids (-1 for none) and cosines of the nearest papers of each row."""
        if not self._index.ntotal:
            return np.full((len(rows), NEAREST), -1), np.zeros((len(rows), NEAREST))
        scores, places = self._index.search(rows, NEAREST if self._exact else FOUND)
        hit = places >= 0
        papers = np.where(hit, self._papers[np.where(hit, places, 0)], -1)
        if not self._exact:
            theirs = self._vectors.rows(papers[hit]).astype(np.float32)
            scores = np.full(papers.shape, _NONE, np.float32)
            scores[hit] = np.einsum("ij,ij->i", theirs, rows[np.nonzero(hit)[0]])
            order = np.argsort(-scores, axis=1, kind="stable")[:, :NEAREST]
            papers, scores = np.take_along_axis(papers, order, 1), np.take_along_axis(scores, order, 1)
        return papers, np.where(papers >= 0, scores, 0.0)
