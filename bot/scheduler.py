"""The clock: load the model, ask arXiv, embed new papers, match authors, while replies stay quick."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from threadpoolctl import threadpool_limits

from bot.backups import back_up_by_the_clock
from bot.cli.ingest import people_wait
from bot.settings import Settings
from bot.worker import RunOutcome, Worker
from commands.kit.painter import PICTURES
from commands.kit.services import Services
from commands.kit.supervise import ended, first_of, lasting
from data.calendar import clock
from data.calendar.announcements import LOOK_AGAIN, ask_at
from data.calendar.clock import utc_now
from data.database.engine import ANSWERING, MILLIONS, sqlite_path
from data.database.log_mover import keep_log_short
from index.claims.claim_proofs import PROVEN_FOR, recheck
from index.documents.shared_texts import READ_PAPERS
from index.models.large_pages import moved_into_large_pages
from index.models.shipped import ModelDamagedError
from index.search.embedding_model import ModelError
from index.search.files_of_database import BusyError
from index.search.phrases import PhraseFinder

log = logging.getLogger("labmate")
LOOK_EVERY = 3.0
NAMES_EVERY = 20.0
FULL_EVERY = timedelta(days=7)
_TOO_LONG = MILLIONS.log_size * 5 // 4
"""Bytes in SQLite's log beyond which the process that reads in a snapshot is behind in moving it."""
BUSY_AGAIN = timedelta(minutes=1)
"""How long to wait when another process is in the way."""
AT_ONCE = 64
"""The most papers to embed in this process; more go to the worker, which loads its own model."""
PAGE_PAUSE = 0.02
"""Seconds between two large pages, so that a reply meanwhile waits for one and not for all."""

Say = Callable[[str], None]


def settle(*, collect: bool = True) -> None:
    """Keep what was loaded from stalling replies: no garbage collection walks it, and one thread computes.

    After the first load, a collection would scan all libraries for a fifth of a second and free little.
    """
    if collect:
        gc.collect()
    gc.freeze()
    compute_alone()


def compute_alone() -> None:
    """Let the libraries of linear algebra that are loaded compute in the calling thread.

    With two threads, a product of a thousand rows waits up to 10 ms for the second one where another program
    has its core, and takes a fraction of that alone.
    """
    threadpool_limits(1, user_api="blas")


