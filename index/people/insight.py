"""Knowledge derived from papers: people, topics, novelty and scores. A worker makes it, the bot follows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import numpy as np

from index.people.novelty import Novelty
from index.people.people import PeopleIndex
from index.people.scores import Scores
from index.people.suggest import CollaboratorRanker, Experts
from index.people.topics import Topics
from index.search.corpus import Corpus
from index.search.vectors import Vectors

Report = Callable[[str, int, int], None]
_REBUILD_TOPICS = 1.1
"""Topics are computed again when the number of papers has grown by a tenth."""


class Insight:
    """The newest derived knowledge; each part is None until it has been computed once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.people: PeopleIndex | None = None
        self.topics: Topics | None = None
        self.novelty: Novelty | None = None
        self.scores: Scores | None = None
        self._stamps: dict[str, int] = {}
        self._judged_upto, self._only_placed = -1, False
        self._compared = 0
        """How many papers had a vector when people were compared."""
        self._lock = asyncio.Lock()
        self._experts: Experts | None = None
        self._making = asyncio.Lock()

    @property
    def people_lag(self) -> bool:
        """Whether there are papers whose authors are not matched yet, or mostly without a full pass."""
        return self._judged_upto < self._corpus.seen or self._only_placed

    @property
    def topics_lag(self) -> bool:
        """Whether there are papers without topics computed."""
        return self.topics is None or self.topics.upto < self._corpus.seen

    @property
    def _embedded(self) -> int:
        return 0 if self._corpus.vectors is None else len(self._corpus.vectors)

    @property
    def _vectors_grew(self) -> bool:
        """Whether people must be compared again: a tenth more papers have vectors, or the last got theirs."""
        grew = self._embedded - self._compared
        return grew > self._compared // 10 or (grew > 0 and not self._corpus.waiting())

    def _file(self, name: str) -> Path:
        return self._corpus.folder / f"{name}.npz"

    async def experts(self) -> Experts | None:
        """Suggests collaborators among the present people; None before the first pass or without vectors."""
        people, vectors = self.people, self._corpus.vectors
        if people is None or vectors is None or not len(people):
            return None
        async with self._making:
            if self._experts is None or self._experts.people is not people:
                self._experts = await asyncio.to_thread(_experts, people, vectors, self.topics)
            return self._experts

    async def refresh(self) -> bool:
        """Load what a pass or a worker has made since; returns whether anything was new."""
        async with self._lock:
            return await self._refresh()

    async def _refresh(self) -> bool:
        last = await self._corpus.store.people.last_pass()
        changed = False
        if last is not None:
            self._only_placed = await self._corpus.store.people.mostly_placed()
        if last is not None and (self.people is None or self.people.number != last.id):
            self.people = await PeopleIndex.of(self._corpus.store, self._corpus.facets, self._corpus.vectors)
            self._compared = self._embedded
            changed = True
        if self.people is not None and self._vectors_grew:
            assert self._corpus.vectors is not None
            compared = self._embedded
            self.people = await asyncio.to_thread(self.people.with_vectors, self._corpus.vectors)
            self._compared = compared
            changed = True
        if last is not None:
            self._judged_upto = last.upto
        changed |= await asyncio.to_thread(self._reload)
        if changed and self.novelty is not None:
            self.scores = await asyncio.to_thread(Scores, self._corpus.facets, self.novelty, self.people)
        return changed

    def _reload(self) -> bool:
        changed = False
        for name in ("topics", "novelty"):
            path = self._file(name)
            stamp = path.stat().st_mtime_ns if path.exists() else 0
            if stamp and stamp != self._stamps.get(name):
                self._stamps[name] = stamp
                loaded = Topics.load(path) if name == "topics" else Novelty.load(path)
                if loaded is not None:
                    setattr(self, name, loaded)
                    changed = True
        return changed


def _experts(people: PeopleIndex, vectors: Vectors, topics: Topics | None) -> Experts:
    experts = Experts(people, vectors, topics, CollaboratorRanker.shipped())
    experts.warm()
    return experts


async def derive(corpus: Corpus, report: Report | None = None) -> None:
    """Bring topics and novelty up to date with the store; if interrupted, the earlier ones stay."""
    assert corpus.vectors is not None
    ids = np.flatnonzero(corpus.facets.codes >= 0)
    if not len(ids):
        return
    upto = await corpus.store.last_change()
    await _derive_topics(corpus, ids, upto, report)
    vectors, days = corpus.vectors, corpus.facets.days.astype(np.int64)
    path = corpus.folder / "novelty.npz"
    known = await asyncio.to_thread(Novelty.load, path)

    def compare() -> None:
        tell = (lambda done, total: report("comparing with earlier papers", done, total)) if report else None
        waiting = [int(paper) for paper in ids if vectors.has(int(paper))]
        fresh = len(waiting) if known is None else sum(not known.has(paper) for paper in waiting)
        if fresh and (known is None or fresh > max(2_000, len(known) // 10)):
            Novelty.build(ids, days[ids], vectors, tell).save(path)
        elif fresh and known is not None:
            grown = known.extended(ids, days[ids], vectors)
            if len(grown) > len(known):
                grown.save(path)

    await asyncio.to_thread(compare)


async def _derive_topics(corpus: Corpus, ids: np.ndarray, upto: int, report: Report | None) -> None:
    path = corpus.folder / "topics.npz"
    known = await asyncio.to_thread(Topics.load, path)
    if known is not None and known.upto == upto:
        return
    tell = (lambda done, total: report("finding topics", done, total)) if report else None
    if known is None or len(ids) > _REBUILD_TOPICS * len(known.papers):
        texts = await corpus.store.texts(ids.tolist())
        pairs = [texts[int(paper)][:2] for paper in ids]
        topics = await asyncio.to_thread(Topics.build, ids.tolist(), pairs, upto, tell)
    else:
        changed, last = [], known.upto
        while last < upto:
            part, last = await corpus.store.changed_ids(last, 5_000)
            changed += part
        here = set(ids.tolist())
        changed = sorted({paper for paper in changed if paper in here})
        texts = await corpus.store.texts(changed)
        topics = await asyncio.to_thread(
            known.extended, changed, [texts[paper][:2] for paper in changed], upto
        )
    await asyncio.to_thread(topics.save, path)
