"""Who knows a topic: people ranked by how much, and how lately, they worked on it."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from index.people.people import PeopleIndex

RANK = 40.0
"""The rank at which a paper found for a topic says half as much as the first."""
HALVED = 730
"""Days after which a paper says half as much as one from the newest of those found."""
SOLE = 0.5
"""A paper by n people says n to the power of minus this about each of them."""
TOLD = 0.6
"""What a paper still says of its next author once an author of it was named."""


@dataclass(frozen=True, slots=True)
class Knows:
    """An expert on a topic, with the papers that show it (best first), and when those appeared."""

    person: int
    name: str
    score: float
    papers: tuple[int, ...]
    first: date | None
    latest: date | None


def knowing(people: PeopleIndex, papers: Sequence[int], most: int = 10) -> list[Knows]:
    """People whose papers are among those found for a topic, which come best first.

    A person's score is the sum over these papers: by rank, halved every two years, shared among the authors.
    People are named one by one. A paper counts less for each of its authors who was named before, so that
    the next in the list is not one more author of the same two papers.
    """
    days = {int(paper): people.day(int(paper)) for paper in papers}
    newest = max((day.toordinal() for day in days.values() if day), default=0)
    value: dict[int, float] = {}
    of: dict[int, list[int]] = {}
    for rank, paper in enumerate(map(int, papers)):
        writers = people.writers(paper).tolist()
        day = days[paper]
        age = newest - day.toordinal() if day else HALVED
        value[paper] = RANK / (RANK + rank) * 0.5 ** (age / HALVED) / max(1, len(writers)) ** SOLE
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
