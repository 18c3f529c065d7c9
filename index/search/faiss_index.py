"""FAISS as the engine: compares every vector while there are few, and uses an inverted file beyond."""

from __future__ import annotations

import threading

import faiss
import numpy as np

from index.models.distinct import distinct
from index.models.read_ahead import gathered
from index.search.flat_rows import FlatRows, nearest_rows
from index.search.inverted_file import BITS, InvertedFile, build, read_about
from index.search.row_table import READ_AT_ONCE
from index.search.vector_index import register
from index.search.vector_log import VectorLog

FLAT_UNTIL = 50_000
"""Up to this many rows every vector is compared; beyond, an inverted file is used (docs/search.md)."""
_BEHIND = 20_000
"""How many rows may come in before the inverted file takes them in."""
_GROWN = 2
"""How many times as many rows there are, before the lists are chosen again."""
_STALE = 1.4
"""How many codes there are for each paper, before the inverted file is made again."""
_FEW = 4_000
"""Up to this many papers that pass a filter are compared each."""
_SCANNED_AT_ONCE = 4_096


class FaissIndex:
    """Searches the stored inverted file, and compares the rows that came after it one by one.

    Rows that the inverted file lacks are held in memory, at most FLAT_UNTIL of them. If there are more (after
    a large import, before the worker has made the file), the rest is read from the mapped rows, which is
    slow but exact.
    """

    def __init__(self, log: VectorLog, flat_until: int = FLAT_UNTIL) -> None:
        self._log = log
        self._flat_until = flat_until
        self._number = self._number_on_disk()
        self._stored = InvertedFile.open(log)
        self._table = log.table
        covered, whole = self._stored.covered if self._stored else 0, self._table.count
        many = whole - covered > max(flat_until, 2 * _BEHIND)
        self._scanned = (covered, whole) if many else (0, 0)
        self._to_hold = (whole, whole) if many else (covered, whole)
        self._holding = threading.Lock()
        self._flat: FlatRows | None = None

    @classmethod
    def open(cls, log: VectorLog, *, flat_until: int = FLAT_UNTIL) -> FaissIndex:
        """Open the inverted file if there is one; the rows that it lacks are read when they are needed."""
        return cls(log, flat_until)

    def _number_on_disk(self) -> int:
        about = read_about(self._log.folder)
        return int(about["number"]) if about else 0

    def _held(self) -> FlatRows:
        """The rows in memory, read when they are first asked for."""
        if self._flat is None:
            with self._holding:
                if self._flat is None:
                    self._flat = self._read(*self._to_hold)
        return self._flat

    def _read(self, first: int, whole: int) -> FlatRows:
        table, flat = self._table, FlatRows(self._log.dimension)
        for start in range(first, whole, READ_AT_ONCE):
            stop = min(start + READ_AT_ONCE, whole)
            alive = table.alive(start, stop)
            flat.add(table.entries["paper"][start:stop][alive], table.read_rows(start, stop)[alive])
        return flat

    # -- changing ------------------------------------------------------------------------------

    def add(self, papers: np.ndarray, rows: np.ndarray) -> None:
        """Add papers, or replace the vectors of known ones."""
        self._held().add(papers, rows)

    def remove(self, papers: np.ndarray) -> None:
        """Take papers out of the searches; what has no row in the log is never an answer."""
        self._held().remove(papers)

    def is_outdated(self) -> bool:
        """Whether a newer inverted file lies on disk, or too much is held in memory."""
        too_many = len(self._flat or ()) > max(2 * self._flat_until, 4 * _BEHIND)
        return too_many or self._number_on_disk() != self._number

    def is_due(self) -> bool:
        """Whether :meth:`tend` would do something."""
        stored = self._stored
        return len(self._log) > self._flat_until if stored is None else self._is_behind(stored)

    def _is_behind(self, stored: InvertedFile) -> bool:
        return self._log.row_count - stored.covered > _BEHIND or self._is_old(stored)

    def _is_old(self, stored: InvertedFile) -> bool:
        """Whether it's better made again than brought up to date."""
        papers, codes = max(1, len(self._log)), stored.size + self._log.row_count - stored.covered
        return papers > _GROWN * stored.trained or codes > _STALE * papers or stored.bits != BITS

    def tend(self) -> bool:
        """Make the inverted file or bring it up to date, if it is time; returns whether it did."""
        self._stored = stored = InvertedFile.open(self._log)
        if not self.is_due():
            return False
        build(self._log, None if stored is None or self._is_old(stored) else stored)
        return True

    # -- asking --------------------------------------------------------------------------------

    def search(
        self, query: np.ndarray, k: int, where: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest papers: store ids and cosines, closest first."""
        # One query has too little work for threads: waking them and waiting for them takes longer.
        faiss.omp_set_num_threads(1)
        query = np.ascontiguousarray(query, np.float32).reshape(-1)
        if where is not None and np.count_nonzero(where) <= _FEW:
            return self._nearest_of(np.flatnonzero(where), query, k)
        parts = [self._held().search(query, k, where)[0]]
        if self._stored is not None:
            parts.append(self._stored.candidates(query, k, where))
        if self._scanned[1]:
            parts.append(self._scan(query, k, where))
        return self._nearest_of(distinct(np.concatenate(parts)), query, k)

    def _nearest_of(self, papers: np.ndarray, query: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest of some papers, by their rows; those without one are left out."""
        table = self._log.table
        rows = table.rows_of(papers)
        papers, rows = papers[rows >= 0], rows[rows >= 0]
        places, scores = nearest_rows(gathered(table.rows, rows), query, k)
        return papers[places], scores

    def _scan(self, query: np.ndarray, k: int, where: np.ndarray | None) -> np.ndarray:
        """The k nearest of the rows that are neither in the inverted file nor in memory."""
        table, papers, scores = self._table, np.zeros(0, np.int64), np.zeros(0, np.float32)
        for start in range(*self._scanned, _SCANNED_AT_ONCE):
            stop = min(start + _SCANNED_AT_ONCE, self._scanned[1])
            kept, there = table.alive(start, stop), table.entries["paper"][start:stop]
            if where is not None:
                inside = there < len(where)
                kept &= inside & where[np.where(inside, there, 0)]
            if kept.any():
                near = table.read_rows(start, stop)[kept].astype(np.float32) @ query
                papers, scores = np.concatenate([papers, there[kept]]), np.concatenate([scores, near])
                best = np.argsort(-scores, kind="stable")[:k]
                papers, scores = papers[best], scores[best]
        return papers


register("faiss", FaissIndex.open)
