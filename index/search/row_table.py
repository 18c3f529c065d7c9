"""Each paper's row in the vector files, kept in memory."""

from __future__ import annotations

import numpy as np

ENTRY = np.dtype([("paper", "<i8"), ("hash", "<i8"), ("crc", "<u4"), ("gone", "<u4")])
"""The entry in the files beside each row."""


class RowTable:
    """The rows of the vector files and the papers that they belong to.

    Attributes
    ----------
    papers
        int64: the paper of each row, dead ones included.
    hashes
        int64: the hash of the text that each row was made from.
    alive
        bool: whether each row is its paper's vector in use.
    """

    def __init__(self) -> None:
        self.papers = np.zeros(0, np.int64)
        self.hashes = np.zeros(0, np.int64)
        self.alive = np.zeros(0, bool)
        self._row_of = np.full(0, -1, np.int64)

    def take(self, entries: np.ndarray) -> None:
        """Add the entries of new rows; a later row replaces a paper's earlier one."""
        start = len(self.papers)
        papers = entries["paper"].astype(np.int64)
        self.papers = np.concatenate([self.papers, papers])
        self.hashes = np.concatenate([self.hashes, entries["hash"].astype(np.int64)])
        self.alive = np.concatenate([self.alive, np.zeros(len(entries), bool)])
        top = int(papers.max(initial=-1)) + 1
        if top > len(self._row_of):
            room = max(top, len(self._row_of) * 5 // 4) - len(self._row_of)
            self._row_of = np.concatenate([self._row_of, np.full(room, -1, np.int64)])
        for offset, (paper, gone) in enumerate(zip(papers.tolist(), entries["gone"].tolist(), strict=True)):
            old = self._row_of[paper]
            if old >= 0:
                self.alive[old] = False
            self._row_of[paper] = -1 if gone else start + offset
            self.alive[start + offset] = not gone

    def row_of(self, paper: int) -> int:
        """The row of a paper's vector, -1 if it has none."""
        return int(self._row_of[paper]) if 0 <= paper < len(self._row_of) else -1

    def rows_of(self, papers: np.ndarray) -> np.ndarray:
        """int64: the row of each paper's vector, -1 if it has none."""
        inside = (papers >= 0) & (papers < len(self._row_of))
        rows = np.full(len(papers), -1, np.int64)
        rows[inside] = self._row_of[papers[inside]]
        return rows
