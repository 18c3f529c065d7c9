"""python -m benchmarks.search_candidates: how many candidates `/search` needs.

The queries of `evaluate search`, fifty of each kind, among the 111,997 papers. For several numbers of
candidates by words and by vectors, it prints Labmate's MRR and recall@10 over all kinds, the share of its ten
that are the same as among a thousand of each, and the median milliseconds of a search.
"""

from __future__ import annotations

import asyncio
import time
from statistics import median

from benchmarks.data import full_corpus
from benchmarks.known_items import SHOWN, known_items
from index.evaluate.search_kinds import TEXTS, make_questions
from index.search import ranking
from index.search.search import Search

OF_A_KIND, SEED = 50, 12
Pools = tuple[int, int]
"""How many candidates by words, and by vectors."""
DEEP: Pools = (1_000, 1_000)
SHIPPED: Pools = (ranking.WORD_POOL, ranking.NEAR_POOL)
POOLS = (DEEP, (200, 200), (100, 200), SHIPPED, (50, 200), (50, 100), (25, 50))
"""The others are compared with the first."""


async def main() -> None:
    corpus = await full_corpus()
    corpus.embedder.load()
    await corpus.refresh_names()
    questions, search = await make_questions(corpus, OF_A_KIND, SEED), Search(corpus)
    await search.warm()
    found: dict[Pools, list[list[int]]] = {pools: [] for pools in POOLS}
    times: dict[Pools, list[float]] = {pools: [] for pools in POOLS}
    for question in questions:
        for place, pools in enumerate((DEEP, *POOLS)):  # what the first one reads, the others find in memory
            ranking.WORD_POOL, ranking.NEAR_POOL = pools
            begun = time.perf_counter()
            hits = (await search.search(question.text, SHOWN, as_text=question.kind in TEXTS)).hits
            if place:
                times[pools].append(time.perf_counter() - begun)
                found[pools].append([hit.paper_id for hit in hits])
    wanted = [question.paper_id for question in questions]
    for (worded, near), papers in found.items():
        mrr, recall, same = known_items(wanted, papers, found[DEEP])
        print(
            f"{worded:5,} by words, {near:5,} by vectors  MRR@10 {mrr:.3f}  recall@10 {recall:.3f}  "
            f"the same of ten {same:.3f}  {1e3 * median(times[worded, near]):.1f} ms",
            flush=True,
        )
    await corpus.store.close()


if __name__ == "__main__":
    asyncio.run(main())
