"""Search in a member's library, by words, else by meaning; also by tag and reading state."""

from __future__ import annotations

import asyncio
import json

import numpy as np

from data.keys import fold
from data.records import Paper
from data.stores.library import Kept
from data.stores.store import Store
from index.library.query import LibraryQuery
from index.search.corpus import Corpus
from index.search.search import Search

_AT_ONCE = 100
CLOSE, MOST_CLOSE = 0.3, 10
"""If no work contains the words: the least cosine similarity to them, and how many works at most."""

Work = tuple[Kept, Paper | None]
"""What is kept, and the paper that it is, if it is one of ours."""


async def search_library(
    store: Store, corpus: Corpus, search: Search, member: int, query: LibraryQuery
) -> tuple[int, list[Work]]:
    """How many works a library has, and those that match, newest first (by meaning: closest first)."""
    everything = await store.library.of(member)
    papers: dict[int, Paper] = {}
    known = list({kept.paper_id for kept in everything if kept.paper_id})
    for start in range(0, len(known), _AT_ONCE):  # others have their turn between
        papers |= await store.papers_by_number(known[start : start + _AT_ONCE])
    works: list[Work] = [(kept, papers.get(kept.paper_id or 0)) for kept in everything]
    if query.state:
        works = [work for work in works if work[0].state == query.state]
    if query.tag:
        tag = fold(query.tag.lstrip("#"))
        works = [work for work in works if any(fold(one) == tag for one in work[0].tags)]
    words = fold(query.search).split()
    if words:
        with_words = await asyncio.to_thread(_with_words, works, words)
        works = with_words or await _by_meaning(corpus, search, query.search, works)
    return len(everything), works


def _with_words(works: list[Work], words: list[str]) -> list[Work]:
    found = []
    for work in works:
        text = _text(*work)
        if all(word in text for word in words):
            found.append(work)
    return found


def _text(kept: Kept, paper: Paper | None) -> str:
    parts = [kept.note, *kept.tags]
    if paper is not None:
        parts += [paper.title, paper.abstract, *(author.name for author in paper.authors)]
    else:
        parts.append(json.dumps(kept.record, ensure_ascii=False))
    return fold(" ".join(parts))


async def _by_meaning(corpus: Corpus, search: Search, text: str, works: list[Work]) -> list[Work]:
    vectors = corpus.vectors
    if vectors is None or not corpus.embedder.is_loaded:
        return []
    embedded = [(work, work[1].id) for work in works if work[1] is not None and vectors.has(work[1].id)]
    if not embedded:
        return []
    rows = vectors.rows(np.array([paper for _, paper in embedded]))
    asked = await search.embed(text)
    if asked is None:
        return []
    close = np.asarray(rows, np.float32) @ np.asarray(asked, np.float32)
    best = [int(place) for place in np.argsort(-close)[:MOST_CLOSE] if close[place] >= CLOSE]
    return [embedded[place][0] for place in best]
