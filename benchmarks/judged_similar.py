"""python -m benchmarks.judged_similar: are the papers that `/similar` lists similar to those who read them?

`judged_similar.json` has papers drawn by chance, each with the papers that were graded beside it: those on
the same question, those on a neighbouring one, those of the same broad area, and others. A language model
graded the first ten papers of several methods, in random order, without knowing which method found them.
Papers are named by their identifiers.

The collections are those of :mod:`benchmarks.judged_queries`; some of the Anthology's papers are bare titles.
For each method, it prints nDCG@10 with a 95 % bootstrap interval, the share of the first ten that are at
least on a neighbouring question, how often the first one is, and the share of the first ten that was graded;
papers that were not graded count as others.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import need_data
from benchmarks.judged_queries import ANTHOLOGY, FIRST, numbers, opened, show
from data.records import Paper
from index.evaluate.search import reciprocal_rank_fusion
from index.search.corpus import Corpus
from index.search.embedding import paper_text
from index.search.similar import NEAR_POOL, SimilarPapers

JUDGED = Path(__file__).with_suffix(".json")
GRADES = {"closest": 3, "close": 2, "loosely": 1, "not": 0}
METHODS = ("words", "vectors", "rrf", "labmate")


@dataclass(frozen=True)
class JudgedPaper:
    """A paper and the grades of others beside it, by their identifiers."""

    collection: str
    kind: str
    paper: str
    grades: Mapping[str, int]

    @classmethod
    def all(cls) -> list[JudgedPaper]:
        """Every paper of the file."""
        return [
            cls(
                line["collection"],
                line["kind"],
                line["paper"],
                {paper: grade for name, grade in GRADES.items() for paper in line[name]},
            )
            for line in json.loads(JUDGED.read_text())
        ]


async def ranked(corpus: Corpus, similar: SimilarPapers, paper: Paper) -> dict[str, list[int]]:
    """The first ten papers of each method."""
    assert corpus.vectors is not None
    text = f"{paper.title} {paper.abstract}"
    row = corpus.vectors.row(paper.id)
    if row is None:
        row = corpus.embedder.encode([paper_text(paper.title, paper.abstract)])[0]
    words = [one for one, _ in corpus.words.search(text, NEAR_POOL, shared=True)]
    near = [int(one) for one in corpus.vectors.search(row, NEAR_POOL)[0]]
    found = await similar.similar(paper, FIRST)
    lists = {"words": words, "vectors": near, "rrf": reciprocal_rank_fusion([words, near])}
    lists["labmate"] = [hit.paper_id for hit in found.hits]
    return {name: [one for one in papers if one != paper.id][:FIRST] for name, papers in lists.items()}


async def main() -> None:
    """Ask for the papers similar to each one, and print how similar they are."""
    need_data(ANTHOLOGY)
    judged = JudgedPaper.all()
    for collection in dict.fromkeys(one.collection for one in judged):
        async with opened(collection) as corpus:
            number = await numbers(corpus, collection)
            similar = SimilarPapers(corpus)
            own = [one for one in judged if one.collection == collection]
            for kind in dict.fromkeys(one.kind for one in own):
                asked = [one for one in own if one.kind == kind]
                papers = {
                    paper.id: paper
                    for paper in await corpus.store.papers([number[one.paper] for one in asked])
                }
                grades = [{number[paper]: grade for paper, grade in one.grades.items()} for one in asked]
                found = [await ranked(corpus, similar, papers[number[one.paper]]) for one in asked]
                print(f"{collection}, {kind}: {len(asked)}")
                for method in METHODS:
                    show(method, [lists[method] for lists in found], grades)


if __name__ == "__main__":
    asyncio.run(main())
