"""The word index on disk: tantivy files and the forward index, derived from the store and rebuilt if torn."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType

import tantivy
from filelock import FileLock
from tantivy import Query

from data.keys import fold
from data.records import Paper, WorkText
from index.search import forward_index
from index.search.forward_index import ForwardIndex
from index.search.word_codes import CodedText, Coder

SCHEMA_VERSION = 2
PART = 80_000
"""Papers whose words are committed together where many come: larger parts are merged less often."""
_HEAP = 256_000_000
"""Bytes of words that wait for a commit, at most."""
_UNWRITTEN = re.compile(
    r"An IO error occurred|An error occurred in a thread|Failed to open file for write"
    r"|\(os error (?:1|5|12|13|23|24|27|28|30|122)\)"
)
"""What messages of tantivy's say where the disk is full or a file can't be written; numbers are errno's."""


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", stored=False, indexed=True, fast=True)
    builder.add_text_field("title", tokenizer_name="stemmed")
    builder.add_text_field("abstract", tokenizer_name="stemmed")
    builder.add_text_field("name", tokenizer_name="plain", index_option="basic")
    builder.add_text_field("author", tokenizer_name="plain")
    return builder.build()


def _analyzer(*, stemmed: bool) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    builder = builder.filter(tantivy.Filter.remove_long(60)).filter(tantivy.Filter.lowercase())
    builder = builder.filter(tantivy.Filter.ascii_fold())
    return (builder.filter(tantivy.Filter.stemmer("english")) if stemmed else builder).build()


def new_coder() -> Coder:
    """The coder of words as the index splits and stems them."""
    return Coder(_analyzer(stemmed=False).analyze, _analyzer(stemmed=True).analyze)


class WordsDamagedError(RuntimeError):
    """A file of the word index isn't as it was written."""


class WordsUnreadableError(RuntimeError):
    """The word index can't be read or written now; nothing says that it is damaged."""


@contextmanager
def unpanicked() -> Iterator[None]:
    """Turn panics of tantivy, which no handler of errors expects, and SQLite's errors into errors that say
    what to do.

    Raises
    ------
    WordsDamagedError
        Where tantivy panics, as it does over damaged files, or a file of SQLite's is damaged.
    WordsUnreadableError
        Where SQLite can't read or write its file.
    """
    try:
        yield
    except BaseException as error:
        if type(error).__name__ == "PanicException" or forward_index.is_damage(error):
            raise WordsDamagedError(
                "The word index is damaged. To make it again, run: python -m bot index"
            ) from error
        if isinstance(error, sqlite3.OperationalError):
            raise WordsUnreadableError(_unreadable(error)) from error
        raise


@contextmanager
def _written() -> Iterator[None]:
    """:func:`unpanicked` for what writes, which also fails because the disk is full."""
    try:
        with unpanicked():
            yield
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) or _UNWRITTEN.search(str(error)):
            raise WordsUnreadableError(_unreadable(error)) from error
        raise


def _unreadable(error: Exception) -> str:
    return (
        f"The word index can't be read or written ({error}). Check that the disk of LABMATE_DATA "
        "isn't full and that its files are yours, then try again. Nothing is lost."
    )


@dataclass(frozen=True, slots=True)
class _State:
    """What ``labmate.json`` says: the last store batch in the index, and the forward index's file."""

    upto: int
    forward: str


def _state_in(file: Path) -> _State | None:
    """What a ``labmate.json`` says; None if it is torn, or of another schema."""
    try:
        state = json.loads(file.read_text())
        return (
            _State(int(state["upto"]), Path(state["forward"]).name)
            if state["schema"] == SCHEMA_VERSION
            else None
        )
    except (ValueError, TypeError, LookupError):
        return None


