"""Searching by words: BM25 over titles and abstracts, completion of titles, authors' names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path

from tantivy import Occur, Query

from index.search.word_files import unpanicked
from index.search.word_lookup import WordLookup

TITLE_WEIGHT = 2.0
"""How much more a word counts in the title than in the abstract (index/evaluate/search.py)."""
MAX_TERMS = 48
OTHER_NUMBER = 0.1
"""A plural is the same word as a singular only if it has at least this share of its papers."""
FUNCTION_WORDS = 2
_ACRONYM = re.compile(r"\b[A-Z]{2,5}s?\b")
_TEXTS_KEPT = 64
_MANY = 2_000
"""Above this many papers one query for the set is quicker, below one clause for each."""
_FEW_WORDS, _FEW_PHRASES = 16, 32
"""Up to so many clauses are looked up in the given papers alone. With more, going through all is quicker."""
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
    also: str = ""
    """The stem of the other number, where the stemmer keeps the two apart: ``gpus`` for ``gpu``."""


def reads_as_sentence(text: str) -> bool:
    """Whether a text has several function words, so that it is a question or a need rather than keywords."""
    return sum(word in _STOPWORDS for word in text.lower().split()) >= FUNCTION_WORDS


def rarest(terms: Sequence[Term], *, shared: bool = False, most: int = MAX_TERMS) -> list[Term]:
    """The rarest terms, which a search uses; ``shared`` drops those of a single paper."""
    chosen = [term for term in terms if not shared or max(term.in_titles, term.in_abstracts) > 1]
    if len(chosen) <= most:
        return chosen
    return sorted(chosen, key=lambda term: term.in_abstracts + term.in_titles)[:most]


class WordIndex(WordLookup):
    """Words of titles, abstracts and authors, and the searches over them."""

    def __init__(self, folder: Path) -> None:
        self._terms = lru_cache(_TEXTS_KEPT)(self._find_terms)
        super().__init__(folder)

    def refresh(self) -> bool:
        """Load what a writer has committed since; returns whether there was anything."""
        changed = super().refresh()
        if changed:
            self._terms.cache_clear()
        return changed

    def __len__(self) -> int:
        return self._index.searcher().num_docs

    def terms(self, text: str) -> list[Term]:
        """The distinct words of a text without stop words, in order."""
        return self._terms(text)

    @unpanicked()
    def _find_terms(self, text: str) -> list[Term]:
        searcher = self._index.searcher()
        terms: dict[str, Term] = {}
        # Both analyzers split a text in the same way.
        for word, stem in zip(self._plain.analyze(text), self._stemmed.analyze(text), strict=True):
            if word in terms or word in _STOPWORDS:
                continue
            if stem:
                counts = searcher.doc_freq("title", stem), searcher.doc_freq("abstract", stem)
                also = self._other_number(word, stem, max(counts))
                if also:
                    more = searcher.doc_freq("title", also), searcher.doc_freq("abstract", also)
                    counts = counts[0] + more[0], counts[1] + more[1]
                terms[word] = Term(word, stem, *counts, also)
        return list(terms.values())

    def _other_number(self, word: str, stem: str, held: int) -> str:
        """The stem of a word's plural or singular, if the stemmer keeps it apart and papers use it as often.

        The stemmer takes words in "us" for Latin, so it leaves GPUs and menus as they are.
        """
        if len(word) < 3 or not word.endswith(("u", "us")):
            return ""
        other = self._stem(word + "s" if word.endswith("u") else word[:-1])
        if other == stem:
            return ""
        searcher = self._index.searcher()
        found = max(searcher.doc_freq("title", other), searcher.doc_freq("abstract", other))
        return other if found >= OTHER_NUMBER * held and found else ""

    @unpanicked()
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
        most: int = MAX_TERMS,
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
        most
            How many of the text's words to look for, rarest first.

        Returns
        -------
        list of (store id, score)
            Best first, at most k.
        """
        terms = rarest(self.terms(text), shared=shared, most=most)
        fields = [("title", TITLE_WEIGHT)] if title_only else [("title", TITLE_WEIGHT), ("abstract", 1.0)]
        clauses = [
            (Occur.Should, Query.boost_query(self._term(field, term), weight))
            for term in {term.stem: term for term in terms}.values()
            for field, weight in fields
        ]
        required = [query for phrase in phrases if (query := self._phrase(phrase)) is not None]
        if phrases and not required:
            return []
        clauses += [(Occur.Must, query) for query in required]
        if not clauses:
            return []
        if ids is not None and not required:
            return self._scored(ids, [clause for _, clause in clauses], _FEW_WORDS)[:k]
        query = Query.boolean_query(clauses)
        return self._hits(query if ids is None else self._within(query, ids), k)

    def side_by_side(self, text: str, ids: Sequence[int]) -> dict[int, float]:
        """BM25 of these papers for words that stand side by side in a text and in the paper, by store id.

        Metzler and Croft, A Markov random field model for term dependencies (SIGIR 2005). Initials such as
        RAG or LLM stand beside whatever they are used for, so that their company says nothing.
        """
        phrases = [
            Query.boost_query(Query.phrase_query(self._schema, field, list(pair)), weight)
            for pair in self._pairs(text)
            for field, weight in (("title", TITLE_WEIGHT), ("abstract", 1.0))
        ]
        if not phrases or not ids:
            return {}
        return dict(self._scored(ids, phrases, _FEW_PHRASES))

    def pairs_are_few(self, text: str) -> bool:
        """Whether :meth:`side_by_side` looks at the given papers alone, and not at all that have a pair."""
        return 2 * len(self._pairs(text)) <= _FEW_PHRASES

    def _pairs(self, text: str) -> list[tuple[str, str]]:
        """Stems that stand side by side in a text, each pair once."""
        stems = {term.stem for term in rarest(self.terms(text))}
        stems -= {self._stem(short.lower()) for short in _ACRONYM.findall(text)}
        pairs = dict.fromkeys(pairwise(self._stemmed.analyze(text)))
        return [pair for pair in pairs if stems.issuperset(pair) and pair[0] != pair[1]][:MAX_TERMS]

    def titled(self, text: str, ids: Sequence[int]) -> set[int]:
        """The papers among ``ids`` whose title has every word of a text; none for a text of one word."""
        terms = {term.stem: term for term in self.terms(text)}.values()
        if not 1 < len(terms) <= MAX_TERMS or not ids:
            return set()
        every = Query.boolean_query([(Occur.Must, self._term("title", term)) for term in terms])
        return {paper for paper, _ in self._hits(self._within(every, ids), len(ids))}

    def _scored(self, ids: Sequence[int], clauses: Sequence[Query], few: int) -> list[tuple[int, float]]:
        """Those of these papers that have any of the clauses, and the sums of their scores, best first.

        Up to ``few`` clauses are nested, so that tantivy looks each of them up in these papers alone. Side by
        side, it goes through every paper that matches one of them.
        """
        if len(clauses) > few:
            beside = Query.boolean_query([(Occur.Should, clause) for clause in clauses])
            return self._hits(self._within(beside, ids), len(ids))
        query = self._these(ids)
        for clause in clauses:
            query = Query.boolean_query([(Occur.Must, query), (Occur.Should, clause)])
        return [(paper, score) for paper, score in self._hits(query, len(ids)) if score > 0]

    def _within(self, query: Query, ids: Sequence[int]) -> Query:
        return Query.boolean_query([(Occur.Must, query), (Occur.Must, self._these(ids))])

    def _these(self, ids: Sequence[int]) -> Query:
        """These papers, each with a score of 0."""
        chosen = (
            Query.term_set_query(self._schema, "id", [int(i) for i in ids])
            if len(ids) > _MANY
            else Query.boolean_query(
                [(Occur.Should, Query.term_query(self._schema, "id", int(i))) for i in ids]
            )
        )
        return Query.const_score_query(chosen, 0.0)

    def _term(self, field: str, term: Term) -> Query:
        one = Query.term_query(self._schema, field, term.stem, "freq")
        if not term.also:
            return one
        return Query.disjunction_max_query([one, Query.term_query(self._schema, field, term.also, "freq")])
