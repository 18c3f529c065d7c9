"""Possible collaborators: candidates ranked by learned odds, each with reasons as facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from index.identity.person_names import may_be_one
from index.models.shipped import booster, margins, shipped
from index.people.network import Network
from index.people.no_person import is_group, may_suggest
from index.people.pair_features import FEATURES, Partners
from index.people.people import CoauthorTies, PeopleIndex
from index.people.topics import Topics
from index.search.vectors import Vectors

if TYPE_CHECKING:
    import xgboost

FIT = ("meaning", "mean_best")
"""The features that say whether two people's work fits; the strength of coauthors is none of them."""

TAUGHT = 5.0
"""What similarity to a dismissed person, beyond that to the asked one, takes off a score (cosine 1)."""

OF_ONE_PAPER, LOOKED_AT = 2, 3
"""How many people may be suggested for one paper of theirs, and among how many times more this is tried."""

TOLD, OWN, BEFORE = 4, 8, 60
"""How many topics of both are told, how many of each alone are looked at, and how many of their past."""


@dataclass(frozen=True)
class CollaboratorRanker:
    """The log odds that two people will write together, plus those that their work fits.

    Most people's next partner is a coauthor's coauthor, whatever both work on. A model of what happens alone
    therefore suggests many people to whom there is little to say (docs/evaluation.md has the figures).

    Attributes
    ----------
    chance
        Learned from first papers together (:mod:`index.evaluate.train_collaborators`).
    fit
        What each of :data:`FIT` adds to the log odds, and ``start``, the log odds without them. `python -m
        benchmarks.judged_collaborators --fit` fits them to graded suggestions. Without them, all work fits.
    """

    chance: xgboost.Booster
    fit: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def shipped(cls) -> CollaboratorRanker:
        """The models in ``index/models``, checked against their recipe.

        Raises
        ------
        ModelDamagedError
            Where a file is missing, its checksum differs, or it is of other features.
        """
        recipe, files = shipped("partners", "partners-{}.ubj", FEATURES)
        return cls(booster(files["chance"]), recipe["fit"])

    def scores(self, features: np.ndarray) -> np.ndarray:
        """Higher is better: float64, shape (pairs,).

        Parameters
        ----------
        features
            Shape (pairs, :data:`index.people.pair_features.FEATURES`).
        """
        return np.asarray(self.chances(features) + self.fits(features))

    def chances(self, features: np.ndarray) -> np.ndarray:
        """The natural log odds that people will write together: float64, shape (pairs,)."""
        return np.asarray(margins(self.chance, features))

    def fits(self, features: np.ndarray) -> np.ndarray:
        """The natural log odds that their work fits: float64, shape (pairs,)."""
        if not self.fit:
            return np.zeros(len(features))
        weights = np.array([self.fit[name] for name in FIT])
        return np.asarray(features[:, [FEATURES.index(name) for name in FIT]] @ weights + self.fit["start"])


@dataclass(frozen=True)
class AskedPerson:
    """The person for whom others are suggested: what each suggestion's reasons need of them.

    Attributes
    ----------
    name
        The most common form.
    papers, recent
        Store ids, newest first; those of the last year.
    rows
        float32, shape (papers, dimension): their vectors.
    topics
        Their own topics, the most characteristic first.
    before
        Topics of what they wrote before the last year.
    """

    name: str
    ties: CoauthorTies
    papers: np.ndarray
    recent: np.ndarray
    rows: np.ndarray
    topics: tuple[str, ...]
    before: frozenset[str]


