"""Knowledge derived from papers: people, topics, novelty and scores. A worker makes it, the bot follows."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from data.stores.person_passes import Pass
from index.models.distinct import common
from index.models.mapped import forget_drafts
from index.people import earlier_files
from index.people.novelty import Novelty, embedded
from index.people.pair_features import Partners
from index.people.people import PeopleIndex
from index.people.people_files import GROWN, PeopleFiles
from index.people.scores import Scores
from index.people.suggest import CollaboratorRanker, Experts
from index.people.topics import Topics
from index.search.corpus import Corpus
from index.search.kept_phrases import FILE as PHRASES
from index.search.kept_phrases import FoundPhrases, KeptPhrases, keep_phrases
from index.search.vectors import Vectors

log = logging.getLogger("labmate")
Report = Callable[[str, int, int], None]
_TRY_AGAIN = 600.0
"""Seconds until files are tried again that couldn't be written."""
_REBUILD_TOPICS = 1.1
"""Topics are computed again when the number of papers has grown by a tenth."""
LEARNT_FROM = 400_000
"""So many of the newest papers say what is a topic; older ones are looked through for these."""
MOST_SCORED_HERE = 500_000
"""Scores of more papers are left to a worker, since they take a gigabyte to compute."""
_TEXTS_AT_ONCE, _TOPICS_AT_ONCE = 2_000, 100_000


