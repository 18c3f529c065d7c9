"""The word index on disk: tantivy files, derived from the store and rebuilt if torn."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import tantivy
from tantivy import Query

from data.keys import fold
from data.records import Paper

SCHEMA_VERSION = 1
_HEAP = 64_000_000


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


class WordsDamagedError(RuntimeError):
    """A file of the word index isn't as it was written."""


@contextmanager
def unpanicked() -> Iterator[None]:
    """Turn a panic of tantivy, which no handler of errors expects, into an error that says what to do.

    Raises
    ------
    WordsDamagedError
        Where it panics, as it does over damaged files.
    """
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise WordsDamagedError(
            "The word index is damaged. To make it again, run: python -m bot index"
        ) from error


class WordFiles:
    """The word index in its folder; one process writes, any number read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stemmed = _analyzer(stemmed=True)
        self._plain = _analyzer(stemmed=False)
        self._index = self._open()
        self._schema = self._index.schema
        self._writer: tantivy.IndexWriter | None = None
        self._stamp = ""
        self._highest = -1
        self.refresh()

    def _open(self) -> tantivy.Index:
        try:
            return self._create()
        except (ValueError, WordsDamagedError):  # torn, or of another schema; all can be made again
            shutil.rmtree(self.folder, ignore_errors=True)
            return self._create()

    @unpanicked()
    def _create(self) -> tantivy.Index:
        state = self._read_state()
        if state.get("schema") != SCHEMA_VERSION:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write_state(0)
        index = tantivy.Index(_schema(), str(self.folder))
        index.register_tokenizer("stemmed", self._stemmed)
        index.register_tokenizer("plain", self._plain)
        index.config_reader("manual")
        index.reload()  # all files are opened here, so that torn ones show
        index.searcher()
        return index

    def _read_state(self) -> dict[str, int]:
        try:
            state = json.loads((self.folder / "labmate.json").read_text())
            return {name: int(state[name]) for name in ("schema", "upto")}
        except (OSError, ValueError, TypeError, LookupError):
            return {}

    def _write_state(self, upto: int) -> None:
        draft = self.folder / "labmate.json.new"
        draft.write_text(json.dumps({"schema": SCHEMA_VERSION, "upto": upto}))
        os.replace(draft, self.folder / "labmate.json")

    # -- writing -------------------------------------------------------------------------------

    @property
    def upto(self) -> int:
        """The number of the last store batch whose papers are in the index."""
        return self._read_state().get("upto", 0)

    def add(self, papers: Iterable[Paper], gone: Iterable[int] = ()) -> None:
        """Add or replace papers and drop ``gone``; searches see the change after :meth:`commit`."""
        writer = self._writing()
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
        self._writing().commit()
        self._write_state(upto)
        self.refresh()

    def close(self) -> None:
        """Release the writer's lock."""
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None

    def clear(self) -> None:
        """Empty the index, so that it can be filled from the store again."""
        self._writing().delete_all_documents()
        self.commit(0)

    @unpanicked()
    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._index.writer(_HEAP, 1)
            # Files left by a killed commit would block the same commit later.
            self._writer.garbage_collect_files()
            self.refresh()
            newest = (
                self._index.searcher().search(Query.all_query(), 1, count=False, order_by_field="id").hits
            )
            self._highest = int(newest[0][0]) if newest else -1
        return self._writer

    @staticmethod
    def _document(paper: Paper) -> tantivy.Document:
        titles = [paper.title, *paper.former_titles]
        document = tantivy.Document()
        document.add_unsigned("id", paper.id)
        for title in titles:
            document.add_text("title", title)
            document.add_text("name", title)
        document.add_text("abstract", paper.abstract)
        for author in paper.authors:
            document.add_text("author", fold(author.name))
        return document

    @unpanicked()
    def refresh(self) -> bool:
        """Load what a writer has committed since; returns whether there was anything."""
        meta = self.folder / "meta.json"
        stamp = f"{meta.stat().st_mtime_ns}" if meta.exists() else ""
        if stamp == self._stamp:
            return False
        self._index.reload()
        self._stamp = stamp
        return True
