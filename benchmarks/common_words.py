"""python -m benchmarks.common_words: what searches lose where common words are looked for in titles only.

The queries of `evaluate search`, fifty of each kind, among the 111,997 papers. For each share of the papers,
words that more abstracts have are looked for in titles only, however few papers that are. Printed are
Labmate's MRR@10 and recall@10 over all kinds, the share of its ten that are the same as without a limit, and
the milliseconds of CPU in which words are found (p50).
"""

from __future__ import annotations

import asyncio
import time

from benchmarks.data import full_corpus, percentile
from benchmarks.known_items import SHOWN, known_items
from index.evaluate.search_kinds import TEXTS, make_questions
from index.search import lexical
from index.search.ranking import WORD_POOL
from index.search.search import Search

SHARES = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.01)
OF_A_KIND, SEED = 50, 12


async def main() -> None:
    corpus = await full_corpus()
    corpus.embedder.load()
    await corpus.refresh_names()
    questions, search = await make_questions(corpus, OF_A_KIND, SEED), Search(corpus)
    lexical.COMMON_LEAST = 0
    whole: list[list[int]] = []
    for share in SHARES:
        lexical.COMMON = share
        found, times = [], []
        for question in questions:
            begun = time.thread_time()
            corpus.words.search(question.text, WORD_POOL)
            times.append(time.thread_time() - begun)
            hits = (await search.search(question.text, SHOWN, as_text=question.kind in TEXTS)).hits
            found.append([hit.paper_id for hit in hits])
        whole = whole or found
        mrr, recall, same = known_items([question.paper_id for question in questions], found, whole)
        print(
            f"above {share:4.0%} of the papers  MRR@10 {mrr:.3f}  recall@10 {recall:.3f}  "
            f"the same of ten {same:.3f}  {percentile(times, 0.5):.2f} ms",
            flush=True,
        )
    await corpus.store.close()


if __name__ == "__main__":
    asyncio.run(main())
