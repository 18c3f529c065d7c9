"""Who knows a topic: people ranked by how much, and how lately, they worked on it.

``python -m benchmarks.who_knows`` shows what each part of the score is worth.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from index.people.no_person import may_suggest
from index.people.people import PeopleIndex
from index.search.results import Hit

MATCH = 1.5
"""A paper says as much as this power of its score, as a share of the best paper's score."""
HALVED = 4 * 365
"""Days after which a paper says half as much as one from the newest of those found."""
SOLE = 0.25
"""A paper by n people says n to the power of minus this about each of them."""
TOLD = 0.6
"""What a paper still says of its next author once an author of it was named."""
AT_MOST = 2
"""How many people are named for one and the same papers."""


@dataclass(frozen=True, slots=True)
class Knows:
    """An expert on a topic, with the papers that show it (best first), and when those appeared."""

    person: int
    name: str
    score: float
    papers: tuple[int, ...]
    first: date | None
    latest: date | None


@dataclass(frozen=True, slots=True)
class Match:
    """A paper found for a topic.

    Attributes
    ----------
    share
        Its score as a share of the best paper's, 0 to 1.
    age
        How many days older it is than the newest of those found.
    authors
        How many there are.
    """

    share: float
    age: int
    authors: int


def says(match: Match) -> float:
    """How much a paper says about each of its authors, 0 to 1."""
    fits, new, few = match.share**MATCH, 0.5 ** (match.age / HALVED), max(1, match.authors) ** -SOLE
    return float(fits * new * few)


def knowing(
    people: PeopleIndex,
    found: Sequence[Hit],
    most: int = 10,
    weigh: Callable[[Match], float] = says,
    alike: int | None = AT_MOST,
) -> list[Knows]:
    """People whose papers are among those found for a topic.

    A person's score is the sum over these papers of what each says about its authors. People are named one
    by one. A paper counts less for each of its authors who was named before, so that the next in the list is
    not one more author of the same two papers. Who has no other papers than ``alike`` others who were named
    is left out; nobody is where that is None.
    """
    days = {hit.paper_id: people.day(hit.paper_id) for hit in found}
    best = max((hit.score for hit in found), default=0.0)
    newest = max((day.toordinal() for day in days.values() if day), default=0)
    value: dict[int, float] = {}
    of: dict[int, list[int]] = {}
    for hit in found:
        paper = hit.paper_id
        writers = people.writers(paper).tolist()
        day = days[paper]
        age = newest - day.toordinal() if day else HALVED
        value[paper] = weigh(Match(max(0.0, hit.score / best) if best > 0 else 1.0, age, len(writers)))
        for person in writers:
            of.setdefault(person, []).append(paper)
    told: dict[int, int] = {}

    def worth(person: int) -> float:
        return sum(value[paper] * TOLD ** told.get(paper, 0) for paper in of[person])

    waiting = [(-worth(person), -people.count(person), person) for person in of]
    heapq.heapify(waiting)
    experts: list[Knows] = []
    while waiting and len(experts) < most:
        was, all_papers, person = heapq.heappop(waiting)
        now = -worth(person)
        if now > was:  # worth less since somebody else was named
            heapq.heappush(waiting, (now, all_papers, person))
            continue
        if alike is not None and all(told.get(paper, 0) >= alike for paper in of[person]):
            continue  # one more author of papers that named enough people
        if not may_suggest(people, person):
            continue
        shown = sorted(of[person], key=lambda paper: -value[paper])
        known = [day for paper in shown if (day := days[paper])]
        experts.append(
            Knows(
                person,
                people.name(person),
                -now,
                tuple(shown),
                min(known, default=None),
                max(known, default=None),
            )
        )
        for paper in of[person]:
            told[paper] = told.get(paper, 0) + 1
    return experts
