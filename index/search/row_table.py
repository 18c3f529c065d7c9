"""Each paper's row in the vector files; rows and entries stay on disk and are mapped."""

from __future__ import annotations

import io
import mmap
import os
from pathlib import Path

import numpy as np

ENTRY = np.dtype([("paper", "<i8"), ("hash", "<i8"), ("crc", "<u4"), ("gone", "<u4")])
"""The entry in the files beside each row."""
READ_AT_ONCE = 20_000
_MOST_PAPERS = 1 << 31


class RowTable:
    """The rows of one pair of files and the papers that they belong to.

    In memory it holds four bytes for each store id: the row of the paper's vector. One thread calls
    :meth:`follow`, others may read.

    Attributes
    ----------
    count
        How many rows are in use or dead; the files may already hold more.
    rows
        float16, shape (count, dimension), mapped.
    entries
        :data:`ENTRY`, shape (count,), mapped.
    """

    def __init__(self, rows_file: Path | None, entries_file: Path | None, dimension: int) -> None:
        self.count = 0
        self.rows = np.zeros((0, dimension), np.float16)
        self.entries = np.zeros(0, ENTRY)
        # The files stay open, so that a reader can finish with rows whose files a compaction deleted.
        self._rows_file = io.FileIO(rows_file) if rows_file else None
        self._entries_file = io.FileIO(entries_file) if entries_file else None
        self._dimension = dimension
        self._row_of = np.full(0, -1, np.int32)
        self._alive: int | None = 0

    def on_disk(self) -> int:
        """The number of rows with both vector and entry in the files."""
        if self._rows_file is None or self._entries_file is None:
            return 0
        rows = os.fstat(self._rows_file.fileno()).st_size // (2 * self._dimension)
        return min(rows, os.fstat(self._entries_file.fileno()).st_size // ENTRY.itemsize)

    def read_rows(self, start: int, stop: int) -> np.ndarray:
        """float16, shape (stop - start, dimension), read from the file and not mapped."""
        out = np.zeros((max(0, stop - start), self._dimension), np.float16)
        return _filled(out, self._rows_file, start * 2 * self._dimension)

    def read_entries(self, start: int, stop: int) -> np.ndarray:
        """:data:`ENTRY`, shape (stop - start,), read from the file and not mapped."""
        return _filled(np.zeros(max(0, stop - start), ENTRY), self._entries_file, start * ENTRY.itemsize)

    def follow(self, whole: int) -> None:
        """Take in the rows up to ``whole``; a later row replaces a paper's earlier one.

        Raises
        ------
        ValueError
            If an entry can't be one.
        """
        before = self.count
        if whole <= before:
            return
        # The maps first: whoever learns a row's number can read it.
        self.rows = _mapped(self._rows_file, np.dtype(np.float16), whole * self._dimension).reshape(whole, -1)
        self.entries = _mapped(self._entries_file, ENTRY, whole)
        for start in range(before, whole, READ_AT_ONCE):
            entries = self.read_entries(start, min(start + READ_AT_ONCE, whole))
            papers = entries["paper"]
            if papers.min() < 0 or papers.max() >= _MOST_PAPERS:
                raise ValueError(f"the entries from row {start:,} on are damaged")
            self._grow(int(papers.max()) + 1)
            numbers = np.arange(start, start + len(entries), dtype=np.int32)
            self._row_of[papers] = np.where(entries["gone"] != 0, np.int32(-1), numbers)
        self.count, self._alive = whole, None

    def _grow(self, size: int) -> None:
        if size > len(self._row_of):
            grown = np.full(max(size, len(self._row_of) * 5 // 4), -1, np.int32)
            grown[: len(self._row_of)] = self._row_of
            self._row_of = grown

    def __len__(self) -> int:
        """The number of papers with a vector."""
        if self._alive is None:
            self._alive = int(np.count_nonzero(self._row_of >= 0))
        return self._alive

    def papers(self) -> np.ndarray:
        """int64: the papers with a vector, ascending."""
        return np.flatnonzero(self._row_of >= 0)

    def row_of(self, paper: int) -> int:
        """The row of a paper's vector, -1 if it has none."""
        return int(self._row_of[paper]) if 0 <= paper < len(self._row_of) else -1

    def rows_of(self, papers: np.ndarray) -> np.ndarray:
        """int32: the row of each paper's vector, -1 if it has none."""
        row_of = self._row_of
        inside = (papers >= 0) & (papers < len(row_of))
        rows = np.full(len(papers), -1, np.int32)
        rows[inside] = row_of[papers[inside]]
        return rows

    def alive(self, start: int, stop: int) -> np.ndarray:
        """Whether each of these rows is its paper's vector in use: bool, shape (stop - start,)."""
        alive: np.ndarray = self.rows_of(self.entries["paper"][start:stop]) == np.arange(start, stop)
        return alive


def _filled(out: np.ndarray, file: io.FileIO | None, offset: int) -> np.ndarray:
    """Read into an array; what the file does not have stays zero."""
    if not out.size or file is None:
        return out
    left = memoryview(out.view(np.uint8).reshape(-1).data)
    while len(left):
        got = os.preadv(file.fileno(), [left], offset)
        if not got:
            break
        left, offset = left[got:], offset + got
    return out


def _mapped(file: io.FileIO | None, kind: np.dtype, count: int) -> np.ndarray:
    if file is None:
        raise ValueError("there are no files")
    pages = mmap.mmap(file.fileno(), count * kind.itemsize, prot=mmap.PROT_READ)
    # A search reads single rows; without this, the system reads 128 KB around each.
    pages.madvise(mmap.MADV_RANDOM)
    return np.frombuffer(pages, kind, count)