@dataclass(frozen=True, slots=True)
class Between:
    """A coauthor of both, and the newest paper with each."""

    person: int
    name: str
    mine: int
    theirs: int


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A possible collaborator, and facts about the two people.

    Attributes
    ----------
    between
        Coauthors of both, closest first.
    mine, theirs, closeness
        One paper of each, whose abstracts are the most similar, and their cosine.
    moved_to
        Topics that both took up in the last year, and topics that both write on.
    they_add, you_add
        Topics that only one of them writes on.
    """

    person: int
    name: str
    papers: int
    between: tuple[Between, ...]
    mine: int
    theirs: int
    closeness: float
    moved_to: tuple[str, ...]
    shared: tuple[str, ...]
    they_add: tuple[str, ...]
    you_add: tuple[str, ...]


class Experts:
    """Suggests people over one state of the people in memory."""

    def __init__(
        self,
        people: PeopleIndex,
        vectors: Vectors,
        topics: Topics | None,
        ranker: CollaboratorRanker,
        partners: Partners | None = None,
    ) -> None:
        """``partners`` are those in files; without them the network is built in memory, part by part."""
        self.people = people
        self._vectors = vectors
        self._topics = topics
        self._ranker = ranker
        if partners is None:
            person, paper, day = people.written()
            network = Network(person, paper, day, int(day.max(initial=0)) + 1)
            partners = Partners(network, lambda papers: vectors.rows(network.papers[papers]))
        self.network = partners.network
        self.partners = partners

    def warm(self) -> None:
        """Make everything that the first question would wait for."""
        if len(self.network):
            self.partners.compare(self.partners.pool(np.zeros(1, np.int64)))

    def suggest(
        self,
        person: int,
        most: int = 10,
        *,
        hidden: Collection[int] = (),
        only: Collection[int] | None = None,
        strangers: bool = True,
    ) -> list[Suggestion]:
        """The likeliest collaborators of a person, best first; empty for a person without a dated paper.

        Parameters
        ----------
        hidden, only
            People never to suggest, who also teach which others not to suggest; and the only people to
            suggest.
        strangers
            Leave out all coauthors of the person.
        """
        asked = self.of(person)
        if not len(asked.papers):
            return []
        # The network may be of an earlier pass: who has no papers now was found to be somebody else.
        known = set(asked.ties.people.tolist()) if strangers else set()
        chosen = (
            other
            for other in self.ranked(person, hidden=hidden, strangers=strangers)
            if other not in hidden
            and other not in known
            and (only is None or other in only)
            and self.people.count(other)
        )
        return self.varied(asked, chosen, most)

    def varied(self, asked: AskedPerson, others: Iterable[int], most: int) -> list[Suggestion]:
        """The best of some people, but at most :data:`OF_ONE_PAPER` for one paper of theirs, best first.

        Otherwise the authors of the paper closest to the asked person's work could fill the list. Where
        others are too few, those who were passed over follow at the end. Anybody whose name may be the asked
        person's is left out: often it is the same person, taken for two. So is anybody whose name is not a
        person's.
        """
        others = (one for one in others if not may_be_one(asked.name, self.people.name(one)))
        others = (one for one in others if may_suggest(self.people, one))
        chosen: list[Suggestion] = []
        left: list[Suggestion] = []
        of_paper: Counter[int] = Counter()
        for suggestion in (self.reasons(asked, other) for other in islice(others, LOOKED_AT * most)):
            of_paper[suggestion.theirs] += 1
            (chosen if of_paper[suggestion.theirs] <= OF_ONE_PAPER else left).append(suggestion)
            if len(chosen) == most:
                break
        return [*chosen, *left][:most]

    def ranked(self, person: int, *, hidden: Collection[int] = (), strangers: bool = True) -> list[int]:
        """All possible collaborators of a person, best first; hidden people only teach."""
        [number] = self.network.numbers(np.array([person])).tolist()
        if number < 0:
            return []
        pool = self.partners.pool(np.array([number]), strangers=strangers)
        [candidates] = pool.candidates
        if not len(candidates):
            return []
        scores = self._ranker.scores(self.partners.compare(pool)) - self._taught(number, candidates, hidden)
        best_first: list[int] = self.network.people[candidates[np.argsort(-scores, kind="stable")]].tolist()
        return best_first

    def _taught(self, asked: int, candidates: np.ndarray, dismissed: Collection[int]) -> np.ndarray:
        """What to take off scores of people whose work is closer to that of dismissed people.

        float64, shape (candidates,).
        """
        numbers = self.network.numbers(np.array(sorted(dismissed), np.int64))
        numbers = numbers[numbers >= 0]
        if not len(numbers):
            return np.zeros(len(candidates))
        own, theirs, away = (
            self.partners.directions(people) for people in (np.array([asked]), candidates, numbers)
        )
        excess = (theirs @ away.T).max(axis=1) - (theirs @ own.T).ravel()
        return np.asarray(TAUGHT * np.clip(excess, 0, 1), float)

    def of(self, person: int) -> AskedPerson:
        """What :meth:`reasons` needs of the person for whom others are suggested."""
        people = self.people
        papers = people.papers(person)
        recent = self._recent(papers)
        rows = self._vectors.rows(papers).astype(np.float32)
        topics = tuple(self._phrases(papers, OWN))
        return AskedPerson(
            people.name(person),
            people.ties(person),
            papers,
            recent,
            rows,
            topics,
            self._before(papers, recent),
        )

    def reasons(self, asked: AskedPerson, other: int) -> Suggestion:
        """Facts that connect two people.

        Raises
        ------
        LookupError
            Where one of them has no papers.
        """
        people = self.people
        theirs, ties = people.papers(other), people.ties(other)
        if not len(asked.papers) or not len(theirs):
            raise LookupError("one of the two has no papers")
        shared, mine, their = np.intersect1d(asked.ties.people, ties.people, return_indices=True)
        closest = np.lexsort((shared, -np.minimum(asked.ties.weight[mine], ties.weight[their])))
        between = tuple(
            Between(
                int(shared[place]),
                people.name(int(shared[place])),
                int(asked.ties.newest[mine[place]]),
                int(ties.newest[their[place]]),
            )
            for place in closest
            if not is_group(people.name(int(shared[place])))
        )
        closeness = asked.rows @ self._vectors.rows(theirs).astype(np.float32).T
        row, column = np.unravel_index(int(closeness.argmax()), closeness.shape)
        both, moved, they, you = self._by_topic(asked, theirs)
        return Suggestion(
            other,
            people.name(other),
            len(theirs),
            between,
            int(asked.papers[row]),
            int(theirs[column]),
            float(closeness[row, column]),
            moved,
            both,
            they,
            you,
        )

    def _by_topic(self, asked: AskedPerson, theirs: np.ndarray) -> tuple[tuple[str, ...], ...]:
        """Topics of both, those that both took up lately, and those of the other and of the asked alone."""
        if self._topics is None:
            return (), (), (), ()
        shared = self._topics.shared(asked.papers.tolist(), theirs.tolist(), TOLD)
        recent = self._recent(theirs)
        moved = []
        if all(0 < len(new) < len(every) for new, every in ((asked.recent, asked.papers), (recent, theirs))):
            together = self._topics.shared(asked.recent.tolist(), recent.tolist(), TOLD)
            before = asked.before | self._before(theirs, recent) if together else frozenset()
            moved = [topic for topic in together if topic not in before]
        own = asked.topics, tuple(self._phrases(theirs, OWN))
        words = [{word for phrase in phrases for word in phrase.split()} for phrases in own]
        adds = [
            tuple(phrase for phrase in phrases if phrase not in shared and not set(phrase.split()) & other)[
                :2
            ]
            for phrases, other in ((own[1], words[0]), (own[0], words[1]))
        ]
        return tuple(shared), tuple(moved), adds[0], adds[1]

    def _phrases(self, papers: np.ndarray, most: int) -> list[str]:
        return [topic.phrase for topic in self._topics.of(papers, most)] if self._topics else []

    def _before(self, papers: np.ndarray, recent: np.ndarray) -> frozenset[str]:
        """Topics of what somebody wrote before the last year."""
        return frozenset(self._phrases(np.setdiff1d(papers, recent), BEFORE))

    def _recent(self, papers: np.ndarray) -> np.ndarray:
        days = [self.people.day(int(paper)) for paper in papers]
        since = self.network.today - 365
        return np.array(
            [p for p, day in zip(papers.tolist(), days, strict=True) if day and day.toordinal() >= since],
            np.int64,
        )