class Insight:
    """The newest derived knowledge; each part is None until it has been computed once.

    Parameters
    ----------
    has_worker
        Go on with files of people that are out of date, and leave it to a worker to make them again
        (:attr:`waits_for_files`); else they are made at once.
    """

    def __init__(self, corpus: Corpus, *, has_worker: bool = False) -> None:
        self._corpus = corpus
        self._files = PeopleFiles(corpus.store, corpus.folder)
        self.people: PeopleIndex | None = None
        self.topics: Topics | None = None
        self.phrases: KeptPhrases | None = None
        self.novelty: Novelty | None = None
        self.scores: Scores | None = None
        self._stamps: dict[str, int] = {}
        self._judged_upto, self._only_placed = -1, False
        self._in_files, self._try_files_at = False, 0.0
        self._has_worker, self._left_at = has_worker, 0
        self._seen_files: tuple[int, ...] = ()
        self._are_behind = False
        self._compared = 0
        """How many papers had a vector when people were compared."""
        self._lock = asyncio.Lock()
        self._experts: Experts | None = None
        self._experts_of: tuple[object, ...] = ()
        """The people, vectors and topics that these know."""
        self._network = 0, 0
        """Which files of the network these know."""
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
    def lacks_phrases(self) -> bool:
        """Whether there are topics but no phrases.map yet, as after an update."""
        return self.topics is not None and self.phrases is None

    @property
    def _embedded(self) -> int:
        return 0 if self._corpus.vectors is None else len(self._corpus.vectors)

    @property
    def _vectors_grew(self) -> bool:
        """Whether people must be compared again: a tenth more papers have vectors, or the last got theirs.

        Where people live in files, the last few don't count.
        """
        grew = self._embedded - self._compared
        few = self._compared // GROWN if self._in_files else 0
        return grew > self._compared // 10 or (grew > few and not self._corpus.waiting())

    @property
    def waits_for_files(self) -> bool:
        """Whether the files of people are out of date, and the worker should make them (:func:`derive`)."""
        if not (self._has_worker and self._in_files):
            return False
        return self._left_at > 0 or self._are_behind or (self._compared > 0 and self._vectors_grew)

    def _file(self, name: str) -> Path:
        return self._corpus.folder / name

    async def experts(self) -> Experts | None:
        """Suggests collaborators among the present people; None before the first pass or without vectors."""
        people, vectors = self.people, self._corpus.vectors
        if people is None or vectors is None or not len(people):
            return None
        async with self._making:
            stamp = self._files.network_stamp() if self._in_files else (0, 0)
            topics = self.topics
            known = people, vectors, topics
            if self._experts is None or self._experts_of != known or self._network != stamp:
                partners = None
                if self._in_files and len(vectors):
                    try:
                        partners = await self._files.partners(people, self._corpus.facets, vectors)
                    except OSError as error:
                        log.warning("the network of coauthors can't be written (%s)", error)
                    else:
                        if partners is None:  # another process makes the files
                            return self._experts
                self._experts = await asyncio.to_thread(_experts, people, vectors, topics, partners)
                self._experts_of = known
                self._network = self._files.network_stamp() if self._in_files else (0, 0)
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
            changed = await self._follow_people(last)
        changed |= await asyncio.to_thread(self._reload)
        written = self._is_new("scores.map")
        if (changed or written) and (self.novelty is not None or self._in_files):
            await self._follow_scores()
            changed = True
        return changed

    async def _follow_people(self, last: Pass) -> bool:
        """Take the people of the last pass, and their mean vectors; returns whether anything was new."""
        before = self.people
        self._in_files = self._files.serve(last) and time.monotonic() >= self._try_files_at
        if self._in_files:
            try:
                await self._follow_files(last)
            except OSError as error:
                log.warning("files of people can't be written (%s); they stay in memory for now", error)
                self._in_files, self._try_files_at = False, time.monotonic() + _TRY_AGAIN
        if not self._in_files:
            await self._follow_in_memory(last)
        return self.people is not before

    async def _follow_in_memory(self, last: Pass) -> None:
        vectors = self._corpus.vectors
        if self.people is None or self.people.number != last.id:
            self.people = await PeopleIndex.of(self._corpus.store, self._corpus.facets, vectors)
            self._compared = self._embedded
        self._judged_upto = last.upto
        if self._vectors_grew:
            assert vectors is not None
            compared = self._embedded
            self.people = await asyncio.to_thread(self.people.with_vectors, vectors)
            self._compared = compared

    async def _follow_files(self, last: Pass) -> None:
        vectors, before = self._corpus.vectors, self.people
        written = self._is_new("people.map")
        if before is None or last.id not in (before.number, self._left_at) or written:
            self._left_at = 0
            filed = await self._files.people(last, self._corpus.facets, again=not self._has_worker)
            if filed is not None:
                self.people = filed.people.with_closest(before.closest if before is not None else None)
                self._judged_upto = filed.upto
                if filed.is_current:
                    self._is_new("people.map")
                elif self._has_worker:
                    self._left_at = last.id
        if self.people is not None and vectors is not None and len(vectors):
            known = self._compared = self._files.embedded(vectors)
            again = not known or (self._vectors_grew and not self._has_worker)
            written = self._is_new("closest.map")
            if again or written or self.people.closest is None:
                closest = await self._files.closest(self.people, vectors, again=again)
                self.people = self.people.with_closest(closest)
                self._is_new("closest.map")
            seen = (last.id, self._stamps.get("closest.map", 0), *self._files.network_stamp())
            if self._has_worker and self._seen_files != seen:
                self._are_behind = await self._files.are_behind(vectors)
                self._seen_files = seen

    async def _follow_scores(self) -> None:
        """Open the scores that a worker has written; where people are few, compute them."""
        facets, path = self._corpus.facets, self._file("scores.map")
        if self._in_files and (opened := await asyncio.to_thread(Scores.open, path, facets)) is not None:
            self.scores = opened
        elif self.novelty is not None and len(facets.codes) <= MOST_SCORED_HERE:
            computed = await asyncio.to_thread(Scores.of, facets, self.novelty, self.people)
            self.scores = computed
            if self._in_files:
                with contextlib.suppress(OSError):  # a full disk: they stay in memory
                    await asyncio.to_thread(computed.write, path)
                self._is_new("scores.map")
                self.scores = await asyncio.to_thread(Scores.open, path, facets) or computed

    def _is_new(self, name: str) -> bool:
        """Whether a file is there, and another than when this was last asked."""
        path = self._file(name)
        stamp = path.stat().st_mtime_ns if path.exists() else 0
        if not stamp or stamp == self._stamps.get(name):
            return False
        self._stamps[name] = stamp
        return True

    def _reload(self) -> bool:
        earlier_files.turn(self._corpus.folder)
        changed = False
        if self._is_new("topics.map") and (topics := Topics.load(self._file("topics.map"))) is not None:
            self.topics, changed = topics, True
        if self._is_new(PHRASES) and (phrases := KeptPhrases.open(self._file(PHRASES))) is not None:
            self.phrases = phrases
        if self._is_new("novelty.map") and (novelty := Novelty.load(self._file("novelty.map"))) is not None:
            self.novelty, changed = novelty, True
        return changed


def _experts(
    people: PeopleIndex, vectors: Vectors, topics: Topics | None, partners: Partners | None
) -> Experts:
    experts = Experts(people, vectors, topics, CollaboratorRanker.shipped(), partners)
    experts.warm()
    return experts


