"""Known-item search: does a query find the paper that it was made from, among all papers?

`index/evaluate/search_kinds.py` makes the queries. Labmate stands beside plain words (BM25), plain vectors,
reciprocal rank fusion, and itself as it was before it understood queries (``before``).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from index.evaluate.metrics import reciprocal_rank, summary
from index.evaluate.search_kinds import KINDS, TEXTS, KnownItem, make_questions
from index.search.corpus import Corpus
from index.search.ranking import NEAR_POOL, WORD_POOL
from index.search.search import Search

METHODS = ("words", "vectors", "rrf", "before", "labmate")
DEPTH = WORD_POOL
"""How many papers each method may give: for more, `/search` would compare more candidates than it does."""
RRF_K = 60
"""Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (SIGIR 2009)."""


class Methods:
    """The ranking methods to compare."""

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus
        self._search = Search(corpus)
        days = corpus.facets.days[corpus.facets.held()]
        self._today = date.fromordinal(int(days.max())) + timedelta(1) if len(days) and days.max() else None

    async def rank(self, question: KnownItem) -> dict[str, list[int]]:
        """Each method's ranking of store ids."""
        corpus, text, as_text = self._library, question.text, question.kind in TEXTS
        assert corpus.vectors is not None
        words = [paper for paper, _ in corpus.words.search(text, NEAR_POOL)]
        vector = corpus.embedder.encode([text])[0]
        near = [int(paper) for paper in corpus.vectors.search(vector, NEAR_POOL)[0]]
        before = await self._search.search(text, DEPTH, as_text=as_text, plain=True)
        results = await self._search.search(text, DEPTH, as_text=as_text, today=self._today)
        return {
            "words": words[:DEPTH],
            "vectors": near[:DEPTH],
            "rrf": reciprocal_rank_fusion([words, near])[:DEPTH],
            "before": [hit.paper_id for hit in before.hits],
            "labmate": [hit.paper_id for hit in results.hits],
        }


def reciprocal_rank_fusion(rankings: list[list[int]]) -> list[int]:
    """Rankings fused by the sum of 1 / (k + rank)."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, paper in enumerate(ranking, 1):
            scores[paper] = scores.get(paper, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores, key=lambda paper: -scores[paper])


async def evaluate(
    corpus: Corpus,
    *,
    per_kind: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Rows with MRR and recall@10 for each kind and method, with 95 % bootstrap intervals."""
    corpus.embedder.load()
    await corpus.refresh_names()
    questions = await make_questions(corpus, per_kind, seed)
    methods = Methods(corpus)
    ranks: dict[tuple[str, str], list[int | None]] = {(k, m): [] for k in KINDS for m in METHODS}
    for done, question in enumerate(questions, 1):
        for method, ranking in (await methods.rank(question)).items():
            rank = ranking.index(question.paper_id) + 1 if question.paper_id in ranking else None
            ranks[question.kind, method].append(rank)
        if progress:
            progress(done, len(questions))
    rows = []
    for (kind, method), places in ranks.items():
        mrr = summary("mrr", [reciprocal_rank(rank) for rank in places], seed)
        recall = summary("recall@10", [float(rank is not None and rank <= 10) for rank in places], seed)
        rows.append({"method": method, "kind": kind, "questions": len(places), **mrr, **recall})
    return {"task": "search", "seed": seed, "questions": len(questions), "rows": rows}
