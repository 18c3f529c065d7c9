"""Searching by words: BM25 over titles and abstracts, completion of titles, authors' names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from tantivy import Occur, Query

from index.search import bm25
from index.search.bm25 import Occurrences
from index.search.forward_index import FieldWords, PaperWords
from index.search.word_codes import STOPWORDS, ascii_words, stem_code
from index.search.word_files import unpanicked
from index.search.word_lookup import WordLookup

TITLE_WEIGHT = 2.0
"""How much more a word counts in the title than in the abstract (index/evaluate/search.py)."""
MAX_TERMS = 48
COMMON, COMMON_LEAST = 0.2, 100_000
"""A word in the abstracts of a larger share of all papers, and of more than this, is looked for in titles
only: it tells abstracts little apart, and going through that many takes long (benchmarks/common_words.py)."""
OTHER_NUMBER = 0.1
"""A plural is the same word as a singular only if it has at least this share of its papers."""
LEAST_LETTERS = 3
"""A shorter singular is another word: *cs* of CSS."""
FUNCTION_WORDS = 2
_ACRONYM = re.compile(r"\b[A-Z]{2,5}s?\b")
_VOWELS = frozenset("aeiouy")
_TEXTS_KEPT, _STEMS_KEPT = 64, 50_000


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
    return sum(word in STOPWORDS for word in text.lower().split()) >= FUNCTION_WORDS


def rarest(terms: Sequence[Term], *, shared: bool = False, most: int = MAX_TERMS) -> list[Term]:
    """The rarest terms, which a search uses; ``shared`` drops those of a single paper."""
    chosen = [term for term in terms if not shared or max(term.in_titles, term.in_abstracts) > 1]
    if len(chosen) <= most:
        return chosen
    return sorted(chosen, key=lambda term: term.in_abstracts + term.in_titles)[:most]


def _distinct(terms: Sequence[Term]) -> list[Term]:
    """The terms that differ: neither two forms of a word, nor GPU and GPUs."""
    chosen: dict[str, Term] = {}
    for term in sorted(terms, key=lambda term: not term.also):  # those that stand for two stems come first
        if term.stem not in chosen and term.also not in chosen:
            chosen |= {stem: term for stem in (term.stem, term.also) if stem}
    return list(dict.fromkeys(chosen.values()))


class WordIndex(WordLookup):
    """Words of titles, abstracts and authors, and the searches over them."""

    def __init__(self, folder: Path) -> None:
        self._terms = lru_cache(_TEXTS_KEPT)(self._find_terms)
        self._counts_of = lru_cache(_STEMS_KEPT)(self._count_papers)
        self._stem_of = lru_cache(_STEMS_KEPT)(lambda word: self._stem(word.decode()))
        super().__init__(folder)

    def refresh(self) -> bool:
        """Load what a writer has committed since; returns whether there was anything."""
        changed = super().refresh()
        if changed:
            self._terms.cache_clear()
            self._counts_of.cache_clear()
        return changed

    def __len__(self) -> int:
        return self._index.searcher().num_docs

    def terms(self, text: str) -> list[Term]:
        """The distinct words of a text without stop words, in order."""
        return self._terms(text)

    @unpanicked()
    def _find_terms(self, text: str) -> list[Term]:
        terms: dict[str, Term] = {}
        # Both analyzers split a text in the same way.
        for word, stem in zip(self._plain.analyze(text), self._stemmed.analyze(text), strict=True):
            if word in terms or word in STOPWORDS:
                continue
            if stem:
                counts = self._counts_of(stem)
                also = self._other_number(word, stem, max(counts))
                if also:
                    more = self._counts_of(also)
                    counts = counts[0] + more[0], counts[1] + more[1]
                terms[word] = Term(word, stem, *counts, also)
        return list(terms.values())

    def _other_number(self, word: str, stem: str, held: int) -> str:
        """The stem of a word's plural or singular, if the stemmer keeps it apart and papers use it as often.

        The stemmer takes words in "us" for Latin, so it leaves GPUs and menus as they are. It also leaves
        letters without a vowel, such as LLMs.
        """
        one = word.removesuffix("s")
        bare = one.isalpha() and _VOWELS.isdisjoint(one)
        if len(one) < LEAST_LETTERS or not (bare or one.endswith("u")):
            return ""
        other = self._stem(word + "s" if one == word else one)
        if other == stem:
            return ""
        found = max(self._counts_of(other))
        return other if found >= OTHER_NUMBER * held and found else ""

    @unpanicked()
    def abstracts_with(self, stem: str) -> int:
        """How many abstracts have a stem."""
        return self._counts_of(stem)[1]

    def _count_papers(self, stem: str) -> tuple[int, int]:
        """How many titles and how many abstracts have a stem."""
        searcher = self._index.searcher()
        return searcher.doc_freq("title", stem), searcher.doc_freq("abstract", stem)

    def those_in(self, text: str, stems: frozenset[str]) -> frozenset[str]:
        """Those of some stems that the words of a text have."""
        if text.isascii():  # most words were met before
            return stems.intersection(map(self._stem_of, ascii_words(text)))
        return stems.intersection(self._stemmed.analyze(text))

    def _stem(self, word: str) -> str:
        return next(iter(self._stemmed.analyze(word)), "")

    def search(
        self,
        text: str,
        k: int,
        *,
        phrases: Sequence[str] = (),
        title_only: bool = False,
        shared: bool = False,
        most: int = MAX_TERMS,
    ) -> list[tuple[int, float]]:
        """Papers by BM25 over title and abstract, without the abstracts' very common words (:data:`COMMON`).

        GPU and GPUs count as two words here, and as one in :meth:`scores`.

        Parameters
        ----------
        phrases
            Quoted phrases; each must occur with its words in this order.
        shared
            Leave out words that only one paper has, since it can't share them.
        most
            How many of the text's words to look for, rarest first.

        Returns
        -------
        list of (store id, score)
            Best first, at most k.
        """
        clauses = self._clauses(text, title_only=title_only, shared=shared, most=most)
        required = [query for phrase in phrases if (query := self._phrase(phrase)) is not None]
        if phrases and not required:
            return []
        clauses += [(Occur.Must, query) for query in required]
        return self._hits(Query.boolean_query(clauses), k) if clauses else []

    def having_one(self, text: str, k: int, phrases: Sequence[str]) -> set[int]:
        """Papers that have one of several phrases: of each, the k that :meth:`search` finds with it."""
        clauses = self._clauses(text)
        queries = [query for phrase in phrases if (query := self._phrase(phrase)) is not None]
        every = (self._hits(Query.boolean_query([*clauses, (Occur.Must, query)]), k) for query in queries)
        return {paper for hits in every for paper, _ in hits}

    def _clauses(
        self, text: str, *, title_only: bool = False, shared: bool = False, most: int = MAX_TERMS
    ) -> list[tuple[Occur, Query]]:
        """What a text adds to a paper's score; arguments as :meth:`search` has them."""
        terms = rarest(self.terms(text), shared=shared, most=most)
        most_held = max(COMMON * len(self), COMMON_LEAST)
        distinct = _distinct(terms)
        wanted = [(term, "title", TITLE_WEIGHT) for term in distinct]
        if not title_only and distinct:
            least = min(term.in_abstracts for term in distinct)  # where all are common, one still is
            wanted += [
                (term, "abstract", 1.0) for term in distinct if term.in_abstracts <= max(most_held, least)
            ]
        # Each stem of a term by itself: tantivy skips what can't be among the best only for single words.
        return [
            (Occur.Should, Query.boost_query(self._stem_in(field, stem), weight))
            for term, field, weight in wanted
            for stem in (term.stem, term.also)
            if stem
        ]

    @unpanicked()
    def words_of(self, ids: Sequence[int]) -> PaperWords:
        """The words of these papers, for :meth:`scores`, :meth:`side_by_side` and :meth:`titled`."""
        return self.forward.read(ids)

    def scores(
        self, text: str, papers: PaperWords, *, title_only: bool = False, shared: bool = False
    ) -> np.ndarray:
        """BM25 of papers for a text's words: float64, shape (papers,).

        Arguments as :meth:`search` has them. Lengths are exact here, and rounded by a few per cent there.
        """
        terms = _distinct(rarest(self.terms(text), shared=shared))
        total = np.zeros(len(papers))
        for field, held, weight in self._fields(papers, terms)[: 1 if title_only else 2]:
            counts = Occurrences.find(field, self._codes(terms)).counts()
            total += weight * bm25.weighted(counts, field) @ bm25.idf(held, len(self))
        return total

    def side_by_side(self, text: str, papers: PaperWords) -> np.ndarray:
        """BM25 of papers for words that stand side by side in a text and in the paper: float64, (papers,).

        Metzler and Croft, A Markov random field model for term dependencies (SIGIR 2005). Initials such as
        RAG or LLM stand beside whatever they are used for, so that their company says nothing.
        """
        pairs = self._pairs(text)
        known = {term.stem: term for term in self.terms(text)}
        terms = [known[stem] for stem in dict.fromkeys(stem for pair in pairs for stem in pair)]
        codes = [[stem_code(term.stem)] for term in terms]
        number = {term.stem: place for place, term in enumerate(terms)}
        numbered = np.array([(number[one], number[two]) for one, two in pairs], np.int64).reshape(-1, 2)
        total = np.zeros(len(papers))
        for field, held, weight in self._fields(papers, terms) if pairs else ():
            counts = Occurrences.find(field, codes).counts_beside(numbered)
            total += weight * bm25.weighted(counts, field) @ bm25.idf(held, len(self))[numbered].sum(axis=1)
        return total

    def _pairs(self, text: str) -> list[tuple[str, str]]:
        """Stems that stand side by side in a text, each pair once."""
        stems = {term.stem for term in rarest(self.terms(text))}
        stems -= {self._stem(short.lower()) for short in _ACRONYM.findall(text)}
        pairs = dict.fromkeys(pairwise(self._stemmed.analyze(text)))
        return [pair for pair in pairs if stems.issuperset(pair) and pair[0] != pair[1]][:MAX_TERMS]

    def titled(self, text: str, papers: PaperWords) -> np.ndarray:
        """Which papers have every word of a text in the title: bool, (papers,); none for one word."""
        terms = _distinct(self.terms(text))
        if not 1 < len(terms) <= MAX_TERMS:
            return np.zeros(len(papers), bool)
        return np.asarray(Occurrences.find(papers.title, self._codes(terms)).counts().all(axis=1))

    def _codes(self, terms: Sequence[Term]) -> list[list[int]]:
        return [[stem_code(stem) for stem in (term.stem, term.also) if stem] for term in terms]

    @staticmethod
    def _fields(papers: PaperWords, terms: Sequence[Term]) -> list[tuple[FieldWords, np.ndarray, float]]:
        """(its words, how many papers have each term, what it counts) of titles, then of abstracts."""
        in_titles = np.array([term.in_titles for term in terms], np.int64)
        in_abstracts = np.array([term.in_abstracts for term in terms], np.int64)
        return [(papers.title, in_titles, TITLE_WEIGHT), (papers.abstract, in_abstracts, 1.0)]

    def _stem_in(self, field: str, stem: str) -> Query:
        return Query.term_query(self._schema, field, stem, "freq")
