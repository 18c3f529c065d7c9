"""python -m benchmarks.words: in-process search by words, and by words and vectors, beside tantivy alone."""

from __future__ import annotations

import asyncio
import time

from benchmarks.data import full_corpus, show
from benchmarks.replies import SEARCHES
from index.search.search import Search

ROUNDS = 25


async def main() -> None:
    corpus = await full_corpus()
    await corpus.refresh_names()
    corpus.embedder.load()
    search = Search(corpus)
    bare, ours, names, similar = [], [], [], []
    index = corpus.words._index
    ids = await corpus.store.ids_of("arxiv")
    papers = await corpus.store.papers(list(ids.values())[:: len(ids) // (ROUNDS * len(SEARCHES))])
    for place in range(ROUNDS * len(SEARCHES)):
        text = SEARCHES[place % len(SEARCHES)]
        query = index.parse_query(text, ["title", "abstract"])
        begun = time.perf_counter()
        index.searcher().search(query, 10)
        bare.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        await search.search(text, 25)
        ours.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        await search.similar(papers[place], 25)
        similar.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        corpus.names.complete(text[: place % 7])
        names.append(time.perf_counter() - begun)
    show("tantivy alone, its own parser", bare)
    show("search: words, vectors, fusion", ours)
    show("similar: words, vectors, fusion", similar)
    show(f"completion over {len(corpus.names):,} names", names)
    await corpus.store.close()


if __name__ == "__main__":
    asyncio.run(main())
