"""Scores from 0 to 100 with their parts, for papers, people, and the certainty of an identity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from index.identity.models import certainty
from index.people.novelty import Novelty
from index.people.people import PeopleIndex
from index.search.facets import Facets

PAPER_WEIGHTS = {"reach": 0.45, "record": 0.25, "heat": 0.2, "novelty": 0.1}
"""Chosen on papers of 2025 (docs/metrics.md); `python -m bot evaluate score` shows how well they predict."""
CITED_WEIGHT = 0.3
PERSON_WEIGHTS = {"reach": 0.5, "activity": 0.3, "novelty": 0.2}
YOUNG = 30
"""In its first days hardly anything can have followed a paper: its reach is unknown, not small."""


@dataclass(frozen=True, slots=True)
class ScorePart:
    """A named part of a score: its value from 0 to 100, its weight, and the reason in words."""

    name: str
    value: float
    weight: float
    why: str


@dataclass(frozen=True, slots=True)
class Score:
    """A weighted mean of its parts, 0 to 100."""

    value: int
    parts: tuple[ScorePart, ...]

    @classmethod
    def of(cls, parts: Sequence[ScorePart]) -> Score | None:
        """The score of these parts; None if there are none."""
        weight = sum(part.weight for part in parts)
        if weight <= 0:
            return None
        return cls(round(sum(part.value * part.weight for part in parts) / weight), tuple(parts))


@dataclass(frozen=True, slots=True)
class Trust:
    """How certain it is who a person is."""

    value: int
    level: str
    why: tuple[str, ...]
    claimed: bool = False
    claimed_by: str = ""
    """The claim's proof, in words."""
    sure: float | None = None
    """How likely each paper is this person's, on average; None if nobody else has the name."""


class Scores:
    """Computes scores of papers and people from the comparisons made so far.

    Parameters
    ----------
    until
        An ordinal: later papers are ignored, as in an evaluation.
    """

    def __init__(
        self, facets: Facets, novelty: Novelty, people: PeopleIndex | None, *, until: int | None = None
    ) -> None:
        self._facets = facets
        self._novelty = novelty
        self._people = people
        size = len(facets.days)
        days = facets.days.astype(np.int64)
        ids = np.flatnonzero((facets.codes >= 0) & (days > 0) & (days <= (until or days.max(initial=0))))
        self._known = np.zeros(size, bool)
        self._known[ids] = True
        self._today = int(days[ids].max(initial=0))
        self.followers = novelty.followers(size, until=until)
        self.distance = np.full(size, np.nan, np.float32)
        self.distance[ids] = novelty.distances(ids)
        month = days // 30
        listing = facets.codes.astype(np.int64)
        year = days // 365
        self._novel = _percentiles(self.distance, listing * 10_000 + year, ids)
        self._reach = _percentiles(self.followers.astype(np.float32), month, ids)
        self._heat = _percentiles(self._recency(size), month, ids)
        self._record = _percentiles(self._records(size, ids), month, ids)
        if people is not None:
            self._people_ids, self._totals = self._of_people(people)

    def _recency(self, size: int) -> np.ndarray:
        """How new a paper's nearest earlier papers were when it appeared: minus their mean age in days."""
        out = np.full(size, np.nan, np.float32)
        novelty = self._novelty
        inside = (novelty.earlier >= 0).all(axis=1) & (novelty.papers < size)
        days = self._facets.days.astype(np.int64)
        ages = novelty.days[inside, None] - days[novelty.earlier[inside]]
        out[novelty.papers[inside]] = -ages.mean(axis=1)
        return out

    def _records(self, size: int, ids: np.ndarray) -> np.ndarray:
        """The best follow-up that an earlier paper of an author had, per month since (square root)."""
        out = np.full(size, np.nan, np.float32)
        if self._people is None:
            return out
        days = self._facets.days.astype(np.int64)
        rate = np.zeros(size)
        rate[ids] = np.sqrt(self.followers[ids] / np.maximum(self._today - days[ids], 30))
        out[ids] = self._people.best_earlier(rate)[ids]
        return out

    # -- papers ----------------------------------------------------------------------------------

    def novelty(self, paper: int) -> float | None:
        """The percentile of a paper's distance within its listing and year, 0 to 100."""
        value = self._novel[paper] if paper < len(self._novel) else np.nan
        return None if np.isnan(value) else float(value)

    def paper(self, paper: int, *, cited: tuple[int, float] | None = None) -> Score | None:
        """A paper's score; ``cited`` is its citations and their percentile, where a source knows."""
        if paper >= len(self._known) or not self._known[paper]:
            return None
        parts = []
        followers = int(self.followers[paper])
        young = self._today - int(self._facets.days[paper]) < YOUNG
        if not young:
            parts.append(
                self._part(
                    "reach",
                    self._reach[paper],
                    f"{followers} later papers have it among their five nearest earlier papers",
                )
            )
        parts.append(
            self._part("record", self._record[paper], "the follow-up of its authors' earlier papers")
        )
        parts.append(self._part("heat", self._heat[paper], "the age of its nearest earlier papers"))
        parts.append(self._part("novelty", self._novel[paper], "its distance from all earlier papers"))
        known = [part for part in parts if not np.isnan(part.value)]
        if cited is not None:
            known.append(ScorePart("citations", cited[1], CITED_WEIGHT, f"{cited[0]:,} citations"))
        return Score.of(known)

    @staticmethod
    def _part(name: str, value: float, why: str) -> ScorePart:
        return ScorePart(name, float(value), PAPER_WEIGHTS[name], why)

    def all_papers(self) -> np.ndarray:
        """Every paper's score by store id, float32, NaN if there is none."""
        total = np.zeros(len(self._known), np.float32)
        weight = np.zeros(len(self._known), np.float32)
        young = self._today - self._facets.days.astype(np.int64) < YOUNG
        for name, values in (
            ("reach", np.where(young, np.nan, self._reach)),
            ("record", self._record),
            ("heat", self._heat),
            ("novelty", self._novel),
        ):
            known = ~np.isnan(values)
            total[known] += PAPER_WEIGHTS[name] * values[known]
            weight[known] += PAPER_WEIGHTS[name]
        return np.where(self._known & (weight > 0), total / np.maximum(weight, 1e-9), np.nan)

    # -- people ----------------------------------------------------------------------------------

    def _of_people(self, people: PeopleIndex) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Everybody's raw parts, sorted for percentiles among people with two papers or more."""
        reach = np.zeros(len(people.ids))
        recent = np.zeros(len(people.ids))
        days = self._facets.days.astype(np.int64)
        counts = people.counts()
        for column, values in ((reach, self.followers.astype(float)), (recent, days > self._today - 365)):
            column += people.summed(np.asarray(values, float))
        several = counts >= 2
        return people.ids, {
            "reach": np.sort(reach[several]),
            "activity": np.sort(recent[several]),
            "reach_of": reach,
            "activity_of": recent,
        }

    def person(self, person: int, papers: np.ndarray) -> Score | None:
        """A person's score, among people with two papers or more."""
        if self._people is None or not len(papers):
            return None
        place = int(np.searchsorted(self._people_ids, person))
        if place == len(self._people_ids) or self._people_ids[place] != person:
            return None
        reach, recent = self._totals["reach_of"][place], self._totals["activity_of"][place]
        parts = [
            ScorePart(
                "reach",
                _rank(self._totals["reach"], reach),
                PERSON_WEIGHTS["reach"],
                f"one of these is among the five most similar earlier papers of {int(reach):,} later papers",
            ),
            ScorePart(
                "activity",
                _rank(self._totals["activity"], recent),
                PERSON_WEIGHTS["activity"],
                f"{int(recent):,} papers in the last year",
            ),
        ]
        novel = self.novelties(papers)
        if len(novel):
            middle = float(np.median(novel))
            parts.append(
                ScorePart(
                    "novelty",
                    middle,
                    PERSON_WEIGHTS["novelty"],
                    f"the median of {len(novel)} papers' novelty",
                )
            )
        return Score.of(parts)

    def novelties(self, papers: np.ndarray) -> np.ndarray:
        """The known novelty percentiles of some papers."""
        values = self._novel[papers[papers < len(self._novel)]]
        return np.asarray(values[~np.isnan(values)])


