"""Finding papers: by identifier, title or name first, then by words and meaning together."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from data.calendar.arxiv_ids import find_arxiv_id, find_doi, slips
from data.keys import clean
from data.records import Paper
from index.search import fusion
from index.search.corpus import Corpus
from index.search.embedding import paper_text
from index.search.facets import Where
from index.search.fits import Fits
from index.search.known_item import Meant, PaperNames
from index.search.lexical import TITLE_WEIGHT, Term, rarest
from index.search.passages import stem
from index.search.queries import MAX_QUERY, Query, parse_query

POOL = 200
"""Candidates taken from each of words and vectors."""
SIMILAR_POOL = 100
JUDGED = 10
"""Hits of which it is judged whether they answer."""
MAX_RARITIES = 50_000


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper found."""

    paper_id: int
    score: float
    closeness: float | None
    """Cosine with the query's vector; None where either has no vector yet."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, and how complete it could be."""

    hits: tuple[Hit, ...]
    query: Query
    by_words_only: bool
    """True while the model is not loaded yet."""
    waiting: int
    """Papers that still wait for their vector."""
    fitting: tuple[int, ...] = ()
    """Those of the first hits that answer; the others are the nearest there is."""

    @property
    def fits(self) -> bool:
        """Whether anything found answers the query."""
        return bool(self.fitting)