class Scheduler:
    """Runs in the client's event loop; long work runs in a worker process at low priority."""

    def __init__(self, settings: Settings, services: Services, say: Say | None = None) -> None:
        self._settings = settings
        self._services = services
        self._say = say or log.info
        self._tasks: list[asyncio.Task[None]] = []
        self._again: timedelta | None = None
        self.worker = Worker(self._heard, self._worker_failed)
        self.backups = Worker(self._backed_up, self._backup_failed)
        self._told_unreachable = False
        self._asked_for_phrases = False
        """Once is enough: a disk that is too full for the file may stay full."""
        self.model_ready = asyncio.Event()
        self._warmed = asyncio.Event()
        self.first_fetch = asyncio.Event()
        self._new = asyncio.Event()
        """Set when another process has added papers, or matched authors, and this one has not seen to it."""
        self._done = 0
        """The store's last change that was seen to."""
        self.settled = asyncio.Event()
        """Set after the first round: new papers embedded, authors matched, unless something failed."""

    @property
    def progress(self) -> str:
        """What Labmate is doing right now, in words; empty if nothing."""
        return self._services.progress.text

    def start(self) -> None:
        """Start; call this after the login."""
        self._tasks = [
            asyncio.create_task(lasting(step, failed=self._failed))
            for step in (
                self._services.leader.keep,
                self._work,
                self._follow,
                self._back_up,
                self._move_log,
                self._hold_memory,
            )
        ]

    async def stop(self) -> None:
        """Stop, including the workers; the next start finishes their work."""
        await ended(*self._tasks)
        await asyncio.gather(self.worker.stop(), self.backups.stop())

    def _failed(self) -> None:
        self._say("A background task failed and is starting again; see the log. I still answer questions.")

    # -- model and embeddings ----------------------------------------------------------------------

    async def load_model(self) -> None:
        """Load the model in a thread, and embed the papers that wait if they are few."""
        corpus = self._services.corpus
        log.info("loading the model")
        try:
            await asyncio.to_thread(corpus.embedder.load)
        except ModelError as error:
            self._say(f"{error} Until then, search finds papers by words only.")
            self._services.model_settled.set()
            return
        finally:
            compute_alone()
        if 0 < len(corpus.backlog()) <= AT_ONCE:
            await self._embed_here()
        self.model_ready.set()
        self._services.model_settled.set()
        await self._warm()
        settle(collect=False)
        self._warmed.set()

    async def _hold_memory(self) -> None:
        """Move what was loaded into large pages; neither a stop nor a first fetch waits for it."""
        await self._warmed.wait()
        pages, held = moved_into_large_pages(), 0
        while (moved := await asyncio.to_thread(next, pages, None)) is not None:
            held += moved
            await asyncio.sleep(PAGE_PAUSE)
        if held:
            log.info("%d MB of memory are held in large pages", held >> 20)

    async def _warm(self) -> None:
        """Load what the first /similar, /search, /collaborators and picture would wait for."""
        with suppress(ModelDamagedError):  # who asks for it is told
            await asyncio.to_thread(PhraseFinder.shipped)
            await self._services.search.warm()
            await self._services.insight.experts()
        await self._services.painter.warm()

    async def _embed(self) -> None:
        """Bring words and vectors up to date with the store; what takes long, in the worker."""
        corpus = self._services.corpus
        waiting = max(len(corpus.backlog()), await corpus.words_behind(AT_ONCE + 1))
        if waiting > AT_ONCE or (corpus.vectors is not None and corpus.vectors.is_due()):
            await self._run("index")
            await corpus.refresh()
        elif waiting:
            await self._embed_here()

    async def _embed_here(self) -> None:
        corpus = self._services.corpus
        try:
            with corpus.writing():
                await corpus.catch_up_words()
                if not corpus.unreadable:
                    await corpus.open_vectors(writable=True)
                    await corpus.embed_backlog(tend=False)
        except BusyError:
            self._again = min(BUSY_AGAIN, self._again or BUSY_AGAIN)

    async def _work(self) -> None:
        """Ask arXiv, embed, match authors, wait; then again, sooner where another process adds papers."""
        await self.load_model()
        ask = clock.now()
        while True:
            self._again = None
            self._new.clear()
            if clock.now() >= ask:
                ask = await self._ask_arxiv()
            self.first_fetch.set()
            known = await self._services.store.last_change()  # what comes later needs another round
            await self._services.corpus.refresh()
            if self.model_ready.is_set():
                await self._embed()
            await self._tell_apart()
            if self._services.files is not None:
                for shelf in (PICTURES, READ_PAPERS):
                    await self._services.files.tidy(shelf)
            self._services.progress.over()
            self._done = known
            self.settled.set()
            led = self._services.leader.gained.is_set()
            await self._rest(min(ask, clock.now() + self._again) if self._again else ask)
            if self._services.leader.gained.is_set() and not led:
                ask = clock.now()

    async def _ask_arxiv(self) -> datetime:
        """Let the worker ask for new papers, unless another process does; returns when to ask again."""
        reached = True
        if self._settings.labmate_fetch and await self._services.leader.lead():
            reached = await self._run("ingest", "recent")
        _, newest, _ = await self._services.store.listings.around()
        ask = ask_at(clock.now(), newest, reached=reached)
        return min(ask, clock.now() + self._again) if self._again else ask

    async def _rest(self, until: datetime) -> None:
        """Wait until then, or until papers come from elsewhere, or this process becomes the leader."""
        waits: list[Awaitable[Any]] = [clock.wait_until(until), self._new.wait()]
        led = self._services.leader.gained.is_set()
        await first_of(*waits, *([] if led else [self._services.leader.gained.wait()]))

    async def _run(self, *command: str) -> bool:
        """Run a command in the worker; returns whether it succeeded. A failure is tried again soon."""
        outcome = await self.worker.run(*command)
        if outcome is not RunOutcome.DONE:
            again = BUSY_AGAIN if outcome is RunOutcome.BUSY else LOOK_AGAIN
            self._again = min(again, self._again or again)
        return outcome is RunOutcome.DONE

    async def _tell_apart(self) -> None:
        """Match the authors of new papers, and once a week all authors; refresh old facts and proofs."""
        if not await self._services.leader.lead():
            await self._follow_leader()
            return
        await self._services.store.kept_texts.forget_old()
        await self._services.store.asked_questions.forget_old()
        await self._services.store.link_cards.forget_old()
        await self._services.store.library.forget_old()
        if not len(self._services.corpus.facets) or self._services.corpus.unreadable:
            return
        people = self._services.store.people
        last, full = await people.last_pass(), await people.last_pass("full")
        # Full passes from when every server's corrections counted as certain no longer count.
        old = last is not None and (full is None or abs(utc_now() - full.finished) > FULL_EVERY)
        done = True
        if old or await people_wait(self._services.store):
            done = await self._run("identify", *(["--full"] if old else []))
        await self._follow_people(derives=done)
        await self._services.facts.refresh_stale()
        before = utc_now() - PROVEN_FOR
        await recheck(self._services.store, self._services.witnesses, before)

    async def _follow_leader(self) -> None:
        """Take the people that the leader matched; what follows from them is made on each machine."""
        await self._follow_people(topics_too=True)
        if self._services.insight.people_lag:
            self._again = min(BUSY_AGAIN, self._again or BUSY_AGAIN)

    async def _follow_people(self, *, derives: bool = True, topics_too: bool = False) -> None:
        """Take the people of the last pass, and let the worker make what follows from it if that is missing.

        It is, for example, after a pass from the command line that was stopped before it had made its files.
        """
        insight = self._services.insight
        loaded = await insight.refresh()
        topics_wait = topics_too and insight.topics_lag and not insight.people_lag
        phrases_wait = insight.lacks_phrases and not self._asked_for_phrases
        derives = derives and not self._services.corpus.unreadable
        if derives and (insight.waits_for_files or topics_wait or phrases_wait):
            self._asked_for_phrases |= phrases_wait
            await self._run("derive")
            loaded |= await insight.refresh()
            if insight.waits_for_files:  # another process was in the way
                self._again = min(LOOK_AGAIN, self._again or LOOK_AGAIN)
        if loaded:
            settle()

    async def _back_up(self) -> None:
        await back_up_by_the_clock(self._settings, self.backups)

    def _backed_up(self, event: dict[str, Any]) -> None:
        if message := event.get("say"):
            log.info("backup: %s", message)

    def _backup_failed(self, _outcome: RunOutcome, reason: str) -> None:
        log.error("the backup failed: %s The last backup is still there. Trying again in an hour.", reason)

    async def _move_log(self) -> None:
        if (database := sqlite_path(self._settings.database)) is not None:
            await keep_log_short(database, ANSWERING.log_size, _TOO_LONG)

    # -- the worker --------------------------------------------------------------------------------

    def _heard(self, event: dict[str, Any]) -> None:
        if step := event.get("step"):
            done, total = int(event.get("done", 0)), int(event.get("total", 0))
            self._services.progress.heard(step, done, total)
        elif message := event.get("say"):
            self._told_unreachable = False
            log.info("%s", message)
            self._say(str(message))

    def _worker_failed(self, outcome: RunOutcome, reason: str) -> None:
        """Say why a worker failed."""
        if outcome is RunOutcome.UNREACHABLE:
            log.warning("%s", reason)
            self._tell_once(reason)
        elif outcome is RunOutcome.BUSY:
            log.info("%s Trying again soon.", reason)
        else:
            self._say(
                "Background work failed; the log says why. I still answer questions, and will try again in "
                f"{LOOK_AGAIN.seconds // 60} minutes."
            )

    def _tell_once(self, error: str) -> None:
        """Say only once that arXiv can't be reached, not every quarter of an hour."""
        if self._told_unreachable:
            return
        self._told_unreachable = True
        papers = len(self._services.corpus.facets)
        self._say(
            f"arXiv can't be read right now ({error}). I answer from the {papers:,} papers I have and "
            f"try again every {LOOK_AGAIN.seconds // 60} minutes. To add papers from a file: "
            "make run PAPERS=path, or python -m bot ingest file PATH"
        )

    # -- following what others write -----------------------------------------------------------------

    async def _follow(self) -> None:
        """Pick up what the worker, or an ingest from the command line, has written."""
        corpus, waited, seen = self._services.corpus, 0.0, self._done
        insight = self._services.insight
        while True:
            await asyncio.sleep(LOOK_EVERY)
            waited += LOOK_EVERY
            await corpus.refresh()
            await corpus.following.look()
            before, seen = seen, corpus.following.newest
            if seen == before != self._done:  # somebody has added papers, and pauses
                self._new.set()
            if waited >= NAMES_EVERY:
                waited = 0.0
                await corpus.refresh_names()
                waited_before = insight.waits_for_files
                await insight.refresh()
                if insight.waits_for_files and not waited_before:
                    self._new.set()
