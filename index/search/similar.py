"""Finding papers similar to a paper or text: by meaning, shared words and shared title words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from data.records import Paper
from index.search import fusion
from index.search.corpus import Corpus
from index.search.embedding import paper_text
from index.search.facets import Where
from index.search.fits import Fits
from index.search.forward_index import PaperWords
from index.search.known_item import PaperNames
from index.search.lexical import MAX_TERMS, TITLE_WEIGHT, rarest
from index.search.queries import Query
from index.search.results import DEEP, JUDGED, Found, Hit, best_hits, passes
from index.search.vectors import few

NEAR_POOL, WORD_POOL = 200, 50
"""How many candidates vectors and words give; words give as many as vectors where few papers have one."""
FOUND_BY = 8
"""Beside vectors, words find candidates by this many of a text's rarest words, such as a system's name: what
shares only commoner words is among the nearest anyway, and looking these up takes the longest. Candidates are
compared by :data:`MAX_TERMS`. ``python -m benchmarks.similar`` shows what other numbers find."""
ITSELF = 1 + fusion.SIMILAR_WORDS + fusion.SIMILAR_TITLE
"""The score of a paper with itself: what similarity is a share of where it is shown."""


class SimilarPapers(PaperNames):
    """Ranks papers by how similar they are to one paper or text."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self._fits = Fits(corpus)

    async def warm(self) -> None:
        """Measure once what the first judged answer would wait for."""
        await self._fits.warm()

    async def embed(self, text: str) -> np.ndarray | None:
        """A text's embedding, float32, shape (dimension,); None for no text or before the model is loaded."""
        embedder = self._library.embedder
        if not text or not embedder.is_loaded:
            return None
        rows = await asyncio.to_thread(embedder.encode, [text])
        return np.asarray(rows[0])

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
        results = await self._similar_to("", f"{title} {abstract}", await self.embed(text[:10_000]), k, where)
        near = {hit.paper_id: hit.closeness for hit in results.hits[:JUDGED]}
        fitting, guesses = await self._fits.judged(text[:10_000], near)
        return replace(results, fitting=fitting, near=guesses)

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
        near_pool = max(NEAR_POOL, 2 * k)
        alone = vector is None or few(vectors, near_pool)
        word_pool = near_pool if alone else max(WORD_POOL, 2 * k)
        text = f"{title} {abstract}"

        def by_vectors() -> list[int]:
            if vector is None or vectors is None:
                return []
            return [int(paper) for paper in vectors.search(vector, near_pool, allowed)[0]]

        def by_words() -> list[int]:
            deep = word_pool if allowed is None else DEEP
            found = words.search(text, deep, shared=True, most=MAX_TERMS if alone else FOUND_BY)
            return [paper for paper, _ in found if allowed is None or passes(allowed, paper)][:word_pool]

        worded, near = await asyncio.gather(asyncio.to_thread(by_words), asyncio.to_thread(by_vectors))
        candidates = [paper for paper in dict.fromkeys([*near, *worded]) if paper != itself]
        if not candidates:
            return []
        return await asyncio.to_thread(self.compared, title, abstract, vector, candidates, k, itself)

    def compared(
        self,
        title: str,
        abstract: str,
        vector: np.ndarray | None,
        candidates: Sequence[int],
        k: int,
        itself: int | None = None,
    ) -> list[Hit]:
        """The k papers of some candidates that are the most similar to a text; not for the event loop.

        Parameters
        ----------
        vector
            The text's embedding, float32, shape (dimension,); None if it is unknown.
        itself
            The paper that has the text, which is not a candidate.
        """
        words, vectors = self._library.words, self._library.vectors
        closeness = (
            np.full(len(candidates), np.nan, np.float32)
            if vector is None or vectors is None
            else vectors.closeness(vector, candidates)
        )
        written = words.words_of([*candidates, *([] if itself is None else [itself])])
        shared = self._shared(f"{title} {abstract}", written, itself is not None, title_only=False)
        titles = self._shared(title, written, itself is not None, title_only=True)
        return best_hits(list(candidates), fusion.fuse_similar(closeness, shared, titles), closeness, k)

    def _shared(self, text: str, papers: PaperWords, itself: bool, *, title_only: bool) -> np.ndarray:
        """BM25 of each paper for a text, as a share of the text's score with itself.

        The text is that of the last paper, if ``itself`` is set, which is left out of the result.
        """
        words = self._library.words
        scores = words.scores(text, papers, title_only=title_only, shared=True)
        own = 0.0
        if itself:
            scores, own = scores[:-1], float(scores[-1])
        if not own:
            terms = rarest(words.terms(text), shared=True)
            own = fusion.SELF_SHARE * fusion.ideal_score(terms, max(1, len(words)), TITLE_WEIGHT)
        return scores / own if own else np.zeros(len(scores))

    def _waiting(self) -> int:
        vectors = self._library.vectors
        return max(0, len(self._library.facets) - (len(vectors) if vectors is not None else 0))