class Search(PaperNames):
    """Answers queries over a library; long computations run in threads."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self._rarities: dict[str, float] = {}
        self._rarities_of = -1
        self._fits = Fits(corpus)

    # -- searching -------------------------------------------------------------------------------

    async def search(
        self,
        typed: str,
        k: int = 50,
        where: Where | None = None,
        *,
        as_text: bool = False,
        judged: int = JUDGED,
    ) -> Found:
        """Rank papers for a query, and judge whether the first ones answer it.

        Parameters
        ----------
        typed
            Words, quoted phrases and fields (``author:``, ``category:``, ``year:``, ``since:``); any text
            at all is a valid query.
        where
            Further limits, as from a command's options.
        as_text
            Take quotes and colons for text, as in a question that nobody typed for this search.
        judged
            How many of the first hits are judged.
        """
        query = Query(clean(typed[:MAX_QUERY]).replace('"', " ")) if as_text else parse_query(typed)
        limits = await self._limits(query, where or Where())
        allowed = self._library.facets.allowed(limits) if limits else None
        vector = await self.embed(query.text)
        ranking = asyncio.to_thread(self._rank, query, vector, k, allowed)
        hits, first = await asyncio.gather(ranking, self._certain(query))
        first = [paper for paper in first if allowed is None or _passes(allowed, paper)]
        hits = _promote(hits, first)[:k]
        fitting = await self._fitting(query, hits[:judged], first)
        return Found(tuple(hits), query, vector is None and bool(query.text), self._waiting(), fitting)

    async def _fitting(self, query: Query, hits: Sequence[Hit], certain: Sequence[int]) -> tuple[int, ...]:
        """Those of the hits that answer: the paper that is named, what has the quoted words, what fits by its text."""
        if query.phrases or not query.text:
            return tuple(hit.paper_id for hit in hits)
        found = await self._fits.fitting(query.text, {hit.paper_id: hit.closeness for hit in hits})
        if certain and await self._whole_text_names(query.text):
            found = (*found, *certain)
        return tuple(hit.paper_id for hit in hits if hit.paper_id in found)

    async def _whole_text_names(self, text: str) -> bool:
        """Whether the text is nothing but a paper's name: one word, an identifier or a title."""
        one_word = len(self._library.words.terms(text)) == 1
        return one_word or (await self._outright(text, 1) or Meant(None)).paper is not None

    async def _limits(self, query: Query, where: Where) -> Where:
        since = max((day for day in (query.since, where.since) if day), default=None)
        until = min((day for day in (query.until, where.until) if day), default=None)
        ids = where.ids
        if query.author:
            named = await asyncio.to_thread(self._library.words.by_author, query.author, 5_000)
            ids = frozenset(named) & ids if ids is not None else frozenset(named)
        return Where(where.category or query.category, since, until, ids)

    async def _certain(self, query: Query) -> list[int]:
        """What has to stand first: the paper of an identifier or exact title, or of a system's name."""
        if query.phrases or not query.text:
            return []
        exact = await self._identified(query.text)
        if exact is not None:
            return exact
        titled = await self._library.store.find_title(query.text)
        if titled:
            return titled
        named = await self._headed(query.text)
        named = named or await asyncio.to_thread(self._by_name, query.text, fusion.RARE_TITLES)
        return named or await self._nearly_named(query.text)

    async def guesses(self, text: str, most: int = 3) -> list[int]:
        """Store ids of the nearest papers to a text that means none: ids a digit away, else what is found for it."""
        found = find_arxiv_id(text)
        if found:
            known = await self._library.store.known_arxiv_ids(slips(found[0]))
            ids = [await self._library.store.find_id("arxiv", name) for name in sorted(known)[:most]]
            return [paper for paper in ids if paper is not None]
        if find_doi(text):
            return []
        return [hit.paper_id for hit in (await self.search(text, most, as_text=True)).hits]

    async def embed(self, text: str) -> np.ndarray | None:
        """A text's embedding, float32, shape (dimension,); None without a text or while the model is not loaded."""
        embedder = self._library.embedder
        if not text or not embedder.is_loaded:
            return None
        rows = await asyncio.to_thread(embedder.encode, [text])
        return np.asarray(rows[0])

    def _rank(self, query: Query, vector: np.ndarray | None, k: int, allowed: np.ndarray | None) -> list[Hit]:
        words, vectors = self._library.words, self._library.vectors
        pool = max(POOL, k)
        terms = words.terms(query.text)
        by_words: dict[int, float] = {}
        if terms or query.phrases:
            deep = pool if allowed is None else min(20 * pool, 5_000)
            by_words = dict(words.search(query.text, deep, phrases=query.phrases))
        near: Sequence[int] = []
        if vector is not None and vectors is not None and not query.phrases:
            near = [int(paper) for paper in vectors.search(vector, pool, allowed)[0]]
        candidates = [p for p in dict.fromkeys([*near, *by_words]) if allowed is None or _passes(allowed, p)]
        if not query.text and allowed is not None:  # fields alone: the newest papers that pass
            passing = np.flatnonzero(allowed)
            newest = passing[np.argsort(-self._library.facets.days[passing], kind="stable")][:k]
            return [Hit(int(paper), 0.0, None) for paper in newest]
        if not candidates:
            return []
        missing = [paper for paper in candidates if paper not in by_words]
        if missing and terms:
            by_words |= dict(words.search(query.text, len(missing), ids=missing))
        closeness = np.full(len(candidates), np.nan, np.float32)
        if vector is not None and vectors is not None:
            closeness = vectors.closeness(vector, candidates)
        coverage = self._coverage(terms, [by_words.get(paper, 0.0) for paper in candidates])
        kind = fusion.kind_of(terms, len(words))
        scores = fusion.fuse_query(closeness, coverage, kind.words)
        return _hits(candidates, scores, closeness, k)

    def _coverage(self, terms: Sequence[Term], scores: Sequence[float]) -> np.ndarray:
        ideal = fusion.ideal_score(rarest(terms), max(1, len(self._library.words)), TITLE_WEIGHT)
        return np.asarray(scores, np.float32) / ideal if ideal else np.zeros(len(scores), np.float32)

    def _waiting(self) -> int:
        vectors = self._library.vectors
        return max(0, len(self._library.facets) - (len(vectors) if vectors is not None else 0))

    # -- similar papers --------------------------------------------------------------------------

    async def similar(self, paper: Paper, k: int = 50, where: Where | None = None) -> Found:
        """The papers closest to one, never the paper itself."""
        corpus = self._library
        vector = corpus.vectors.row(paper.id) if corpus.vectors is not None else None
        if vector is None and corpus.embedder.is_loaded:
            vector = (
                await asyncio.to_thread(corpus.embedder.encode, [paper_text(paper.title, paper.abstract)])
            )[0]
        return await self._similar_to(paper.title, paper.abstract, vector, k, where, leave_out=paper.id)

    async def similar_to_text(self, text: str, k: int = 50, where: Where | None = None) -> Found:
        """The papers closest to a pasted abstract."""
        title, _, abstract = text.partition("\n")
        found = await self._similar_to("", f"{title} {abstract}", await self.embed(text[:10_000]), k, where)
        near = {hit.paper_id: hit.closeness for hit in found.hits[:JUDGED]}
        return replace(found, fitting=await self._fits.fitting(text[:10_000], near))

    async def _similar_to(
        self,
        title: str,
        abstract: str,
        vector: np.ndarray | None,
        k: int,
        where: Where | None,
        leave_out: int | None = None,
    ) -> Found:
        allowed = self._library.facets.allowed(where) if where else None
        hits = await self._rank_similar(title, abstract, vector, k, allowed, leave_out)
        ids = tuple(hit.paper_id for hit in hits)
        return Found(tuple(hits), Query(title or abstract), vector is None, self._waiting(), ids)

    async def _rank_similar(
        self,
        title: str,
        abstract: str,
        vector: np.ndarray | None,
        k: int,
        allowed: np.ndarray | None,
        itself: int | None,
    ) -> list[Hit]:
        words, vectors = self._library.words, self._library.vectors
        pool = max(SIMILAR_POOL, 2 * k)
        text = f"{title} {abstract}"

        def by_vectors() -> list[int]:
            if vector is None or vectors is None:
                return []
            return [int(paper) for paper in vectors.search(vector, pool, allowed)[0]]

        # Both engines let go of Python's lock, so they work side by side.
        near, worded = await asyncio.gather(
            asyncio.to_thread(by_vectors),
            asyncio.to_thread(words.search, text, pool if allowed is None else 5_000, shared=True),
        )
        by_words = dict(worded)
        candidates = [
            paper
            for paper in dict.fromkeys([*near, *by_words])
            if paper != itself and (allowed is None or _passes(allowed, paper))
        ]
        if not candidates:
            return []
        closeness = np.full(len(candidates), np.nan, np.float32)
        if vector is not None and vectors is not None:
            closeness = vectors.closeness(vector, candidates)
        shared, titles = await asyncio.gather(
            asyncio.to_thread(self._shared, text, candidates, itself, title_only=False, known=by_words),
            asyncio.to_thread(self._shared, title, candidates, itself, title_only=True, known={}),
        )
        scores = fusion.fuse_similar(closeness, shared, titles)
        return _hits(candidates, scores, closeness, k)

    def _shared(
        self,
        text: str,
        candidates: Sequence[int],
        itself: int | None,
        *,
        title_only: bool,
        known: dict[int, float],
    ) -> np.ndarray:
        """BM25 of each candidate for a text, as a share of what the text has with itself."""
        words = self._library.words
        asked = [*candidates, *([itself] if itself is not None else [])]
        missing = [paper for paper in asked if paper not in known]
        found = (
            words.search(text, len(missing), ids=missing, title_only=title_only, shared=True)
            if missing
            else []
        )
        scores = known | dict(found)
        own = scores.get(itself, 0.0) if itself is not None else 0.0
        if not own:
            terms = rarest(words.terms(text), shared=True)
            own = fusion.SELF_SHARE * fusion.ideal_score(terms, max(1, len(words)), TITLE_WEIGHT)
        shares = [scores.get(paper, 0.0) / own if own else 0.0 for paper in candidates]
        return np.asarray(shares, np.float32)

    # -- explaining ------------------------------------------------------------------------------

    def rarity(self, word: str) -> float:
        """A word's weight: its idf over abstracts as a share of the largest possible; 0 for unknown ones."""
        papers = len(self._library.words)
        if papers != self._rarities_of:
            self._rarities, self._rarities_of = {}, papers
        if word not in self._rarities:
            if len(self._rarities) > MAX_RARITIES:
                self._rarities.clear()
            total = 0.0
            for part in word.split("-"):
                found = self._library.words.abstracts_with(stem(part))
                total += math.log((1 + papers) / (1 + found)) if found else 0.0
            self._rarities[word] = total / math.log(2 + papers)
        return self._rarities[word]


def _hits(candidates: Sequence[int], scores: np.ndarray, closeness: np.ndarray, k: int) -> list[Hit]:
    """The k best candidates, best first."""
    order = np.argsort(-scores, kind="stable")[:k]
    close = [None if np.isnan(closeness[i]) else float(closeness[i]) for i in order]
    return [Hit(int(candidates[i]), float(scores[i]), cosine) for i, cosine in zip(order, close, strict=True)]


def _promote(hits: list[Hit], first: Sequence[int]) -> list[Hit]:
    """Put certain papers before all others, in their order."""
    if not first:
        return hits
    known = {hit.paper_id: hit for hit in hits}
    top = (hits[0].score if hits else 0.0) + 1.0
    promoted = [replace(known.get(paper, Hit(paper, 0.0, None)), score=top) for paper in dict.fromkeys(first)]
    return promoted + [hit for hit in hits if hit.paper_id not in set(first)]


def _passes(allowed: np.ndarray, paper: int) -> bool:
    return paper < len(allowed) and bool(allowed[paper])
