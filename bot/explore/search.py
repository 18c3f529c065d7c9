"""Search and completion: people, papers and topics for what a visitor types."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.explore.keys import Key
from bot.explore.walk import Walk
from commands.cards.people import Outline
from commands.cards.text import plural, readable, shorten
from commands.kit.services import Services
from commands.kit.which_person import outlined
from data.keys import visible
from data.records import Paper
from index.people.topic_names import NamedTopic
from index.search.results import Found

MOST_TYPED = 300
PEOPLE, PAPERS, TOPICS = 8, 20, 8
COMPLETED, OF_A_NAME = 5, 3
_LABEL = 120


@dataclass(frozen=True, slots=True)
class Offer:
    """A suggestion while a visitor types."""

    key: Key
    label: str
    detail: str


@dataclass(frozen=True, slots=True)
class Results:
    """What was found."""

    typed: str
    people: tuple[Outline, ...]
    papers: tuple[Paper, ...]
    topics: tuple[NamedTopic, ...]
    found: Found | None

    @property
    def fits(self) -> bool:
        """Whether a paper answers; else the papers are only the closest."""
        return self.found is None or self.found.fits


async def results_for(services: Services, walk: Walk, typed: str) -> Results:
    """People and topics of this name, and papers about it."""
    typed = " ".join(visible(typed[:MOST_TYPED]).split())
    people = await outlined(services, await _people(services, typed, PEOPLE))
    names = await walk.topic_names()
    topics = await asyncio.to_thread(names.complete, typed, TOPICS) if names is not None else []
    found = None
    papers: list[Paper] = []
    if any(letter.isalnum() for letter in typed):
        found = await services.search.search(typed, PAPERS)
        papers = await services.store.papers([hit.paper_id for hit in found.hits])
    return Results(typed, tuple(people), tuple(papers), tuple(topics), found)


async def _people(services: Services, typed: str, most: int) -> list[int]:
    """People whose name begins so, those of the best name first."""
    names = services.corpus.names.complete(typed, most) if typed else []
    authors = await services.store.author_names.numbers([name.key for name in names])
    people: list[int] = []
    for name in names:
        if name.key in authors:
            named = await services.store.people.named([authors[name.key]])
            people += [person for person, _ in named[:OF_A_NAME]]
    return list(dict.fromkeys(people))[:most]


async def person_named(services: Services, typed: str) -> int | None:
    """The person with this key or name; of several with the name, the one with the most papers."""
    try:
        key = Key.read(typed)
    except LookupError:
        found = await _people(services, typed, 1)
        return found[0] if found else None
    person = await services.store.people.find(key.number) if key.kind == "person" else None
    return person.id if person is not None else None


async def offers(services: Services, walk: Walk, typed: str) -> list[Offer]:
    """People, topics and papers that begin with what was typed."""
    typed = " ".join(visible(typed[:MOST_TYPED]).split())
    if len(typed) < 2:
        return []
    people = await services.store.people.find_all(await _people(services, typed, COMPLETED))
    offered = [
        Offer(Key.person(person.id), _label(person.name), plural(person.papers, "paper"))
        for person in people.values()
    ]
    if (names := await walk.topic_names()) is not None:
        topics = await asyncio.to_thread(names.complete, typed, COMPLETED)
        offered += [
            Offer(Key.topic(topic.phrase), topic.phrase, plural(topic.papers, "paper")) for topic in topics
        ]
    ids = await services.search.complete_title(typed, COMPLETED)
    offered += [
        Offer(Key.paper(paper.id), _label(paper.title), str(paper.day.year) if paper.day else "")
        for paper in await services.store.papers(ids)
    ]
    return offered


def _label(text: str) -> str:
    return shorten(readable(visible(text)), _LABEL)
