"""The papers' vectors for the rest of Labmate: a durable log, and an engine that follows it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from index.search.read_vectors import ReadVectors
from index.search.row_table import READ_AT_ONCE
from index.search.vector_index import OpenIndex, TendedIndex, VectorIndex, engine
from index.search.vector_log import VectorLog
from index.search.vector_manifest import UnreadableVectorsError

log = logging.getLogger("labmate")
_COMPACT_ABOVE = 0.3


def few(vectors: Vectors | None, pool: int) -> bool:
    """Whether there are fewer vectors than ``pool``, so that words have to give more candidates."""
    return vectors is None or len(vectors) < pool


class Vectors:
    """A :class:`VectorLog` and the :class:`VectorIndex` that is kept in step with it.

    The engine takes new rows in when it is next asked, so that a process that only writes never holds them.

    Attributes
    ----------
    unreadable
        Why the files can't be read, and what to do; empty if all is well. What was read before stays.
    """

    def __init__(self, rows: VectorLog, open_index: OpenIndex, *, by_words: bool = False) -> None:
        self.log = rows
        self.unreadable = ""
        self._by_words = by_words
        self._open_index = open_index
        self._following = threading.Lock()
        self._index: VectorIndex | None = None
        self._followed = -1, 0

    @classmethod
    def open(
        cls,
        folder: Path,
        fingerprint: dict[str, Any],
        *,
        writable: bool = True,
        rebuild: bool = False,
        open_index: OpenIndex | None = None,
        by_words: bool = False,
    ) -> Vectors:
        """Open or create the log, and the engine over it (FAISS if no other is given).

        With ``by_words``, unreadable files count as none until they can be read again (:attr:`unreadable`).

        Raises
        ------
        index.search.vector_manifest.VectorsError
            As :meth:`VectorLog.open`.
        """
        open_index = open_index or engine()
        try:
            opened = VectorLog.open(folder, fingerprint, writable=writable, rebuild=rebuild)
        except UnreadableVectorsError as error:
            none = cls(VectorLog(folder, fingerprint), open_index, by_words=by_words)
            none._found_unreadable(error)
            return none
        return cls(opened, open_index, by_words=by_words)

    def _found_unreadable(self, error: UnreadableVectorsError) -> None:
        if not self._by_words:
            raise error
        if self.unreadable != str(error):
            log.error("%s Until then, papers are found by words only.", error)
        self.unreadable = str(error)

    def _engine(self) -> VectorIndex:
        """The engine, in step with the log."""
        index = self._index
        if index is not None and self._followed == (self.log.generation, self.log.row_count):
            return index
        with self._following:
            self._index = self._in_step()
            return self._index

    def _in_step(self) -> VectorIndex:
        """Pass new rows of the log to the engine, or open it (again, if it's outdated)."""
        rows, index, (generation, start) = self.log, self._index, self._followed
        outdated = isinstance(index, TendedIndex) and index.is_outdated()
        if index is None or outdated or rows.generation != generation:
            index = self._open_index(rows)
            whole = rows.row_count
        else:
            table, whole = rows.table, rows.row_count
            for first in range(start, whole, READ_AT_ONCE):
                stop = min(first + READ_AT_ONCE, whole)
                papers, alive = table.entries["paper"][first:stop], table.alive(first, stop)
                index.add(papers[alive], table.read_rows(first, stop)[alive])
                gone = papers[~alive]
                index.remove(gone[table.rows_of(gone) < 0])
        self._followed = rows.generation, whole
        return index

    # -- writing -------------------------------------------------------------------------------

    def append(self, papers: Sequence[int], hashes: Sequence[int], rows: np.ndarray) -> None:
        """Add or replace papers' vectors (:meth:`VectorLog.append`)."""
        self.log.append(papers, hashes, rows)

    def remove(self, papers: Iterable[int]) -> None:
        """Take papers out of the searches (:meth:`VectorLog.remove`)."""
        self.log.remove(papers)

    def compact(self) -> None:
        """Rewrite the files without dead rows (:meth:`VectorLog.compact`)."""
        self.log.compact()

    def refresh(self) -> int:
        """Load rows that a writer has added since; returns how many there were."""
        with self._following:
            try:
                added = self.log.refresh()
            except UnreadableVectorsError as error:
                self._found_unreadable(error)
                return 0
            self.unreadable = ""
            self._index = self._in_step()
        return added

    def spoilt(self) -> list[int]:
        """Papers whose vector has changed on the disk (:meth:`VectorLog.spoilt`)."""
        return self.log.spoilt()

    def begin_to_write(self) -> None:
        """Take in what other processes have written (:meth:`VectorLog.begin_to_write`)."""
        try:
            self.log.begin_to_write()
        except UnreadableVectorsError as error:
            self._found_unreadable(error)
        else:
            self.unreadable = ""

    def is_due(self) -> bool:
        """Whether it is time for :meth:`tend`."""
        index = self._index
        return self.dead_share > _COMPACT_ABOVE or (isinstance(index, TendedIndex) and index.is_due())

    def tend(self) -> bool:
        """Compact the rows and bring stored structures up to date where it is time; returns whether it was.

        Long, and only for the one process that writes. Others go on with what they have, and change over with
        the next :meth:`refresh`.
        """
        compacted = self.dead_share > _COMPACT_ABOVE
        if compacted:
            self.compact()
        index = self._index or self._open_index(self.log)
        tended = isinstance(index, TendedIndex) and index.tend()
        if tended and self._index is not None:
            with self._following:
                self._index = self._in_step()
        return tended or compacted

    # -- asking --------------------------------------------------------------------------------

    def search(
        self, query: np.ndarray, k: int, where: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest papers: store ids and cosines (:meth:`VectorIndex.search`)."""
        if self.unreadable and not len(self.log):  # an engine on a server would drop what it has
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        return self._engine().search(query, k, where)

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return self.log.folder

    @property
    def fingerprint(self) -> dict[str, Any]:
        """The model, pooling and text recipe that the vectors were made with."""
        return self.log.fingerprint

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self.log.dimension

    @property
    def dead_share(self) -> float:
        """The share of rows that were replaced or removed."""
        return self.log.dead_share

    def __len__(self) -> int:
        return len(self.log)

    def has(self, paper: int) -> bool:
        """Whether the paper has a vector."""
        return self.log.has(paper)

    def hash_of(self, paper: int) -> int | None:
        """The text hash that the paper's vector was made from, or None."""
        return self.log.hash_of(paper)

    def known(self) -> tuple[np.ndarray, np.ndarray]:
        """(store ids, text hashes) of all vectors in use."""
        return self.log.known()

    def row(self, paper: int) -> np.ndarray | None:
        """The paper's vector, float32, or None."""
        return self.log.row(paper)

    def rows(self, papers: np.ndarray) -> np.ndarray:
        """float16, shape (len(papers), dimension): the papers' vectors, zeros where there is none."""
        return self.log.rows(papers)

    def closeness(self, query: np.ndarray, papers: Sequence[int]) -> np.ndarray:
        """Cosine with each paper's vector; as :meth:`VectorLog.closeness`."""
        return self.log.closeness(query, papers)

    def read(self, papers: Sequence[int]) -> ReadVectors:
        """The vectors of papers, for several questions."""
        return self.log.read(papers)
