"""python -m benchmarks.digests: choosing a digest's papers from 1,500, once and for 1,000 channels in turn.

A channel has fifty liked papers on a random subject; each of the thousand has its own, encoded anew.
"""

from __future__ import annotations

import asyncio
import time

import numpy as np

from benchmarks.data import full_corpus, show
from index.digest.chooser import Chooser, Taste
from index.digest.taste import TasteRanker
from index.search.corpus import Corpus

CANDIDATES, DAY, LIKED, CHANNELS, ASKED = 1_500, 339, 50, 1_000, 100


def taste(corpus: Corpus, papers: np.ndarray, rng: np.random.Generator) -> Taste:
    """A taste: the papers nearest to one of these, liked within half a year."""
    assert corpus.vectors is not None
    near, _ = corpus.vectors.search(corpus.vectors.row(int(rng.choice(papers))), LIKED)
    return Taste({int(paper): float(rng.integers(1, 180)) for paper in near})


async def main() -> None:
    """Print both times."""
    rng = np.random.default_rng(0)
    corpus = await full_corpus()
    days = corpus.facets.days
    known = np.flatnonzero((corpus.facets.codes >= 0) & (days > 0))
    newest = known[np.argsort(-days[known], kind="stable")]
    earlier = newest[CANDIDATES:]
    chooser = Chooser(corpus, TasteRanker.shipped())
    many, day = newest[:CANDIDATES].tolist(), newest[:DAY].tolist()
    await chooser.items(many)
    took = []
    for _ in range(ASKED):
        one = taste(corpus, earlier, rng)
        await chooser.items(list(one.liked))
        begun = time.perf_counter()
        await chooser.choose(many, one, 5)
        took.append(time.perf_counter() - begun)
    show(f"one channel, {CANDIDATES:,} papers", took, "target 100 ms")
    tastes = [taste(corpus, earlier, rng) for _ in range(CHANNELS)]
    begun, took = time.perf_counter(), []
    for one in tastes:
        start = time.perf_counter()
        await chooser.choose(day, one, 5)
        took.append(time.perf_counter() - start)
    show(f"{CHANNELS:,} channels, {DAY} papers each", took)
    print(f"{CHANNELS:,} channels in {time.perf_counter() - begun:.1f} s (target 60 s)")
    await corpus.store.close()


if __name__ == "__main__":
    asyncio.run(main())
