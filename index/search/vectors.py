"""The papers' vectors for the rest of Labmate: a durable log, and an engine that follows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from index.search.vector_index import OpenIndex, VectorIndex, engine
from index.search.vector_log import READ_AT_ONCE, VectorLog


class Vectors:
    """A :class:`VectorLog` and the :class:`VectorIndex` that is kept in step with it."""

    def __init__(self, log: VectorLog, open_index: OpenIndex) -> None:
        self.log = log
        self._open_index = open_index
        self._index: VectorIndex = open_index(log)
        self._followed = log.generation, len(log.row_papers)

    @classmethod
    def open(
        cls,
        folder: Path,
        fingerprint: dict[str, Any],
        *,
        writable: bool = True,
        rebuild: bool = False,
        open_index: OpenIndex | None = None,
    ) -> Vectors:
        """Open or create the log, and the engine over it (FAISS if no other is given).

        Raises
        ------
        index.search.vector_log.VectorsError
            As :meth:`VectorLog.open`.
        """
        log = VectorLog.open(folder, fingerprint, writable=writable, rebuild=rebuild)
        return cls(log, open_index or engine())

    def _follow(self) -> None:
        """Pass new rows of the log to the engine, or open it again if the rows were renumbered."""
        log, (generation, start) = self.log, self._followed
        whole = len(log.row_papers)
        if log.generation != generation:
            self._index = self._open_index(log)
        else:
            for first in range(start, whole, READ_AT_ONCE):
                stop = min(first + READ_AT_ONCE, whole)
                papers, alive = log.row_papers[first:stop], log.row_alive[first:stop]
                self._index.add(papers[alive], log.read(first, stop)[alive])
                gone = [paper for paper in papers[~alive].tolist() if not log.has(paper)]
                self._index.remove(np.array(gone, np.int64))
        self._followed = log.generation, whole

    # -- writing -------------------------------------------------------------------------------

    def append(self, papers: Sequence[int], hashes: Sequence[int], rows: np.ndarray) -> None:
        """Add or replace papers' vectors (:meth:`VectorLog.append`)."""
        self.log.append(papers, hashes, rows)
        self._follow()

    def remove(self, papers: Iterable[int]) -> None:
        """Take papers out of the searches (:meth:`VectorLog.remove`)."""
        self.log.remove(papers)
        self._follow()

    def compact(self) -> None:
        """Rewrite the files without dead rows (:meth:`VectorLog.compact`)."""
        self.log.compact()
        self._follow()

    def refresh(self) -> int:
        """Load rows that a writer has added since; returns how many there were."""
        added = self.log.refresh()
        self._follow()
        return added

    # -- asking --------------------------------------------------------------------------------

    def search(
        self, query: np.ndarray, k: int, where: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest papers: store ids and cosines (:meth:`VectorIndex.search`)."""
        return self._index.search(query, k, where)

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
        """Cosine of the query with each paper's vector; NaN if a paper has none."""
        return self.log.closeness(query, papers)
