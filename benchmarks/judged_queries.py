"""python -m benchmarks.judged_queries: does `/search` find what people mean who ask in their own words?

`judged_queries.json` has plain questions, long ones, keywords, and requests for papers that do without
something, each with the papers that were graded for it: those that are about what was meant, those that
help in part, and others. A language model wrote the queries without seeing any paper, and other runs of one
graded the first ten papers of every method, in random order, without knowing which method found them.
Papers are named by their identifiers.

The queries about arXiv are asked of all 111,997 papers, the others of 15,000 papers of the ACL Anthology, of
which 6,000 have no abstract. For each kind of query and each method, it prints nDCG@10 with a 95 % bootstrap
interval, the share of the first ten that are about what was meant, how often the first one is, and the share
of the first ten that was graded; papers that were not graded count as not sought. The last line of each kind
says for how many queries Labmate says that papers fit.
"""

from __future__ import annotations

import asyncio
import io
import json
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import zstandard

from benchmarks.data import ROOT, SHARED, full_corpus, kept_corpus, need_data
from index.evaluate.corpus import fill
from index.evaluate.metrics import interval
from index.evaluate.search import reciprocal_rank_fusion
from index.search.corpus import Corpus
from index.search.ranking import NEAR_POOL
from index.search.search import Search

JUDGED = Path(__file__).with_suffix(".json")
ANTHOLOGY = SHARED / "data" / "acl-anthology.jsonl.zst"
ANTHOLOGY_LIBRARY = ROOT / "var" / "benchmark-anthology"
SAMPLED_SINCE, SAMPLED, BARE, SEEDS = "2016", 9_000, 6_000, (5, 6)
"""Papers with an abstract from that year on, papers without one of any year, and the seeds of both."""
METHODS = ("words", "vectors", "rrf", "before", "labmate")
"""As in :mod:`index.evaluate.search`; `before` is Labmate before it understood queries."""
FIRST = 10
SOUGHT = 2
"""The grade of a paper that is about what was meant; 1 if it helps in part, 0 otherwise."""
Grades = Mapping[int, int]
"""A paper's store id -> its grade."""


@dataclass(frozen=True)
class Judged:
    """A query and the grades of its papers, by their identifiers."""

    collection: str
    kind: str
    query: str
    grades: Mapping[str, int]

    @classmethod
    def all(cls) -> list[Judged]:
        """Every query of the file."""
        return [
            cls(
                line["collection"],
                line["kind"],
                line["query"],
                {
                    paper: 2 - lower
                    for lower, of in enumerate(("sought", "partly", "other"))
                    for paper in line[of]
                },
            )
            for line in json.loads(JUDGED.read_text())
        ]


def ndcg(found: Sequence[int], grades: Grades) -> float:
    """Of the first ten, with gains 2^g - 1 (Järvelin and Kekäläinen, Cumulated gain, TOIS 2002)."""
    discounts = 1 / np.log2(np.arange(2, FIRST + 2))
    gains = np.array([2.0 ** grades.get(paper, 0) - 1 for paper in found[:FIRST]])
    best = np.sort([2.0**grade - 1 for grade in grades.values()])[::-1][:FIRST]
    ideal = float(best @ discounts[: len(best)])
    return float(gains @ discounts[: len(gains)]) / ideal if ideal else 0.0


def anthology_sample(path: Path = ANTHOLOGY) -> list[dict[str, Any]]:
    """The Anthology's papers that are asked about, the same each time."""
    with path.open("rb") as disk:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(disk))
        items = [orjson.loads(line) for line in lines]
    described = [item for item in items if item.get("abstract") and item["announced"] >= SAMPLED_SINCE]
    bare = [item for item in items if not item.get("abstract")]
    for papers, seed in zip((described, bare), SEEDS, strict=True):
        random.Random(seed).shuffle(papers)
    return [*described[:SAMPLED], *bare[:BARE]]


