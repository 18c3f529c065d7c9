"""Placing new authorships among known people, with the names of the day alone."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from data.stores.corrections import Correction
from data.stores.person_passes import Pass, Standing
from data.stores.store import Store
from index.identity.collection import AuthorshipFiles, place_keys
from index.identity.full_pass import certain_pairs, current
from index.identity.gathering import gather
from index.identity.identity import Judge
from index.identity.membership_rows import is_form
from index.identity.models import Models
from index.identity.surroundings import Surroundings
from index.identity.writing import PassOutcome
from index.models.distinct import distinct
from index.search.corpus import Corpus

MOST = 500_000
"""New authorships from which everybody is judged again instead."""
AT_ONCE = 60_000
"""Authorships of the names that are judged in one go, unless one initial and family name has more."""
Report = Callable[[str, int, int], None]
Place = tuple[int, int]


@dataclass(frozen=True)
class Newcomers:
    """Authorships that nobody has judged or placed.

    Attributes
    ----------
    rows
        Paper, position, name's number, name as printed.
    moved
        Memberships that a revision moved within the list of authors, by their new paper and position, with
        the name as printed there.
    replaced
        Memberships of authorships that are no more.
    last, full
        The newest pass, and the newest full pass.
    """

    rows: list[tuple[int, int, int, str]]
    moved: dict[Place, tuple[Standing, str]]
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
        moved = _moved(fresh, replaced)
        fresh = [row for row in fresh if (row[0], row[1]) not in moved]
        return cls(fresh, moved, replaced, last, full, upto) if len(fresh) <= MOST else None

    @property
    def authorships(self) -> int:
        """How many authorships there are."""
        return self.last.authorships + len(self.rows) + len(self.moved) - len(self.replaced)

    @property
    def judged(self) -> int:
        """How many of them a full pass judged."""
        lost = sum(row.judged for row in self.replaced) - sum(row.judged for row, _ in self.moved.values())
        return self.full.authorships - lost


async def place(corpus: Corpus, new: Newcomers, report: Report | None = None) -> PassOutcome:
    """Place new authorships; known people stay as they are."""
    store = corpus.store
    assert corpus.vectors is not None
    while True:
        after, newest = await store.people.newest_pass(), await store.corrections.newest_change()
        if not new.rows:
            judged = _Judged([], np.zeros(0, np.int64), np.zeros(0, np.float32), [], 0, [])
        else:
            collection = AuthorshipFiles.open(current(corpus), corpus.vectors)
            if collection is None or not new.full.upto <= collection.upto <= new.upto:
                # Somebody deleted it, or took the database from a backup.
                tell = (lambda done, whole: report("gathering authorships", done, whole)) if report else None
                collection = await gather(corpus, current(corpus), tell)
            if report:
                report("telling people apart", 0, len(new.rows))
            judged = await _judged(corpus, collection, new)
        outcome = await _write(store, new, _with_moved(judged, new.moved), newest, after)
        if outcome is not None:
            return outcome
        again = await Newcomers.read(store)
        assert again is not None
        new = again


@dataclass(frozen=True)
class _Judged:
    """The new rows, and for each of them what was judged.

    Attributes
    ----------
    person
        int64: a known person, or a new one, who is numbered from ``first_new``.
    confidence
        float32.
    support
        The paper that supports it most, or None.
    full
        Whether a full pass judged it.
    """

    rows: list[tuple[int, int, int, str]]
    person: np.ndarray
    confidence: np.ndarray
    support: list[int | None]
    first_new: int
    full: list[bool]


def _moved(
    fresh: Sequence[tuple[int, int, int, str]], replaced: Sequence[Standing]
) -> dict[Place, tuple[Standing, str]]:
    """Memberships whose author now has another position on the same paper, by paper and new position."""
    now: dict[Place, list[tuple[int, str]]] = {}
    for paper, position, author, name in fresh:
        now.setdefault((paper, author), []).append((position, name))
    before = Counter((row.paper_id, row.author_id) for row in replaced)
    moved = {}
    for row in replaced:
        places = now.get((row.paper_id, row.author_id), [])
        if len(places) == before[row.paper_id, row.author_id] == 1:
            moved[row.paper_id, places[0][0]] = row, places[0][1]
    return moved


def _with_moved(judged: _Judged, moved: dict[Place, tuple[Standing, str]]) -> _Judged:
    """Add the memberships that a revision moved; each keeps its person."""
    known = [row.person_id for row, _ in moved.values()]
    first = max([judged.first_new, *(person + 1 for person in known)])
    person = np.where(
        judged.person < judged.first_new, judged.person, judged.person - judged.first_new + first
    )
    return _Judged(
        [*judged.rows, *((*place, row.author_id, name) for place, (row, name) in moved.items())],
        np.concatenate([person, np.array(known, np.int64)]),
        np.concatenate(
            [judged.confidence, np.array([row.confidence for row, _ in moved.values()], np.float32)]
        ),
        [*judged.support, *(row.support for row, _ in moved.values())],
        first,
        [*judged.full, *(row.judged for row, _ in moved.values())],
    )


async def _judged(corpus: Corpus, collection: AuthorshipFiles, new: Newcomers) -> _Judged:
    """Judge the new rows, so many names at a time that what has to be known of them takes little memory."""
    models = await asyncio.to_thread(Models.shipped)
    near = await Surroundings.read(corpus, collection, new.rows, models.commonness)
    corrections = await corpus.store.corrections.for_all()
    parts = await asyncio.to_thread(near.parts, AT_ONCE, _names_together(corrections))
    rows_of: list[list[tuple[int, int, int, str]]] = [[] for _ in parts]
    part_of = {name: place for place, names in enumerate(parts) for name in names}
    for row in new.rows:
        rows_of[part_of[near.number_of(row[3])]].append(row)
    judged: list[_Judged] = []
    for names, rows in zip(parts, rows_of, strict=True):
        authors = await asyncio.to_thread(near.author_numbers, names)
        standing = await corpus.store.people.standing_under(authors)
        mine = set(authors)
        standing += [
            (*place, row.person_id) for place, (row, _) in new.moved.items() if row.author_id in mine
        ]
        judged.append(await asyncio.to_thread(_judged_part, near, models, names, rows, standing, corrections))
    return _together(judged)


def _names_together(corrections: Sequence[Correction]) -> list[tuple[int, int]]:
    """The names of each two authorships that a correction calls one person's, by the store's numbers."""
    same = (one for one in corrections if one.kind == "same" and one.author_id != one.other_author_id)
    return [(one.author_id, one.other_author_id) for one in same]


def _judged_part(
    near: Surroundings,
    models: Models,
    names: set[int],
    rows: list[tuple[int, int, int, str]],
    standing: Sequence[tuple[int, int, int]],
    corrections: Sequence[Correction],
) -> _Judged:
    """Judge the new rows with some names; ``standing``: paper, position and person of all who bear them."""
    known_at = {(paper, position): person for paper, position, person in standing}
    papers = {paper for paper, _ in known_at} | {row[0] for row in rows}
    authorships, statistics, stored = near.around(sorted(papers), names)
    keys = place_keys(stored.papers[authorships.paper], stored.positions)
    # Names that nobody new could have are not looked at, whatever stands there.
    wanted = np.isin(authorships.name_ids[0], sorted(names))
    known = np.where(wanted, -1, 0).astype(np.int64)
    at = {key: place for place, key in enumerate(keys.tolist())}
    for (paper, position), person in known_at.items():
        place = at.get((paper << 20) | position)
        if place is not None:
            known[place] = person
    fresh = np.array([at[(row[0] << 20) | row[1]] for row in rows], np.int64)
    known[fresh] = -1
    certain = certain_pairs(stored, corrections)
    judgement = Judge(authorships, models, certain, statistics=statistics).place(known)
    support = judgement.support[fresh]
    supporting = stored.papers[authorships.paper[np.maximum(support, 0)]]
    return _Judged(
        rows,
        judgement.person[fresh],
        judgement.confidence[fresh],
        [paper if place >= 0 else None for place, paper in zip(support, supporting.tolist(), strict=True)],
        int(known.max(initial=-1)) + 1,
        [False] * len(rows),
    )


def _together(parts: Sequence[_Judged]) -> _Judged:
    """The rows of all parts, with new people numbered one after the other."""
    first = max(part.first_new for part in parts)
    following, people = first, []
    for part in parts:
        known = part.person < part.first_new
        people.append(np.where(known, part.person, part.person - part.first_new + following))
        following += int((part.person - part.first_new + 1).max(initial=0))
    return _Judged(
        [row for part in parts for row in part.rows],
        np.concatenate(people),
        np.concatenate([part.confidence for part in parts]),
        [paper for part in parts for paper in part.support],
        first,
        [full for part in parts for full in part.full],
    )


async def _write(
    store: Store, new: Newcomers, judged: _Judged, newest: int, after: int
) -> PassOutcome | None:
    """Write the new memberships in one transaction; None where a correction came meanwhile."""
    person = judged.person
    fresh = distinct(person[person >= judged.first_new])
    if len(fresh):
        first = await store.people.reserve(len(fresh))
        person = np.where(person >= judged.first_new, first + np.searchsorted(fresh, person), person)
    changed = [
        {
            "paper_id": row[0],
            "position": row[1],
            "author_id": row[2],
            "person_id": who,
            "confidence": round(float(confidence), 3),
            "support": support,
            "judged": full,
        }
        for row, who, confidence, support, full in zip(
            judged.rows, person.tolist(), judged.confidence, judged.support, judged.full, strict=True
        )
    ]
    people, merged = await _people(store, new, judged, person)
    places = {(row["paper_id"], row["position"]) for row in changed}
    gone = [(s.paper_id, s.position) for s in new.replaced if (s.paper_id, s.position) not in places]
    counts = new.authorships, new.last.people + len(fresh) - len(merged)
    written = await store.people.replace(
        "new", new.upto, newest, changed, gone, people, merged, counts, after=after
    )
    return PassOutcome("new", *counts, len(changed)) if written else None


async def _people(
    store: Store, new: Newcomers, judged: _Judged, person: np.ndarray
) -> tuple[list[dict[str, Any]], list[Place]]:
    """Rows of the people concerned, and (person who has nothing left, person who has most of it)."""
    added: dict[int, Counter[str]] = {}
    now: dict[Place, tuple[int, str]] = {}
    for (paper, position, _, name), who in zip(judged.rows, person.tolist(), strict=True):
        added.setdefault(who, Counter())[name] += 1
        now[paper, position] = who, name
    names = await store.author_names.printed_by_number({row.author_id for row in new.replaced})
    lost: dict[int, Counter[int]] = {}
    for row in new.replaced:
        into = lost.setdefault(row.person_id, Counter())
        who, name = now.get((row.paper_id, row.position), (-1, ""))
        if who >= 0 and is_form(names.get(row.author_id, ""), name):
            into[who] += 1
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
