"""Searching by words: BM25 over titles and abstracts, completion of titles, authors' names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from tantivy import Occur, Query

from data.keys import fold
from index.search.word_files import WordFiles

TITLE_WEIGHT = 2.0
"""How much more a word counts in the title than in the abstract (index/evaluate/search.py)."""
MAX_TERMS = 48
_TEXTS_KEPT = 64
_STOPWORDS = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split())


@dataclass(frozen=True, slots=True)
class Term:
    """A query word as the index knows it."""

    word: str
    """As typed, folded."""
    stem: str
    in_titles: int
    """The number of titles that have the stem."""
    in_abstracts: int


def rarest(terms: Sequence[Term], *, shared: bool = False) -> list[Term]:
    """The rarest ``MAX_TERMS`` terms, which a search uses; ``shared`` drops those of a single paper."""
    chosen = [term for term in terms if not shared or max(term.in_titles, term.in_abstracts) > 1]
    if len(chosen) <= MAX_TERMS:
        return chosen
    return sorted(chosen, key=lambda term: term.in_abstracts + term.in_titles)[:MAX_TERMS]


class WordIndex(WordFiles):
    """Words of titles, abstracts and authors, and the searches over them."""

    def __init__(self, folder: Path) -> None:
        self._terms: dict[str, list[Term]] = {}
        super().__init__(folder)

    def refresh(self) -> bool:
        """Load what a writer has committed since; returns whether there was anything."""
        changed = super().refresh()
        if changed:
            self._terms.clear()
        return changed

    def __len__(self) -> int:
        return self._index.searcher().num_docs

    def terms(self, text: str) -> list[Term]:
        """The distinct words of a text without stop words, in order."""
        known = self._terms.get(text)
        if known is None:
            if len(self._terms) >= _TEXTS_KEPT:
                self._terms.pop(next(iter(self._terms)), None)
            known = self._terms[text] = self._find_terms(text)
        return known

    def _find_terms(self, text: str) -> list[Term]:
        searcher = self._index.searcher()
        terms: dict[str, Term] = {}
        for word in self._plain.analyze(text):
            if word in terms or word in _STOPWORDS:
                continue
            stem = self._stem(word)
            if stem:
                counts = searcher.doc_freq("title", stem), searcher.doc_freq("abstract", stem)
                terms[word] = Term(word, stem, *counts)
        return list(terms.values())

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
            Quoted phrases; each must occur with its words in this order.
        ids
            Rank these papers only.
        shared
            Leave out words that only one paper has, since it can't share them.

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
        """Papers with these words side by side in the title, short titles first."""
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
        """(the number of titles with exactly this word, unstemmed; at most k of them)."""
        token = next(iter(self._plain.analyze(word)), None)
        if token is None:
            return 0, []
        hits = self._hits(Query.term_query(self._schema, "name", token, "basic"), max(k, 10))
        # The index's own count includes replaced papers, so it is only used for common words.
        count = self._index.searcher().doc_freq("name", token) if len(hits) >= max(k, 10) else len(hits)
        return count, [paper_id for paper_id, _ in hits[:k]]

    def completing(self, typed: str, k: int) -> list[int]:
        """Papers whose title has all words typed so far, where the last may be unfinished."""
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
