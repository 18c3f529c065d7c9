"""How far a paper lay from earlier ones, and how many later papers lie nearest to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import faiss
import numpy as np

from index.models import arrays
from index.search.vectors import Vectors

FORMAT = 1
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
        int64, store ids in order of day and id.
    earlier
        int64, shape (papers, 5): store ids of the nearest earlier papers, -1 if there is none.
    cosines
        float32, shape (papers, 5).
    """

    def __init__(
        self, papers: np.ndarray, days: np.ndarray, earlier: np.ndarray, cosines: np.ndarray
    ) -> None:
        self.papers = papers
        self.days = days
        self.earlier = earlier
        self.cosines = cosines
        top = int(papers.max(initial=-1)) + 1
        self._row = np.full(top, -1, np.int64)
        self._row[papers] = np.arange(len(papers))

    def __len__(self) -> int:
        return len(self.papers)

    @classmethod
    def build(
        cls, papers: np.ndarray, days: np.ndarray, vectors: Vectors, progress: Progress | None = None
    ) -> Novelty:
        """Compare every paper that has a vector and a day with all papers of earlier days."""
        order = np.lexsort((papers, days))
        order = order[days[order] > 0]
        papers, days = papers[order], days[order]
        rows = vectors.rows(papers)
        known = rows.any(axis=1)
        papers, days, rows = papers[known], days[known], rows[known]
        earlier = np.full((len(papers), NEAREST), -1, np.int64)
        cosines = np.zeros((len(papers), NEAREST), np.float32)
        index = faiss.IndexFlatIP(vectors.dimension)
        starts = np.flatnonzero(np.diff(days, prepend=-1))
        for start, stop in zip(starts, np.append(starts[1:], len(days))[: len(starts)], strict=True):
            block = rows[start:stop].astype(np.float32)
            if index.ntotal:
                scores, places = index.search(block, NEAREST)
                is_paper = places >= 0
                earlier[start:stop] = np.where(is_paper, papers[np.where(is_paper, places, 0)], -1)
                cosines[start:stop] = np.where(is_paper, scores, 0.0)
            index.add(block)
            if progress:
                progress(int(stop), len(papers))
        return cls(papers, days, earlier, cosines)

    def extended(self, papers: np.ndarray, days: np.ndarray, vectors: Vectors) -> Novelty:
        """Add further papers; those already compared stay as they are."""
        fresh = [
            place for place, paper in enumerate(papers.tolist()) if days[place] > 0 and not self.has(paper)
        ]
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

    def distances(self, papers: Sequence[int] | np.ndarray) -> np.ndarray:
        """1 minus the mean cosine with the nearest earlier papers; NaN if there is none."""
        ids = np.asarray(papers, np.int64)
        inside = (ids >= 0) & (ids < len(self._row))
        rows = np.full(len(ids), -1, np.int64)
        rows[inside] = self._row[ids[inside]]
        out = np.full(len(ids), np.nan, np.float32)
        compared = rows >= 0
        whole = (self.earlier[rows[compared]] >= 0).all(axis=1)
        out[compared] = np.where(whole, 1 - self.cosines[rows[compared]].mean(axis=1), np.nan)
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
        arrays.save(
            path,
            FORMAT,
            papers=self.papers,
            days=self.days,
            earlier=self.earlier.astype(np.int32),
            cosines=self.cosines.astype(np.float16),
        )

    @classmethod
    def load(cls, path: Path) -> Novelty | None:
        """Read from a file; None if it is missing or can't be read."""
        loaded = arrays.load(path, FORMAT, "papers", "days", "earlier", "cosines")
        if loaded is None:
            return None
        return cls(
            loaded["papers"],
            loaded["days"],
            loaded["earlier"].astype(np.int64),
            loaded["cosines"].astype(np.float32),
        )