async def derive(corpus: Corpus, report: Report | None = None) -> None:
    """Bring topics, novelty and all files up to date with the store; if interrupted, earlier ones stay."""
    assert corpus.vectors is not None
    ids = np.flatnonzero(corpus.facets.codes >= 0)
    if not len(ids):
        return
    upto = await corpus.store.last_change()
    await asyncio.to_thread(forget_drafts, corpus.folder)
    await asyncio.to_thread(earlier_files.turn, corpus.folder)
    await corpus.keep_names()
    with _until_left(report) as tell:
        people = await PeopleFiles(corpus.store, corpus.folder).keep(corpus.facets, corpus.vectors, tell)
        await _derive_topics(corpus, ids, upto, tell)
        novelty = await asyncio.to_thread(_derive_novelty, corpus, ids, tell)
        if people is not None and novelty is not None:
            scores = await asyncio.to_thread(Scores.of, corpus.facets, novelty, people)
            await asyncio.to_thread(scores.write, corpus.folder / "scores.map")
        with _unless_unwritten():
            await keep_phrases(corpus, tell)


class LeftError(Exception):
    """Ends a thread whose result nobody is waiting for any more."""


@contextlib.contextmanager
def _until_left(report: Report | None) -> Iterator[Report]:
    """Report steps until this block is left; a thread that still reports then, as after Ctrl-C, is ended.

    Otherwise the process would wait until the thread has read all papers.
    """
    left = threading.Event()

    def tell(step: str, done: int, total: int) -> None:
        if left.is_set():
            raise LeftError
        if report:
            report(step, done, total)

    try:
        yield tell
    finally:
        left.set()


@contextlib.contextmanager
def _unless_unwritten() -> Iterator[None]:
    """Go on if phrases.map can't be written: replies then find the missing phrases themselves."""
    try:
        yield
    except OSError as error:
        log.warning("phrases.map can't be written (%s); replies find missing phrases themselves", error)


def _derive_novelty(corpus: Corpus, ids: np.ndarray, report: Report | None) -> Novelty | None:
    assert corpus.vectors is not None
    vectors, days = corpus.vectors, corpus.facets.days.astype(np.int64)
    path = corpus.folder / "novelty.map"
    known = Novelty.load(path)
    tell = (lambda done, total: report("comparing with earlier papers", done, total)) if report else None
    lacking = embedded(ids, vectors) if known is None else known.lacking(ids, vectors)
    fresh = int(lacking.sum())
    made = known
    if fresh and (known is None or fresh > max(2_000, len(known) // 10)):
        made = Novelty.build(ids, days[ids], vectors, tell)
    elif fresh and known is not None:
        made = known.extended(ids, days[ids], vectors)
    if made is None or made is known:
        return known
    made.save(path)
    return Novelty.load(path)  # as everybody reads it: rounded, and mapped


async def _derive_topics(corpus: Corpus, ids: np.ndarray, upto: int, report: Report | None) -> None:
    path = corpus.folder / "topics.map"
    known = await asyncio.to_thread(Topics.load, path)
    if known is not None and known.upto == upto:
        return
    tell = (lambda done, total: report("finding topics", done, total)) if report else None
    loop = asyncio.get_running_loop()

    def texts(papers: np.ndarray) -> Iterator[tuple[str, str]]:
        """Titles and abstracts, read as they are needed; for another thread."""
        for start in range(0, len(papers), _TEXTS_AT_ONCE):
            part = papers[start : start + _TEXTS_AT_ONCE].tolist()
            read = asyncio.run_coroutine_threadsafe(corpus.store.texts(part), loop).result()
            yield from (read[paper][:2] for paper in part)

    if known is None or len(ids) > _REBUILD_TOPICS * len(known.papers):
        newest = np.sort(ids[np.argsort(-corpus.facets.days_of(ids), kind="stable")[:LEARNT_FROM]])
        phrases = FoundPhrases()
        topics = await asyncio.to_thread(Topics.build, newest, texts(newest), upto, tell, phrases.add_some)
        with _unless_unwritten():
            await asyncio.to_thread(phrases.add_to, corpus.folder / PHRASES)
        del phrases
        rest = np.setdiff1d(ids, newest)
    else:
        topics, last, found = known, known.upto, set[int]()
        while last < upto:
            part, last = await corpus.store.changed_ids(last, 5_000)
            found.update(part)
        rest = common(np.array(sorted(found), np.int64), ids)
    for start in range(0, max(1, len(rest)), _TOPICS_AT_ONCE):
        more = rest[start : start + _TOPICS_AT_ONCE]
        topics = await asyncio.to_thread(_extended, topics, more, texts(more), upto)
        if tell and len(rest) > _TOPICS_AT_ONCE:
            tell(len(topics.papers), len(ids))
    await asyncio.to_thread(topics.save, path)


def _extended(topics: Topics, papers: np.ndarray, texts: Iterable[tuple[str, str]], upto: int) -> Topics:
    return topics.extended(papers, list(texts), upto)
