"""The papers of the library that may answer a question, as passages."""

from __future__ import annotations

import math
from collections.abc import Sequence

from index.answers.matching import Rarity
from index.answers.passage import Passage
from index.search.corpus import Corpus
from index.search.facets import Where
from index.search.results import Hit
from index.search.search import Search

PAPERS = 16
"""How many papers an answer is looked for in."""


async def candidates(
    search: Search, corpus: Corpus, question: str, where: Where | None = None, most: int = PAPERS
) -> list[Passage]:
    """The abstracts of the best papers for a question, best first."""
    found = await search.search(question, most, where, as_text=True, judged=0)
    return await passages(corpus, found.hits)


async def passages(corpus: Corpus, hits: Sequence[Hit]) -> list[Passage]:
    """The abstracts of search results that have one, with each paper's closeness to the query."""
    texts = await corpus.store.texts([hit.paper_id for hit in hits])
    out = []
    for hit in hits:
        title, abstract, _ = texts.get(hit.paper_id, ("", "", 0))
        if abstract.strip():
            out.append(Passage(hit.paper_id, abstract, title, closeness=hit.closeness))
    return out


def library_rarity(corpus: Corpus) -> Rarity:
    """The idf of stems over the library's abstracts (Robertson and Zaragoza 2009, eq. 3.2)."""
    words = corpus.words
    papers = len(words)
    known: dict[str, float] = {}

    def rarity(stem: str) -> float:
        if stem not in known:
            found = min(words.abstracts_with(stem), papers)
            known[stem] = math.log(1 + (papers - found + 0.5) / (found + 0.5))
        return known[stem]

    return rarity
