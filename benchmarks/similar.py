"""python -m benchmarks.similar: how many candidates `/similar` needs, and what they cost.

For papers drawn by chance, the candidates of each setting are compared as `/similar` compares them. Printed
are the shares of the ten and of the fifty most similar that are the same as among 2,000 candidates by vectors
and 2,000 by words, and the median milliseconds for finding the candidates and for comparing them.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from benchmarks.data import full_corpus
from data.records import Paper
from index.search.corpus import Corpus
from index.search.lexical import MAX_TERMS
from index.search.similar import FOUND_BY, NEAR_POOL, WORD_POOL, SimilarPapers

PAPERS = 200
DEEP = 2_000
SHOWN = (10, 50)


@dataclass
class Setting:
    """So many candidates by vectors, and by so many of the rarest words, with what was measured."""

    near: int
    worded: int
    words: int
    same: dict[int, list[float]] = field(default_factory=lambda: {shown: [] for shown in SHOWN})
    finding: list[float] = field(default_factory=list)
    comparing: list[float] = field(default_factory=list)

    def candidates(self, corpus: Corpus, paper: Paper) -> list[int]:
        """Store ids, without the paper itself."""
        vectors = corpus.vectors
        assert vectors is not None
        row = vectors.row(paper.id)
        assert row is not None
        found = [int(one) for one in vectors.search(row, self.near)[0]] if self.near else []
        if self.worded:
            text = f"{paper.title} {paper.abstract}"
            hits = corpus.words.search(text, self.worded, shared=True, most=self.words)
            found += [one for one, _ in hits]
        return [one for one in dict.fromkeys(found) if one != paper.id]

    def line(self) -> str:
        """What was measured."""
        shares = "  ".join(f"of {shown} {fmean(self.same[shown]):.3f}" for shown in SHOWN)
        times = (
            f"finding {1e3 * median(self.finding):.1f} ms, comparing {1e3 * median(self.comparing):.1f} ms"
        )
        by = f"{self.near:,} by vectors, {self.worded} by {self.words} words"
        return f"{by:40} the same {shares}   {times}"


def _ranked(similar: SimilarPapers, corpus: Corpus, paper: Paper, candidates: Sequence[int]) -> list[int]:
    vectors = corpus.vectors
    assert vectors is not None
    hits = similar.compared(
        paper.title, paper.abstract, vectors.row(paper.id), candidates, max(SHOWN), paper.id
    )
    return [hit.paper_id for hit in hits]


async def main() -> None:
    corpus = await full_corpus()
    similar = SimilarPapers(corpus)
    chosen = random.Random(5).sample(range(10, len(corpus.words)), PAPERS)
    papers = await corpus.store.papers(chosen)
    pools = [(100, 100, 32), (200, 100, 12), (200, 100, 4), (200, 0, 0), (300, 0, 0), (1_000, 0, 0)]
    pools += [(NEAR_POOL, WORD_POOL, FOUND_BY), (300, 50, 8), (300, 100, 12), (500, 100, 12)]
    settings = [Setting(*pool) for pool in pools]
    whole = Setting(DEEP, DEEP, MAX_TERMS)
    for paper in papers:
        best = _ranked(similar, corpus, paper, whole.candidates(corpus, paper))
        for setting in settings:
            begun = time.perf_counter()
            candidates = setting.candidates(corpus, paper)
            found = time.perf_counter()
            ranked = _ranked(similar, corpus, paper, candidates)
            setting.comparing.append(time.perf_counter() - found)
            setting.finding.append(found - begun)
            for shown, shares in setting.same.items():
                shares.append(len(set(ranked[:shown]) & set(best[:shown])) / shown)
    for setting in settings:
        print(setting.line(), flush=True)
    await corpus.store.close()


if __name__ == "__main__":
    asyncio.run(main())
