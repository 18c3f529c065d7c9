"""Examples that work in this library: an author, a paper's name and a topic of its newest papers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from data.records import Paper
from data.stores.store import Store
from index.people.person_match import match_person
from index.people.topics import Topics
from index.search.corpus import Corpus
from index.search.known_item import PaperNames

RECENT = 300
"""Papers that examples are taken from, the newest."""
_TRIED, _TOPICS = 12, 20
_SHORTEST, _LONGEST = 3, 24


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples of what to ask for; empty texts if this library offers none.

    Attributes
    ----------
    author
        One of the people with the most new papers, with an unambiguous name.
    paper
        The name of one of the newest papers: the part of its title before the colon.
    topic
        A phrase that several of the newest papers are about.
    """

    author: str = ""
    paper: str = ""
    topic: str = ""

    def __bool__(self) -> bool:
        return any((self.author, self.paper, self.topic))


async def examples(corpus: Corpus, names: PaperNames, topics: Topics | None) -> Examples:
    """Examples from the newest papers."""
    store, facets = corpus.store, corpus.facets
    newest = (await asyncio.to_thread(lambda: facets.latest(facets.held(), RECENT))).tolist()
    papers = await store.papers(newest)
    return Examples(
        await _author(store, corpus, papers), await _paper(names, papers), await _topic(topics, newest)
    )


async def _author(store: Store, corpus: Corpus, papers: Sequence[Paper]) -> str:
    counts = Counter(author.name for paper in papers for author in paper.authors if " " in author.name)
    for name, _ in counts.most_common(_TRIED):
        known = corpus.names.get(name)
        if known is None or "." in name:
            continue
        match = await match_person(store, corpus.names, name)
        if match.person is not None and not match.others:
            return name
    return ""


async def _paper(names: PaperNames, papers: Sequence[Paper]) -> str:
    tried = 0
    for paper in papers:
        head, colon, _ = paper.title.partition(":")
        if not (colon and head.isalnum() and _SHORTEST <= len(head) <= _LONGEST):
            continue
        if (await names.named(head)).papers == [paper.id]:
            return head
        tried += 1
        if tried == _TRIED:
            break
    return ""


async def _topic(topics: Topics | None, papers: Sequence[int]) -> str:
    if topics is None or not papers:
        return ""
    named = await asyncio.to_thread(topics.of, papers, _TOPICS)
    several = [topic for topic in named if " " in topic.phrase]
    return max(several, key=lambda topic: len(topic.papers)).phrase if several else ""
