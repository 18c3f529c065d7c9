"""The neighbourhood of a person or a paper: people, papers, topics and institutions around it, as a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from data.records import Paper
from data.stores.people import Person
from index.claims.openalex_facts import FactFinder
from index.people.graph import MOST_NODES, Edge, Graph, GraphNode
from index.people.insight import Insight
from index.people.people import PeopleIndex

PAPERS, PEOPLE, TOPICS, INSTITUTIONS = 12, 16, 7, 4
WRITERS_EACH = 2
"""Authors taken of each similar paper."""
_CENTRE_SIZE = 1.4
_SIMILAR = 0.5
"""Weight of an edge between a paper and a similar one."""


class Neighbourhood:
    """Finds what lies around a person or a paper.

    Parameters
    ----------
    people
        The people of ``insight``, which must have been matched.
    name_of
        Gives a paper's label in the graph.
    """

    def __init__(
        self, insight: Insight, people: PeopleIndex, facts: FactFinder, name_of: Callable[[Paper], str]
    ) -> None:
        self._people, self._topics, self._facts, self._name_of = people, insight.topics, facts, name_of

    def papers_of(self, person: int) -> list[int]:
        """The papers that a graph around a person shows."""
        papers: list[int] = self._people.papers(person)[:PAPERS].tolist()
        return papers

    async def of_person(self, person: Person, papers: Sequence[Paper]) -> Graph:
        """The graph around a person, with some of their papers."""
        centre = GraphNode(_person(person.id), person.name, "person", _CENTRE_SIZE)
        beside = {c.person: c.name for c in self._people.coauthors(person.id, PEOPLE)}
        return await self._graph(centre, papers, beside, {person.id, *beside}, [])

    async def of_paper(self, paper: Paper, similar: Sequence[Paper]) -> Graph:
        """The graph around a paper: its authors, the papers most similar to it, and some of their authors."""
        centre = GraphNode(_paper(paper.id), self._name_of(paper), "paper", _CENTRE_SIZE)
        writers = self._people.writers(paper.id).tolist()
        for other in similar:
            writers += self._people.writers(other.id).tolist()[:WRITERS_EACH]
        beside = {number: self._people.name(number) for number in list(dict.fromkeys(writers))[:PEOPLE]}
        edges = [(centre.key, _paper(other.id), _SIMILAR) for other in similar]
        return await self._graph(centre, [paper, *similar], beside, set(beside), edges)

    async def _graph(
        self,
        centre: GraphNode,
        papers: Sequence[Paper],
        beside: dict[int, str],
        everybody: set[int],
        edges: list[Edge],
    ) -> Graph:
        nodes = [GraphNode(_paper(paper.id), self._name_of(paper), "paper") for paper in papers]
        nodes += [GraphNode(_person(number), name, "person") for number, name in beside.items()]
        nodes = [centre, *(node for node in nodes if node.key != centre.key)]
        edges = [*edges, *self._wrote(papers, everybody)]
        for more, joined in (self._topics_of(papers), await self._institutions_of(everybody)):
            nodes += more
            edges += joined
        return Graph(tuple(nodes[:MOST_NODES]), tuple(edges))

    def _wrote(self, papers: Iterable[Paper], people: set[int]) -> list[Edge]:
        return [
            (_paper(paper.id), _person(writer), 1.0)
            for paper in papers
            for writer in self._people.writers(paper.id).tolist()
            if writer in people
        ]

    def _topics_of(self, papers: Sequence[Paper]) -> tuple[list[GraphNode], list[Edge]]:
        topics = self._topics.of([paper.id for paper in papers], TOPICS) if self._topics else []
        nodes = [GraphNode(f"t{place}", topic.phrase, "topic") for place, topic in enumerate(topics)]
        edges = [
            (f"t{place}", _paper(paper), 1.0) for place, topic in enumerate(topics) for paper in topic.papers
        ]
        return nodes, edges

    async def _institutions_of(self, people: Iterable[int]) -> tuple[list[GraphNode], list[Edge]]:
        """The institutions with most of the people."""
        members: dict[str, list[str]] = {}
        for number in people:
            facts = await self._facts.of_person(number)
            if facts and facts.affiliation:
                members.setdefault(facts.affiliation, []).append(_person(number))
        largest = sorted(members.items(), key=lambda entry: -len(entry[1]))[:INSTITUTIONS]
        nodes = [GraphNode(f"i{place}", name, "institution") for place, (name, _) in enumerate(largest)]
        edges = [(f"i{place}", key, 1.0) for place, (_, keys) in enumerate(largest) for key in keys]
        return nodes, edges


def _person(number: int) -> str:
    return f"p{number}"


def _paper(number: int) -> str:
    return f"w{number}"
