"""Matching the publications of a CV with known papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from data.records import Paper
from data.stores.store import Store
from index.documents.cv import CV
from index.documents.cv_publications import Publication, flat

LIKE = 88.0
"""The similarity (of 100) above which two titles of one person are the same paper, slightly renamed."""
_LEAST = 15


@dataclass(frozen=True, slots=True)
class Matched:
    """A publication, the known paper that it matches, and whether that is one of the person's papers."""

    publication: Publication
    paper: Paper | None
    own: bool


async def match_cv(store: Store, cv: CV, person: int) -> list[Matched]:
    """Match a CV's publications with known papers, the person's own first.

    Former and similar titles match, too. Lines among the publications that could not be parsed are searched
    for titles of the person's papers.
    """
    own = await store.papers([row.paper_id for row in await store.people.memberships(person)])
    matches: list[Matched] = []
    taken: set[int] = set()
    for publication in cv.publications:
        mine = _among(publication.title, [paper for paper in own if paper.id not in taken])
        if mine is not None:
            taken.add(mine.id)
            matches.append(Matched(publication, mine, True))
            continue
        others = await store.find_title(publication.title)
        papers = await store.papers(others[:1]) if len(flat(publication.title)) >= _LEAST else []
        matches.append(Matched(publication, papers[0] if papers else None, False))
    for line in cv.unread:
        text = flat(line)
        for paper in own:
            if paper.id not in taken and any(len(t) >= _LEAST and t in text for t in _titles(paper)):
                taken.add(paper.id)
                matches.append(Matched(Publication(paper.title, text=line), paper, True))
    return matches


def _titles(paper: Paper) -> list[str]:
    return [flat(title) for title in (paper.title, *paper.former_titles)]


def _among(title: str, papers: Sequence[Paper]) -> Paper | None:
    wanted = flat(title)
    for paper in papers:
        if wanted in _titles(paper):
            return paper
    best, score = None, LIKE
    for paper in papers:
        for form in (paper.title, *paper.former_titles):
            like = fuzz.ratio(title.casefold(), form.casefold())
            # "TrainMover: …" with other words after it: a system's name in front counts as much as the rest.
            head, other = title.partition(":")[0], form.partition(":")[0]
            if ":" in title and ":" in form and len(head) > 3 and flat(head) == flat(other):
                like = max(like, 50 + fuzz.token_set_ratio(title.casefold(), form.casefold()) / 2)
            if like > score:
                best, score = paper, like
    return best
