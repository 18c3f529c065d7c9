"""What the crash test of vectors kills: appending, replacing, removing, compacting, and the inverted file."""

from __future__ import annotations

from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from index.search import faiss_index
from index.search.faiss_index import FaissIndex
from index.search.vectors import Vectors

DIMENSION, PART = 32, 150
PRINT = {
    "model": "m",
    "weights_sha256": "a" * 64,
    "dimension": DIMENSION,
    "pooling": "mean",
    "normalised": True,
    "text": "t",
}


def row_of(paper: int, state: int) -> np.ndarray:
    """The vector of a paper in a state, float32, shape (DIMENSION,)."""
    row = np.random.default_rng([paper, state]).normal(size=DIMENSION).astype(np.float32)
    return row / np.linalg.norm(row)


def small(folder: Path, *, writable: bool) -> Vectors:
    """Vectors that have an inverted file from 600 rows on."""
    faiss_index._BEHIND = 100
    return Vectors.open(folder, PRINT, writable=writable, open_index=partial(FaissIndex.open, flat_until=600))


def tend(folder: Path, first: int, said: Connection) -> None:
    """Change vectors and bring the file up to date for ever; says what is on disk after each change."""
    vectors = small(folder, writable=True)
    said.send("opened")
    for step in range(first, 1_000_000):
        papers = np.random.default_rng(step).choice(3_000, PART, replace=False).tolist()
        rows = np.stack([row_of(paper, step) for paper in papers])
        vectors.append(papers, [step] * PART, rows)
        said.send(("in", step, papers))
        gone = papers[:5]
        vectors.remove(gone)
        said.send(("out", step, gone))
        vectors.tend()
        said.send(("tended", step, []))