async def anthology_corpus(*, writable: bool = False) -> Corpus:
    """Some of the Anthology's papers; embedded on first use, which takes minutes, and kept."""
    return await kept_corpus(
        ANTHOLOGY_LIBRARY,
        _embed_sample,
        "embedding papers of the ACL Anthology once...",
        writable=writable,
    )


async def _embed_sample(corpus: Corpus) -> None:
    sample = corpus.folder / "sample.jsonl"
    sample.write_bytes(b"\n".join(map(orjson.dumps, anthology_sample())))
    await fill(corpus, sample, None, None, own_ids=True)


@asynccontextmanager
async def opened(collection: str, *, writable: bool = False) -> AsyncIterator[Corpus]:
    """The papers of a collection, with the model loaded."""
    make = full_corpus if collection == "arxiv" else anthology_corpus
    corpus = await make(writable=writable)
    corpus.embedder.load()
    try:
        await corpus.refresh_names()
        yield corpus
    finally:
        await corpus.store.close()


async def numbers(corpus: Corpus, collection: str) -> dict[str, int]:
    """The store ids of a collection's papers, by their identifiers."""
    return await corpus.store.ids_of("arxiv" if collection == "arxiv" else "file")


async def ranked(corpus: Corpus, search: Search, query: str) -> tuple[dict[str, list[int]], bool]:
    """The first ten papers of each method, and whether Labmate says that some fit."""
    assert corpus.vectors is not None
    words = [paper for paper, _ in corpus.words.search(query, NEAR_POOL)]
    near = [int(paper) for paper in corpus.vectors.search(corpus.embedder.encode([query])[0], NEAR_POOL)[0]]
    newest = search.newest()
    today = newest + timedelta(1) if newest else None
    before, now = [await search.search(query, FIRST, plain=plain, today=today) for plain in (True, False)]
    lists = {"words": words, "vectors": near, "rrf": reciprocal_rank_fusion([words, near])}
    lists |= {
        name: [hit.paper_id for hit in found.hits] for name, found in (("before", before), ("labmate", now))
    }
    return {name: papers[:FIRST] for name, papers in lists.items()}, now.fits


async def main() -> None:
    """Ask every query of every method and print how well each does."""
    need_data(ANTHOLOGY)
    queries = Judged.all()
    for collection in dict.fromkeys(one.collection for one in queries):
        async with opened(collection) as corpus:
            number = await numbers(corpus, collection)
            search = Search(corpus)
            own = [one for one in queries if one.collection == collection]
            for kind in dict.fromkeys(one.kind for one in own):
                asked = [one for one in own if one.kind == kind]
                grades = [{number[paper]: grade for paper, grade in one.grades.items()} for one in asked]
                found = [await ranked(corpus, search, one.query) for one in asked]
                print(f"{collection}, {kind}: {len(asked)}")
                for method in METHODS:
                    show(method, [lists[method] for lists, _ in found], grades)
                print(f"  papers fit {sum(fits for _, fits in found)} of {len(found)} queries", flush=True)


def show(method: str, found: Sequence[Sequence[int]], grades: Sequence[Grades]) -> None:
    """Print a method's line; a grade of ``SOUGHT`` or more counts among the first ten."""
    pairs = list(zip(found, grades, strict=True))
    values = [ndcg(papers, graded) for papers, graded in pairs]
    low, high = interval(values)
    good = [[graded.get(paper, 0) >= SOUGHT for paper in papers] for papers, graded in pairs]
    known = np.mean([paper in graded for papers, graded in pairs for paper in papers])
    print(
        f"  {method:8} nDCG@10 {np.mean(values):.3f} [{low:.3f}, {high:.3f}]  "
        f"of ten {np.mean([sum(one) / FIRST for one in good]):.2f}  "
        f"the first {np.mean([any(one[:1]) for one in good]):.2f}  graded {known:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    asyncio.run(main())
