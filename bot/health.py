"""The health of a running Labmate: yes or no with reasons for a supervisor, all figures for a monitor."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from bot.backups import folder_of, overdue
from bot.client import Labmate
from bot.metrics import build
from bot.scheduler import Scheduler
from bot.settings import Settings
from bot.worker import RunOutcome
from commands.kit.progress import Progress
from data.calendar import clock
from data.calendar.slots import undone
from data.database.backups import newest_in
from data.database.unavailable import DatabaseUnavailableError
from index.digest.due import LATE
from index.search.following import Lag

AWAY = 60.0
"""Seconds that the connection to Discord may be lost; resuming takes a few."""
DATABASE_SECONDS = 5.0
TIME_FOR_BACKUP = 3_600.0
"""Seconds after the start in which an overdue backup is made."""
KEPT = 2.0
"""Seconds for which a look is reused, so that frequent requests cost little."""
STATES = ("written", "posted", "empty", "missed", "failed")


@dataclass
class Look:
    """The state of things at one moment."""

    wrong: list[str] = field(default_factory=list)
    """Why Labmate can't do its work; empty if all is well."""
    worth_knowing: list[str] = field(default_factory=list)
    """What someone should look into although Labmate works."""
    connected: bool = False
    latency: float = math.nan
    guilds: int = 0
    database: bool = False
    papers: int = 0
    waiting: int = 0
    lag: Lag = field(default_factory=Lag)
    newest: date | None = None
    backup: datetime | None = None
    """When the newest backup was made."""
    digests: dict[str, int] = field(default_factory=dict)
    """``active``, ``due``, ``late``, ``posted_late`` and deliveries by state."""
    workers: dict[tuple[str, RunOutcome], int] = field(default_factory=dict)
    model: bool = False


class Health:
    """Looks at everything, at most every two seconds."""

    def __init__(self, bot: Labmate, scheduler: Scheduler, settings: Settings | None = None) -> None:
        self._bot = bot
        self._settings = settings
        self._scheduler = scheduler
        self._last: Look | None = None
        self._looked = 0.0
        self._began = self._connected = time.monotonic()
        self._lock = asyncio.Lock()
        self._figures = _Figures(self)
        bot.metrics.registry.register(self._figures)

    def close(self) -> None:
        """Stop reporting."""
        self._bot.metrics.registry.unregister(self._figures)

    async def look(self) -> Look:
        """The current state."""
        async with self._lock:
            if self._last is None or time.monotonic() - self._looked > KEPT:
                self._last = await self._look()
                self._looked = time.monotonic()
            return self._last

    @property
    def progress(self) -> Progress:
        """What the worker is doing."""
        return self._bot.services.progress

    @property
    def last(self) -> Look:
        """The result of the last look."""
        return self._last or Look()

    async def _look(self) -> Look:
        look = Look(workers=dict(self._scheduler.worker.outcomes + self._scheduler.backups.outcomes))
        self._gateway(look)
        corpus = self._bot.services.corpus
        look.papers, look.waiting = len(corpus.facets), corpus.waiting()
        look.model = corpus.embedder.is_loaded
        if corpus.unreadable:
            look.worth_knowing.append(f"papers are found by words only: {corpus.unreadable}")
        await self._backups(look)
        try:
            async with asyncio.timeout(DATABASE_SECONDS):
                await self._database(look)
            look.database = True
        except TimeoutError:
            look.wrong.append(f"the database did not answer within {DATABASE_SECONDS:.0f} s")
        except DatabaseUnavailableError as error:
            look.wrong.append(f"the database can't be read (it is {error.why})")
        except Exception as error:  # whatever went wrong, health reports it
            look.wrong.append(f"the database can't be read ({type(error).__name__})")
        failed = sum(count for (_, outcome), count in look.workers.items() if outcome is RunOutcome.FAILED)
        if failed:
            look.worth_knowing.append(f"background work failed {failed} times; the log says why")
        if look.lag.is_worth_telling:
            look.worth_knowing.append(
                f"papers not taken in yet: {look.lag.papers}, the oldest for {look.lag.seconds:.0f} s"
            )
        if self._bot.rivals.lately:
            look.worth_knowing.append(
                "another process answers with this DISCORD_TOKEN; the log says what to do"
            )
        if look.digests.get("late"):
            look.worth_knowing.append(f"{look.digests['late']} digests are late")
        return look

    async def _backups(self, look: Look) -> None:
        if (config := self._settings) is None:
            return
        now = clock.now()
        look.backup = await asyncio.to_thread(newest_in, folder_of(config), now)
        if overdue(config, look.backup, now) and time.monotonic() - self._began >= TIME_FOR_BACKUP:
            is_old = "no backup has been made yet"
            if look.backup is not None:
                is_old = f"the newest backup is {(now - look.backup) / timedelta(hours=1):.0f} hours old"
            look.worth_knowing.append(
                f"{is_old}, although one is due every {config.backup_every:g} hours; the log says why"
            )

    def _gateway(self, look: Look) -> None:
        bot = self._bot
        shards = bot.shards
        look.connected = bool(
            bot.is_ready() and shards and not any(shard.is_closed() for shard in shards.values())
        )
        look.latency, look.guilds = bot.latency, len(bot.guilds)
        now = time.monotonic()
        if bot.retired:
            look.worth_knowing.append("another process has taken over all shards; this one can be stopped")
        elif look.connected:
            self._connected = now
        elif not bot.is_ready():
            look.wrong.append("not logged in to Discord yet")
        elif now - self._connected > AWAY:
            look.wrong.append(f"no connection to Discord for {now - self._connected:.0f} s")

    async def _database(self, look: Look) -> None:
        store = self._bot.services.store
        _, look.newest, _ = await store.listings.around()
        look.lag = await self._bot.services.corpus.following.look()
        states, posted_late = await store.digests.counts()
        now, last = clock.now(), await store.digests.last_slots(clock.now())
        active = await store.digests.active()
        due = [
            slots[0][1]
            for one in active
            if (slots := undone(one.days, one.at, one.zone, one.changed, last.get(one.id), now))
        ]
        running = {one.id for one in active}
        unposted = [
            waiting.due.replace(tzinfo=UTC)
            for waiting in await store.digests.unposted()
            if waiting.digest_id in running
        ]
        look.digests = {
            "active": len(active),
            "due": len(due) + len(unposted),
            "late": sum(now - at > LATE for at in due + unposted),
            "posted_late": posted_late,
            **{state: states.get(state, 0) for state in STATES},
        }


