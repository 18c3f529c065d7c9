"""Writing a judgement to the store, in step with known people and with corrections made meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from data.stores.person_passes import Membership
from data.stores.store import Store
from index.identity.identity import Judgement
from index.identity.membership_rows import (
    FRESH,
    StoredAuthorships,
    changes,
    corrected_since,
    known_people,
    membership_row,
    numbered_as_known,
    with_corrections,
)

_SHORT = 4_000
"""Rows per transaction, so that the write lock is held for a tenth of a second at most."""


@dataclass(frozen=True)
class PassOutcome:
    """The result of a pass."""

    kind: str
    authorships: int
    people: int
    changed: int


@dataclass(frozen=True)
class PassChanges:
    """The changes of a pass: memberships changed and gone, people changed, people merged into others."""

    changed: list[dict[str, Any]]
    gone: list[tuple[int, int]]
    people: list[dict[str, Any]]
    merged: list[tuple[int, int]]

    def __len__(self) -> int:
        return len(self.changed) + len(self.gone) + len(self.people) + len(self.merged)


@dataclass(frozen=True)
class Writing:
    """A judgement on its way into the store. Corrections made since it began are respected.

    Attributes
    ----------
    known
        int64, shape (authorships,): the person of each when the judgement began, -1 if unassigned.
    upto, corrections
        The newest batch of papers and the newest correction known then.
    """

    store: Store
    stored: StoredAuthorships
    judgement: Judgement
    known: np.ndarray
    kind: str
    upto: int
    corrections: int

    async def write(self) -> PassOutcome:
        """Write it in one transaction if it is short, else as a draft that readers then switch to."""
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
        self,
        person: np.ndarray,
        rows: PassChanges,
        before: list[Membership],
        counts: tuple[int, int],
        after: int,
    ) -> None:
        people = self.store.people
        draft = await people.draft(rows.changed, rows.gone, rows.people, rows.merged)
        leads = dict(rows.merged)
        overtaken = False
        while not await people.publish(draft, self.kind, self.upto, self.corrections, counts, after=after):
            after, overtaken = await people.newest_pass(), True
            leads |= {who: into for who, (_, _, into) in (await people.people_rows()).items() if into}
            now = await people.all_memberships()
            said, gone = corrected_since(before, now)
            then, _ = known_people(self.stored, before)
            known, _ = known_people(self.stored, now)
            corrected = with_corrections(person, then, known)
            corrected = np.where(corrected > person.max(), known, corrected)
            await people.redraft(draft, self._redrafted(person, corrected, said), gone)
            person, before = corrected, now
        await people.settle()
        if overtaken:
            await self._recount(leads, counts)

    def _redrafted(
        self, person: np.ndarray, corrected: np.ndarray, said: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """The rows that corrections changed, and those that follow them to another person."""
        papers = self.stored.papers[self.stored.authorships.paper]
        at = self.stored.places()
        rows = {}
        for row in said:
            place = at.get((row["paper_id"], row["position"]))
            rows[row["paper_id"], row["position"]] = row | (
                {"person_id": int(corrected[place])} if place is not None else {}
            )
        for place in np.flatnonzero(corrected != person).tolist():
            row = membership_row(
                self.stored, papers, self.judgement, place, int(corrected[place]), self.kind == "full"
            )
            rows.setdefault((row["paper_id"], row["position"]), row)
        return list(rows.values())

    async def _numbered(self, before: list[Membership]) -> np.ndarray:
        """The person of each authorship, by people's present numbers."""
        known, _ = known_people(self.stored, before)
        groups = np.where(self.judgement.person >= 0, self.judgement.person + FRESH, self.known)
        if self.kind == "new":  # people already have their numbers, except for new ones
            groups = np.where(self.known >= 0, self.known, self.judgement.person)
        person = numbered_as_known(with_corrections(groups, self.known, known), known)
        fresh = int((np.unique(person) >= FRESH).sum())
        if fresh:
            person = np.where(
                person >= FRESH, person - FRESH + await self.store.people.reserve(fresh), person
            )
        return person

    async def _rows(self, person: np.ndarray, before: list[Membership]) -> PassChanges:
        changed, gone, merged = await asyncio.to_thread(
            changes, self.stored, person, self.judgement, before, full=self.kind == "full"
        )
        known = await self.store.people.people_rows()
        people = [
            row for row in self._people(person) if known.get(row["id"]) != (row["name"], row["papers"], None)
        ]
        leads = dict(merged)  # a person who led to somebody that vanished now leads where that one leads
        merged += [(who, leads[into]) for who, (_, _, into) in known.items() if into in leads]
        return PassChanges(changed, gone, people, merged)

    def _people(self, person: np.ndarray) -> list[dict[str, Any]]:
        """Everybody with their most common form of the name and their number of authorships."""
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
        """Update people's names and counts after corrections came in between."""
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