def trust(
    confidences: Sequence[float],
    namesakes: int,
    forms: int,
    orcid: str | None = None,
    claimed: int = 0,
    proof: str = "",
    contested: int = 0,
) -> Trust:
    """How certain an identity is: 60 at most while nobody has claimed it.

    Parameters
    ----------
    confidences
        How likely each authorship belongs to this person.
    namesakes
        How many other people publish under the same name.
    forms
        How many forms of the name are in use.
    orcid
        An ORCID that a source gives for the works, if known.
    claimed
        The level of the claim on this person, 0 for none; ``proof`` says in words what it has shown.
    contested
        How many members say that the claim is wrong and wait for a decision by their server's managers.
    """
    mean = float(np.mean(confidences)) if confidences else 0.0
    papers = len(confidences)
    value = 15 + 35 * mean * min(1.0, np.log2(1 + papers) / 3)
    sure = certainty(mean)
    why = [f"{papers} authorships, {sure:.0%} sure on average"]
    if namesakes == 0:
        value += 10
        why.append("I know no other author with this name")
    else:
        why.append(
            f"{namesakes} other {'author publishes' if namesakes == 1 else 'authors publish'} under this name"
        )
    if forms > 1:
        why.append(f"{forms} spellings of the name, joined by evidence")
    if orcid:
        value += 15
        why.append("these works carry an ORCID")
    if claimed:
        why.append(f"claimed: {proof}")
        if contested:
            why.append(
                f"contested by {contested} {'member' if contested == 1 else 'members'}, and not settled yet"
            )
        return Trust(int(min(min(value, 60) + 13 * claimed, 100)), f"L{claimed}", tuple(why), True, proof)
    level = "L0" if namesakes and mean < 0.5 else "L1"
    return Trust(int(min(value, 60)), level, tuple(why), sure=sure if papers > 1 and namesakes else None)


def _percentiles(values: np.ndarray, groups: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """The mid-rank percentile (0 to 100) of each value within its group; NaN stays NaN."""
    out = np.full(len(values), np.nan, np.float32)
    ids = ids[~np.isnan(values[ids])]
    if not len(ids):
        return out
    order = ids[np.lexsort((values[ids], groups[ids]))]
    group, value = groups[order], values[order]
    starts = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
    sizes = np.diff(np.append(starts, len(order)))
    base = np.repeat(starts, sizes)
    fresh = (np.diff(value, prepend=np.nan) != 0) | (np.arange(len(order)) == base)
    tie = np.cumsum(fresh) - 1
    low = np.flatnonzero(fresh)
    high = np.append(low[1:], len(order)) - 1
    middle = (low[tie] + high[tie]) / 2 - base
    out[order] = 100 * (middle + 0.5) / np.repeat(sizes, sizes)
    return out


def _rank(ordered: np.ndarray, value: float) -> float:
    if not len(ordered):
        return 50.0
    low, high = np.searchsorted(ordered, value, "left"), np.searchsorted(ordered, value, "right")
    return float(100 * (low + high) / 2 / len(ordered))
