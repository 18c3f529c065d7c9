"""Steps through the research graph: what lies around a person, a paper or a topic."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import combinations

import numpy as np

from bot.explore.keys import Key
from bot.explore.part import GraphPart, Node, Tie
from commands.cards.graph import paper_name
from commands.kit.services import Services
from data.records import Paper
from index.people.people import Coauthor, PeopleIndex, Step
from index.people.topic_names import NamedTopic, TopicNames
from index.people.topics import Topic

PAPERS, PEOPLE, TOPICS, ALIKE = 8, 12, 5, 4
"""How many of each a step adds."""
PAGES = 40
"""How often the same node can be stepped on for more."""
WRITERS = 15
"""Authors of a paper that are joined to it."""
OF_TOPIC = 400
"""The newest papers of a topic whose authors are counted."""


class NotYetError(Exception):
    """People are still being matched, or topics found."""


class Walk:
    """Finds parts of the graph."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._names: TopicNames | None = None

    async def people(self) -> PeopleIndex:
        """Everybody, once they are matched.

        Raises
        ------
        NotYetError
            Before.
        """
        await self._services.wait_for_people()
        if self._services.insight.people is None:
            raise NotYetError
        return self._services.insight.people

    async def who(self, key: Key) -> int:
        """The number of a key's person, who may have been merged with another.

        Raises
        ------
        LookupError
            Where it is no person's key (any more).
        """
        person = await self._services.store.people.find(key.number) if key.kind == "person" else None
        if person is None:
            raise LookupError(str(key))
        return person.id

    async def topic_names(self) -> TopicNames | None:
        """The topics by name; None before they were found."""
        topics = self._services.insight.topics
        if topics is None:
            return None
        if self._names is None or self._names.topics is not topics:
            self._names = await asyncio.to_thread(TopicNames, topics)
        return self._names

    async def topic(self, phrase: str) -> NamedTopic:
        """The topic of a phrase.

        Raises
        ------
        NotYetError
            Before topics were found.
        LookupError
            Where no paper has it.
        """
        names = await self.topic_names()
        if names is None:
            raise NotYetError
        found = names.find(phrase)
        if found is None:
            raise LookupError(phrase)
        return found

    async def around(self, key: Key, page: int = 0) -> GraphPart:
        """What lies around a node; each page adds more.

        Raises
        ------
        LookupError
            Where there is no such node (any more).
        """
        page = min(max(page, 0), PAGES)
        if key.kind == "person":
            return await self._around_person(key.number, page)
        if key.kind == "paper":
            return await self._around_paper(key.number, page)
        return await self._around_topic(key.phrase, page)

    async def _around_person(self, number: int, page: int) -> GraphPart:
        people, person = await self.people(), await self._services.store.people.find(number)
        if person is None:
            raise LookupError(number)
        vectors, topics = self._services.corpus.vectors, self._services.insight.topics
        part = GraphPart(str(Key.person(person.id)))

        def found() -> tuple[np.ndarray, list[Coauthor]]:
            mine = people.papers(person.id)
            part.add(self._person(people, person.id))
            close = people.coauthors(person.id)
            shown = close[page * PEOPLE : (page + 1) * PEOPLE]
            part.more = len(close) > (page + 1) * PEOPLE or len(mine) > (page + 1) * PAPERS
            for coauthor in shown:
                part.add(self._person(people, coauthor.person))
                part.join(self._together(person.id, coauthor.person, coauthor.papers))
            for one, other in combinations(shown, 2):
                if len(both := people.together(one.person, other.person)) > 1:
                    part.join(self._together(one.person, other.person, both))
            if page == 0 and topics is not None:
                self._on(part, topics.of(mine, TOPICS), part.centre)
            if page == 0 and vectors is not None:
                for stranger, cosine in people.near_on_average(person.id, vectors, ALIKE):
                    part.add(self._person(people, stranger))
                    part.join(Tie(part.centre, str(Key.person(stranger)), "similar", round(cosine, 3)))
            return mine[page * PAPERS : (page + 1) * PAPERS], shown

        papers, _ = await asyncio.to_thread(found)
        await self._add_papers(part, people, papers.tolist())
        return part

    async def _around_paper(self, number: int, page: int) -> GraphPart:
        people = await self.people()
        papers = await self._services.store.papers([number])
        if not papers:
            raise LookupError(number)
        [paper] = papers
        topics = self._services.insight.topics
        part = GraphPart(str(Key.paper(paper.id)))
        await self._add_papers(part, people, [paper.id])
        similar = (await self._services.search.similar(paper, (page + 1) * PAPERS)).hits
        await self._add_papers(part, people, [hit.paper_id for hit in similar[page * PAPERS :]])
        for hit in similar[page * PAPERS :]:
            if hit.closeness is not None:
                ends = str(Key.paper(hit.paper_id))
                part.join(Tie(part.centre, ends, "similar", round(max(hit.closeness, 0.0), 3)))
        part.more = len(similar) == (page + 1) * PAPERS

        def found() -> None:
            writers = people.writers(paper.id).tolist()
            for writer in writers[page * PEOPLE : (page + 1) * PEOPLE]:
                part.add(self._person(people, writer))
                part.join(Tie(part.centre, str(Key.person(writer)), "wrote"))
            if page == 0 and topics is not None:
                self._on(part, topics.of([paper.id], TOPICS), part.centre)

        await asyncio.to_thread(found)
        return part

    async def _around_topic(self, phrase: str, page: int) -> GraphPart:
        people, topic = await self.people(), await self.topic(phrase)
        topics = self._services.insight.topics
        assert topics is not None
        centre = self._topic(topic.phrase, topic.papers)
        part = GraphPart(centre.key)
        part.add(centre)

        def found() -> list[int]:
            newest = self.newest(topics.papers_with(topic.column, OF_TOPIC))
            writers = [people.writers(paper).tolist() for paper in newest]
            most = Counter(person for paper in writers if len(paper) <= 60 for person in paper)
            ranked = [person for person, _ in most.most_common((page + 1) * PEOPLE)][page * PEOPLE :]
            for person in ranked:
                part.add(self._person(people, person))
                part.join(Tie(centre.key, str(Key.person(person)), "about", float(most[person])))
            part.more = len(newest) > (page + 1) * PAPERS
            return newest[page * PAPERS : (page + 1) * PAPERS]

        papers = await asyncio.to_thread(found)
        await self._add_papers(part, people, papers)
        for paper in papers:
            part.join(Tie(centre.key, str(Key.paper(paper)), "about"))
        return part

    async def between(self, one: int, other: int) -> tuple[GraphPart, list[Step]] | None:
        """A shortest path between two people through papers; None where they are too far apart."""
        people = await self.people()
        steps = await asyncio.to_thread(people.way, one, other)
        if steps is None:
            return None
        part = GraphPart(str(Key.person(one)))
        part.add(self._person(people, one), *(self._person(people, step.person) for step in steps))
        await self._add_papers(part, people, [step.paper for step in steps])
        return part, steps

    # -- nodes and lines -------------------------------------------------------------------------

    def newest(self, papers: np.ndarray, most: int | None = None) -> list[int]:
        """Papers, newest first: all, or so many."""
        ordered: list[int] = self._services.corpus.facets.latest(papers, most).tolist()
        return ordered

    def years(self, papers: Iterable[int] | np.ndarray) -> tuple[int | None, int | None]:
        """The first and the last year of papers whose day is known."""
        days = self._services.corpus.facets.days_of(np.asarray(list(papers), np.int64))
        days = days[days > 0]
        if not len(days):
            return None, None
        return date.fromordinal(int(days.min())).year, date.fromordinal(int(days.max())).year

    def _person(self, people: PeopleIndex, number: int) -> Node:
        papers, facets = people.papers(number), self._services.corpus.facets
        held = facets.codes[papers[papers < len(facets.codes)]]
        codes, counts = np.unique(held[held >= 0], return_counts=True)
        category = facets.names[int(codes[counts.argmax()])].split(" ")[0] if len(codes) else ""
        years = self.years(papers)
        return Node(str(Key.person(number)), "person", people.name(number), *years, category, len(papers))

    def _together(self, one: int, other: int, papers: Sequence[int]) -> Tie:
        ends = str(Key.person(one)), str(Key.person(other))
        return Tie(*ends, "together", float(len(papers)), *self.years(papers))

    @staticmethod
    def _topic(phrase: str, papers: int) -> Node:
        return Node(str(Key.topic(phrase)), "topic", phrase, papers=papers)

    def _on(self, part: GraphPart, topics: Sequence[Topic], whose: str) -> None:
        for topic in topics:
            node = self._topic(topic.phrase, len(topic.papers))
            part.add(node)
            part.join(Tie(whose, node.key, "about", float(len(topic.papers)), *self.years(topic.papers)))

    async def _add_papers(self, part: GraphPart, people: PeopleIndex, numbers: Sequence[int]) -> None:
        """Papers as nodes, joined to their authors, whether those are in the part or come later."""
        for paper in await self._services.store.papers(numbers):
            node = _paper(paper)
            part.add(node)
            for writer in people.writers(paper.id).tolist()[:WRITERS]:
                part.join(Tie(node.key, str(Key.person(writer)), "wrote", 1.0, node.first, node.last))


def _paper(paper: Paper) -> Node:
    year = paper.day.year if paper.day else None
    category = paper.primary_category or (paper.categories[0] if paper.categories else "")
    return Node(str(Key.paper(paper.id)), "paper", paper_name(paper), year, year, category)
