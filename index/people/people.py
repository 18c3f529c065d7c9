"""People: their papers and coauthors, paths between them, and people with similar work."""

from __future__ import annotations

import asyncio
import copy
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

import numpy as np

from data.stores.people import Person
from data.stores.store import Store
from index.identity.person_names import may_be_one
from index.people.closeness import alike_papers, apart, closeness
from index.people.closest_work import ClosestWork, unit
from index.people.joined import joined, slices
from index.people.no_person import is_group, may_suggest
from index.people.packed_names import PackedNames
from index.people.paths import shortest_path
from index.people.people_fresh import FreshPapers
from index.people.people_table import PeopleTable
from index.search.facets import Facets
from index.search.vectors import Vectors

MOST_AUTHORS = 60
"""Papers with more authors connect nobody: in a collaboration of hundreds, few know each other."""


COMPARED = 6
"""For each person wanted so many of the nearest are compared paper by paper."""


@dataclass(frozen=True, slots=True)
class Coauthor:
    """A coauthor: the joint papers (newest first) and how close those make the two."""

    person: int
    name: str
    papers: tuple[int, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class CoauthorTies:
    """A person's coauthors as arrays, closest first.

    Attributes
    ----------
    people, papers, newest
        int64: the coauthors, how many papers they wrote together, and the newest of those.
    weight
        float64: how close these papers make the two.
    """

    people: np.ndarray
    papers: np.ndarray
    newest: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True, slots=True)
class Step:
    """One step on a path between two people: the person reached, and the paper."""

    person: int
    name: str
    paper: int


@dataclass(frozen=True, slots=True)
class Near:
    """A person whose work lies close.

    Attributes
    ----------
    together
        Papers that the two wrote together.
    compared, alike
        How many of the person's other papers were compared, and how many of those are close to a paper of
        the person asked about.
    """

    person: int
    name: str
    closeness: float
    together: int
    compared: int
    alike: int


