"""Passes over the store: authorships read, judged, matched with the people known before, written at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from data.corrections import Correction
from data.people import Membership
from index.evidence import Authorships
from index.identity import Judge, Judgement
from index.identity_models import Models
from index.library import Library
from index.person_names import partner_names
from index.unions import Certain

Report = Callable[[str, int, int], None]
_SAME = 0.05
"""A confidence that moved by less is left as it is written."""


@dataclass(frozen=True)
class Outcome:
    """What a pass did."""

    kind: str
    authorships: int
    people: int
    changed: int


@dataclass(frozen=True)
class Corpus:
    """The store's authorships in numbers."""

    authorships: Authorships
    papers: np.ndarray
    """int64, shape (papers,): store ids."""
    positions: np.ndarray
    """int64, shape (authorships,): positions as the store has them."""
    authors: np.ndarray
    """int64, shape (authorships,): the store's numbers of the names."""

    def places(self) -> dict[tuple[int, int], int]:
        """Each authorship by its paper and position."""
        papers = self.papers[self.authorships.paper]
        return dict(
            zip(zip(papers.tolist(), self.positions.tolist(), strict=True), range(len(papers)), strict=True)
        )


async def read_corpus(library: Library) -> Corpus:
    """All authorships of current papers with texts and vectors."""
    rows = await library.store.people.authorships()
    paper_of = np.array([row[0] for row in rows], np.int64)
    papers, starts = np.unique(paper_of, return_index=True)
    texts = await library.store.texts(papers.tolist())
    assert library.vectors is not None
    vectors = await asyncio.to_thread(library.vectors.rows, papers)
    return Corpus(
        Authorships(
            np.append(starts, len(rows)).astype(np.int64),
            [row[3] for row in rows],
            [" ".join(texts[int(paper)][:2]) if int(paper) in texts else "" for paper in papers],
            vectors,
        ),
        papers,
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.int64),
    )


def certain_pairs(corpus: Corpus, corrections: list[Correction]) -> Certain:
    """Corrections in force as pairs of authorships."""
    papers = corpus.papers[corpus.authorships.paper]
    place: dict[tuple[int, int], int] = {}
    for at, key in enumerate(zip(papers.tolist(), corpus.authors.tolist(), strict=True)):
        place.setdefault(key, at)
    pairs: dict[str, list[tuple[int, int]]] = {"same": [], "apart": []}
    for correction in corrections:
        one = place.get((correction.paper_id, correction.author_id))
        ends = [(correction.other_paper_id, correction.other_author_id), *correction.everybody]
        for end in dict.fromkeys(ends):
            other = place.get(end)
            if one is not None and other is not None and one != other:
                pairs[correction.kind].append((one, other))
    return Certain(pairs["same"], pairs["apart"])


async def identify(library: Library, *, full: bool = False, report: Report | None = None) -> Outcome:
    """Bring people up to date: everybody anew with ``full``, else the authorships that are nobody's yet.

    A correction since the last pass makes it a full one for the names concerned; the first pass is full.
    """
    store = library.store
    upto, newest = await store.last_change(), await store.corrections.newest_change()
    last = await store.people.last_pass()
    corpus = await read_corpus(library)
    before = await store.people.all_memberships()
    in_force = await store.corrections.all(in_force=True)
    models = await asyncio.to_thread(Models.shipped)

    def work() -> tuple[
        list[dict[str, Any]], list[tuple[int, int]], list[dict[str, Any]], list[tuple[int, int]], int
    ]:
        known = _known(corpus, before)
        certain = certain_pairs(corpus, in_force)
        ids, names = corpus.authorships.name_ids
        tell = (lambda done, total: report("telling people apart", done, total)) if report else None
        if full or last is None:
            judgement = Judge(corpus.authorships, models, None, certain, tell).judge()
            person = _matched(judgement.person, known)
        else:
            person = known
            judgement = Judgement.blank(len(ids))
            if (known < 0).any():
                asked = set(np.unique(ids[known < 0]).tolist())
                concerned = np.isin(ids, list(asked | partner_names(names, asked)))
                involved = np.zeros(corpus.authorships.papers, bool)
                involved[corpus.authorships.paper[concerned]] = True
                judge = Judge(corpus.authorships, models, involved, certain, tell)
                judgement = judge.place(known)
                person = np.where(known >= 0, known, judgement.person)
        return _rows(corpus, person, judgement, before)

    changed, gone, people, merged, count = await asyncio.to_thread(work)
    known_people = await store.people.people_rows()
    people = [row for row in people if known_people.get(row["id"]) != (row["name"], row["papers"], None)]
    kind = "full" if full or last is None else "new"
    await store.people.replace(
        kind, upto, newest, changed, gone, people, merged, (len(corpus.positions), count)
    )
    return Outcome(kind, len(corpus.positions), count, len(changed))


