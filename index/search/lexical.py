"""The word index: tantivy, derived from the store, thrown away and rebuilt when torn."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import tantivy
from tantivy import Occur, Query

from data.keys import fold
from data.records import Paper

SCHEMA_VERSION = 1
TITLE_WEIGHT = 2.0
"""How much a word in the title counts against one in the abstract (index/evaluate/search.py)."""
MAX_TERMS = 48
_HEAP = 64_000_000
_TEXTS_KEPT = 64
_STOPWORDS = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split())


@dataclass(frozen=True, slots=True)
class Term:
    """A query word as the index knows it."""

    word: str
    """As typed, folded."""
    stem: str
    in_titles: int
    """How many titles have the stem."""
    in_abstracts: int


def rarest(terms: Sequence[Term], *, shared: bool = False) -> list[Term]:
    """The terms that a search uses: at most ``MAX_TERMS``, the rarest; with ``shared`` none of one paper only."""
    chosen = [term for term in terms if not shared or max(term.in_titles, term.in_abstracts) > 1]
    if len(chosen) <= MAX_TERMS:
        return chosen
    return sorted(chosen, key=lambda term: term.in_abstracts + term.in_titles)[:MAX_TERMS]


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


class WordIndex:
    """Words of titles, abstracts and authors in a folder; one process writes, any number read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stemmed = _analyzer(stemmed=True)
        self._plain = _analyzer(stemmed=False)
        self._index = self._open()
        self._schema = self._index.schema
        self._writer: tantivy.IndexWriter | None = None
        self._stamp = ""
        self._highest = -1
        self._terms: dict[str, list[Term]] = {}
        self.refresh()

    def _open(self) -> tantivy.Index:
        try:
            return self._create()
        except ValueError:  # torn, or of another schema: derived data, so begin again
            shutil.rmtree(self.folder, ignore_errors=True)
            return self._create()

    def _create(self) -> tantivy.Index:
        state = self._read_state()
        if state.get("schema") != SCHEMA_VERSION:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self._write_state(0)
        index = tantivy.Index(_schema(), str(self.folder))
        index.register_tokenizer("stemmed", self._stemmed)
        index.register_tokenizer("plain", self._plain)
        index.config_reader("manual")
        index.searcher()
        return index

    def _read_state(self) -> dict[str, int]:
        try:
            return dict(json.loads((self.folder / "labmate.json").read_text()))
        except (OSError, ValueError):
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
        """Add or replace papers and drop ``gone``; seen by searches after :meth:`commit`."""
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
        """Make what was added durable and visible, and note how far the index follows the store."""
        self._writing().commit()
        self._write_state(upto)
        self.refresh()

    def close(self) -> None:
        """Let go of the writer's lock."""
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None

    def clear(self) -> None:
        """Empty the index, to be filled from the store again."""
        self._writing().delete_all_documents()
        self.commit(0)

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._index.writer(_HEAP, 1)
            # What a killed commit left behind stands in the way of the same commit made again.
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

    # -- asking --------------------------------------------------------------------------------

    def refresh(self) -> None:
        """See what a writer has committed since."""
        meta = self.folder / "meta.json"
        stamp = f"{meta.stat().st_mtime_ns}" if meta.exists() else ""
        if stamp != self._stamp:
            self._index.reload()
            self._terms.clear()
            self._stamp = stamp

    def __len__(self) -> int:
        return self._index.searcher().num_docs

    def terms(self, text: str) -> list[Term]:
        """The distinct words of a text that can tell papers apart, in order."""
        known = self._terms.get(text)
        if known is None:
            if len(self._terms) >= _TEXTS_KEPT:
                self._terms.pop(next(iter(self._terms)), None)
            known = self._terms[text] = self._find_terms(text)
        return known

    def _find_terms(self, text: str) -> list[Term]:
        searcher = self._index.searcher()
        found: dict[str, Term] = {}
        for word in self._plain.analyze(text):
            if word in found or word in _STOPWORDS:
                continue
            stem = self._stem(word)
            if stem:
                counts = searcher.doc_freq("title", stem), searcher.doc_freq("abstract", stem)
                found[word] = Term(word, stem, *counts)
        return list(found.values())

    def abstracts_with(self, stem: str) -> int:
        """How many abstracts have a stem."""
        return self._index.searcher().doc_freq("abstract", stem)

    def stems(self, text: str) -> set[str]:
        """The stems of all words of a text."""
        return set(self._stemmed.analyze(text))

    def _stem(self, word: str) -> str:
        return next(iter(self._stemmed.analyze(word)), "")

    def search(
        self,
        text: str,
        k: int,
        *,
        phrases: Sequence[str] = (),
        ids: Sequence[int] | None = None,
        title_only: bool = False,
        shared: bool = False,
    ) -> list[tuple[int, float]]:
        """Papers by BM25 over title and abstract.

        Parameters
        ----------
        phrases
            Quoted phrases: each must occur, in this order of words.
        ids
            Rank these papers only.
        shared
            Leave out words that one paper alone has: they can't be shared with another.

        Returns
        -------
        list of (store id, score)
            Best first, at most k.
        """
        terms = rarest(self.terms(text), shared=shared)
        fields = [("title", TITLE_WEIGHT)] if title_only else [("title", TITLE_WEIGHT), ("abstract", 1.0)]
        clauses = [
            (
                Occur.Should,
                Query.boost_query(Query.term_query(self._schema, field, term.stem, "freq"), weight),
            )
            for term in {term.stem: term for term in terms}.values()
            for field, weight in fields
        ]
        required = [query for phrase in phrases if (query := self._phrase(phrase)) is not None]
        if phrases and not required:
            return []
        clauses += [(Occur.Must, query) for query in required]
        if not clauses:
            return []
        query = Query.boolean_query(clauses)
        if ids is not None:
            chosen = Query.const_score_query(
                Query.term_set_query(self._schema, "id", [int(i) for i in ids]), 0.0
            )
            query = Query.boolean_query([(Occur.Must, query), (Occur.Must, chosen)])
        return self._hits(query, k)

    def _phrase(self, phrase: str) -> Query | None:
        """The words side by side, in the title or the abstract."""
        words = list(self._stemmed.analyze(phrase))[:30]
        if not words:
            return None
        options = []
        for field in ("title", "abstract"):
            if len(words) == 1:
                options.append(Query.term_query(self._schema, field, words[0]))
            else:
                options.append(Query.phrase_query(self._schema, field, list(words)))
        return Query.boolean_query([(Occur.Should, option) for option in options])

    def titles_with(self, phrase: str, k: int) -> list[int]:
        """Papers with these words side by side in the title, those with short titles first."""
        words = list(self._stemmed.analyze(phrase))[:30]
        if not words:
            return []
        query = (
            Query.phrase_query(self._schema, "title", list(words))
            if len(words) > 1
            else Query.term_query(self._schema, "title", words[0])
        )
        return [paper for paper, _ in self._hits(query, k)]

    def named(self, word: str, k: int = 10) -> tuple[int, list[int]]:
        """(How many titles have this very word, unstemmed; at most k of them)."""
        token = next(iter(self._plain.analyze(word)), None)
        if token is None:
            return 0, []
        hits = self._hits(Query.term_query(self._schema, "name", token, "basic"), max(k, 10))
        # The index's own count includes papers that were replaced, so it only serves for common words.
        count = self._index.searcher().doc_freq("name", token) if len(hits) >= max(k, 10) else len(hits)
        return count, [paper_id for paper_id, _ in hits[:k]]

    def completing(self, typed: str, k: int) -> list[int]:
        """Papers whose title has all the words typed, the last one perhaps unfinished."""
        tokens = list(self._plain.analyze(typed))[:12]
        if not tokens:
            return []
        searcher = self._index.searcher()
        endings = searcher.terms_with_prefix("name", tokens[-1], None, 40)
        last = [(Occur.Should, Query.term_query(self._schema, "name", term, "basic")) for term, _ in endings]
        if not last:
            return []
        clauses = [
            (Occur.Must, Query.term_query(self._schema, "name", token, "basic")) for token in tokens[:-1]
        ]
        return [
            i
            for i, _ in self._hits(
                Query.boolean_query([*clauses, (Occur.Must, Query.boolean_query(last))]), k
            )
        ]

    def nearly_named(self, word: str, k: int = 50) -> list[int]:
        """Papers whose title has a word within one or two typos of this one."""
        token = next(iter(self._plain.analyze(word)), "")
        if len(token) < 4:
            return []
        distance = 2 if len(token) >= 8 else 1
        return [i for i, _ in self._hits(Query.fuzzy_term_query(self._schema, "name", token, distance), k)]

    def by_author(self, name: str, k: int) -> list[int]:
        """Papers with an author whose name has all these words."""
        words = list(self._plain.analyze(fold(name)))[:12]
        if not words:
            return []
        must = [(Occur.Must, Query.term_query(self._schema, "author", word)) for word in words]
        return [i for i, _ in self._hits(Query.boolean_query(must), k)]

    def _hits(self, query: Query, k: int) -> list[tuple[int, float]]:
        searcher = self._index.searcher()
        hits = searcher.search(query, max(1, k), count=False).hits
        ids = searcher.fast_field_values("id", [address for _, address in hits])
        return [(int(i), float(score)) for i, (score, _) in zip(ids, hits, strict=True) if i is not None]
