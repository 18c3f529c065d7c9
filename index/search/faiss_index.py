"""FAISS as the engine: compares every vector while there are few, and uses an inverted file beyond."""

from __future__ import annotations

import os
from typing import Any

import faiss  # the stubs lag behind FAISS's Python layer
import numpy as np

from index.search.vector_index import register
from index.search.vector_log import READ_AT_ONCE, VectorLog

_FAISS: Any = faiss
FLAT_UNTIL = 400_000
"""Up to this many rows every vector is compared; beyond, an inverted file is used (benchmarks/vectors.py)."""


class FaissIndex:
    """A FAISS structure, and the paper at each of its positions."""

    def __init__(self, dimension: int, structure: Any = None) -> None:
        self._structure: Any = structure if structure is not None else _flat(dimension)
        self._papers = np.zeros(0, np.int64)
        self._alive = np.zeros(0, bool)
        self._position_of = np.full(0, -1, np.int64)

    @classmethod
    def open(cls, log: VectorLog, *, flat_until: int = FLAT_UNTIL) -> FaissIndex:
        """Build from a log's rows, or load the inverted file stored beside them."""
        if len(log.row_papers) > flat_until:
            index = cls(log.dimension, _inverted(log))
            index._place(log.row_papers, log.row_alive)
            return index
        index = cls(log.dimension)
        for start in range(0, len(log.row_papers), READ_AT_ONCE):
            part = slice(start, min(start + READ_AT_ONCE, len(log.row_papers)))
            alive = log.row_alive[part]
            index.add(log.row_papers[part][alive], log.read(part.start, part.stop)[alive])
        return index

    def add(self, papers: np.ndarray, rows: np.ndarray) -> None:
        """Add papers, or replace the vectors of known ones."""
        self.remove(papers)
        # Bookkeeping first: a search in another thread must know every position that FAISS may return.
        self._place(papers, np.ones(len(papers), bool))
        self._structure.add(rows.astype(np.float32))

    def _place(self, papers: np.ndarray, alive: np.ndarray) -> None:
        start, top = len(self._papers), int(papers.max(initial=-1)) + 1
        if top > len(self._position_of):
            room = max(top, len(self._position_of) * 5 // 4) - len(self._position_of)
            self._position_of = np.concatenate([self._position_of, np.full(room, -1, np.int64)])
        self._position_of[papers[alive]] = start + np.flatnonzero(alive)
        self._papers = np.concatenate([self._papers, papers])
        self._alive = np.concatenate([self._alive, alive])

    def remove(self, papers: np.ndarray) -> None:
        """Take papers out of the searches; their vectors stay in the structure until the next rebuild."""
        known = papers[papers < len(self._position_of)]
        positions = self._position_of[known]
        self._alive[positions[positions >= 0]] = False
        self._position_of[known] = -1

    def search(
        self, query: np.ndarray, k: int, where: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest papers: store ids and cosines, closest first."""
        wanted = self._alive
        papers = self._papers[: len(wanted)]
        if where is not None:
            inside = papers < len(where)
            wanted = wanted & inside & where[np.where(inside, papers, 0)] if len(where) else wanted & False
        count = min(k, int(wanted.sum()))
        if count == 0:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        parameters = self._parameters(None if wanted.all() else wanted)
        scores, positions = self._structure.search(
            query.reshape(1, -1).astype(np.float32), count, params=parameters
        )
        hit = (positions[0] >= 0) & (positions[0] < len(papers))
        return papers[positions[0][hit]], scores[0][hit]

    def _parameters(self, rows: np.ndarray | None) -> Any:
        selector = _FAISS.IDSelectorBitmap(np.packbits(rows, bitorder="little")) if rows is not None else None
        if isinstance(self._structure, faiss.IndexIVF):
            few = rows is not None and rows.mean() < 0.05
            lists = self._structure.nlist
            return _FAISS.SearchParametersIVF(sel=selector, nprobe=lists if few else max(8, lists // 24))
        return _FAISS.SearchParameters(sel=selector) if selector is not None else None


def _flat(dimension: int) -> Any:
    return faiss.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)


def _inverted(log: VectorLog) -> Any:
    """An inverted file with 8-bit codes, stored beside the rows and brought up to date."""
    path = log.folder / f"inverted-{log.generation}.faiss"
    whole = len(log.row_papers)
    structure = faiss.read_index(str(path)) if path.exists() else None
    if structure is None or structure.ntotal > whole or structure.ntotal < whole // 2:
        structure = _train_inverted(log)
    known = structure.ntotal
    for start in range(known, whole, READ_AT_ONCE):
        structure.add(log.read(start, min(start + READ_AT_ONCE, whole)).astype(np.float32))
    if structure.ntotal != known:
        draft = path.with_suffix(".new")
        faiss.write_index(structure, str(draft))
        os.replace(draft, path)
    return structure


def _train_inverted(log: VectorLog) -> Any:
    whole = len(log.row_papers)
    lists = int(max(16, min(65_536, 4 * whole**0.5)))
    structure = faiss.index_factory(log.dimension, f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
    sample = np.sort(np.random.default_rng(0).choice(whole, min(whole, 48 * lists), replace=False))
    structure.train(np.asarray(log.mapped()[sample], np.float32))
    return structure


register("faiss", FaissIndex.open)