def _known(corpus: Corpus, before: list[Membership]) -> np.ndarray:
    """The person of each authorship by the last pass, -1 where the name there changed or is new."""
    places = corpus.places()
    known = np.full(len(corpus.positions), -1, np.int64)
    for row in before:
        place = places.get((row.paper_id, row.position))
        if place is not None and corpus.authors[place] == row.author_id:
            known[place] = row.person_id
    return known


def _matched(person: np.ndarray, known: np.ndarray) -> np.ndarray:
    """New groups under the numbers of the people whose authorships they mostly hold; the rest get new ones."""
    both = known >= 0
    pairs, counts = np.unique(np.stack([person[both], known[both]]), axis=1, return_counts=True)
    order = np.lexsort((pairs[1], -counts))
    number: dict[int, int] = {}
    taken: set[int] = set()
    for place in order:
        group, old = int(pairs[0, place]), int(pairs[1, place])
        if group not in number and old not in taken:
            number[group] = old
            taken.add(old)
    following = int(known.max(initial=0)) + 1
    for group in range(int(person.max(initial=-1)) + 1):
        if group not in number:
            number[group] = following
            following += 1
    return np.array([number[int(group)] for group in person], np.int64)


def _rows(
    corpus: Corpus, person: np.ndarray, judgement: Judgement, before: list[Membership]
) -> tuple[list[dict[str, Any]], list[tuple[int, int]], list[dict[str, Any]], list[tuple[int, int]], int]:
    """What to write: memberships changed and gone, people, people merged into others; and how many people."""
    papers = corpus.papers[corpus.authorships.paper]
    old = {(row.paper_id, row.position): row for row in before}
    changed: list[dict[str, Any]] = []
    held: Counter[int] = Counter()
    printed: dict[int, Counter[str]] = {}
    moved: dict[int, Counter[int]] = {}
    for place, (paper, position, author, who, name) in enumerate(
        zip(
            papers.tolist(),
            corpus.positions.tolist(),
            corpus.authors.tolist(),
            person.tolist(),
            corpus.authorships.names,
            strict=True,
        )
    ):
        held[who] += 1
        printed.setdefault(who, Counter())[name] += 1
        was = old.pop((paper, position), None)
        if was is not None and was.person_id != who:
            moved.setdefault(was.person_id, Counter())[who] += 1
        judged = judgement.person[place] >= 0
        if was is not None and was.author_id == author and was.person_id == who:
            confidence = float(judgement.confidence[place]) if judged else was.confidence
            if abs(confidence - was.confidence) < _SAME:
                continue
        elif not judged:
            continue
        support = int(judgement.support[place])
        changed.append(
            {
                "paper_id": paper,
                "position": position,
                "author_id": author,
                "person_id": who,
                "confidence": round(float(judgement.confidence[place]), 3),
                "support": int(papers[support]) if support >= 0 else None,
            }
        )
    people = [
        {
            "id": who,
            "name": sorted(forms.items(), key=lambda form: (-form[1], form[0]))[0][0],
            "papers": held[who],
            "merged_into": None,
        }
        for who, forms in sorted(printed.items())
    ]
    merged = [(gone, into.most_common(1)[0][0]) for gone, into in sorted(moved.items()) if gone not in held]
    return changed, sorted(old), people, merged, len(held)
