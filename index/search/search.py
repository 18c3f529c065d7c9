"""Finding papers: by identifier, title or name first, then by words and meaning together."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import numpy as np

from data.calendar.arxiv_ids import find_arxiv_id, find_doi, slips
from data.keys import clean
from index.search import fusion
from index.search.corpus import Corpus
from index.search.facets import Where
from index.search.known_item import Meant
from index.search.lexical import TITLE_WEIGHT, Term, rarest
from index.search.passages import stem
from index.search.queries import MAX_QUERY, Query, parse_query
from index.search.results import JUDGED, Found, Hit, best_hits, passes, promote
from index.search.similar import SimilarPapers

__all__ = ["JUDGED", "POOL", "Found", "Hit", "Search"]

POOL = 200
"""How many candidates words and vectors give each."""
MAX_RARITIES = 50_000


class Search(SimilarPapers):
    """Answers queries over the corpus; long computations run in threads."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self._rarities: dict[str, float] = {}
        self._rarities_of = -1

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
            Read quotes and colons as text, for a question that was not typed as a search.
        judged
            How many of the first hits are judged.
        """
        query = Query(clean(typed[:MAX_QUERY]).replace('"', " ")) if as_text else parse_query(typed)
        limits = await self._limits(query, where or Where())
        allowed = self._library.facets.allowed(limits) if limits else None
        vector = await self.embed(query.text)
        ranking = asyncio.to_thread(self._rank, query, vector, k, allowed)
        hits, first = await asyncio.gather(ranking, self._certain(query))
        first = [paper for paper in first if allowed is None or passes(allowed, paper)]
        hits = promote(hits, first)[:k]
        fitting = await self._fitting(query, hits[:judged], first)
        return Found(tuple(hits), query, vector is None and bool(query.text), self._waiting(), fitting)

    async def _fitting(self, query: Query, hits: Sequence[Hit], certain: Sequence[int]) -> tuple[int, ...]:
        """The hits that answer: a paper that is named, has the quoted words, or fits by its text."""
        if query.phrases or not query.text:
            return tuple(hit.paper_id for hit in hits)
        answering = await self._fits.fitting(query.text, {hit.paper_id: hit.closeness for hit in hits})
        if certain and await self._whole_text_names(query.text):
            answering = (*answering, *certain)
        return tuple(hit.paper_id for hit in hits if hit.paper_id in answering)

    async def _whole_text_names(self, text: str) -> bool:
        """Whether the whole text is a paper's name: one word, an identifier or a title."""
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
        """The papers that must come first: by identifier, exact title, or a system's name."""
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
        """Store ids of guesses for a text that means no known paper: similar ids, else search results."""
        arxiv_id = find_arxiv_id(text)
        if arxiv_id:
            known = await self._library.store.known_arxiv_ids(slips(arxiv_id[0]))
            ids = [await self._library.store.find_id("arxiv", name) for name in sorted(known)[:most]]
            return [paper for paper in ids if paper is not None]
        if find_doi(text):
            return []
        return [hit.paper_id for hit in (await self.search(text, most, as_text=True)).hits]

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
        candidates = [p for p in dict.fromkeys([*near, *by_words]) if allowed is None or passes(allowed, p)]
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
        return best_hits(candidates, scores, closeness, k)

    def _coverage(self, terms: Sequence[Term], scores: Sequence[float]) -> np.ndarray:
        ideal = fusion.ideal_score(rarest(terms), max(1, len(self._library.words)), TITLE_WEIGHT)
        return np.asarray(scores, np.float32) / ideal if ideal else np.zeros(len(scores), np.float32)

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
                papers_with = self._library.words.abstracts_with(stem(part))
                total += math.log((1 + papers) / (1 + papers_with)) if papers_with else 0.0
            self._rarities[word] = total / math.log(2 + papers)
        return self._rarities[word]