class WordFiles:
    """The word index in its folder; one process writes, any number read.

    Attributes
    ----------
    coder
        The codes of words; it keeps those that it has coded.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: tuple[tuple[int, ...], _State | None] = ((), None)
        """What tells one ``labmate.json`` from the next, and what it said."""
        self._stemmed = _analyzer(stemmed=True)
        self._plain = _analyzer(stemmed=False)
        self.coder = new_coder()
        self._index, self.forward = self._open()
        self._schema = self._index.schema
        self._writer: tantivy.IndexWriter | None = None
        self._failed: Exception | None = None
        """The first failed write since the last :meth:`close`."""
        self._stamp = ""
        self._highest = -1
        self.refresh()

    def _open(self) -> tuple[tantivy.Index, ForwardIndex]:
        self.folder.mkdir(parents=True, exist_ok=True)
        # Another process may be opening the same folder, and make what is missing.
        with FileLock(self.folder.with_name(f"{self.folder.name}.lock")):
            try:
                return self._opened()
            except (ValueError, WordsDamagedError):  # torn, or of another schema; all can be made again
                return self._opened(anew=True)

    @unpanicked()
    def _opened(self, *, anew: bool = False) -> tuple[tantivy.Index, ForwardIndex]:
        state = self._read_state()
        if anew or state is None or not (self.folder / state.forward).is_file():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            state = _State(0, forward_index.new_name())
            forward_index.make(self.folder / state.forward)
            self._write_state(state)
        index = tantivy.Index(_schema(), str(self.folder))
        index.register_tokenizer("stemmed", self._stemmed)
        index.register_tokenizer("plain", self._plain)
        index.config_reader("manual")
        index.reload()  # all files are opened here, so that torn ones show
        index.searcher()
        return index, self._open_forward(state)

    def _open_forward(self, state: _State) -> ForwardIndex:
        return ForwardIndex(self.folder / state.forward, self.coder)

    def _read_state(self) -> _State | None:
        """What the index says of itself; None if that is torn, or of another schema."""
        file = self.folder / "labmate.json"
        try:
            found = file.stat()
            stamp = found.st_ino, found.st_mtime_ns, found.st_size
            known = self._read
            if stamp != known[0]:  # each reply asks, and each change is a new file
                known = self._read = stamp, _state_in(file)
            return known[1]
        except OSError:
            return None

    def _write_state(self, state: _State) -> None:
        draft = self.folder / "labmate.json.new"
        draft.write_text(json.dumps({"schema": SCHEMA_VERSION, **asdict(state)}))
        os.replace(draft, self.folder / "labmate.json")

    # -- writing -------------------------------------------------------------------------------

    @property
    def upto(self) -> int:
        """The number of the last store batch whose papers are in the index."""
        state = self._read_state()
        return state.upto if state else 0

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """:func:`_written` for changes; after one fails, nothing is committed until :meth:`close`.

        After an error, tantivy and SQLite may each have dropped what was not committed yet.
        """
        if self._failed is not None:
            raise self._failed
        try:
            with _written():
                yield
        except Exception as error:
            self._failed = error
            raise

    def add(
        self,
        papers: Sequence[Paper | WorkText],
        gone: Collection[int] = (),
        coded: Mapping[int, CodedText] = MappingProxyType({}),
    ) -> None:
        """Add or replace papers and drop ``gone``; searches see the change after :meth:`commit`.

        Parameters
        ----------
        coded
            The coded words of some papers by store id, where they are known already.

        Raises
        ------
        WordsDamagedError, WordsUnreadableError
            If a write fails. Every later write raises the same error until :meth:`close`, which drops what
            was not committed.
        """
        with self._changing():
            writer = self._writing()
            self.forward.add(papers, gone, coded)
            for paper_id in gone:
                self._delete(writer, paper_id)
            for paper in papers:
                if paper.id <= self._highest:
                    self._delete(writer, paper.id)
                self._highest = max(self._highest, paper.id)
                writer.add_document(self._document(paper))

    def _delete(self, writer: tantivy.IndexWriter, paper_id: int) -> None:
        # Deletion by term finds nothing in an unsigned field (tantivy-py 0.27); by query it does.
        writer.delete_documents_by_query(Query.term_query(self._schema, "id", paper_id))

    def commit(self, upto: int) -> None:
        """Make changes durable and visible, and record how far the index follows the store."""
        with self._changing():
            self.forward.commit()
            self._writing().commit()
            self._write_state(_State(upto, self.forward.path.name))
            self.refresh()

    @_written()
    def close(self) -> None:
        """Release the writer's lock, even if what was written can't be kept; drop what was not committed."""
        writer, self._writer, self._failed = self._writer, None, None
        try:
            if writer is not None:
                writer.wait_merging_threads()
        finally:
            self.forward.close()

    def release(self) -> None:
        """Close the files of SQLite, which would otherwise stay open for a while."""
        try:
            self.close()
        finally:
            self.forward.release()

    def clear(self) -> None:
        """Empty the index, so that it can be filled from the store again."""
        with self._changing():
            writer = self._writing()
            # First of all: an index that is half empty must not pass for one that follows the store.
            self._write_state(_State(0, self.forward.path.name))
            writer.delete_all_documents()
            self.forward.clear()
        self.commit(0)

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._index.writer(_HEAP, 1)
            self.forward.open()
            # Files left by a killed commit would block the same commit later.
            self._writer.garbage_collect_files()
            self.refresh()
            newest = (
                self._index.searcher().search(Query.all_query(), 1, count=False, order_by_field="id").hits
            )
            self._highest = int(newest[0][0]) if newest else -1
        return self._writer

    @staticmethod
    def _document(paper: Paper | WorkText) -> tantivy.Document:
        titles = [paper.title, *paper.former_titles]
        document = tantivy.Document()
        document.add_unsigned("id", paper.id)
        for title in titles:
            document.add_text("title", title)
            document.add_text("name", title)
        document.add_text("abstract", paper.abstract)
        for name in paper.names:
            document.add_text("author", fold(name))
        return document

    @unpanicked()
    def refresh(self) -> bool:
        """Load what a writer has committed since; returns whether there was anything."""
        meta = self.folder / "meta.json"
        stamp = f"{meta.stat().st_mtime_ns}" if meta.exists() else ""
        if stamp == self._stamp:
            return False
        self._index.reload()
        state = self._read_state()
        if state is not None and state.forward != self.forward.path.name:  # another process made it anew
            self.forward = self._open_forward(state)
        self._stamp = stamp
        return True
