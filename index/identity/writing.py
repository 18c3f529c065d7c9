"""A judgement written down: matched with the people known before and with what was said while it was made."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from data.stores.person_passes import Membership
from data.stores.store import Store
from index.identity.evidence import Authorships
from index.identity.identity import Judgement

_SAME = 0.05
"""A confidence that moved by less is left as it is written."""
_SHORT = 4_000
"""Rows that one transaction may write: the write lock is held for a tenth of a second."""
_FRESH = 1 << 40
"""Numbers from here on stand for people who have none yet."""


@dataclass(frozen=True)
class PassOutcome:
    """What a pass did."""

    kind: str
    authorships: int
    people: int
    changed: int


@dataclass(frozen=True)
class StoredAuthorships:
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


def known_people(stored: StoredAuthorships, before: Sequence[Membership]) -> tuple[np.ndarray, np.ndarray]:
    """What was known of each authorship.

    Returns
    -------
    tuple
        int64, the person, -1 where the name there changed or is new; and bool, whether a full pass judged it.
    """
    places = stored.places()
    known = np.full(len(stored.positions), -1, np.int64)
    judged = np.zeros(len(stored.positions), bool)
    for row in before:
        place = places.get((row.paper_id, row.position))
        if place is not None and stored.authors[place] == row.author_id:
            known[place] = row.person_id
            judged[place] = row.judged
    return known, judged


@dataclass(frozen=True)
class Rows:
    """What a pass changes: memberships changed and gone, people changed, people merged into others."""

    changed: list[dict[str, Any]]
    gone: list[tuple[int, int]]
    people: list[dict[str, Any]]
    merged: list[tuple[int, int]]

    def __len__(self) -> int:
        return len(self.changed) + len(self.gone) + len(self.people) + len(self.merged)


@dataclass(frozen=True)
class Writing:
    """A judgement on its way into the store. Corrections made since it was begun hold in what is written.

    Attributes
    ----------
    known
        int64, shape (authorships,): the person of each, -1 for nobody's, when the judgement was begun.
    upto, corrections
        The newest batch of papers and the newest correction that it knew then.
    """

    store: Store
    stored: StoredAuthorships
    judgement: Judgement
    known: np.ndarray
    kind: str
    upto: int
    corrections: int

    async def write(self) -> PassOutcome:
        """Write it: in one transaction where it is short, else as a draft that readers then switch to."""
        people = self.store.people
        while True:
            after = await people.newest_pass()
            before = await people.all_memberships()
            person = await self._numbered(before)
            rows = await self._rows(person, before)
            counts = len(person), len(np.unique(person))
            if len(rows) > _SHORT:
                await self._drafted(person, rows, before, counts, after)
            elif not await people.replace(
                self.kind,
                self.upto,
                self.corrections,
                rows.changed,
                rows.gone,
                rows.people,
                rows.merged,
                counts,
                after=after,
            ):
                continue
            return PassOutcome(self.kind, *counts, len(rows.changed))

    async def _drafted(
        self, person: np.ndarray, rows: Rows, before: list[Membership], counts: tuple[int, int], after: int
    ) -> None:
        people = self.store.people
        draft = await people.draft(rows.changed, rows.gone, rows.people, rows.merged)
        leads = dict(rows.merged)
        overtaken = False
        while not await people.publish(draft, self.kind, self.upto, self.corrections, counts, after=after):
            after, overtaken = await people.newest_pass(), True
            leads |= {who: into for who, (_, _, into) in (await people.people_rows()).items() if into}
            now = await people.all_memberships()
            said, gone = _said_since(before, now)
            then, _ = known_people(self.stored, before)
            known, _ = known_people(self.stored, now)
            corrected = as_said(person, then, known)
            corrected = np.where(corrected > person.max(), known, corrected)
            await people.redraft(draft, self._redrafted(person, corrected, said), gone)
            person, before = corrected, now
        await people.settle()
        if overtaken:
            await self._recount(leads, counts)

    def _redrafted(
        self, person: np.ndarray, corrected: np.ndarray, said: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Rows of what was said, and of what follows it to another person."""
        papers = self.stored.papers[self.stored.authorships.paper]
        at = self.stored.places()
        rows = {}
        for row in said:
            place = at.get((row["paper_id"], row["position"]))
            rows[row["paper_id"], row["position"]] = row | (
                {"person_id": int(corrected[place])} if place is not None else {}
            )
        for place in np.flatnonzero(corrected != person).tolist():
            row = _row(self.stored, papers, self.judgement, place, int(corrected[place]), self.kind == "full")
            rows.setdefault((row["paper_id"], row["position"]), row)
        return list(rows.values())

    async def _numbered(self, before: list[Membership]) -> np.ndarray:
        """The person of each authorship, under the numbers that people have now."""
        known, _ = known_people(self.stored, before)
        found = np.where(self.judgement.person >= 0, self.judgement.person + _FRESH, self.known)
        if self.kind == "new":  # its persons are numbers of people already, but for those who are new
            found = np.where(self.known >= 0, self.known, self.judgement.person)
        person = matched(as_said(found, self.known, known), known)
        fresh = int((np.unique(person) >= _FRESH).sum())
        if fresh:
            person = np.where(
                person >= _FRESH, person - _FRESH + await self.store.people.reserve(fresh), person
            )
        return person

    async def _rows(self, person: np.ndarray, before: list[Membership]) -> Rows:
        changed, gone, merged = await asyncio.to_thread(
            changes, self.stored, person, self.judgement, before, full=self.kind == "full"
        )
        known = await self.store.people.people_rows()
        people = [
            row for row in self._people(person) if known.get(row["id"]) != (row["name"], row["papers"], None)
        ]
        leads = dict(merged)  # who had led to somebody that is no more, leads to the same one
        merged += [(who, leads[into]) for who, (_, _, into) in known.items() if into in leads]
        return Rows(changed, gone, people, merged)

    def _people(self, person: np.ndarray) -> list[dict[str, Any]]:
        """Everybody with the form printed most and how many authorships are theirs."""
        printed: dict[int, Counter[str]] = {}
        for who, name in zip(person.tolist(), self.stored.authorships.names, strict=True):
            if who >= 0:
                printed.setdefault(who, Counter())[name] += 1
        return [
            {
                "id": who,
                "name": min(forms.items(), key=lambda form: (-form[1], form[0]))[0],
                "papers": forms.total(),
                "merged_into": None,
            }
            for who, forms in sorted(printed.items())
        ]

    async def _recount(self, leads: dict[int, int], counts: tuple[int, int]) -> None:
        """After corrections came in between: names and counts of people as their authorships are now."""
        people = self.store.people
        while True:
            after = await people.newest_pass()
            person, _ = known_people(self.stored, await people.all_memberships())
            known = await people.people_rows()
            rows = [
                row
                for row in self._people(person)
                if known.get(row["id"]) != (row["name"], row["papers"], None)
            ]
            held = set(np.unique(person).tolist())
            gone = [
                (who, leads[who])
                for who, (_, _, into) in known.items()
                if into is None and who in leads and who not in held
            ]
            if await people.replace(
                "word", self.upto, self.corrections, [], [], rows, gone, counts, after=after
            ):
                return


