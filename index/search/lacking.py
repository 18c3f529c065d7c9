"""Which papers have no vector for their present text, kept up to date paper by paper."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np

from index.models.distinct import distinct
from index.search.vector_log import VectorLog


class LackingVectors:
    """Checks all papers once, and after that only changed papers and new rows."""

    def __init__(self) -> None:
        self._lacks = np.zeros(0, bool)
        self._changed: list[int] = []
        self._state = -1, 0
        """The generation of the vectors' files, and how many of their rows were looked at."""
        self._lock = threading.Lock()

    def changed(self, papers: Iterable[int]) -> None:
        """These papers came, went, or have another text."""
        with self._lock:
            self._changed.extend(papers)

    def mask(self, log: VectorLog, hashes: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """By store id, whether a paper lacks a vector: bool, shape (papers,), not to be changed.

        Parameters
        ----------
        hashes, codes
            By store id: the hash of the text, and the category, which is negative where there is no paper.
        """
        with self._lock:
            before, seen = self._state
            generation = log.generation  # before the table: a newer table with it is looked at again
            table, count = log.table, len(hashes)
            if generation != before or table.count < seen:
                papers = np.arange(count)
                lacks = np.zeros(count, bool)
            elif not self._changed and table.count == seen and count == len(self._lacks):
                return self._lacks
            else:
                arrived = table.entries["paper"][seen : table.count]
                papers = distinct(np.concatenate([np.array(self._changed, np.int64), arrived]))
                papers = papers[papers < count]
                lacks = np.append(self._lacks, np.zeros(max(0, count - len(self._lacks)), bool))
            known = papers < len(codes)
            known[known] = codes[papers[known]] >= 0
            rows = table.rows_of(papers)
            held = rows >= 0
            held[held] = table.entries["hash"][rows[held]] == hashes[papers[held]]
            lacks[papers] = known & ~held
            self._lacks, self._changed, self._state = lacks, [], (generation, table.count)
            return lacks
