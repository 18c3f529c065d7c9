"""Rows in memory that every search compares, in blocks that never move, so that searches go on meanwhile."""

from __future__ import annotations

from typing import Any

import faiss  # the stubs lag behind FAISS's Python layer
import numpy as np

_FAISS: Any = faiss
_BLOCK = 8_192


def nearest_rows(halves: np.ndarray, query: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k rows of a matrix, float16, that are nearest: their places and cosines, closest first."""
    if not len(halves) or k < 1:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    index = _flat(halves.shape[1])
    index.add_sa_codes(np.ascontiguousarray(halves).view(np.uint8))
    scores, places = index.search(query[None], min(k, len(halves)))
    return places[0], scores[0]


def _flat(dimension: int) -> Any:
    return _FAISS.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)


class _Block:
    """FAISS's flat index over room for a fixed number of rows, which are written in place."""

    def __init__(self, dimension: int) -> None:
        self.index = _flat(dimension)
        self.index.codes.resize(_BLOCK * 2 * dimension)
        room = _FAISS.rev_swig_ptr(self.index.codes.data(), _BLOCK * 2 * dimension)
        self._halves = room.view(np.float16).reshape(_BLOCK, dimension)
        self.papers = np.full(_BLOCK, -1, np.int64)
        self.alive = np.zeros(_BLOCK, bool)
        self.count = 0

    def add(self, papers: np.ndarray, rows: np.ndarray) -> int:
        """Take as many as there is room for; returns how many."""
        start, taken = self.count, min(len(papers), _BLOCK - self.count)
        part = slice(start, start + taken)
        self._halves[part], self.papers[part], self.alive[part] = rows[:taken], papers[:taken], True
        self.count = start + taken
        self.index.ntotal = self.count
        return taken

    def search(self, query: np.ndarray, k: int, where: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        count = self.count
        wanted, papers = self.alive[:count], self.papers[:count]
        if where is not None:
            inside = papers < len(where)
            wanted = (wanted & inside & where[np.where(inside, papers, 0)]) if len(where) else wanted & False
        if not wanted.any():
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        parameters = None
        if not wanted.all():
            bits = np.packbits(wanted, bitorder="little")
            parameters = _FAISS.SearchParameters(sel=_FAISS.IDSelectorBitmap(bits))
        scores, places = self.index.search(query[None], min(k, count), params=parameters)
        hit = (places[0] >= 0) & (places[0] < count)
        return papers[places[0][hit]], scores[0][hit]


class FlatRows:
    """Papers and their rows, 768 bytes a row at 384 numbers. One thread adds, others may search."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._blocks: list[_Block] = []

    def __len__(self) -> int:
        return sum(block.count for block in self._blocks)

    def add(self, papers: np.ndarray, rows: np.ndarray) -> None:
        """Add rows, float16, shape (len(papers), dimension); earlier rows of these papers die."""
        self.remove(papers)
        taken = 0
        while taken < len(papers):
            if not self._blocks or self._blocks[-1].count == _BLOCK:
                self._blocks.append(_Block(self._dimension))
            taken += self._blocks[-1].add(papers[taken:], rows[taken:])

    def remove(self, papers: np.ndarray) -> None:
        """Take papers out of the searches."""
        for block in self._blocks:
            block.alive[: block.count] &= ~np.isin(block.papers[: block.count], papers)

    def search(self, query: np.ndarray, k: int, where: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest (:meth:`index.search.vector_index.VectorIndex.search`), in no order."""
        parts = [block.search(query, k, where) for block in list(self._blocks)]
        if not parts:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        papers, scores = (np.concatenate(part) for part in zip(*parts, strict=True))
        best = np.argpartition(-scores, k - 1)[:k] if len(scores) > k else slice(None)
        return papers[best], scores[best]
