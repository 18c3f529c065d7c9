"""python -m benchmarks.common_words: what searches lose where common words are looked for in titles only.

The queries of `evaluate search`, fifty of each kind, among the 111,997 papers. For each share of the papers,
words that more abstracts have are looked for in titles only, however few papers that are. Printed are
Labmate's MRR and recall@10 over all kinds, the share of its ten that are the same as without a limit, and the
milliseconds of CPU in which words are found (p50).
"""

from __future__ import annotations

import asyncio
import time
from statistics import fmean

from benchmarks.data import full_corpus, percentile
from index.evaluate.metrics import reciprocal_rank
from index.evaluate.search_kinds import TEXTS, make_questions
from index.search import lexical
from index.search.search import POOL, Search

SHARES = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.01)
OF_A_KIND, SEED = 50, 12
SHOWN = 10


async def main() -> None:
    corpus = await full_corpus()
    corpus.embedder.load()
    await corpus.refresh_names()
    questions, search = await make_questions(corpus, OF_A_KIND, SEED), Search(corpus)
    lexical.COMMON_LEAST = 0
    whole: list[list[int]] = []
    for share in SHARES:
        lexical.COMMON = share
        ranks, found, times = [], [], []
        for question in questions:
            begun = time.thread_time()
            corpus.words.search(question.text, POOL)
            times.append(time.thread_time() - begun)
            hits = (await search.search(question.text, POOL, as_text=question.kind in TEXTS)).hits
            papers = [hit.paper_id for hit in hits]
            found.append(papers[:SHOWN])
            ranks.append(papers.index(question.paper_id) + 1 if question.paper_id in papers else None)
        whole = whole or found
        same = fmean(
            len(set(one) & set(other)) / max(1, len(other)) for one, other in zip(found, whole, strict=True)
        )
        recall = fmean(rank is not None and rank <= SHOWN for rank in ranks)
        print(
            f"above {share:4.0%} of the papers  MRR {fmean(map(reciprocal_rank, ranks)):.3f}  "
            f"recall@10 {recall:.3f}  the same of ten {same:.3f}  {percentile(times, 0.5):.2f} ms",
            flush=True,
        )
    await corpus.store.close()


if __name__ == "__main__":
    asyncio.run(main())
