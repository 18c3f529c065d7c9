"""Each paper's words in order, so that given papers are scored without going through all that have a word.

An inverted index tells quickly which papers have a word, but slowly what a few hundred known papers have: it
reads the blocks around each, of every word. This is the forward index beside it, a SQLite file.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import zlib
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np

from data.records import Paper
from index.search.word_codes import Coder, Packing

_VERSION = 1
_TABLES = """
CREATE TABLE papers (
    id INTEGER PRIMARY KEY,
    title_words INTEGER, abstract_words INTEGER,
    title BLOB, abstract BLOB,
    crc INTEGER
) STRICT;
CREATE TABLE common (number INTEGER PRIMARY KEY, code INTEGER) STRICT;
CREATE TABLE totals (papers INTEGER, title_words INTEGER, abstract_words INTEGER) STRICT;
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
    sqlite3.DatabaseError
        Where the file is damaged; from every method.
    """

    def __init__(self, path: Path, coder: Coder) -> None:
        self.path = path
        self._coder = coder
        self._reader = _connect(path)
        self._reading = Lock()
        self._writer: sqlite3.Connection | None = None
        self._packing = _packing(self._reader)

    # -- writing -------------------------------------------------------------------------------

    def add(self, papers: Sequence[Paper]) -> None:
        """Add or replace papers; they are read after :meth:`commit`."""
        papers = list({paper.id: paper for paper in papers}.values())
        titles = self._coder.coded([paper.title, *paper.former_titles] for paper in papers)
        abstracts = self._coder.coded([paper.abstract] for paper in papers)
        fields = [field for both in zip(titles, abstracts, strict=True) for field in both]
        packed = self._packed([codes for _, codes in fields])
        rows = [
            (paper.id, in_title, in_abstract, title, abstract, _crc(title, abstract))
            for paper, (in_title, _), (in_abstract, _), title, abstract in zip(
                papers, fields[::2], fields[1::2], packed[::2], packed[1::2], strict=True
            )
        ]
        self.remove([paper.id for paper in papers])
        self._writing().executemany("INSERT INTO papers VALUES (?, ?, ?, ?, ?, ?)", rows)
        self._count(len(rows), sum(row[1] for row in rows), sum(row[2] for row in rows))

    def remove(self, papers: Collection[int]) -> None:
        """Drop papers; they are read until :meth:`commit`."""
        held = "FROM papers WHERE id IN (SELECT value FROM json_each(?))"
        writer, which = self._writing(), json.dumps(list(papers))
        count, in_titles, in_abstracts = writer.execute(
            f"SELECT count(*), total(title_words), total(abstract_words) {held}", [which]
        ).fetchone()
        if count:
            writer.execute(f"DELETE {held}", [which])
            self._count(-count, -int(in_titles), -int(in_abstracts))

    def clear(self) -> None:
        """Drop all papers; they are read until :meth:`commit`."""
        self._writing().execute("DELETE FROM papers")
        self._writing().execute("UPDATE totals SET papers = 0, title_words = 0, abstract_words = 0")

    def commit(self) -> None:
        """Make changes durable and visible."""
        if self._writer is not None and self._writer.in_transaction:
            self._writer.execute("COMMIT")

    def close(self) -> None:
        """End writing; what was not committed is dropped."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _writing(self) -> sqlite3.Connection:
        if self._writer is None:
            self._writer = _connect(self.path)
        if not self._writer.in_transaction:
            self._writer.execute("BEGIN IMMEDIATE")
        return self._writer

    def _count(self, papers: int, in_titles: int, in_abstracts: int) -> None:
        self._writing().execute(
            "UPDATE totals SET papers = papers + ?, title_words = title_words + ?, "
            "abstract_words = abstract_words + ?",
            [papers, in_titles, in_abstracts],
        )

    def _packed(self, fields: Sequence[np.ndarray]) -> list[bytes]:
        writer = self._writing()
        packing = _packing(writer)
        new = packing.worth_a_number(np.concatenate([np.zeros(0, np.uint32), *fields]))
        if new:
            writer.executemany("INSERT INTO common VALUES (?, ?)", enumerate(new, len(packing.common)))
            packing = _packing(writer)
        return packing.pack(fields)

    # -- reading -------------------------------------------------------------------------------

    def read(self, papers: Sequence[int]) -> PaperWords:
        """The words of these papers, in their order."""
        with self._reading:
            rows = self._reader.execute(
                "SELECT id, title_words, abstract_words, title, abstract FROM papers "
                "WHERE id IN (SELECT value FROM json_each(?))",
                [json.dumps(list(map(int, papers)))],
            ).fetchall()
            [(count, in_titles, in_abstracts)] = self._reader.execute(
                "SELECT papers, title_words, abstract_words FROM totals"
            ).fetchall()
        held = {row[0]: row for row in rows}
        none = (0, 0, 0, b"", b"")
        found = [held.get(paper, none) for paper in papers]
        return PaperWords(
            self._field([row[3] for row in found], [row[1] for row in found], in_titles / max(count, 1)),
            self._field([row[4] for row in found], [row[2] for row in found], in_abstracts / max(count, 1)),
        )

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


def is_whole(path: Path) -> bool:
    """Whether a file is as it was written; reads all of it."""
    try:
        with closing(_connect(path)) as connection:
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                return False
            rows = connection.execute("SELECT title, abstract, crc FROM papers")
            return all(_crc(title, abstract) == crc for title, abstract, crc in rows)
    except sqlite3.DatabaseError:
        return False


def _connect(path: Path) -> sqlite3.Connection:
    """A connection to a file that has been made."""
    # Without "rw", SQLite would make a missing file.
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=60)
    try:
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:
            raise sqlite3.DatabaseError(f"{path} is not a forward index")
    except BaseException:
        connection.close()
        raise
    return connection


def _packing(connection: sqlite3.Connection) -> Packing:
    """The packing of a file, as far as a connection sees it."""
    return Packing([code for (code,) in connection.execute("SELECT code FROM common ORDER BY number")])


def _crc(title: bytes, abstract: bytes) -> int:
    return zlib.crc32(abstract, zlib.crc32(title))
