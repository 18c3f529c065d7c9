"""What happens by the clock: the model is loaded, arXiv is asked, what is new is embedded, replies stay quick."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from bot.backups import back_up_by_the_clock
from bot.cli.ingest import people_wait
from bot.settings import Settings
from bot.worker import RunOutcome, Worker
from commands.kit.services import Services
from commands.kit.supervise import lasting
from data.calendar import clock
from data.calendar.announcements import LOOK_AGAIN, ask_at
from data.calendar.clock import utc_now
from index.claims.claim_proofs import PROVEN_FOR, recheck
from index.search.corpus import BusyError
from index.search.embedding import ModelError

log = logging.getLogger("labmate")
LOOK_EVERY = 3.0
NAMES_EVERY = 20.0
FULL_EVERY = timedelta(days=7)
BUSY_AGAIN = timedelta(minutes=1)
"""After which something is tried again that another process was in the way of."""
AT_ONCE = 64
"""Papers that are embedded in this process; more go to the worker, which has a model of its own."""

Say = Callable[[str], None]


def settle() -> None:
    """Take names and model out of the garbage collector's rounds: walking them would stall a reply."""
    gc.collect()
    gc.freeze()


class Scheduler:
    """Runs beside the client in the same loop; long work runs in a worker process of low priority."""

    def __init__(self, settings: Settings, services: Services, say: Say | None = None) -> None:
        self._settings = settings
        self._services = services
        self._say = say or log.info
        self._tasks: list[asyncio.Task[None]] = []
        self._again: timedelta | None = None
        self.worker = Worker(self._heard, self._worker_failed)
        self.backups = Worker(self._backed_up, self._backup_failed)
        self._told_unreachable = False
        self.model_ready = asyncio.Event()
        self.first_fetch = asyncio.Event()
        self.settled = asyncio.Event()
        """Set once all that had come in was embedded and its people told apart, as far as that went well."""

    @property
    def progress(self) -> str:
        """What is being done right now, in words, or nothing."""
        return self._services.progress.text

    def start(self) -> None:
        """Begin; call once logged in."""
        self._tasks = [
            asyncio.create_task(lasting(step, failed=self._failed))
            for step in (self._work, self._follow, self._back_up)
        ]

    async def stop(self) -> None:
        """End, the worker too; what it was doing, the next start completes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self.worker.stop(), self.backups.stop())
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _failed(self) -> None:
        self._say("A background task failed and begins again; see the log. Questions are still answered.")

    # -- model and embeddings ----------------------------------------------------------------------

    async def load_model(self) -> None:
        """Load the model off the loop, and embed the few papers that wait."""
        corpus = self._services.corpus
        log.info("loading the model")
        try:
            await asyncio.to_thread(corpus.embedder.load)
        except ModelError as error:
            self._say(f"{error} Until then papers are found by words only.")
            self._services.model_settled.set()
            return
        if 0 < len(corpus.backlog()) <= AT_ONCE:
            await self._embed_here()
        self.model_ready.set()
        self._services.model_settled.set()
        settle()

    async def _embed_here(self) -> None:
        corpus = self._services.corpus
        try:
            with corpus.writing():
                await corpus.open_vectors(writable=True)
                await corpus.embed_backlog()
        except BusyError:
            return

    async def _work(self) -> None:
        """Ask arXiv, embed, wait, again."""
        await self.load_model()
        while True:
            self._again = None
            reached = not self._settings.labmate_fetch or await self._run("ingest", "recent")
            self.first_fetch.set()
            await self._services.corpus.refresh()
            if self.model_ready.is_set() and self._services.corpus.backlog():
                if len(self._services.corpus.backlog()) <= AT_ONCE:
                    await self._embed_here()
                else:
                    await self._run("index")
                    await self._services.corpus.refresh()
            await self._tell_apart()
            self._services.progress.over()
            self.settled.set()
            _, newest, _ = await self._services.store.listings.around()
            when = ask_at(clock.now(), newest, reached=reached)
            await clock.wait_until(min(when, clock.now() + self._again) if self._again else when)

    async def _run(self, *command: str) -> bool:
        """Have a worker do it; returns whether it did. What failed is tried again before long."""
        outcome = await self.worker.run(*command)
        if outcome is not RunOutcome.DONE:
            again = BUSY_AGAIN if outcome is RunOutcome.BUSY else LOOK_AGAIN
            self._again = min(again, self._again or again)
        return outcome is RunOutcome.DONE

    async def _tell_apart(self) -> None:
        """Whose the new authorships are, topics, novelty; once a week everybody anew; old facts again."""
        await self._services.store.kept_texts.forget_old()
        if not len(self._services.corpus.facets):
            return
        people = self._services.store.people
        last, full = await people.last_pass(), await people.last_pass("full")
        # A store whose last full pass took every server's corrections for certain has none that counts.
        old = last is not None and (full is None or utc_now() - full.finished > FULL_EVERY)
        if old or await people_wait(self._services.store):
            await self._run("identify", *(["--full"] if old else []))
        if await self._services.insight.refresh():
            settle()
        await self._services.facts.refresh_stale()
        before = utc_now() - PROVEN_FOR
        await recheck(self._services.store, self._services.witnesses, before)

    async def _back_up(self) -> None:
        await back_up_by_the_clock(self._settings, self.backups)

    def _backed_up(self, event: dict[str, Any]) -> None:
        if said := event.get("say"):
            log.info("backup: %s", said)

    def _backup_failed(self, _outcome: RunOutcome, said: str) -> None:
        log.error("the backup failed: %s The last one is still there; another try in an hour.", said)

    # -- the worker --------------------------------------------------------------------------------

    def _heard(self, event: dict[str, Any]) -> None:
        if step := event.get("step"):
            done, total = int(event.get("done", 0)), int(event.get("total", 0))
            self._services.progress.heard(step, done, total)
        elif said := event.get("say"):
            self._told_unreachable = False
            log.info("%s", said)
            self._say(str(said))

    def _worker_failed(self, outcome: RunOutcome, said: str) -> None:
        """Say what a worker failed at, each as what it is."""
        if outcome is RunOutcome.UNREACHABLE:
            log.warning("%s", said)
            self._tell_once(said)
        elif outcome is RunOutcome.BUSY:
            log.info("%s It is tried again soon.", said)
        else:
            self._say(
                f"Work in the background failed and is tried again in {LOOK_AGAIN.seconds // 60} minutes; the log "
                "says why. Questions are still answered."
            )

    def _tell_once(self, error: str) -> None:
        """Say that arXiv can't be reached once, not every quarter of an hour."""
        if self._told_unreachable:
            return
        self._told_unreachable = True
        known = len(self._services.corpus.facets)
        self._say(
            f"arXiv can't be read now ({error}). I know {known:,} papers and answer from these; I try again "
            f"every {LOOK_AGAIN.seconds // 60} minutes. To add papers from a file: "
            "make run PAPERS=path, or python -m bot ingest file PATH"
        )

    # -- following what others write -----------------------------------------------------------------

    async def _follow(self) -> None:
        """See what the worker, or an ingest started by hand, has written."""
        corpus = self._services.corpus
        waited = 0.0
        while True:
            await asyncio.sleep(LOOK_EVERY)
            waited += LOOK_EVERY
            await corpus.refresh()
            if waited >= NAMES_EVERY:
                waited = 0.0
                await corpus.refresh_names()
                await self._services.insight.refresh()
