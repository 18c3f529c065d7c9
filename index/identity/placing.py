"""Placing new authorships among known people, with the names of the day alone."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from data.stores.person_passes import Pass, Standing
from data.stores.store import Store
from index.identity.collection import AuthorshipFiles, place_keys
from index.identity.full_pass import certain_pairs, current
from index.identity.gathering import gather
from index.identity.identity import Judge
from index.identity.judgement import Judgement
from index.identity.models import Models
from index.identity.surroundings import Surroundings
from index.identity.writing import PassOutcome
from index.search.corpus import Corpus

MOST = 500_000
"""New authorships from which everybody is judged again instead."""
Report = Callable[[str, int, int], None]
Place = tuple[int, int]


@dataclass(frozen=True)
class Newcomers:
    """Authorships that nobody has judged or placed.

    Attributes
    ----------
    rows
        Paper, position, name's number, name as printed.
    replaced
        Memberships of authorships that are no more.
    last, full
        The newest pass, and the newest full pass.
    """

    rows: list[tuple[int, int, int, str]]
    replaced: list[Standing]
    last: Pass
    full: Pass
    upto: int

    @classmethod
    async def read(cls, store: Store) -> Newcomers | None:
        """Look at the papers that changed since the newest pass; None if everybody has to be judged."""
        last, full = await store.people.last_pass(), await store.people.last_pass("full")
        if last is None or full is None:
            return None
        await store.people.settle()
        upto = await store.last_change()
        papers = await store.people.changed_since(last.upto)
        if len(papers) > MOST:
            return None
        rows = await store.people.authorships_of(papers)
        standing = await store.people.standing_of(papers)
        printed = {(paper, position): author for paper, position, author, _ in rows}
        replaced = [s for s in standing if printed.get((s.paper_id, s.position)) != s.author_id]
        held = {(s.paper_id, s.position) for s in standing} - {(s.paper_id, s.position) for s in replaced}
        fresh = [row for row in rows if (row[0], row[1]) not in held]
        return cls(fresh, replaced, last, full, upto) if len(fresh) <= MOST else None

    @property
    def authorships(self) -> int:
        """How many authorships there are."""
        return self.last.authorships + len(self.rows) - len(self.replaced)

    @property
    def judged(self) -> int:
        """How many of them a full pass judged."""
        return self.full.authorships - sum(row.judged for row in self.replaced)


async def place(corpus: Corpus, new: Newcomers, report: Report | None = None) -> PassOutcome:
    """Place new authorships; known people stay as they are."""
    store = corpus.store
    assert corpus.vectors is not None
    while True:
        after, newest = await store.people.newest_pass(), await store.corrections.newest_change()
        if not new.rows:
            judged = _Judged([], np.zeros(0, np.int64), Judgement.blank(0), [], -1)
        else:
            collection = AuthorshipFiles.open(current(corpus), corpus.vectors)
            if collection is None or not new.full.upto <= collection.upto <= new.upto:
                # Somebody deleted it, or took the database from a backup.
                tell = (lambda done, whole: report("gathering authorships", done, whole)) if report else None
                collection = await gather(corpus, current(corpus), tell)
            if report:
                report("telling people apart", 0, len(new.rows))
            judged = await _judged(corpus, collection, new)
        outcome = await _write(store, new, judged, newest, after)
        if outcome is not None:
            return outcome
        again = await Newcomers.read(store)
        assert again is not None
        new = again


@dataclass(frozen=True)
class _Judged:
    """The new rows, the person of each, and the judgement that says why."""

    rows: list[tuple[int, int, int, str]]
    places: np.ndarray
    judgement: Judgement
    papers: list[int]
    known_top: int


async def _judged(corpus: Corpus, collection: AuthorshipFiles, new: Newcomers) -> _Judged:
    store = corpus.store
    near = await Surroundings.read(corpus, collection, new.rows)
    models = await asyncio.to_thread(Models.shipped)
    standing = await store.people.standing_under(await asyncio.to_thread(near.author_numbers))
    known_at = {(paper, position): person for paper, position, person in standing}
    corrections = await store.corrections.for_all()

    def work() -> _Judged:
        papers = {paper for paper, _ in known_at} | {row[0] for row in new.rows}
        authorships, statistics, stored = near.around(sorted(papers), models)
        keys = place_keys(stored.papers[authorships.paper], stored.positions)
        # Names that nobody new could have are not looked at, whatever stands there.
        wanted = np.isin(authorships.name_ids[0], sorted(near.wanted()))
        known = np.where(wanted, -1, 0).astype(np.int64)
        at = {key: place for place, key in enumerate(keys.tolist())}
        for (paper, position), person in known_at.items():
            place = at.get((paper << 20) | position)
            if place is not None:
                known[place] = person
        fresh = np.array([at[(row[0] << 20) | row[1]] for row in new.rows], np.int64)
        known[fresh] = -1
        certain = certain_pairs(stored, corrections)
        judge = Judge(authorships, models, certain, statistics=statistics)
        judgement = judge.place(known)
        top = int(known.max(initial=-1))
        return _Judged(new.rows, fresh, judgement, stored.papers[authorships.paper].tolist(), top)

    return await asyncio.to_thread(work)


async def _write(
    store: Store, new: Newcomers, judged: _Judged, newest: int, after: int
) -> PassOutcome | None:
    """Write the new memberships in one transaction; None where a correction came meanwhile."""
    person = judged.judgement.person[judged.places]
    fresh = np.unique(person[person > judged.known_top])
    if len(fresh):
        first = await store.people.reserve(len(fresh))
        person = np.where(person > judged.known_top, first + np.searchsorted(fresh, person), person)
    changed = [
        _row(row, who, place, judged)
        for row, who, place in zip(judged.rows, person.tolist(), judged.places.tolist(), strict=True)
    ]
    people, merged = await _people(store, new, judged, person)
    places = {(row["paper_id"], row["position"]) for row in changed}
    gone = [(s.paper_id, s.position) for s in new.replaced if (s.paper_id, s.position) not in places]
    counts = new.authorships, new.last.people + len(fresh) - len(merged)
    written = await store.people.replace(
        "new", new.upto, newest, changed, gone, people, merged, counts, after=after
    )
    return PassOutcome("new", *counts, len(changed)) if written else None


def _row(row: tuple[int, int, int, str], who: int, place: int, judged: _Judged) -> dict[str, Any]:
    support = int(judged.judgement.support[place])
    return {
        "paper_id": row[0],
        "position": row[1],
        "author_id": row[2],
        "person_id": who,
        "confidence": round(float(judged.judgement.confidence[place]), 3),
        "support": judged.papers[support] if support >= 0 else None,
        "judged": False,
    }


async def _people(
    store: Store, new: Newcomers, judged: _Judged, person: np.ndarray
) -> tuple[list[dict[str, Any]], list[Place]]:
    """Rows of the people concerned, and (person who has nothing left, person who has most of it)."""
    added: dict[int, Counter[str]] = {}
    now: dict[Place, int] = {}
    for (paper, position, _, name), who in zip(judged.rows, person.tolist(), strict=True):
        added.setdefault(who, Counter())[name] += 1
        now[paper, position] = who
    lost: dict[int, Counter[int]] = {}
    for row in new.replaced:
        into = lost.setdefault(row.person_id, Counter())
        if (row.paper_id, row.position) in now:
            into[now[row.paper_id, row.position]] += 1
    forms = await store.people.forms_of(sorted(added.keys() | lost.keys()))
    people = []
    merged = []
    for who in sorted(added.keys() | lost.keys()):
        counted = Counter(forms.get(who, {})) + added.get(who, Counter())
        if counted:
            name = min(counted.items(), key=lambda form: (-form[1], form[0]))[0]
            people.append({"id": who, "name": name, "papers": counted.total(), "merged_into": None})
        elif lost[who]:
            merged.append((who, lost[who].most_common(1)[0][0]))
    return people, merged
