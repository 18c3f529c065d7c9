"""Scores from 0 to 100 with their parts, for papers, people, and the certainty of an identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from index.identity.models import certainty
from index.models.mapped import Draft, MappedArrays
from index.people.novelty import Novelty
from index.people.people import PeopleIndex
from index.people.track_record import best_earlier, summed
from index.search.facets import Facets

PAPER_WEIGHTS = {"reach": 0.45, "record": 0.25, "heat": 0.2, "novelty": 0.1}
"""Chosen on papers of 2025 (docs/metrics.md); `python -m bot evaluate score` shows how well they predict."""
CITED_WEIGHT = 0.3
PERSON_WEIGHTS = {"reach": 0.5, "activity": 0.3, "novelty": 0.2}
FORMAT = "scores-1"
_ARRAYS = (
    *("known", "followers", "distance", "novel", "reach", "heat", "record"),
    *("reach_of_people", "activity_of_people"),
)
_YEAR = 365
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
    contested: int = 0
    """How many members say that the claim is wrong, until that is settled."""


class Scores:
    """Scores of papers and people, from the comparisons made so far.

    Attributes
    ----------
    followers
        By store id: how many later papers have it among their nearest earlier ones.
    distance
        By store id: its distance from all earlier papers, NaN if unknown.
    """

    def __init__(self, facets: Facets, arrays: Mapping[str, np.ndarray], today: int, *, people: bool) -> None:
        """From the arrays that :meth:`of` makes.

        ``today`` is the ordinal of the newest paper's day; ``people`` says whether people were known.
        """
        self._facets, self._today, self._arrays, self._people = facets, today, dict(arrays), people
        self.followers, self.distance = arrays["followers"], arrays["distance"]
        self._known = arrays["known"]
        self._novel, self._reach = arrays["novel"], arrays["reach"]
        self._heat, self._record = arrays["heat"], arrays["record"]
        self._ordered_reach, self._ordered_activity = arrays["reach_of_people"], arrays["activity_of_people"]

    @classmethod
    def of(
        cls, facets: Facets, novelty: Novelty, people: PeopleIndex | None, *, until: int | None = None
    ) -> Scores:
        """Compute them all; papers later than ``until``, an ordinal, are ignored, as in an evaluation."""
        size = len(facets.days)
        days = facets.days.astype(np.int64)
        ids = np.flatnonzero((facets.codes >= 0) & (days > 0) & (days <= (until or days.max(initial=0))))
        known = np.zeros(size, bool)
        known[ids] = True
        today = int(days[ids].max(initial=0))
        followers = novelty.followers(size, until=until)
        distance = np.full(size, np.nan, np.float32)
        distance[ids] = novelty.distances(ids)
        distance[facets.bare] = np.nan  # a title alone is far from all texts
        month = days // 30
        listing = facets.codes.astype(np.int64) * 10_000 + days // 365
        record = np.full(size, np.nan, np.float32)
        reach_of = activity_of = np.zeros(0, np.float32)
        if people is not None:
            table = people.everybody
            rate = np.zeros(size)
            rate[ids] = np.sqrt(followers[ids] / np.maximum(today - days[ids], 30))
            record[ids] = best_earlier(table, days, rate)[ids]
            several = np.diff(table.ends) >= 2
            reach_of = np.sort(summed(table, followers)[several]).astype(np.float32)
            activity_of = np.sort(summed(table, days > today - _YEAR)[several]).astype(np.float32)
        arrays = {
            "known": known,
            "followers": followers.astype(np.int32),
            "distance": distance,
            "novel": _percentiles(distance, listing, ids),
            "reach": _percentiles(followers.astype(np.float32), month, ids),
            "heat": _percentiles(_recency(novelty, days), month, ids),
            "record": _percentiles(record, month, ids),
            "reach_of_people": reach_of,
            "activity_of_people": activity_of,
        }
        return cls(facets, arrays, today, people=people is not None)

    def write(self, path: Path, **stamp: int) -> None:
        """Write to a file."""
        with Draft(path, FORMAT) as draft:
            for name in _ARRAYS:
                draft.add(name, self._arrays[name])
            draft.publish(today=self._today, people=self._people, **stamp)

    @classmethod
    def open(cls, path: Path, facets: Facets) -> Scores | None:
        """Map a file; None where it is missing or torn, or its parts don't fit each other."""
        held = MappedArrays.open(path, FORMAT, _ARRAYS)
        if held is None or {"today", "people"} - held.stamp.keys():
            return None
        size = len(held["known"])
        if any(held[name].shape != (size,) for name in _ARRAYS[:-2]):
            return None
        arrays = {name: held[name] for name in _ARRAYS}
        return cls(facets, arrays, held.stamp["today"], people=bool(held.stamp["people"]))

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

    def person(self, person: int, papers: np.ndarray) -> Score | None:
        """A person's score, among people with two papers or more."""
        if not self._people or not len(papers):
            return None
        inside = papers[papers < len(self.followers)]
        reach = float(self.followers[inside].sum())
        recent = float((self._facets.days_of(papers) > self._today - _YEAR).sum())
        parts = [
            ScorePart(
                "reach",
                _rank(self._ordered_reach, reach),
                PERSON_WEIGHTS["reach"],
                f"one of these is among the five most similar earlier papers of {int(reach):,} later papers",
            ),
            ScorePart(
                "activity",
                _rank(self._ordered_activity, recent),
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
        value = min(min(value, 60) + 13 * claimed, 100)
        return Trust(int(value), f"L{claimed}", tuple(why), True, proof, contested=contested)
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


def _recency(novelty: Novelty, days: np.ndarray) -> np.ndarray:
    """How new a paper's nearest earlier papers were when it appeared: minus their mean age in days."""
    out = np.full(len(days), np.nan, np.float32)
    inside = (novelty.earlier >= 0).all(axis=1) & (novelty.papers < len(days))
    ages = novelty.days[inside, None] - days[novelty.earlier[inside]]
    out[novelty.papers[inside]] = -ages.mean(axis=1)
    return out


def _rank(ordered: np.ndarray, value: float) -> float:
    if not len(ordered):
        return 50.0
    wanted = ordered.dtype.type(value)  # of its own kind: another would have the whole array copied
    low, high = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
    return float(100 * (low + high) / 2 / len(ordered))
