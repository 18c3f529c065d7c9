"""People, suggestions and scores as one server sees them, with its own corrections applied."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from data.stores.people import Person
from data.stores.people_seen import View
from index.models.distinct import distinct
from index.people.insight import Insight
from index.people.people import COMPARED, Coauthor, CoauthorTies, Near, PeopleIndex, Step, partly_written_by
from index.people.scores import Score, Scores
from index.people.suggest import Experts, Suggestion
from index.search.vectors import Vectors

POOL = 60
"""How many people to take from each list before a server's corrections thin it out."""


class SeenIndex(PeopleIndex):
    """The people of one pass as a server sees them; shares everything its corrections do not touch."""

    def __init__(self, people: PeopleIndex, view: View) -> None:
        self.__dict__.update(people.__dict__)
        self.base = people
        self.view = view
        self._moved: dict[tuple[int, int], int] = {
            (paper, was): new for (paper, _), (was, new) in view.moved.items()
        }
        self._touched = {
            int(paper) for of in view.sources.values() for one in of for paper in people.papers(one)
        }

    def _whose(self, paper: int, person: int) -> int:
        return self.view.lead(self._moved.get((paper, person), person))

    def name(self, person: int) -> str:
        """The most common form of a person's name."""
        return self.view.names.get(person) or self.base.name(self.view.lead(person))

    def person(self, number: int) -> Person | None:
        """Somebody with a paper here."""
        return super().person(self.view.lead(number))

    def papers(self, person: int) -> np.ndarray:
        """Store ids of a person's papers here, newest first."""
        lead = self.view.lead(person)
        if lead not in self.view.sources:
            return self.base.papers(person)
        papers_here = {
            paper
            for source in self.view.sources[lead]
            for paper in self.base.papers(source).tolist()
            if self._whose(paper, source) == lead
        }
        papers = np.array(sorted(papers_here), np.int64)
        newest: np.ndarray = papers[np.argsort(-self._day(papers), kind="stable")]
        return newest

    def count(self, person: int) -> int:
        """How many papers a person has here."""
        return len(self.papers(person))

    def writers(self, paper: int) -> np.ndarray:
        """The people here who wrote a paper."""
        people = self.base.writers(paper)
        if int(paper) not in self._touched:
            return people
        return distinct(np.array([self._whose(int(paper), person) for person in people.tolist()], np.int64))

    def written_by(self, papers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The people here who wrote some papers, paper after paper; the place of each one's paper."""
        if self._touched.isdisjoint(papers.tolist()):
            return self.base.written_by(papers)
        return partly_written_by(papers, self._touched, self.base.written_by, self.writers)

    def ties_of_each(self, people: Sequence[int]) -> list[CoauthorTies]:
        """The coauthors here of several people, closest first."""
        return super().ties_of_each([self.view.lead(person) for person in people])

    def coauthors(self, person: int, most: int | None = None) -> list[Coauthor]:
        """Coauthors here, closest first, with their names and the joint papers."""
        return super().coauthors(self.view.lead(person), most)

    def way(self, one: int, other: int, most: int = 6) -> list[Step] | None:
        """A shortest path through coauthors as they are here."""
        return super().way(self.view.lead(one), self.view.lead(other), most)

    def near(self, person: int, vectors: Vectors, most: int = 10, *, strangers: bool = False) -> list[Near]:
        """People with two papers or more here whose work lies closest."""
        person = self.view.lead(person)
        own = self.work(person, vectors)
        if self._closest is None or not own.any():
            return []
        ties = self.ties(person)
        known = dict(zip(ties.people.tolist(), ties.papers.tolist(), strict=True))
        extra = 1 + len(self.view.leads) + len(self.view.sources) + (len(known) if strangers else 0)
        nearest = self._nearest(own, COMPARED * most + extra)
        close = {other: score for other, score in nearest.items() if not self.view.differs(other)}
        for other in self.view.sources:
            if len(self.papers(other)) >= 2:
                close[other] = float(self.work(other, vectors) @ own)
        others = [
            other
            for other in sorted(close, key=lambda other: (-close[other], other))
            if other != person and not (strangers and other in known)
        ]
        return self._ranked(person, others[: COMPARED * most], vectors, known)[:most]


class SeenExperts(Experts):
    """Suggests people as a server sees them: ranked as for everybody, but explained by the server's own view.

    A person who only exists in the server, or holds several people's papers there, gets the best suggestions
    for each of those people.
    """

    def __init__(self, experts: Experts, people: SeenIndex) -> None:
        self.__dict__.update(experts.__dict__)
        self.people: SeenIndex = people

    def suggest(
        self,
        person: int,
        most: int = 10,
        *,
        hidden: Collection[int] = (),
        only: Collection[int] | None = None,
        strangers: bool = True,
    ) -> list[Suggestion]:
        """The likeliest collaborators of a person here, best first."""
        people, view = self.people, self.people.view
        lead = view.lead(person)
        me = self.of(lead)
        if not len(me.papers):
            return []
        asked = [one for one in view.sources.get(lead, (lead,)) if view.lead(one) == lead]
        best: dict[int, int] = {}
        for one in asked:
            for rank, other in enumerate(self.ranked(one, hidden=hidden, strangers=strangers)):
                other = view.lead(other)
                best[other] = min(rank, best.get(other, rank))
        if not asked:
            close = people.near(lead, self._vectors, POOL, strangers=strangers)
            best = {near.person: rank for rank, near in enumerate(close)}
        known = set(me.ties.people.tolist()) if strangers else set()
        never = {view.lead(other) for other in hidden} | known | {lead}
        wanted = None if only is None else {view.lead(other) for other in only}
        chosen = (
            other
            for other in sorted(best, key=lambda other: (best[other], other))
            if other not in never and (wanted is None or other in wanted) and people.count(other)
        )
        return self.varied(me, chosen, most)


class SeenScores(Scores):
    """Scores, but not for people who differ in a server, since scores count what holds for everybody."""

    def __init__(self, scores: Scores, view: View) -> None:
        self.__dict__.update(scores.__dict__)
        self._view = view

    def person(self, person: int, papers: np.ndarray) -> Score | None:
        """A person's score, None if they differ here."""
        return None if self._view.differs(person) else super().person(person, papers)


class SeenInsight(Insight):
    """The derived knowledge about people and papers as a server sees it."""

    def __init__(self, insight: Insight, view: View) -> None:
        self._all = insight
        self._view = view
        self._seen: SeenIndex | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._all, name)

    @property
    def people(self) -> PeopleIndex | None:  # type: ignore[override]
        """The present people as they are here."""
        everyone = self._all.people
        if everyone is not None and (self._seen is None or self._seen.base is not everyone):
            self._seen = SeenIndex(everyone, self._view)
        return self._seen

    @property
    def scores(self) -> Scores | None:  # type: ignore[override]
        """Scores, but not for people who differ here."""
        scores = self._all.scores
        return None if scores is None else SeenScores(scores, self._view)

    async def experts(self) -> Experts | None:
        """Suggestions of collaborators among people as they are here."""
        experts = await self._all.experts()
        return None if experts is None else SeenExperts(experts, SeenIndex(experts.people, self._view))

    async def refresh(self) -> bool:
        """Load what a pass has made since, for everybody."""
        return await self._all.refresh()
