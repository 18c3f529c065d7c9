"""python -m benchmarks.who_knows: does `/who-knows` name people who work on a topic?

A paper of arXiv's 111,997, or of 15,000 of the ACL Anthology (`--collection acl`), is hidden, and its
likeliest phrase is the topic. Its authors (by printed names) are known to work on it, so they should be named
wherever they have another paper that fits. The command prints
the mean reciprocal rank of the first of them, and of each of them, among the ten who are named: as shipped,
with other weights, and by the rank of papers as it was before. A weight is compared by the second figure,
too: a way that prefers papers of many authors gains in the first by chance alone.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from statistics import fmean
from typing import Any, cast

import numpy as np

from benchmarks.judged_queries import opened
from data.keys import name_key
from data.records import Paper
from index.evaluate.metrics import reciprocal_rank
from index.people import knowing as ways
from index.people.knowing import Match, knowing, says
from index.people.people import PeopleIndex
from index.search.corpus import Corpus
from index.search.phrases import PhraseFinder
from index.search.results import Hit
from index.search.search import Search

SEED, READ = 6, 200
_RANKED = 40.0
"""The rank at which a paper said half as much as the first, where ranks decided."""


class Printed:
    """Authors by their printed names, as much of a people index as is needed to rank them."""

    def __init__(self, papers: Iterable[Paper]) -> None:
        self._papers = {paper.id: paper for paper in papers}
        self._numbers: dict[str, int] = {}
        self._written: Counter[int] = Counter()
        self._of = {
            paper.id: [
                self._number(name)
                for name in dict.fromkeys(name_key(author.name) for author in paper.authors)
            ]
            for paper in self._papers.values()
        }
        for people in self._of.values():
            self._written.update(people)

    def _number(self, key: str) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def writers(self, paper: int) -> np.ndarray:
        return np.array(self._of[paper])

    def day(self, paper: int) -> date | None:
        return self._papers[paper].day

    def count(self, person: int) -> int:
        return self._written[person]

    def name(self, person: int) -> str:
        return str(person)


def by_rank(match: Match) -> float:
    """As papers counted before: by their rank, which has the place of the share; halved in two years."""
    return match.share * 0.5 ** (match.age / 730) / max(1, match.authors) ** 0.5


def _with(**changed: float) -> Callable[[Match], float]:
    """The shipped weighing with other numbers."""

    def weigh(match: Match) -> float:
        kept = {name: getattr(ways, name) for name in changed}
        try:
            vars(ways).update(changed)
            return says(match)
        finally:
            vars(ways).update(kept)

    return weigh


WAYS: dict[str, Callable[[Match], float]] = {
    "as shipped": says,
    "match ^ 1": _with(MATCH=1.0),
    "match ^ 2": _with(MATCH=2.0),
    "halved in 2 years": _with(HALVED=730),
    "halved in 8 years": _with(HALVED=8 * 365),
    "halved in 16 years": _with(HALVED=16 * 365),
    "authors ^ 1/2": _with(SOLE=0.5),
    "by rank, as before": by_rank,
}


async def main(collection: str, asked: int, seed: int, since: date) -> None:
    async with opened(collection) as corpus:
        await ask(corpus, asked, seed, since)


async def ask(corpus: Corpus, asked: int, seed: int, since: date) -> None:
    """Hide papers, ask for their topics, and print how well each way names their authors."""
    search, finder, chosen = Search(corpus), PhraseFinder.shipped(), random.Random(seed)
    assert corpus.vectors is not None
    every = corpus.vectors.log.table.papers()
    every = every[corpus.facets.days[every] >= since.toordinal()]
    hidden = await corpus.store.papers([int(every[chosen.randrange(len(every))]) for _ in range(asked)])
    first: dict[str, list[float]] = {way: [] for way in WAYS}
    each: dict[str, list[float]] = {way: [] for way in WAYS}
    for paper in hidden:
        [phrases] = finder.of([(paper.title, paper.abstract)], most=1)
        if not phrases:
            continue
        results = await search.search(phrases[0].text, READ, as_text=True, judged=READ)
        fitting = set(results.fitting) - {paper.id}
        hits = [hit for hit in results.hits if hit.paper_id in fitting]
        people = Printed([paper, *await corpus.store.papers([hit.paper_id for hit in hits])])
        wanted = set(people.writers(paper.id).tolist())
        able = wanted & {int(person) for hit in hits for person in people.writers(hit.paper_id)}
        if not able:
            continue
        ranked = [Hit(hit.paper_id, _RANKED / (_RANKED + rank), None) for rank, hit in enumerate(hits)]
        for way, weigh in WAYS.items():
            found = _ranked(people, ranked if weigh is by_rank else hits, weigh)
            places = [found.index(person) + 1 if person in found else None for person in sorted(able)]
            first[way].append(max(map(reciprocal_rank, places)))
            each[way].append(fmean(map(reciprocal_rank, places)))
    print(f"{len(first['as shipped']):,} topics of {asked:,} have another paper of an author")
    for way in WAYS:
        print(
            f"{way:20} first of them {fmean(first[way]):.3f}  each of them {fmean(each[way]):.3f}", flush=True
        )


def _ranked(people: Printed, hits: list[Hit], weigh: Callable[[Match], float]) -> list[int]:
    found = knowing(cast(PeopleIndex, cast(Any, people)), hits, weigh=weigh)
    return [entry.person for entry in found]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=2_400, help="hidden papers (2,400)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"which ones ({SEED}; 5 chose the weights)")
    parser.add_argument(
        "--collection", choices=("arxiv", "acl"), default="arxiv", help="whose papers (arxiv)"
    )
    parser.add_argument(
        "--since", type=date.fromisoformat, default=date.min, help="hide papers from this day on (any)"
    )
    options = parser.parse_args()
    asyncio.run(main(options.collection, options.papers, options.seed, options.since))