class PeopleIndex:
    """The people of one pass; each new pass gets a new index."""

    def __init__(
        self,
        number: int,
        table: PeopleTable,
        names: PackedNames,
        facets: Facets,
        closest: ClosestWork | None,
        fresh: FreshPapers | None = None,
    ) -> None:
        """The people of a pass by its number: a table of who wrote what, and everybody's name.

        ``closest`` has people's mean vectors, ``fresh`` the papers about which the table is out of date.
        """
        self.number = number
        self._table = table
        self._names = names
        self._facets = facets
        self._closest = closest
        self._fresh = fresh or FreshPapers()

    @classmethod
    async def of(cls, store: Store, facets: Facets, vectors: Vectors | None) -> PeopleIndex:
        """The people of the store's last pass, in memory."""
        last = await store.people.last_pass()
        rows = await store.people.pairs()
        names = PackedNames()
        async for number, name in store.people.all_names():
            names.add(number, name)
        memberships = np.frombuffer(rows, np.int64).reshape(-1, 2)
        return await asyncio.to_thread(
            cls.in_memory, last.id if last else 0, memberships, names, facets, vectors
        )

    @classmethod
    def in_memory(
        cls,
        number: int,
        memberships: np.ndarray,
        names: PackedNames,
        facets: Facets,
        vectors: Vectors | None,
    ) -> PeopleIndex:
        """From a finished pass's number, its (person, paper) rows, and everybody's name."""
        table = PeopleTable.of(memberships)
        closest = None if vectors is None else ClosestWork.of(table, vectors)
        return cls(number, table, names, facets, closest)

    @property
    def closest(self) -> ClosestWork | None:
        """People's mean vectors, if they were made."""
        return self._closest

    def with_closest(self, closest: ClosestWork | None) -> PeopleIndex:
        """The same people, with other mean vectors: some papers had none before."""
        copied = copy.copy(self)
        copied._closest = closest
        return copied

    def with_vectors(self, vectors: Vectors) -> PeopleIndex:
        """The same people, compared by the present vectors."""
        return self.with_closest(ClosestWork.of(self.everybody, vectors))

    @property
    def is_whole(self) -> bool:
        """Whether the table alone says everything."""
        return not len(self._fresh)

    @property
    def everybody(self) -> PeopleTable:
        """Who wrote what, all of it; put together anew where some papers are fresh."""
        if self.is_whole:
            return self._table
        return PeopleTable.of(self._fresh.pairs(self._table.pairs()))

    def __len__(self) -> int:
        return len(self._table.ids) or len(self._fresh)

    def name(self, person: int) -> str:
        """The most common form of a person's name."""
        return self._fresh.names.get(person) or self._names.get(person)

    def person(self, number: int) -> Person | None:
        """Somebody with a paper, with one form of the name: the most common one."""
        papers, name = self.papers(number), self.name(number)
        if not len(papers):
            return None
        days = self._day(papers)
        known = [date.fromordinal(day) for day in days[days > 0].tolist()]
        return Person(number, name, len(papers), (name,), min(known, default=None), max(known, default=None))

    def papers(self, person: int) -> np.ndarray:
        """Store ids of a person's papers, newest first; empty for a stranger."""
        papers = self._fresh.papers_of(person, self._table.papers_of(person))
        newest: np.ndarray = papers[np.argsort(-self._day(papers), kind="stable")]
        return newest

    def count(self, person: int) -> int:
        """How many papers a person has."""
        return len(self._fresh.papers_of(person, self._table.papers_of(person)))

    def written(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(person, paper, day as an ordinal) of everything written whose day is known."""
        person, papers = self.everybody.pairs().T
        days = self._day(papers)
        return person[days > 0], papers[days > 0], days[days > 0]

    def writers(self, paper: int) -> np.ndarray:
        """The people who wrote a paper."""
        fresh = self._fresh.writers_of(int(paper))
        return self._table.writers_of(int(paper)) if fresh is None else fresh

    def written_by(self, papers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The people who wrote some papers, int64, paper after paper; the place of each one's paper."""
        if not self._fresh.holds(papers):
            return self._table.written_by(papers)
        return partly_written_by(papers, self._fresh.held, self._table.written_by, self.writers)

    def _day(self, papers: np.ndarray) -> np.ndarray:
        days = self._facets.days
        inside = papers < len(days)
        return np.where(inside, days[np.where(inside, papers, 0)], 0).astype(np.int64)

    def day(self, paper: int) -> date | None:
        """The day of a paper."""
        ordinal = int(self._day(np.array([paper]))[0])
        return date.fromordinal(ordinal) if ordinal > 0 else None

    # -- coauthors -------------------------------------------------------------------------------

    def ties(self, person: int) -> CoauthorTies:
        """Coauthors, closest first.

        Each joint paper counts 1 / (authors - 1) (Newman, Scientific collaboration networks II, 2001), halved
        for every two years that it is older than the person's newest paper.
        """
        return self.ties_of_each([person])[0]

    def ties_of_each(self, people: Sequence[int]) -> list[CoauthorTies]:
        """The coauthors of several people (:meth:`ties`), looked up together."""
        mine, whose = joined([self.papers(person) for person in people])
        days, newest = self._day(mine), np.zeros(len(people), np.int64)
        np.maximum.at(newest, whose, days)
        writers, at = self.written_by(mine)
        authors = np.bincount(at, minlength=len(mine))
        share = 0.5 ** ((newest[whose] - days) / 730) / np.maximum(authors - 1, 1)
        others = writers != np.asarray(people, np.int64)[whose[at]]
        writers, at = writers[others], at[others]
        span = int(writers.max(initial=0)) + 1
        pairs, first, which, papers = np.unique(
            whose[at] * span + writers, return_index=True, return_inverse=True, return_counts=True
        )
        person, coauthor = np.divmod(pairs, span)
        weight = np.bincount(which, share[at], len(pairs))
        order = np.lexsort((coauthor, -papers, -weight, person))
        coauthor, papers, first, weight = coauthor[order], papers[order], first[order], weight[order]
        return [
            CoauthorTies(coauthor[part], papers[part], mine[at[first[part]]], weight[part])
            for part in slices(person, len(people))
        ]

    def coauthors(self, person: int, most: int | None = None) -> list[Coauthor]:
        """Coauthors, closest first, with their names and the joint papers (:meth:`ties`)."""
        ties = self.ties(person)
        mine = self.papers(person)
        writers, at = self.written_by(mine)
        chosen = ties.people[:most]
        joint = np.isin(writers, chosen)
        by_person: dict[int, list[int]] = {other: [] for other in chosen.tolist()}
        for other, paper in zip(writers[joint].tolist(), mine[at[joint]].tolist(), strict=True):
            by_person[other].append(paper)
        return [
            Coauthor(other, self.name(other), tuple(papers), weight)
            for (other, papers), weight in zip(by_person.items(), ties.weight[:most].tolist(), strict=True)
        ]

    def closest_coauthors(self, people: Sequence[int]) -> list[str | None]:
        """The name of each one's closest coauthor; None for somebody without one."""
        named = (map(self.name, ties.people.tolist()) for ties in self.ties_of_each(people))
        return [next((name for name in names if not is_group(name)), None) for names in named]

    def most_often(self, person: int, most: int) -> list[tuple[str, int]]:
        """Those with the most joint papers, without groups, and how many; the closest first among equals."""
        ties = self.ties(person)
        order = np.argsort(-ties.papers, kind="stable").tolist()
        named = ((self.name(int(ties.people[place])), int(ties.papers[place])) for place in order)
        return list(islice(((name, count) for name, count in named if not is_group(name)), most))

    def together(self, one: int, other: int) -> list[int]:
        """The papers that both wrote, newest first."""
        theirs = set(self.papers(other).tolist())
        return [paper for paper in self.papers(one).tolist() if paper in theirs]

    def way(self, one: int, other: int, most: int = 6) -> list[Step] | None:
        """A shortest path through coauthors, preferring newer papers; None if they are too far apart.

        It has ``most`` papers at most, none by more than :data:`MOST_AUTHORS` people.
        """
        path = shortest_path(one, other, most, self._connecting)
        return None if path is None else [Step(person, self.name(person), paper) for person, paper in path]

    def _connecting(self, person: int) -> Iterator[tuple[int, list[int]]]:
        """A person's papers with their writers, newest first, without papers by crowds."""
        for paper in self.papers(person).tolist():
            writers = self.writers(paper)
            if len(writers) <= MOST_AUTHORS:
                yield paper, writers.tolist()

    # -- closeness of work -----------------------------------------------------------------------

    def work(self, person: int, vectors: Vectors) -> np.ndarray:
        """The direction of a person's papers: float32, unit length, or zeros."""
        rows = vectors.rows(self.papers(person)).astype(np.float32)
        return np.asarray(unit(rows.sum(axis=0, keepdims=True))[0])

    def near(self, person: int, vectors: Vectors, most: int = 10, *, strangers: bool = False) -> list[Near]:
        """People with two papers or more whose work lies closest; ``strangers`` leaves out coauthors.

        People who may be the same by their name are left out. Those with the nearest mean vectors are
        ranked by :func:`index.people.closeness.closeness`.
        """
        if self._closest is None:
            return []
        own = self.work(person, vectors)
        if not own.any():
            return []
        ties = self.ties(person)
        known = dict(zip(ties.people.tolist(), ties.papers.tolist(), strict=True))
        close = self._nearest(own, COMPARED * most + 1 + (len(known) if strangers else 0))
        others = [other for other in close if other != person and not (strangers and other in known)]
        others = [other for other in others if may_suggest(self, other)]
        others = [other for other in others if not may_be_one(self.name(person), self.name(other))]
        return self._ranked(person, others[: COMPARED * most], vectors, known)[:most]

    def near_on_average(self, person: int, vectors: Vectors, most: int) -> list[tuple[int, float]]:
        """Strangers with the closest mean vectors, and the cosine: rougher than :meth:`near`, quicker."""
        own = self.work(person, vectors)
        if self._closest is None or not own.any():
            return []
        known = {person, *self.ties(person).people.tolist()}
        close = self._nearest(own, most + len(known))
        return [(other, cosine) for other, cosine in close.items() if other not in known][:most]

    def _nearest(self, own: np.ndarray, count: int) -> dict[int, float]:
        """People by the cosine of their mean vector with another, closest first."""
        return self._closest.nearest(own, count) if self._closest is not None else {}

    def _ranked(
        self, person: int, others: Iterable[int], vectors: Vectors, known: Mapping[int, int]
    ) -> list[Near]:
        """People by how close their papers are to a person's, closest first."""
        mine = self.papers(person)
        people = []
        for other in others:
            own, theirs = (vectors.rows(papers) for papers in apart(mine, self.papers(other)))
            rows, others_rows = own.astype(np.float32), theirs.astype(np.float32)
            value, alike = closeness(rows, others_rows), alike_papers(rows, others_rows)
            people.append(Near(other, self.name(other), value, known.get(other, 0), len(theirs), alike))
        people.sort(key=lambda near: (-near.closeness, near.person))
        return self._each_with_papers_of_their_own(people)

    def _each_with_papers_of_their_own(self, people: Sequence[Near]) -> list[Near]:
        """People whose papers are all by people listed before come last: coauthors don't fill a list."""
        seen: set[int] = set()
        first: list[Near] = []
        last: list[Near] = []
        for near in people:
            papers = set(self.papers(near.person).tolist())
            (last if papers <= seen else first).append(near)
            seen |= papers
        return first + last

    def activity(self, person: int) -> dict[int, int]:
        """Papers by year, every year from the first to the last."""
        years = Counter(
            date.fromordinal(ordinal).year
            for ordinal in self._day(self.papers(person)).tolist()
            if ordinal > 0
        )
        return {year: years[year] for year in range(min(years), max(years) + 1)} if years else {}


def partly_written_by(
    papers: np.ndarray,
    apart: Container[int],
    others: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    writers: Callable[[int], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """As :meth:`PeopleIndex.written_by`: ``writers`` of papers ``apart``, one by one; ``others`` together."""
    own = np.fromiter((paper in apart for paper in papers.tolist()), bool, len(papers))
    people, at = others(papers[~own])
    theirs, whose = joined([writers(paper) for paper in papers[own].tolist()])
    at = np.concatenate([np.flatnonzero(~own)[at], np.flatnonzero(own)[whose]])
    order = np.argsort(at, kind="stable")
    return np.concatenate([people, theirs])[order], at[order]
