"""Ranks papers for the subject of a query: candidates by words and by meaning, and one score for both."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from index.search import fusion
from index.search.corpus import Corpus
from index.search.hubs import TAKEN_OFF, Hubs
from index.search.lexical import TITLE_WEIGHT, Term, rarest
from index.search.queries import Query
from index.search.read_vectors import ReadVectors
from index.search.results import DEEP, Hit, best_hits, passes
from index.search.vectors import few

NEAR_POOL, WORD_POOL, ALONE = 100, 100, 200
"""How many candidates vectors and words give, and words where nothing else can.

``python -m benchmarks.search_candidates`` shows what other numbers find.
"""
FIRST, COMPANY = 3, 0.5
"""How many of the first papers speak for the sense of a query, and what closeness to them is worth."""
WHOLE_TITLE = 1.4
"""What words count more in a paper without an abstract, whose title is all that could have them."""
TITLED = 0.4
"""The bonus of a title with every word of the query; in abstracts, single words can occur by chance."""
BY_PERSON = 4.0
"""What a paper by a person in the query is worth: more than any difference of words and meaning."""
IN_TIME = 0.5
"""What a paper of the days in a question is worth."""
ALIKE, SUBJECT = 1.5, 0.3
"""What similarity to a paper is worth, and the share that is left to words, in "papers like X but for Y"."""
NAMES_IT = 0.3
"""What it is worth that a follow-up names the paper it follows."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a query wants beside its subject, without leaving other papers out."""

    people: frozenset[int] = frozenset()
    """Papers by people whom the query names."""
    in_time: np.ndarray | None = None
    """True for papers of the days that the query names; shape (store ids,)."""
    alike: Mapping[int, float] = field(default_factory=dict)
    """How similar papers are to the one that the query names."""
    naming: frozenset[int] = frozenset()
    """Papers that print the name of that paper."""
    asked: bool = False
    """Whether the query's subject is a question or a need in words, which many papers can meet."""
    like: int | None = None
    """The paper that others should be like, which is never found itself."""
    plain: bool = False
    """Rank by words and meaning only, as before words had company; for comparison."""
    apart: bool = False
    """Whether the query wants papers by several people together, of which there is none."""


