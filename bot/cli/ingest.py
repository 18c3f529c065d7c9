"""Reading papers in from the command line, with progress: for people as a bar, for the bot as JSON lines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from bot.settings import Settings
from data.calendar import clock
from data.calendar.arxiv_ids import announcement_day
from data.records import Deletion, PaperRecord, Rejected
from data.sources.arxiv import ArxivApi, held_in_moderation
from data.sources.arxiv_oai import ArxivOai, sets_of
from data.sources.files import PaperFile
from data.sources.http import PoliteClient
from data.stores.store import Store
from index.identity.passes import identify, outnumbered
from index.people.insight import derive
from index.search.corpus import Corpus
from index.search.facets import in_category
from index.search.intake import Intake, Numbered, ReadyVectors, Summary

RECENT = timedelta(days=7)
_ASKED_AHEAD = 500


class Reporter:
    """Shows what is being done."""

    def __init__(self, *, events: bool, console: Console | None = None) -> None:
        self._events = events
        self.console = console or Console(stderr=True)
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    @contextmanager
    def showing(self) -> Iterator[None]:
        """Draw bars while the work goes on."""
        if self._events:
            yield
            return
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=self.console, transient=False)
        try:
            yield
        finally:
            if self._tasks:
                self._bar.stop()
            self._bar, self._tasks = None, {}

    def step(self, name: str, done: int, total: int, rate: str = "") -> None:
        """Note how far a step is."""
        if self._events:
            self.event(step=name, done=done, total=total, note=rate)
        elif self._bar is not None:
            if not self._tasks:
                self._bar.start()
            if name not in self._tasks:
                self._tasks[name] = self._bar.add_task(name, total=total or None, rate="")
            task = self._tasks[name]
            speed = self._bar.tasks[self._bar.task_ids.index(task)].speed
            shown = rate or (f"{speed:,.0f}/s" if speed else "")
            self._bar.update(task, completed=done, total=total or None, rate=shown)

    def say(self, text: str) -> None:
        """Say something once."""
        if self._events:
            self.event(say=text)
        else:
            self.console.print(text, markup=False, highlight=False)

    @staticmethod
    def event(**data: object) -> None:
        """One line for the process that started this one."""
        sys.stdout.write(json.dumps(data) + "\n")
        sys.stdout.flush()


def polite(settings: Settings) -> PoliteClient:
    """The one client for all of arXiv's interfaces; its pace holds between processes."""
    return PoliteClient(interval=settings.arxiv_interval_seconds, turn=settings.labmate_data / "arxiv.turn")


def closing(summary: Summary) -> str:
    """The closing line of a run."""
    text = (
        f"{summary.read:,} read: {summary.added:,} added, {summary.updated:,} updated, "
        f"{summary.unchanged:,} unchanged, {summary.refused:,} refused"
    )
    reasons = sorted(summary.reasons.items(), key=lambda pair: -pair[1])[:5]
    return text + "".join(f"\n  refused {count:,}: {reason}" for reason, count in reasons)


async def ingest_file(corpus: Corpus, path: Path, vectors: Path | None, report: Reporter) -> Summary:
    """Read a file of papers in."""
    assert corpus.vectors is not None
    file = PaperFile(path)
    ready = ReadyVectors(vectors, corpus.vectors.fingerprint) if vectors else None
    begun = datetime.now(UTC)

    def show(summary: Summary) -> None:
        seconds = max(0.01, (datetime.now(UTC) - begun).total_seconds())
        rate = f"{summary.read:,} records, {summary.read / seconds:,.0f}/s"
        report.step(f"reading {path.name}", file.position, file.size, rate)

    report.step(f"reading {path.name}", 0, file.size)
    return await Intake(corpus, "file", path.name, vectors=ready, progress=show).run(iter(file))