def as_json(look: Look) -> dict[str, Any]:
    """The answer of /healthz to those who may see it."""
    return {
        "status": "failing" if look.wrong else "ok",
        "wrong": look.wrong,
        "worth_knowing": look.worth_knowing,
        "gateway": {
            "connected": look.connected,
            "latency_seconds": round(look.latency, 4) if math.isfinite(look.latency) else None,
            "servers": look.guilds,
        },
        "database": look.database,
        "papers": look.papers,
        "newest_listing": look.newest.isoformat() if look.newest else None,
        "waiting_embeddings": look.waiting,
        "behind": {"papers": look.lag.papers, "seconds": round(look.lag.seconds, 1)},
        "model_loaded": look.model,
        "digests": look.digests,
        "workers": {
            f"{command}: {outcome}": count for (command, outcome), count in sorted(look.workers.items())
        },
        "build": build(),
    }


def as_text(bot: Labmate) -> bytes:
    """All figures in Prometheus' text format."""
    return generate_latest(bot.metrics.registry)


class _Figures:
    """The last look, in Prometheus' terms."""

    def __init__(self, health: Health) -> None:
        self._health = health

    def describe(self) -> Iterable[Metric]:
        """Nothing in advance: figures need a look first."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """The figures."""
        look = self._health.last
        latency = look.latency if math.isfinite(look.latency) else math.nan
        day = look.newest
        newest = datetime.combine(day, datetime.min.time(), UTC).timestamp() if day else math.nan
        for name, text, value in (
            ("up", "1 if Labmate can do its work, as /healthz says", float(not look.wrong)),
            ("gateway_connected", "1 if every shard is connected to Discord", float(look.connected)),
            ("gateway_latency_seconds", "From a heartbeat to its answer", latency),
            ("servers", "Discord servers that Labmate is in", float(look.guilds)),
            ("database_up", "1 if the database answers", float(look.database)),
            ("model_loaded", "1 if papers can be found by meaning", float(look.model)),
            ("papers", "Papers that Labmate knows", float(look.papers)),
            ("embeddings_waiting", "Papers without an embedding", float(look.waiting)),
            ("behind_papers", "New or changed papers not taken in here yet", float(look.lag.papers)),
            ("behind_seconds", "Seconds that the oldest of them has been waiting", look.lag.seconds),
            ("newest_listing_timestamp_seconds", "Day of the newest listing, 0:00 UTC", newest),
            ("digests_active", "Digests that post", float(look.digests.get("active", 0))),
            ("digests_due", "Digests that are due but not posted yet", float(look.digests.get("due", 0))),
            (
                "digests_late",
                "Digests that have been due for over an hour",
                float(look.digests.get("late", 0)),
            ),
            (
                "digests_posted_late",
                "Digests that were posted late",
                float(look.digests.get("posted_late", 0)),
            ),
        ):
            yield GaugeMetricFamily(f"labmate_{name}", text, value=value)
        deliveries = GaugeMetricFamily("labmate_deliveries", "Digest postings by state", labels=["state"])
        for state in STATES:
            deliveries.add_metric([state], look.digests.get(state, 0))
        yield deliveries
        runs = CounterMetricFamily(
            "labmate_worker_runs", "Background runs by outcome", labels=["command", "outcome"]
        )
        for (command, outcome), count in look.workers.items():
            runs.add_metric([command, outcome], count)
        yield runs
        if look.backup:
            text, made = "When the newest backup was made", look.backup.timestamp()
            yield GaugeMetricFamily("labmate_newest_backup_timestamp_seconds", text, value=made)
        yield from self._work()

    def _work(self) -> Iterator[Metric]:
        """How far the worker is with the step at hand; nothing while it rests."""
        progress = self._health.progress
        left, rate = progress.left(), progress.rate
        for name, text, value in (
            ("done", "How much of the worker's present step is done", float(progress.done)),
            ("total", "How much the worker's present step is; 0 if unknown", float(progress.total)),
            ("per_second", "The pace of the worker's present step", math.nan if rate is None else rate),
            ("left_seconds", "Until the worker's present step is done", math.nan if left is None else left),
        ):
            family = GaugeMetricFamily(f"labmate_work_{name}", text, labels=["step"])
            if progress.step:
                family.add_metric([progress.step], value)
            yield family
