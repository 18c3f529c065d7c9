"""Each paper's words in order, so that given papers are scored without going through all that have a word.

An inverted index tells quickly which papers have a word, but slowly what a few hundred known papers have: it
reads the blocks around each, of every word. This is the forward index beside it, a SQLite file.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from threading import Lock, RLock

import numpy as np

from data.records import Paper, WorkText
from index.search.word_codes import CodedText, Coder, Packing

_VERSION = 1
_MAPPED = 1 << 40
"""Bytes that the reader maps, as far as SQLite was built to: else it calls the system for each row's page.

As with every mapped file, the system ends the process ("Bus error") if a page can't be read from the disk,
or if another program has truncated the file meanwhile.
"""
_NOT_READ = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
    *(sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY),
}
"""SQLite's codes of errors that say nothing of the file."""
_TABLES = """
CREATE TABLE papers (
    id INTEGER PRIMARY KEY,
    title_words INTEGER NOT NULL, abstract_words INTEGER NOT NULL,
    title BLOB NOT NULL, abstract BLOB NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
CREATE TABLE common (number INTEGER PRIMARY KEY, code INTEGER NOT NULL, crc INTEGER NOT NULL) STRICT;
CREATE TABLE totals (
    papers INTEGER NOT NULL, title_words INTEGER NOT NULL, abstract_words INTEGER NOT NULL
) STRICT;
INSERT INTO totals VALUES (0, 0, 0);
PRAGMA user_version = 1;
"""


def new_name() -> str:
    """A name that no forward index has had."""
    return f"forward-{secrets.token_hex(8)}.db"


@dataclass(frozen=True)
class FieldWords:
    """The titles or the abstracts of some papers.

    Attributes
    ----------
    codes
        uint32, shape (words,): those of all papers in order (:mod:`index.search.word_codes`), but for stop
        words.
    paper
        int64, shape (words,): the place of the paper that has each.
    lengths
        float64, shape (papers,): the number of words, stop words included.
    average
        That number, on average over all papers of the index.
    """

    codes: np.ndarray
    paper: np.ndarray
    lengths: np.ndarray
    average: float


@dataclass(frozen=True)
class PaperWords:
    """The words of some papers; those that the index does not have are without words."""

    title: FieldWords
    abstract: FieldWords

    def __len__(self) -> int:
        return len(self.title.lengths)


