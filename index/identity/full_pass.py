"""A full pass: everybody is judged, family name by family name, and a killed pass goes on where it was.

Its folder holds the collection as it was read, the judgement as far as it came (mapped arrays that are filled
name by name), and ``state.json`` with how far that is. SQL gets the people at the end, as a draft.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from data.calendar import clock
from data.keys import hash64
from data.stores.corrections import Correction
from index.identity import identity
from index.identity.collection import AuthorshipFiles
from index.identity.gathering import gather
from index.identity.identity import Judge
from index.identity.judgement import Judgement
from index.identity.judging import ODDS, WORTH, JudgedCollection, judged
from index.identity.membership_rows import Stands
from index.identity.models import Models
from index.identity.person_names import READING
from index.identity.unions import CertainPairs
from index.models.shipped import shipped_json
from index.search.corpus import Corpus

Report = Callable[[str, int, int], None]
SAVED_EVERY = 10.0
"""Seconds of judging that a kill costs at most, besides the names in hand."""
OLDEST = 7 * 86_400
"""Seconds after which a pass that was killed begins anew."""


@dataclass
class PassState:
    """How far a pass is.

    Attributes
    ----------
    begun
        Seconds since 1970.
    basis
        A hash of all that decides how names are judged, and in which parts: :meth:`FullPass.basis`.
    done
        Numbers of the parts of the names that are judged.
    judged
        Whether all of them are.
    draft, after
        The draft that is being written, and the newest pass or correction that it knows of.
    paper
        Memberships of papers below this store id are written.
    changed
        How many authorships the draft changes.
    """

    begun: float
    basis: int
    done: list[int] = field(default_factory=list)
    judged: bool = False
    draft: int | None = None
    after: int = 0
    paper: int = 0
    changed: int = 0


class FullPass:
    """The files of a pass, in a folder."""

    def __init__(self, corpus: Corpus, report: Report | None, processes: int = 1) -> None:
        self.corpus, self._report, self._processes = corpus, report, processes
        self.folder = corpus.folder / "identity" / "pass"

    # -- the state ---------------------------------------------------------------------------------

    def state(self) -> PassState | None:
        """How far an unfinished pass came; None if there is none, or it is too old to go on with."""
        try:
            state = PassState(**json.loads((self.folder / "state.json").read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return state if 0 <= clock.now().timestamp() - state.begun < OLDEST else None

    def save(self, state: PassState) -> None:
        """Write down how far the pass is."""
        new = self.folder / "state.json.new"
        new.write_text(json.dumps(asdict(state)))
        new.replace(self.folder / "state.json")

    def finish(self) -> None:
        """Keep the collection for placing new papers, and clear the rest away.

        From its first step on the pass is over: a kill after it costs the collection, which is read again.
        """
        (self.folder / "state.json").unlink()
        kept = current(self.corpus)
        shutil.rmtree(kept, ignore_errors=True)
        (self.folder / "collection").rename(kept)
        shutil.rmtree(self.folder)

    # -- judging -----------------------------------------------------------------------------------

    async def judged(self) -> tuple[AuthorshipFiles, Judgement, PassState]:
        """Everybody judged; an unfinished pass goes on at the names it had reached."""
        state, collection = self.state(), self._opened()
        if collection is not None and collection.upto > await self.corpus.store.last_change():
            collection = None  # the database is an older one, from a backup
        begun = clock.now().timestamp() if state is None or collection is None else state.begun
        if state is None or collection is None:
            state = None
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            collection = await gather(
                self.corpus, self.folder / "collection", self._tell("gathering authorships")
            )
            stands = await Stands.read(self.corpus.store, collection)
            np.save(self.folder / "known.npy", stands.known)
        # Read after the people: a correction that comes in between is judged, and is seen as one in writing.
        corrections = await self.corpus.store.corrections.for_all()
        basis = self.basis(corrections)
        if state is None or state.basis != basis:
            state = PassState(begun, basis)
            self._blank(collection, state)
        judgement = self._judgement()
        if not state.judged:
            models = await asyncio.to_thread(Models.shipped)
            certain = certain_pairs(collection, corrections)
            await asyncio.to_thread(self._judge, collection, judgement, models, certain, state)
        numbered = await asyncio.to_thread(judgement.numbered)
        return collection, numbered, state

    @staticmethod
    def basis(corrections: Sequence[Correction]) -> int:
        """A hash of what decides how names are judged, and in which parts.

        A pass goes on only with the same: parts are known by their numbers, and an update of Labmate may
        bring other models, or cut the parts anew.
        """
        decided = shipped_json("identity.json"), identity.AT_ONCE, READING
        said = [asdict(one) for one in corrections], *decided
        return hash64(json.dumps(said, default=str, sort_keys=True))

    def known(self) -> np.ndarray:
        """int32, shape (authorships,): the person of each when the pass began, -1 if unassigned."""
        known: np.ndarray = np.load(self.folder / "known.npy")
        return known

    def _opened(self) -> AuthorshipFiles | None:
        assert self.corpus.vectors is not None
        known = self.folder / "known.npy"
        return (
            AuthorshipFiles.open(self.folder / "collection", self.corpus.vectors) if known.exists() else None
        )

    def _blank(self, collection: AuthorshipFiles, state: PassState) -> None:
        blank = Judgement.blank(len(collection))
        for name, values in (
            ("person", blank.person),
            ("confidence", blank.confidence),
            ("support", blank.support),
        ):
            np.save(self.folder / f"{name}.npy", values.astype(np.int32) if name != "confidence" else values)
        self.save(state)

    def _judgement(self) -> Judgement:
        parts = [
            np.load(self.folder / f"{name}.npy", mmap_mode="r+")
            for name in ("person", "confidence", "support")
        ]
        return Judgement(*parts)

    def _judge(
        self,
        collection: AuthorshipFiles,
        judgement: Judgement,
        models: Models,
        certain: CertainPairs,
        state: PassState,
    ) -> None:
        judge = Judge(collection.authorships, models, certain, statistics=collection.statistics)
        np.save(collection.folder / ODDS, judge.name_odds)
        counts = np.diff(collection.authorships.by_name[1])
        parts = dict(enumerate(judge.units()))
        sizes = {number: int(counts[names].sum()) for number, names in parts.items()}
        left = {number: names for number, names in parts.items() if number not in state.done}
        # The largest first, so that no process is left alone with one at the end.
        units = sorted(left.items(), key=lambda unit: -sizes[unit[0]])
        todo = sum(sizes[number] for number in left)
        tell, done, saved = self._tell("telling people apart"), len(collection) - todo, time.monotonic()
        processes, ray = (self._processes, self.corpus.ray) if todo > WORTH else (1, None)
        for number, part in judged(self._sent(collection, certain), units, processes, ray):
            part.write(judgement)
            done += sizes[number]
            state.done.append(number)
            if time.monotonic() - saved >= SAVED_EVERY:
                self._keep(judgement, state)
                saved = time.monotonic()
            if tell:
                tell(done, len(collection))
        state.judged = True
        self._keep(judgement, state)

    def _sent(self, collection: AuthorshipFiles, certain: CertainPairs) -> JudgedCollection:
        assert self.corpus.vectors is not None
        log = self.corpus.vectors.log
        return JudgedCollection(collection.folder.absolute(), log.folder.absolute(), log.fingerprint, certain)

    def _keep(self, judgement: Judgement, state: PassState) -> None:
        for part in (judgement.person, judgement.confidence, judgement.support):
            if isinstance(part, np.memmap):
                part.flush()
        self.save(state)

    def _tell(self, step: str) -> Callable[[int, int], None] | None:
        report = self._report
        return (lambda done, whole: report(step, done, whole)) if report else None


def current(corpus: Corpus) -> Path:
    """The folder of the collection that the last full pass judged."""
    return corpus.folder / "identity" / "collection"


def certain_pairs(stored: Any, corrections: Sequence[Correction]) -> CertainPairs:
    """Corrections that hold for all, as pairs of authorships.

    Parameters
    ----------
    stored
        A collection, or :class:`index.identity.passes.StoredAuthorships`.
    """
    papers, offsets = stored.papers, stored.authorships.offsets

    def place(paper: int, author: int) -> int | None:
        at = int(np.searchsorted(papers, paper))
        if at == len(papers) or papers[at] != paper:
            return None
        start, stop = int(offsets[at]), int(offsets[at + 1])
        mine = np.flatnonzero(stored.authors[start:stop] == author)
        return start + int(mine[0]) if len(mine) else None

    pairs: dict[str, list[tuple[int, int]]] = {"same": [], "apart": []}
    for correction in corrections:
        one = place(correction.paper_id, correction.author_id)
        ends = [(correction.other_paper_id, correction.other_author_id), *correction.everybody]
        for end in dict.fromkeys(ends):
            other = place(*end)
            if one is not None and other is not None and one != other:
                pairs[correction.kind].append((one, other))
    return CertainPairs(pairs["same"], pairs["apart"])
