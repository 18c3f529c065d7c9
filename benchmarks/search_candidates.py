"""python -m benchmarks.search_candidates: how many candidates `/search` needs.

The queries of `evaluate search`, fifty of each kind, among the 111,997 papers. For several numbers of
candidates by words and by vectors, it prints Labmate's MRR and recall@10 over all kinds, the share of its ten
that are the same as among a thousand of each, and the median milliseconds of a search.
"""

from __future__ import annotations

import asyncio
import time
from statistics import fmean, median

from benchmarks.data import full_corpus
from index.evaluate.metrics import reciprocal_rank
from index.evaluate.search_kinds import TEXTS, make_questions
from index.search import ranking
from index.search.search import Search

OF_A_KIND, SEED = 50, 12
SHOWN = 10
DEEP = (1_000, 1_000)
POOLS = (DEEP, (200, 200), (ranking.WORDED, ranking.POOL), (50, 200), (100, 100), (50, 100), (25, 50))
"""(by words, by vectors); the others are compared with the first."""


async def main() -> None:
    corpus = await full_corpus()
    corpus.embedder.load()
    await corpus.refresh_names()
    questions, search = await make_questions(corpus, OF_A_KIND, SEED), Search(corpus)
    await search.warm()
    whole: list[list[int]] = []
    for worded, near in POOLS:
        ranking.WORDED, ranking.POOL = worded, near
        ranks, found, times = [], [], []
        for question in questions:
            begun = time.perf_counter()
            hits = (await search.search(question.text, SHOWN, as_text=question.kind in TEXTS)).hits
            times.append(time.perf_counter() - begun)
            papers = [hit.paper_id for hit in hits]
            found.append(papers)
            ranks.append(papers.index(question.paper_id) + 1 if question.paper_id in papers else None)
        whole = whole or found
        same = fmean(
            len(set(one) & set(other)) / max(1, len(other)) for one, other in zip(found, whole, strict=True)
        )
        print(
            f"{worded:5,} by words, {near:5,} by vectors  MRR@10 {fmean(map(reciprocal_rank, ranks)):.3f}  "
            f"recall@10 {fmean(rank is not None for rank in ranks):.3f}  the same of ten {same:.3f}  "
            f"{1e3 * median(times):.1f} ms",
            flush=True,
        )
    await corpus.store.close()


if __name__ == "__main__":
    asyncio.run(main())