async def ingest_arxiv(
    corpus: Corpus, settings: Settings, categories: list[str], since: date, report: Reporter
) -> Summary:
    """Read recent papers through the Atom API."""
    scope = " ".join(sorted(categories))
    before = await corpus.store.last_run("arxiv", scope)
    covered = before is not None and (before.since is None or before.since <= since)
    client = polite(settings)
    api = ArxivApi(client, settings.arxiv_api_url)

    async def items() -> AsyncIterator[Numbered]:
        waiting: list[PaperRecord] = []
        async for record in api.recent(categories, since):
            if not isinstance(record, PaperRecord):
                yield 0, record
                continue
            waiting.append(record)
            if len(waiting) >= _ASKED_AHEAD:
                for item in await judged(waiting):
                    yield 0, item
                waiting = []
        for item in await judged(waiting):
            yield 0, item

    async def judged(records: list[PaperRecord]) -> list[PaperRecord]:
        """Give what an earlier run should have seen, but did not, the day on which it showed."""
        if not covered or before is None:
            return records
        known = await corpus.store.known_arxiv_ids([record.ids["arxiv"] for record in records])
        today = latest_listing()
        return [
            record if record.ids["arxiv"] in known else held_in_moderation(record, before.started, today)
            for record in records
        ]

    def show(summary: Summary) -> None:
        report.step("reading arXiv", summary.read, api.total, f"{summary.read:,} records")

    report.step("reading arXiv", 0, 0)
    try:
        return await Intake(corpus, "arxiv", scope, since=since, progress=show).run(items())
    finally:
        await client.close()


async def ingest_oai(
    corpus: Corpus,
    settings: Settings,
    oai_sets: list[str],
    since: date,
    report: Reporter,
    *,
    only: list[str] | None = None,
) -> Summary:
    """Read everything announced or changed since a day, through OAI-PMH; ``only`` these categories."""
    client = polite(settings)
    oai = ArxivOai(client, settings.arxiv_oai_url)

    async def items() -> AsyncIterator[Numbered]:
        for oai_set in oai_sets:
            async for record in oai.records(oai_set, since):
                if _wanted(record, only):
                    yield 0, record

    def show(summary: Summary) -> None:
        report.step("reading arXiv", summary.read, 0 if only else oai.total, f"{summary.read:,} records")

    report.step("reading arXiv", 0, 0)
    try:
        intake = Intake(corpus, "arxiv-oai", " ".join(only or oai_sets), since=since, progress=show)
        return await intake.run(items())
    finally:
        await client.close()


def _wanted(record: PaperRecord | Deletion | Rejected, only: list[str] | None) -> bool:
    if only is None or not isinstance(record, PaperRecord):
        return True
    return any(in_category(" ".join(record.categories), category) for category in only)


async def ingest_recent(corpus: Corpus, settings: Settings, report: Reporter) -> Summary:
    """What a running bot does by itself: everything announced since it last looked, or in the last week.

    OAI-PMH lists papers by the day they became visible, so none that moderation held is lost.
    """
    categories = sorted(settings.labmate_categories)
    last = await corpus.store.last_run("arxiv-oai", " ".join(categories))
    since = clock.now().date() - RECENT
    if last is not None:
        since = last.started.date() - timedelta(days=1)
    return await ingest_oai(corpus, settings, sets_of(categories), since, report, only=categories)


async def embed(corpus: Corpus, report: Reporter) -> int:
    """Embed what has no vector yet."""
    show: Callable[[int, int], None] = lambda done, total: report.step("embedding", done, total)  # noqa: E731
    return await corpus.embed_backlog(show)


async def tell_apart(corpus: Corpus, report: Reporter, *, full: bool = False) -> None:
    """Whose each authorship is, topics, novelty; everybody anew with ``full``, or where a load calls for it."""
    begun = time.monotonic()
    outcome = await identify(corpus, full=full, report=report.step)
    await derive(corpus, report.step)
    report.say(
        f"{outcome.people:,} people of {outcome.authorships:,} authorships, "
        f"{outcome.changed:,} changed, in {time.monotonic() - begun:.0f} s"
    )


async def people_wait(store: Store) -> bool:
    """Whether there are authorships that no pass has seen, or more that were only placed than judged ones."""
    last = await store.people.last_pass()
    if last is None or last.upto != await store.last_change():
        return True
    return outnumbered(*await store.people.standing())


def latest_listing() -> date:
    """The newest listing that arXiv has announced by now."""
    now = clock.now()
    day = announcement_day(now)
    while day > now.date():
        day -= timedelta(days=1)
    return day