def as_said(found: np.ndarray, then: np.ndarray, now: np.ndarray) -> np.ndarray:
    """A judgement's groups as people corrected them while it was made.

    Parameters
    ----------
    found
        int64, shape (authorships,): the group of each.
    then, now
        int64: the person of each when the judgement was begun, and now; -1 for nobody's.

    Returns
    -------
    numpy.ndarray
        What was moved to somebody is with the rest of theirs, or a group by itself where there is no rest.
        Where all that was known of a group was moved, the others of the group follow.
    """
    found = found.copy()
    moved = (now != then) & (now >= 0) & (then >= 0)
    for person in np.unique(now[moved]).tolist():
        mine = moved & (now == person)
        rest = (now == person) & ~moved
        others = set(np.unique(found[(now >= 0) & ~mine]).tolist())
        wholly = [group for group in np.unique(found[mine]).tolist() if group not in others]
        if rest.any():
            groups, sizes = np.unique(found[rest], return_counts=True)
            into = int(groups[sizes.argmax()])
        else:
            into = wholly[0] if wholly else int(found.max()) + 1
        found[mine | np.isin(found, wholly)] = into
    return found


def matched(group: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Groups under the numbers of the people whose authorships they mostly hold; others from ``1 << 40`` on."""
    labels, at = np.unique(group, return_inverse=True)
    both = known >= 0
    pairs, counts = np.unique(np.stack([at[both], known[both]]), axis=1, return_counts=True)
    number = np.full(len(labels), -1, np.int64)
    taken: set[int] = set()
    for place in np.lexsort((pairs[1], -counts)):
        label, old = int(pairs[0, place]), int(pairs[1, place])
        if number[label] < 0 and old not in taken:
            number[label] = old
            taken.add(old)
    new = number < 0
    number[new] = _FRESH + np.arange(int(new.sum()))
    return number[at]


def changes(
    stored: StoredAuthorships,
    person: np.ndarray,
    judgement: Judgement,
    before: Sequence[Membership],
    *,
    full: bool,
) -> tuple[list[dict[str, Any]], list[tuple[int, int]], list[tuple[int, int]]]:
    """Memberships to write, places to empty, and (person that is no more, who has most of theirs)."""
    papers = stored.papers[stored.authorships.paper]
    old = {(row.paper_id, row.position): row for row in before}
    changed: list[dict[str, Any]] = []
    moved: dict[int, Counter[int]] = {}
    for place, (paper, position, author, who) in enumerate(
        zip(papers.tolist(), stored.positions.tolist(), stored.authors.tolist(), person.tolist(), strict=True)
    ):
        was = old.pop((paper, position), None)
        if was is not None and was.person_id != who:
            moved.setdefault(was.person_id, Counter())[who] += 1
        judged = judgement.person[place] >= 0
        if was is not None and was.author_id == author and was.person_id == who:
            confidence = float(judgement.confidence[place]) if judged else was.confidence
            if abs(confidence - was.confidence) < _SAME and (was.judged or not full):
                continue
        elif not judged:
            continue
        changed.append(_row(stored, papers, judgement, place, who, full))
    held = set(np.unique(person).tolist())
    merged = [(gone, into.most_common(1)[0][0]) for gone, into in sorted(moved.items()) if gone not in held]
    return changed, sorted(old), merged


def _row(
    stored: StoredAuthorships, papers: np.ndarray, judgement: Judgement, place: int, who: int, judged: bool
) -> dict[str, Any]:
    support = int(judgement.support[place])
    return {
        "paper_id": int(papers[place]),
        "position": int(stored.positions[place]),
        "author_id": int(stored.authors[place]),
        "person_id": who,
        "confidence": round(float(judgement.confidence[place]), 3),
        "support": int(papers[support]) if support >= 0 else None,
        "judged": judged,
    }


def _said_since(
    before: Sequence[Membership], now: Sequence[Membership]
) -> tuple[list[dict[str, Any]], list[tuple[int, int]]]:
    """Memberships that changed in between, as rows, and places that were emptied."""
    was = {(row.paper_id, row.position): row for row in before}
    changed = [asdict(row) for row in now if was.pop((row.paper_id, row.position), None) != row]
    return changed, sorted(was)
