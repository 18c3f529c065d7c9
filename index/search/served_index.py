"""An engine on a server: the server proposes papers, and this machine's own rows decide.

The log of vectors is on every machine, so a server is only ever a way to find candidates sooner. What it
lacks is sent to it when it is first asked, also after a kill half way; papers that it has from other machines
and that are not here are left out. Where it can't be reached, FAISS answers from the log until it is back.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from index.models.distinct import distinct
from index.search.faiss_index import FaissIndex
from index.search.flat_rows import nearest_rows
from index.search.row_table import READ_AT_ONCE
from index.search.vector_log import VectorLog

log = logging.getLogger("labmate")
FEW, FEW_OF = 4_000, 0.02
"""If no more papers than this, or than this share of all, pass a filter, this machine finds the nearest
itself: a server walks past too many others to get to them (benchmarks.scale.engines)."""
_MORE = 10
"""How many times as many candidates are asked for as papers are wanted."""
_FEWEST = 100
_SPARE, _MOST = 1.5, 2_000
"""Behind a filter, so many times what would do if it kept papers anywhere, up to a limit."""
_AGAIN = 30.0
"""Seconds after which a server that could not be reached is tried again."""


def is_for_server(where: np.ndarray | None, papers: int) -> bool:
    """Whether a filter leaves enough of so many papers to ask a server for the nearest of them."""
    return where is None or int(np.count_nonzero(where)) > max(FEW, FEW_OF * papers)


class ServerGoneError(Exception):
    """The server can't be reached or refuses; the message says which and why, without a password."""


class _StillGoneError(ServerGoneError):
    """Another thread has just found the server gone."""


class VectorServer(Protocol):
    """Where rows lie by their papers' store ids. Every call may raise :class:`ServerGoneError`."""

    def marks(self) -> tuple[np.ndarray, np.ndarray]:
        """Store ids and the hashes of the texts whose vectors they have, int64 each, in any order."""

    def put(self, papers: np.ndarray, marks: np.ndarray, rows: np.ndarray) -> None:
        """Add papers or replace them: store ids and hashes, int64, and rows, float16."""

    def drop(self, papers: np.ndarray) -> None:
        """Remove papers; unknown ones do no harm."""

    def settle(self) -> None:
        """Build what searches need, once everything has been sent."""

    def near(self, query: np.ndarray, count: int) -> Iterator[np.ndarray]:
        """All store ids, closest first, in batches of about ``count``."""


class ServedIndex:
    """A :class:`index.search.vector_index.VectorIndex` on a server."""

    def __init__(self, vectors: VectorLog, server: VectorServer) -> None:
        self._log, self._server = vectors, server
        self._here = FaissIndex.open(vectors)
        self._sending = threading.Lock()
        self._in_step = False
        self._again = 0.0

    def add(self, papers: np.ndarray, rows: np.ndarray) -> None:
        """Add papers, or replace the vectors of known ones."""
        self._here.add(papers, rows)
        self._change(lambda: self._server.put(papers, self._marks_of(papers), rows))

    def remove(self, papers: np.ndarray) -> None:
        """Take papers out of the searches; what has no row in the log is never an answer."""
        self._here.remove(papers)
        self._change(lambda: self._server.drop(papers))

    def search(
        self, query: np.ndarray, k: int, where: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest papers: store ids and cosines, closest first."""
        if time.monotonic() >= self._again and is_for_server(where, len(self._log)):
            try:
                papers = self._candidates(query, k, where)
                if len(papers) >= min(k, len(self._log) if where is None else np.count_nonzero(where)):
                    return self._nearest_of(papers, query, k)
            except _StillGoneError:
                pass
            except ServerGoneError as error:
                self._lose(error)
        return self._here.search(query, k, where)

    # -- the files of this machine -------------------------------------------------------------

    def is_outdated(self) -> bool:
        """False: newer files are opened here, so that the server isn't asked again what it has."""
        if self._here.is_outdated():
            self._here = FaissIndex.open(self._log)
        return False

    def is_due(self) -> bool:
        """Whether :meth:`tend` would do something."""
        return self._here.is_due()

    def tend(self) -> bool:
        """Bring this machine's inverted file up to date, for narrow filters and while the server is gone."""
        return self._here.tend()

    # -- the server ----------------------------------------------------------------------------

    def _candidates(self, query: np.ndarray, k: int, where: np.ndarray | None) -> np.ndarray:
        self._send_what_it_lacks()
        wanted, found, have = max(2 * k, k + 10), [np.zeros(0, np.int64)], 0
        count = max(_MORE * k, _FEWEST)
        if where is not None:
            behind = _SPARE * wanted * len(self._log) / np.count_nonzero(where)
            count = max(count, min(int(behind), _MOST))
        for papers in self._server.near(query, count):
            kept = self._log.table.rows_of(papers) >= 0
            if where is not None:
                inside = papers < len(where)
                kept &= inside & where[np.where(inside, papers, 0)]
            found.append(papers[kept])
            have += int(kept.sum())
            if have >= wanted:
                break
        return distinct(np.concatenate(found))

    def _nearest_of(self, papers: np.ndarray, query: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        query = np.ascontiguousarray(query, np.float32).reshape(-1)
        places, scores = nearest_rows(self._log.rows(papers), query, k)
        return papers[places], scores

    def _send_what_it_lacks(self) -> None:
        with self._sending:
            if self._in_step:
                return
            if time.monotonic() < self._again:
                raise _StillGoneError
            theirs, their_marks = self._server.marks()
            order = np.argsort(theirs)
            theirs, their_marks = theirs[order], their_marks[order]
            ours, marks = self._log.known()
            at = np.minimum(np.searchsorted(theirs, ours), max(len(theirs) - 1, 0))
            same = (
                (theirs[at] == ours) & (their_marks[at] == marks)
                if len(theirs)
                else np.zeros(len(ours), bool)
            )
            lacking, lacking_marks = ours[~same], marks[~same]
            for start in range(0, len(lacking), READ_AT_ONCE):
                part = slice(start, start + READ_AT_ONCE)
                self._server.put(lacking[part], lacking_marks[part], self._log.rows(lacking[part]))
            self._server.settle()
            self._in_step = True

    def _change(self, change: Callable[[], None]) -> None:
        """Tell the server; what it misses is sent when it is next asked."""
        if not self._in_step:
            return
        try:
            change()
        except ServerGoneError as error:
            self._lose(error)

    def _lose(self, error: ServerGoneError) -> None:
        self._in_step, self._again = False, time.monotonic() + _AGAIN
        log.warning("VECTOR_URL: %s. The nearest papers come from this machine until it is back.", error)

    def _marks_of(self, papers: np.ndarray) -> np.ndarray:
        table = self._log.table
        marks: np.ndarray = table.entries["hash"][table.rows_of(papers)]
        return marks
