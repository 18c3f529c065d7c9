"""People in memory: their papers and coauthors, paths between them, and people with similar work."""

from __future__ import annotations

import asyncio
import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import faiss
import numpy as np

from data.stores.store import Store
from index.people.closeness import alike_papers, apart, closeness
from index.people.packed_names import PackedNames
from index.people.paths import shortest_path
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
        memberships: np.ndarray,
        names: PackedNames,
        facets: Facets,
        vectors: Vectors | None,
    ) -> None:
        """Build from a finished pass's number, its (person, paper) rows, and everybody's name."""
        self.number = number
        self._names = names
        self._facets = facets
        codes = np.unique(memberships[:, 0] << 32 | memberships[:, 1])
        pairs = np.stack([codes >> 32, codes & 0xFFFFFFFF], axis=1)
        self.ids, starts = np.unique(pairs[:, 0], return_index=True)
        self._papers, self._ends = pairs[:, 1], np.append(starts, len(pairs))
        order = np.lexsort((pairs[:, 0], pairs[:, 1]))
        self._writers = pairs[order, 0]
        self._paper_ids, paper_starts = np.unique(pairs[order, 1], return_index=True)
        self._paper_ends = np.append(paper_starts, len(pairs))
        self._searched, self._index = self._index_of(vectors)

    @classmethod
    async def of(cls, store: Store, facets: Facets, vectors: Vectors | None) -> PeopleIndex:
        """The people of the store's last pass."""
        last = await store.people.last_pass()
        rows = await store.people.pairs()
        names = PackedNames()
        async for number, name in store.people.all_names():
            names.add(number, name)
        memberships = np.frombuffer(rows, np.int64).reshape(-1, 2)
        return await asyncio.to_thread(cls, last.id if last else 0, memberships, names, facets, vectors)

    def with_vectors(self, vectors: Vectors) -> PeopleIndex:
        """The same people, compared by the present vectors: some papers had none before."""
        copied = copy.copy(self)
        copied._searched, copied._index = self._index_of(vectors)
        return copied

    def __len__(self) -> int:
        return len(self.ids)

    def name(self, person: int) -> str:
        """The most common form of a person's name."""
        return self._names.get(person)

    def papers(self, person: int) -> np.ndarray:
        """Store ids of a person's papers, newest first; empty for a stranger."""
        at = int(np.searchsorted(self.ids, person))
        if at == len(self.ids) or self.ids[at] != person:
            return np.zeros(0, np.int64)
        papers = self._papers[self._ends[at] : self._ends[at + 1]]
        newest: np.ndarray = papers[np.argsort(-self._day(papers), kind="stable")]
        return newest

    def counts(self) -> np.ndarray:
        """How many papers each person of :attr:`ids` has."""
        return np.diff(self._ends)

    def written(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(person, paper, day as an ordinal) of everything written whose day is known."""
        person = np.repeat(self.ids, np.diff(self._ends))
        days = self._day(self._papers)
        return person[days > 0], self._papers[days > 0], days[days > 0]

    def summed(self, values: np.ndarray) -> np.ndarray:
        """The sum of each person's values, given by store id, in the order of :attr:`ids`."""
        inside = self._papers < len(values)
        paper_values = np.where(inside, values[np.where(inside, self._papers, 0)], 0.0)
        sums: np.ndarray = (
            np.add.reduceat(paper_values, self._ends[:-1]) if len(paper_values) else paper_values
        )
        return sums

    def best_earlier(self, values: np.ndarray) -> np.ndarray:
        """By store id: the highest value among its authors' papers of earlier days, 0 if there is none.

        Papers by more than :data:`MOST_AUTHORS` people stay at 0.
        """
        papers = self._papers
        inside = papers < len(values)
        owner = np.repeat(np.arange(len(self.ids)), np.diff(self._ends))[inside]
        papers = papers[inside]
        day = self._day(papers)
        order = np.lexsort((papers, day, owner))
        owner, papers, day = owner[order], papers[order], day[order]
        step = float(values[papers].max(initial=0.0)) + 1.0
        highest = np.maximum.accumulate(values[papers] + owner * step) - owner * step
        # The last place before this day of the same person.
        first = np.flatnonzero((np.diff(owner, prepend=-1) != 0) | (np.diff(day, prepend=-1) != 0))
        before = np.repeat(first, np.diff(np.append(first, len(owner)))) - 1
        known = (before >= 0) & (owner[np.maximum(before, 0)] == owner)
        out = np.zeros(len(values))
        np.maximum.at(out, papers[known], highest[before[known]])
        crowd = np.diff(self._paper_ends) > MOST_AUTHORS
        large = self._paper_ids[crowd]
        out[large[large < len(out)]] = 0.0
        return out

    def writers(self, paper: int) -> np.ndarray:
        """The people who wrote a paper."""
        at = int(np.searchsorted(self._paper_ids, paper))
        if at == len(self._paper_ids) or self._paper_ids[at] != paper:
            return np.zeros(0, np.int64)
        writers: np.ndarray = self._writers[self._paper_ends[at] : self._paper_ends[at + 1]]
        return writers

    def _day(self, papers: np.ndarray) -> np.ndarray:
        days = self._facets.days
        inside = papers < len(days)
        return np.where(inside, days[np.where(inside, papers, 0)], 0).astype(np.int64)

    def day(self, paper: int) -> date | None:
        """The day of a paper."""
        ordinal = int(self._day(np.array([paper]))[0])
        return date.fromordinal(ordinal) if ordinal > 0 else None

    # -- coauthors -------------------------------------------------------------------------------

    def coauthors(self, person: int, most: int | None = None) -> list[Coauthor]:
        """Coauthors, closest first.

        Each joint paper counts 1 / (authors - 1) (Newman, Scientific collaboration networks II, 2001), halved
        for every two years that it is older than the person's newest paper.
        """
        mine = self.papers(person)
        together: dict[int, list[int]] = {}
        weights: Counter[int] = Counter()
        newest = int(self._day(mine).max(initial=0))
        for paper, ordinal in zip(mine.tolist(), self._day(mine).tolist(), strict=True):
            writers = self.writers(paper)
            if len(writers) < 2:
                continue
            share = 0.5 ** ((newest - ordinal) / 730) / (len(writers) - 1)
            for other in writers.tolist():
                if other != person:
                    together.setdefault(other, []).append(paper)
                    weights[other] += share
        ranked = sorted(together, key=lambda o: (-weights[o], -len(together[o]), o))[:most]
        return [Coauthor(o, self.name(o), tuple(together[o]), float(weights[o])) for o in ranked]

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

    def _index_of(self, vectors: Vectors | None) -> tuple[np.ndarray, Any]:
        """People with two papers or more, and their mean vectors to search."""
        counts = np.diff(self._ends)
        chosen = np.flatnonzero(counts >= 2)
        if vectors is None or not len(chosen):
            return np.zeros(0, np.int64), None
        index = faiss.IndexScalarQuantizer(
            vectors.dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        for start in range(0, len(chosen), 2_000):
            part = chosen[start : start + 2_000]
            places = np.concatenate([np.arange(self._ends[p], self._ends[p + 1]) for p in part])
            rows = vectors.rows(self._papers[places]).astype(np.float32)
            sums = np.add.reduceat(rows, np.concatenate([[0], np.cumsum(counts[part])[:-1]]))
            index.add(_unit(sums))
        return self.ids[chosen], index

    def work(self, person: int, vectors: Vectors) -> np.ndarray:
        """The direction of a person's papers: float32, unit length, or zeros."""
        rows = vectors.rows(self.papers(person)).astype(np.float32)
        return np.asarray(_unit(rows.sum(axis=0, keepdims=True))[0])

    def near(self, person: int, vectors: Vectors, most: int = 10, *, strangers: bool = False) -> list[Near]:
        """People with two papers or more whose work lies closest; ``strangers`` leaves out coauthors.

        Those with the nearest mean vectors are ranked by :func:`index.people.closeness.closeness`.
        """
        if self._index is None:
            return []
        own = self.work(person, vectors)
        if not own.any():
            return []
        known = {coauthor.person: len(coauthor.papers) for coauthor in self.coauthors(person)}
        count = min(len(self._searched), COMPARED * most + 1 + (len(known) if strangers else 0))
        scores, places = self._index.search(own.reshape(1, -1), count)
        close = [
            int(self._searched[place])
            for score, place in zip(scores[0].tolist(), places[0].tolist(), strict=True)
            if place >= 0 and score > 0
        ]
        others = [other for other in close if other != person and not (strangers and other in known)]
        return self._closest(person, others[: COMPARED * most], vectors, known)[:most]

    def _closest(
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


def _unit(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(length > 1e-6, rows / np.maximum(length, 1e-9), 0.0).astype(np.float32)
