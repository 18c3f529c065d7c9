"""The neighbourhood of a person or a paper: people, papers, topics and institutions around it, as a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from data.records import Paper
from data.stores.people import Person
from index.claims.openalex_facts import FactFinder
from index.people.graph import MOST_NODES, Edge, Graph, GraphNode, connected
from index.people.insight import Insight
from index.people.people import PeopleIndex
from index.people.topic_directions import LEAST, TOGETHER, Rows, directions_of
from index.people.topics import Topic

PAPERS, PEOPLE, TOPICS, INSTITUTIONS = 8, 12, 5, 3
"""As many as are legible on a phone."""
PAIRS = 10
"""The most lines between people beside a paper: a group of eight has 28, which hide everything else."""
TOPICS_ASKED = 12
"""How many topics are considered."""
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
    rows
        Gives the vectors of papers; without it, unspecific topics are kept.
    """

    def __init__(
        self,
        insight: Insight,
        people: PeopleIndex,
        facts: FactFinder,
        name_of: Callable[[Paper], str],
        rows: Rows | None = None,
    ) -> None:
        self._people, self._topics, self._facts, self._name_of = people, insight.topics, facts, name_of
        self._rows = rows

    def papers_of(self, person: int) -> list[int]:
        """The papers that a graph around a person shows."""
        papers: list[int] = self._people.papers(person)[:PAPERS].tolist()
        return papers

    async def of_person(self, person: Person, papers: Sequence[Paper]) -> Graph:
        """The graph around a person, with some of their papers."""
        centre = GraphNode(_person(person.id), person.name, "person", _CENTRE_SIZE)
        coauthors = self._people.coauthors(person.id, PEOPLE)
        beside = {c.person: c.name for c in coauthors}
        wrote = {writer for paper in papers for writer in self._people.writers(paper.id).tolist()}
        together = [
            (centre.key, _person(c.person), float(len(c.papers)))
            for c in coauthors
            if len(c.papers) > 1 or c.person not in wrote
        ]
        return await self._graph(centre, papers, beside, {person.id, *beside}, together)

    async def of_paper(self, paper: Paper, similar: Sequence[Paper]) -> Graph:
        """The graph around a paper: its authors, the papers most similar to it, and some of their authors."""
        centre = GraphNode(_paper(paper.id), self._name_of(paper), "paper", _CENTRE_SIZE)
        writers = self._people.writers(paper.id).tolist()[: PEOPLE - WRITERS_EACH]
        for other in similar:
            writers += self._people.writers(other.id).tolist()[:WRITERS_EACH]
        beside = {number: self._people.name(number) for number in list(dict.fromkeys(writers))[:PEOPLE]}
        edges = [(centre.key, _paper(other.id), _SIMILAR) for other in similar]
        return await self._graph(
            centre, [paper, *similar], beside, set(beside), edges + self._often(list(beside))
        )

    def _often(self, people: Sequence[int]) -> list[Edge]:
        """The pairs of people who wrote the most papers together (two or more), and how many."""
        counts = [(a, b, len(self._people.together(a, b))) for a, b in combinations(people, 2)]
        most = sorted((pair for pair in counts if pair[2] > 1), key=lambda pair: -pair[2])[:PAIRS]
        return [(_person(a), _person(b), float(count)) for a, b, count in most]

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
        return connected(Graph(tuple(nodes[:MOST_NODES]), tuple(edges)))

    def _wrote(self, papers: Iterable[Paper], people: set[int]) -> list[Edge]:
        return [
            (_paper(paper.id), _person(writer), 1.0)
            for paper in papers
            for writer in self._people.writers(paper.id).tolist()
            if writer in people
        ]

    def _topics_of(self, papers: Sequence[Paper]) -> tuple[list[GraphNode], list[Edge]]:
        """Topics that connect papers; a topic of a single paper adds nothing to its title."""
        topics = self._topics.of([paper.id for paper in papers], TOPICS_ASKED) if self._topics else []
        joining = self._telling([topic for topic in topics if len(topic.papers) > 1])[:TOPICS]
        nodes = [GraphNode(f"t{place}", topic.phrase, "topic") for place, topic in enumerate(joining)]
        edges = [
            (f"t{place}", _paper(paper), 1.0) for place, topic in enumerate(joining) for paper in topic.papers
        ]
        return nodes, edges

    def _telling(self, topics: Sequence[Topic]) -> list[Topic]:
        """Leave out topics whose papers are scattered over the library ("case study")."""
        if self._topics is None or self._rows is None or not topics:
            return list(topics)
        columns = [topic.column for topic in topics]
        _, together = directions_of(self._topics, self._rows, columns)
        few = [len(self._topics.papers_with(column, LEAST)) < LEAST for column in columns]
        return [
            topic
            for topic, close, unknown in zip(topics, together, few, strict=True)
            if unknown or close >= TOGETHER
        ]

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