class Ranking:
    """Ranks the papers of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus
        self._hubs = Hubs(corpus)

    def by_words(self, query: Query, k: int, allowed: np.ndarray | None) -> list[int]:
        """The papers that a query's words find, best first; not for the event loop.

        Arguments as :meth:`rank` has them.
        """
        words, embedder = self._library.words, self._library.embedder
        alone = query.phrases or not embedder.is_loaded or few(self._library.vectors, NEAR_POOL)
        pool = max(ALONE if alone else WORD_POOL, k)
        if not query.phrases and not words.terms(query.text):
            return []
        deep = pool if allowed is None else DEEP
        hits = words.search(query.text, deep, phrases=query.phrases)
        return [paper for paper, _ in hits if allowed is None or passes(allowed, paper)][:pool]

    async def by_meaning(
        self,
        query: Query,
        embedding: Awaitable[np.ndarray | None],
        k: int,
        allowed: np.ndarray | None,
    ) -> tuple[np.ndarray | None, list[int]]:
        """The embedding of a query's text, and the papers nearest to it; none where it quotes a phrase.

        Arguments as :meth:`rank` has them.
        """
        vector = await embedding
        if vector is None or query.phrases:
            return vector, []
        return vector, await asyncio.to_thread(self._nearest, vector, max(NEAR_POOL, k), allowed)

    async def rank(
        self,
        query: Query,
        vector: np.ndarray | None,
        near: Sequence[int],
        by_words: Sequence[int],
        k: int,
        allowed: np.ndarray | None,
        wanted: Wanted,
    ) -> list[Hit]:
        """The best k papers.

        Parameters
        ----------
        vector
            The embedding of the query's text, float32, shape (dimension,).
        near
            The papers nearest to it (:meth:`by_meaning`).
        by_words
            What :meth:`by_words` found.
        allowed
            True for papers that may be found, shape (store ids,); None for all.
        """
        if not query.text and not wanted.alike:
            return await asyncio.to_thread(self._newest, allowed, k)
        # "Like X but for Y" looks for the papers about Y that are most like X.
        held, more = set(by_words), [*([] if query.phrases else wanted.people), *wanted.alike]
        candidates = [
            paper
            for paper in dict.fromkeys([*near, *by_words, *more])
            if paper != wanted.like and (allowed is None or paper in held or passes(allowed, paper))
        ]
        if not candidates:
            return []
        return await asyncio.to_thread(self._fused, query, vector, candidates, k, wanted)

    def _nearest(self, vector: np.ndarray, k: int, allowed: np.ndarray | None) -> list[int]:
        """The papers nearest to the query; none where their embeddings are missing."""
        vectors = self._library.vectors
        if vectors is None:
            return []
        return [int(paper) for paper in vectors.search(vector, k, allowed)[0]]

    def _read(self, vector: np.ndarray | None, papers: list[int]) -> tuple[ReadVectors | None, np.ndarray]:
        """Vectors of papers, and their cosines with the query: float32, shape (papers,); NaN if unknown."""
        vectors = self._library.vectors
        if vectors is None or vector is None:
            return None, np.full(len(papers), np.nan, np.float32)
        read = vectors.read(papers)
        return read, read.closeness(vector)

    def _taken_off(self, papers: Sequence[int], described: np.ndarray) -> np.ndarray:
        """What is taken off the closeness of papers without an abstract: float32, shape (papers,)."""
        off = np.zeros(len(papers), np.float32)
        bare, vectors = np.flatnonzero(~described), self._library.vectors
        centre = self._hubs.centre() if len(bare) else None
        if vectors is not None and centre is not None:
            usual = vectors.closeness(centre, [papers[place] for place in bare.tolist()])
            off[bare] = TAKEN_OFF * np.nan_to_num(usual, nan=0.0)
        return off

    def _fused(
        self,
        query: Query,
        vector: np.ndarray | None,
        candidates: list[int],
        k: int,
        wanted: Wanted,
    ) -> list[Hit]:
        """The best k of the candidates by all that is known of them."""
        words = self._library.words
        read, closeness = self._read(vector, candidates)
        described = self._library.facets.described(candidates)
        written = words.words_of(candidates)
        terms = words.terms(query.text)
        coverage = self._coverage(terms, words.scores(query.text, written))
        kind = fusion.kind_of(terms, len(words))
        if wanted.plain:
            scores = fusion.fuse_query(closeness, coverage, kind.words)
            return best_hits(candidates, scores, closeness, k)
        pairs = self._coverage(terms, words.side_by_side(query.text, written))
        coverage = fusion.with_pairs(coverage, pairs)
        coverage = np.where(described, coverage, WHOLE_TITLE * coverage)
        weight: float | np.ndarray = kind.words * (SUBJECT if wanted.alike else 1.0)
        if wanted.asked:
            only_words = np.isnan(closeness)  # all that is known of a paper that waits for its vector
            weight = weight * np.where(only_words, 1.0, fusion.weight_in_question(coverage, len(terms)))
        scores = fusion.fuse_query(closeness - self._taken_off(candidates, described), coverage, weight)
        scores = scores + TITLED * words.titled(query.text, written)
        if read is not None:
            scores = scores + _company(read, scores)
        scores = scores + _bonus(candidates, wanted, self._alike(candidates, wanted))
        return best_hits(candidates, scores, closeness, k)

    def _alike(self, candidates: Sequence[int], wanted: Wanted) -> np.ndarray:
        """How similar candidates are to the paper they should resemble: float64, shape (candidates,).

        For papers beyond the most similar ones, only the cosine is known; it is capped at the value of the
        last of those.
        """
        if not wanted.alike:
            return np.zeros(len(candidates))
        vectors, least = self._library.vectors, min(wanted.alike.values())
        others = np.full(len(candidates), least)
        if wanted.like is not None and vectors is not None:
            row = vectors.rows(np.array([wanted.like], np.int64))[0].astype(np.float32)
            others = np.minimum(np.nan_to_num(vectors.closeness(row, candidates), nan=0.0), least)
        return np.array(
            [wanted.alike.get(paper, other) for paper, other in zip(candidates, others, strict=True)]
        )

    def _newest(self, allowed: np.ndarray | None, k: int) -> list[Hit]:
        """The newest papers that pass, where a query is only limits."""
        if allowed is None:
            return []
        newest = self._library.facets.latest(np.flatnonzero(allowed), k)
        return [Hit(int(paper), 0.0, None) for paper in newest]

    def _coverage(self, terms: Sequence[Term], scores: np.ndarray) -> np.ndarray:
        ideal = fusion.ideal_score(rarest(terms), max(1, len(self._library.words)), TITLE_WEIGHT)
        return scores / ideal if ideal else np.zeros(len(scores))


def _company(read: ReadVectors, scores: np.ndarray) -> np.ndarray:
    """How near candidates are to the first ones: float64, shape (candidates,).

    Rocchio, Relevance feedback in information retrieval (1971), on vectors: what the best papers have in
    common tells in which sense the query's words are meant.
    """
    first = np.argsort(-scores, kind="stable")[:FIRST]
    if len(scores) <= FIRST:
        return np.zeros(len(scores))
    near = read.closeness(read.mean(first, scores[first] - scores.min()))
    return np.asarray(COMPANY * fusion.known_or_least(near))


def _bonus(candidates: Sequence[int], wanted: Wanted, alike: np.ndarray) -> np.ndarray:
    """What candidates are worth beside the subject: float64, shape (candidates,)."""
    bonus = np.zeros(len(candidates))
    if wanted.people:
        bonus += BY_PERSON * np.array([paper in wanted.people for paper in candidates])
    if wanted.in_time is not None:
        bonus += IN_TIME * np.array([passes(wanted.in_time, paper) for paper in candidates])
    if wanted.alike:
        bonus += ALIKE * alike
        bonus += NAMES_IT * np.array([paper in wanted.naming for paper in candidates])
    return bonus