class ForwardIndex:
    """The forward index in its file; one process writes, any number read.

    A file that is made anew has a name of its own (:func:`new_name`): SQLite removes what it keeps beside a
    file by name, which must not be another file's.

    Parameters
    ----------
    path
        The file, which :func:`make` has made.
    coder
        The codes of words.

    Raises
    ------
    sqlite3.Error
        Where the file is damaged (:func:`is_damage`) or can't be read; from every method.
    """

    def __init__(self, path: Path, coder: Coder) -> None:
        self.path = path
        self._coder = coder
        self._reader = _connect(path)
        self._reader.execute(f"PRAGMA mmap_size = {_MAPPED}")
        self._reading = Lock()
        self._writer: sqlite3.Connection | None = None
        self._own_packing: Packing | None = None
        """As the writer sees it, what is not committed included."""
        self._writes = RLock()
        self._packing = _packing(self._reader)

    def release(self) -> None:
        """Close the file."""
        self.close()
        with self._reading:
            self._reader.close()

    # -- writing -------------------------------------------------------------------------------

    def open(self) -> None:
        """Begin to write, until :meth:`close`."""
        with self._writes:
            if self._writer is None:
                self._writer = _connect(self.path)

    def close(self) -> None:
        """End writing; what was not committed is dropped."""
        with self._writes:
            if self._writer is not None:
                with suppress(sqlite3.OperationalError):  # a full disk
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                    self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
                self._writer.close()
                self._writer = self._own_packing = None

    def add(
        self,
        papers: Sequence[Paper | WorkText],
        gone: Collection[int],
        coded: Mapping[int, CodedText],
    ) -> None:
        """Do what :meth:`index.search.word_files.WordFiles.add` is told; it is read after :meth:`commit`."""
        others = {paper.id: paper for paper in papers if paper.id not in coded}
        texts = {paper.id: coded[paper.id] for paper in papers if paper.id in coded}
        words = self._coder.code(
            [([paper.title, *paper.former_titles], paper.abstract) for paper in others.values()]
        )
        texts.update(zip(others, words, strict=True))
        with self._writes:
            self._begin()
            packed = self._packed([codes for text in texts.values() for codes in (text.title, text.abstract)])
            rows = [
                (paper, text.title_words, text.abstract_words, title, abstract)
                for (paper, text), title, abstract in zip(
                    texts.items(), packed[::2], packed[1::2], strict=True
                )
            ]
            self._remove([*gone, *texts])
            self._write("INSERT INTO papers VALUES (?, ?, ?, ?, ?, ?)", [(*row, _crc(*row)) for row in rows])
            self._count(len(rows), sum(row[1] for row in rows), sum(row[2] for row in rows))

    def clear(self) -> None:
        """Drop all papers; they are read until :meth:`commit`."""
        with self._writes:
            self._begin()
            self._write("DELETE FROM papers", [()])
            self._write("UPDATE totals SET papers = 0, title_words = 0, abstract_words = 0", [()])

    def commit(self) -> None:
        """Make changes durable and visible."""
        with self._writes:
            if self._writer is not None and self._writer.in_transaction:
                self._writer.execute("COMMIT")

    def _begin(self) -> None:
        assert self._writer is not None, "open() comes first"
        if not self._writer.in_transaction:
            self._writer.execute("BEGIN IMMEDIATE")
            # SQLite may have dropped what was written, after an error, or another process may have written.
            self._own_packing = None

    def _write(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        assert self._writer is not None
        self._writer.executemany(statement, rows)

    def _remove(self, papers: Sequence[int]) -> None:
        assert self._writer is not None
        held, which = "FROM papers WHERE id IN (SELECT value FROM json_each(?))", json.dumps(papers)
        count, in_titles, in_abstracts = self._writer.execute(
            f"SELECT count(*), total(title_words), total(abstract_words) {held}", [which]
        ).fetchone()
        if count:
            self._write(f"DELETE {held}", [(which,)])
            self._count(-count, -int(in_titles), -int(in_abstracts))

    def _count(self, papers: int, in_titles: int, in_abstracts: int) -> None:
        self._write(
            "UPDATE totals SET papers = papers + ?, title_words = title_words + ?, "
            "abstract_words = abstract_words + ?",
            [(papers, in_titles, in_abstracts)],
        )

    def _packed(self, fields: Sequence[np.ndarray]) -> list[bytes]:
        assert self._writer is not None
        if self._own_packing is None:
            self._own_packing = _packing(self._writer)
        packing = self._own_packing
        new = packing.worth_a_number(np.concatenate([np.zeros(0, np.uint32), *fields]))
        if new:
            self._own_packing = None  # until what follows has succeeded
            numbered = enumerate(new, len(packing.common))
            self._write("INSERT INTO common VALUES (?, ?, ?)", [(*one, _crc(*one)) for one in numbered])
            self._own_packing = packing = _packing(self._writer)
        return packing.pack(fields)

    # -- reading -------------------------------------------------------------------------------

    def read(self, papers: Sequence[int]) -> PaperWords:
        """The words of these papers, in their order."""
        with self._reading:
            self._reader.execute("BEGIN")  # rows and totals of one moment
            try:
                rows = self._reader.execute(
                    "SELECT id, title_words, abstract_words, title, abstract FROM papers "
                    "WHERE id IN (SELECT value FROM json_each(?))",
                    [json.dumps(list(map(int, papers)))],
                ).fetchall()
                [(count, *totals)] = self._reader.execute(
                    "SELECT papers, title_words, abstract_words FROM totals"
                ).fetchall()
            finally:
                self._reader.execute("COMMIT")
        held = {row[0]: row for row in rows}
        none = (0, 0, 0, b"", b"")
        found = [held.get(paper, none) for paper in papers]
        try:
            title, abstract = (
                self._field([row[at + 2] for row in found], [row[at] for row in found], total / max(count, 1))
                for at, total in enumerate(totals, 1)
            )
        except (TypeError, ValueError, OverflowError) as error:
            raise sqlite3.DatabaseError(f"{self.path} has rows that were never written") from error
        return PaperWords(title, abstract)

    def _field(self, packed: Sequence[bytes], lengths: Sequence[int], average: float) -> FieldWords:
        try:
            codes, paper = self._packing.unpack(packed)
        except IndexError:  # of a word that is common since
            with self._reading:
                self._packing = _packing(self._reader)
            try:
                codes, paper = self._packing.unpack(packed)
            except IndexError as error:
                raise sqlite3.DatabaseError(f"{self.path} has words that it does not know") from error
        return FieldWords(codes, paper, np.array(lengths, np.float64), max(average, 1.0))


def make(path: Path) -> None:
    """Make an empty file."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_TABLES)
    finally:
        connection.close()


def is_damage(error: BaseException) -> bool:
    """Whether an error of these functions says that the file isn't as it was written."""
    if isinstance(error, sqlite3.ProgrammingError) or not isinstance(error, sqlite3.DatabaseError):
        return False
    return getattr(error, "sqlite_errorcode", 0) & 0xFF not in _NOT_READ


def is_whole(path: Path, papers: int) -> bool:
    """Whether a file is as it was written, and has at least so many papers; reads all of it.

    Raises
    ------
    sqlite3.OperationalError
        Where it can't be read.
    """
    try:
        with closing(_connect(path)) as connection:
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                return False
            common = connection.execute("SELECT number, code, crc FROM common").fetchall()
            if [number for number, *_ in common] != list(range(1, len(common) + 1)):
                return False
            counted = [0, 0, 0]
            rows = connection.execute(
                "SELECT id, title_words, abstract_words, title, abstract, crc FROM papers"
            )
            for row in chain(common, rows):
                if _crc(*row[:-1]) != row[-1]:
                    return False
                if len(row) > 3:
                    counted = [counted[0] + 1, counted[1] + row[1], counted[2] + row[2]]
            [totals] = connection.execute("SELECT papers, title_words, abstract_words FROM totals").fetchall()
            return counted == list(totals) and counted[0] >= papers
    except (sqlite3.DatabaseError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, sqlite3.DatabaseError) and not is_damage(error):
            raise
        return False


def _connect(path: Path) -> sqlite3.Connection:
    """A connection to a file that has been made."""
    # Without "rw", SQLite would make a missing file.
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=60)
    try:
        if connection.execute("PRAGMA user_version").fetchone() != (_VERSION,):
            raise sqlite3.DatabaseError(f"{path} is not a forward index")
    except BaseException:
        connection.close()
        raise
    return connection


def _packing(connection: sqlite3.Connection) -> Packing:
    """The packing of a file, as far as a connection sees it."""
    return Packing([code for (code,) in connection.execute("SELECT code FROM common ORDER BY number")])


def _crc(*row: int | bytes) -> int:
    """The CRC-32 of a row's numbers and bytes."""
    crc = 0
    for value in row:
        crc = zlib.crc32(value if isinstance(value, bytes) else b"%d " % value, crc)
    return crc
