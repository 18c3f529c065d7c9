"""Writing a full pass to the store, in step with known people and with corrections made meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from data.stores.person_passes import Pass
from data.stores.store import Store
from index.identity.collection import AuthorshipFiles
from index.identity.full_pass import FullPass, PassState
from index.identity.judgement import Judgement
from index.identity.membership_rows import (
    FRESH,
    IDS_AT_ONCE,
    SAME,
    Stands,
    numbered_as_known,
    with_corrections,
)
from index.identity.people_rows import PEOPLE_AT_ONCE, Counted, changed_people, counted, vanished
from index.models.distinct import distinct

_SHORT = 4_000
"""Rows per transaction, so that the write lock is held for a tenth of a second at most."""
Places = list[tuple[int, int]]


@dataclass(frozen=True)
class PassOutcome:
    """The result of a pass."""

    kind: str
    authorships: int
    people: int
    changed: int


class Writing:
    """A judgement on its way into the store. Corrections made since it began are respected."""

    def __init__(
        self, running: FullPass, collection: AuthorshipFiles, judgement: Judgement, state: PassState
    ) -> None:
        self._store: Store = running.corpus.store
        self._pass, self._state = running, state
        self._collection, self._judgement = collection, judgement
        self._forms = collection.authorships.forms
        self._leads: dict[int, int] = {}

    async def write(self) -> PassOutcome:
        """Write it in one transaction if it is short, else as a draft that readers then switch to."""
        people, state = self._store.people, self._state
        if (published := await self._published()) is not None:
            return await self._ended(published)
        while True:
            after = await people.newest_pass()
            stands = await Stands.read(self._store, self._collection)
            goes_on = state.draft is not None and state.after == after and await people.is_begun(state.draft)
            if goes_on:
                person: np.ndarray = np.load(self._pass.folder / "numbers.npy")
            else:
                await people.settle()
                person = await self._numbered(stands)
                np.save(self._pass.folder / "numbers.npy", person)
                state.draft, state.after, state.paper = None, after, 0
            revised = await self._revised()
            person = np.where(revised, stands.was, person)  # so they stay until new papers are placed
            changed = self._differing(person, stands) & ~revised
            state.changed = int(changed.sum())
            now = await asyncio.to_thread(counted, person, self._collection.authorships.form_of, self._forms)
            held = distinct(np.append(now.people, np.array([who for who, _ in stands.others], np.int64)))
            counts = len(person) + len(stands.others), len(held)
            was = await stands.leading(self._store, self._collection.authorships.form_of, self._forms)
            self._leads = await asyncio.to_thread(vanished, was, person, held)
            if goes_on or not await self._is_short(changed, stands, now):
                overtaken = await self._drafted(person, changed, stands, now, counts, after)
                if overtaken or goes_on or stands.others:
                    await self._recount(counts)
            elif not await self._at_once(person, changed, stands, now, counts, after):
                continue
            await asyncio.to_thread(self._pass.finish)
            return PassOutcome("full", *counts, state.changed)

    async def _numbered(self, stands: Stands) -> np.ndarray:
        """The person of each authorship, by people's present numbers."""

        def work() -> np.ndarray:
            groups = self._judgement.person + FRESH
            return numbered_as_known(with_corrections(groups, self._pass.known(), stands.known), stands.known)

        person = await asyncio.to_thread(work)
        fresh = len(distinct(person[person >= FRESH]))
        if fresh:
            first = await self._store.people.reserve(fresh)
            person = np.where(person >= FRESH, person - FRESH + first, person)
        return person

    def _differing(self, person: np.ndarray, stands: Stands) -> np.ndarray:
        """bool, shape (authorships,): where the store has another person, or is less sure of it."""
        sure = np.abs(self._confidence() - stands.confidence) < SAME
        differing: np.ndarray = ~((stands.known == person) & sure & stands.judged)
        differing[[place for place, _ in stands.renamed]] = True
        return differing

    async def _revised(self) -> np.ndarray:
        """bool, shape (authorships,): those of papers that changed after they were read."""
        later = await self._store.people.changed_since(self._collection.upto)
        revised: np.ndarray = np.isin(self._collection.papers, later)[self._collection.authorships.paper]
        return revised

    def _confidence(self) -> np.ndarray:
        rounded: np.ndarray = np.round(self._judgement.confidence, 3)
        return rounded

    def _rows(self, person: np.ndarray, places: np.ndarray) -> list[dict[str, Any]]:
        """The memberships of these authorships."""
        collection, judgement = self._collection, self._judgement
        paper_of, papers = collection.authorships.paper, collection.papers
        support = judgement.support[places]
        supporting = np.where(support >= 0, papers[paper_of[np.maximum(support, 0)]], -1)
        return [
            {
                "paper_id": paper,
                "position": position,
                "author_id": author,
                "person_id": who,
                "confidence": round(confidence, 3),
                "support": by if by >= 0 else None,
                "judged": True,
            }
            for paper, position, author, who, confidence, by in zip(
                papers[paper_of[places]].tolist(),
                collection.positions[places].tolist(),
                collection.authors[places].tolist(),
                person[places].tolist(),
                judgement.confidence[places].tolist(),
                supporting.tolist(),
                strict=True,
            )
        ]

    # -- at once -----------------------------------------------------------------------------------

    async def _is_short(self, changed: np.ndarray, stands: Stands, now: Counted) -> bool:
        rows = int(changed.sum()) + len(stands.gone) + len(self._leads)
        if rows > _SHORT:
            return False
        async for people, merged in changed_people(self._store, now, self._forms, self._leads):
            rows += len(people) + len(merged)
            if rows > _SHORT:
                return False
        return True

    async def _at_once(
        self,
        person: np.ndarray,
        changed: np.ndarray,
        stands: Stands,
        now: Counted,
        counts: tuple[int, int],
        after: int,
    ) -> int | None:
        people: list[dict[str, Any]] = []
        merged = sorted(self._leads.items())
        async for rows, further in changed_people(self._store, now, self._forms, self._leads):
            people += rows
            merged += further
        rows = self._rows(person, np.flatnonzero(changed))
        return await self._store.people.replace(
            "full",
            self._collection.upto,
            self._collection.corrections,
            rows,
            stands.gone,
            people,
            merged,
            counts,
            after=after,
        )

    # -- as a draft --------------------------------------------------------------------------------

    async def _drafted(
        self,
        person: np.ndarray,
        changed: np.ndarray,
        stands: Stands,
        now: Counted,
        counts: tuple[int, int],
        after: int,
    ) -> bool:
        """Write and publish it as a draft; returns whether corrections came in while it was written."""
        people, state, collection = self._store.people, self._state, self._collection
        if state.draft is None:
            draft = await people.begin_draft()
            await people.draft_people(draft, [], sorted(self._leads.items()))
            async for rows, merged in changed_people(self._store, now, self._forms, self._leads):
                await people.draft_people(draft, rows, merged)
            await people.redraft(draft, [], stands.gone)
            state.draft = draft
            self._pass.save(state)
        draft = state.draft
        for first in range(
            state.paper, int(collection.papers[-1]) + 1 if len(collection.papers) else 0, IDS_AT_ONCE
        ):
            some = collection.places_in(first, first + IDS_AT_ONCE)
            places = some.start + np.flatnonzero(changed[some])
            await people.redraft(draft, self._rows(person, places), [])
            state.paper = first + IDS_AT_ONCE
            self._pass.save(state)
        overtaken = False
        upto, corrections = collection.upto, collection.corrections
        while not await people.publish(draft, "full", upto, corrections, counts, after=after):
            after, overtaken = await people.newest_pass(), True
            person, stands = await self._overtaken(draft, person, stands)
        await people.settle()
        return overtaken

    async def _published(self) -> Pass | None:
        """The pass that the draft became, if it was published before the process was killed."""
        people, draft = self._store.people, self._state.draft
        if draft is None or not await people.is_current(draft):
            return None
        last = await people.last_pass("full")
        mine = last is not None and last.id > self._state.after and last.upto == self._collection.upto
        return last if mine else None

    async def _ended(self, published: Pass) -> PassOutcome:
        """Do what is left to do after publishing."""
        people, counts = self._store.people, (published.authorships, published.people)
        await people.settle()
        await self._note_leads()
        await self._recount(counts)
        await asyncio.to_thread(self._pass.finish)
        return PassOutcome("full", *counts, self._state.changed)

    async def _note_leads(self) -> None:
        """Note whom each merged person was merged into."""
        async for known in self._everybody():
            self._leads |= {who: into for who, (_, _, into) in known.items() if into}

    async def _everybody(self) -> AsyncIterator[dict[int, tuple[str, int, int | None]]]:
        """Read all people in batches: name, number of papers and whom they were merged into, by number."""
        people = self._store.people
        for first in range(0, await people.last_number() + 1, PEOPLE_AT_ONCE):
            yield await people.people_rows(first, first + PEOPLE_AT_ONCE)

    async def _overtaken(self, draft: int, person: np.ndarray, stands: Stands) -> tuple[np.ndarray, Stands]:
        """Take corrections into a draft that came while it was written."""
        people = self._store.people
        now = await Stands.read(self._store, self._collection)
        await self._note_leads()
        corrected = with_corrections(person, stands.known, now.known)
        corrected = np.where(corrected > person.max(initial=-1), now.known, corrected)
        said = (
            (now.was != stands.was) | (now.confidence != stands.confidence) | (now.judged != stands.judged)
        ) & (now.was >= 0)
        places = np.flatnonzero(said)
        papers = self._collection.papers[self._collection.authorships.paper[places]].tolist()
        at = dict(
            zip(
                zip(papers, self._collection.positions[places].tolist(), strict=True),
                places.tolist(),
                strict=True,
            )
        )
        rows = [
            {
                "paper_id": row.paper_id,
                "position": row.position,
                "author_id": row.author_id,
                "person_id": int(corrected[at[row.paper_id, row.position]]),
                "confidence": row.confidence,
                "support": row.support,
                "judged": row.judged,
            }
            for row in await people.at(list(at))
        ]
        rows += self._rows(corrected, np.flatnonzero((corrected != person) & ~said))
        emptied = np.flatnonzero((stands.was >= 0) & (now.was < 0))
        papers = self._collection.papers[self._collection.authorships.paper[emptied]].tolist()
        gone = list(zip(papers, self._collection.positions[emptied].tolist(), strict=True))
        await people.redraft(draft, rows, gone)
        return corrected, now

    async def _recount(self, counts: tuple[int, int]) -> None:
        """Update people's names and counts after corrections came in between."""
        people, forms = self._store.people, self._forms
        while True:
            after = await people.newest_pass()
            stands = await Stands.read(self._store, self._collection)
            now = counted(stands.was, self._collection.authorships.form_of, forms)
            held = distinct(np.append(now.people, np.array([who for who, _ in stands.others], np.int64)))
            elsewhere = {who for who, _ in stands.others}
            rows: list[dict[str, Any]] = []
            gone: list[tuple[int, int]] = []
            async for some, _ in changed_people(self._store, now, forms, {}):
                rows += [row for row in some if row["id"] not in elsewhere]
            here = set(held.tolist())
            async for known in self._everybody():
                gone += [
                    (who, self._leads[who])
                    for who, (_, _, into) in sorted(known.items())
                    if into is None and who in self._leads and who not in here
                ]
            rows += await recounted(self._store, elsewhere)
            upto, corrections = self._collection.upto, self._collection.corrections
            if await people.replace("word", upto, corrections, [], [], rows, gone, counts, after=after):
                return


async def recounted(store: Store, people: set[int]) -> list[dict[str, Any]]:
    """Rows of these people with their most frequent form and their number of authorships, as SQL has them."""
    found = await store.people.find_all(sorted(people))
    return [
        {"id": who, "name": person.forms[0], "papers": person.papers, "merged_into": None}
        for who, person in sorted(found.items())
        if person.id == who and person.forms
    ]
