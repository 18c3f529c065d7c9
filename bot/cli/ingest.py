"""Reading in papers from the command line: from files and from arXiv; then embedding and matching authors."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path

from bot.cli.reporter import Reporter as Reporter
from bot.settings import Settings
from commands.kit.progress import Progress, duration
from data.calendar import clock
from data.calendar.arxiv_ids import announcement_day
from data.records import Deletion, PaperRecord, Rejected
from data.sources.arxiv import ArxivApi, held_in_moderation
from data.sources.arxiv_oai import ArxivOai, sets_of
from data.sources.files import PaperFile
from data.sources.http import PoliteClient, SourceError
from data.stores.store import Store
from index.identity.standing import outnumbered
from index.people.insight import derive
from index.search.corpus import Corpus
from index.search.facets import in_category
from index.search.intake import Intake, Numbered, ReadyVectors, Summary

RECENT = timedelta(days=7)
_ASKED_AHEAD = 500
_LITTLE = 1.1
"""If fewer than a tenth of the authorships are new since the last full pass, counting is unnecessary."""


def polite(settings: Settings) -> PoliteClient:
    """The one client for all of arXiv's interfaces; all processes share its pace."""
    return PoliteClient(interval=settings.arxiv_interval_seconds, turn=settings.labmate_data / "arxiv.turn")


def closing(summary: Summary, *, lines: bool = False) -> str:
    """The last lines of a run: how many records came, what became of them, and why some were refused.

    With ``lines``, their numbers are those of lines in a file.
    """
    text = (
        f"{summary.read:,} read: {summary.added:,} added, {summary.updated:,} updated, "
        f"{summary.unchanged:,} unchanged, {summary.refused:,} refused"
    )
    reasons = sorted(summary.reasons.items(), key=lambda pair: -pair[1])[:5]
    for reason, count in reasons:
        line = f"line {summary.first[reason] + 1:,}" if lines and reason in summary.first else ""
        which = line and (f" ({line})" if count == 1 else f" (the first: {line})")
        text += f"\n  refused {count:,}{which}: {reason}"
    return text


async def ingest_file(
    corpus: Corpus, path: Path, vectors: Path | None, report: Reporter, *, own_ids: bool = False
) -> Summary:
    """Read in a file of papers; with ``own_ids``, its ids may be anything.

    Raises
    ------
    SourceError
        If it can't be read, or holds no records.
    """
    assert corpus.vectors is not None
    file = PaperFile(path, own_ids=own_ids)
    ready = ReadyVectors(vectors, corpus.vectors.fingerprint) if vectors else None
    begun = time.monotonic()

    def show(summary: Summary) -> None:
        seconds = max(0.01, time.monotonic() - begun)
        rate = f"{summary.read:,} records, {summary.read / seconds:,.0f}/s"
        report.step(f"reading {path.name}", file.position, file.size, rate)

    report.step(f"reading {path.name}", 0, file.size)
    intake = Intake(corpus, "file", path.name, vectors=ready, progress=show)
    try:
        summary = await intake.run(iter(file))
    except SourceError:
        if intake.summary.read > intake.summary.refused:
            report.say("What was read before the damage is kept.")
        raise
    if not summary.read:
        raise SourceError(f"{path} holds no records. Nothing was read in.")
    if summary.read == summary.refused:
        report.say(closing(summary))
        raise SourceError(
            f"{path} holds no paper that Labmate can read. Nothing was read in. It reads JSON lines or a "
            "JSON array of papers, plain or compressed."
            + ("" if own_ids else " If its ids are not arXiv's, add --own-ids.")
        )
    for doubt in ready.doubts(path, file.lines) if ready else ():
        report.say(doubt)
    return summary


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
        """Give records that an earlier run missed the day on which they appeared."""
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
    """Read everything announced or changed since a day, through OAI-PMH; ``only`` limits the categories."""
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
        # Nobody goes on from a run under a clock that was moved: what came until then would be missed.
        scope = "(clock ahead) " * clock.is_ahead() + " ".join(only or oai_sets)
        intake = Intake(corpus, "arxiv-oai", scope, since=since, progress=show)
        return await intake.run(items())
    finally:
        await client.close()


def _wanted(record: PaperRecord | Deletion | Rejected, only: list[str] | None) -> bool:
    if only is None or not isinstance(record, PaperRecord):
        return True
    return any(in_category(" ".join(record.categories), category) for category in only)


async def ingest_recent(corpus: Corpus, settings: Settings, report: Reporter) -> Summary:
    """Read what a running bot reads by itself: what arXiv announced since the last time or in the last week.

    OAI-PMH lists papers by the day they became visible, so papers that moderation held back are not lost.
    """
    categories = sorted(settings.labmate_categories)
    last = await corpus.store.last_run("arxiv-oai", " ".join(categories))
    today = clock.now().date()
    since = today - RECENT
    if last is not None and last.started.date() <= today:  # later: the clock was ahead, and nobody knows when
        since = last.started.date() - timedelta(days=1)
    return await ingest_oai(corpus, settings, sets_of(categories), since, report, only=categories)


async def embed(corpus: Corpus, report: Reporter) -> int:
    """Embed every paper that has no vector yet; returns how many."""
    progress, told = Progress(), report.is_watched

    def show(done: int, total: int) -> None:
        nonlocal told
        progress.heard("embedding", done, total)  # from the first on, so that loading the model doesn't count
        if not told and (left := progress.left()) is not None:
            report.say(f"Embedding {total:,} papers; this takes about {duration(left)}.")
            told = True
        report.step("embedding", done, total)

    waiting = len(corpus.backlog())
    if waiting and not report.is_beside_bot:
        report.step("embedding", 0, waiting)  # the model takes seconds to load, and 8 bits to prepare
    return await corpus.embed_backlog(show)


async def tell_apart(
    corpus: Corpus, report: Reporter, *, full: bool = False, processes: int | None = None
) -> None:
    """Match authors to papers, find topics and novelty; from scratch with ``full`` or after a large load.

    Unless told otherwise, a process for each core matches authors; beside the running bot, for every other.
    """
    from index.identity.full_pass import FullPass  # lazy: start-up; the bot doesn't need it
    from index.identity.judging import usable_cores  # lazy: as above
    from index.identity.passes import identify  # lazy: as above

    if FullPass(corpus, None).state() is not None:
        report.say("Going on with the full pass that was stopped.")
    begun = time.monotonic()
    usual = max(1, usable_cores() // 2) if report.is_beside_bot else usable_cores()
    outcome = await identify(corpus, full=full, report=report.step, processes=processes or usual)
    await derive(corpus, report.step)
    report.say(
        f"{outcome.people:,} people found in {outcome.authorships:,} authorships, "
        f"{outcome.changed:,} changed, in {time.monotonic() - begun:.0f} s"
    )


async def people_wait(store: Store) -> bool:
    """Whether some authorships are new to every pass, or more were only placed than judged."""
    last = await store.people.last_pass()
    if last is None or last.upto != await store.last_change():
        return True
    full = await store.people.last_pass("full")
    if full is not None and last.authorships < _LITTLE * full.authorships:
        return False  # counting reads every authorship, which takes minutes at three million papers
    return outnumbered(*await store.people.standing())


def latest_listing() -> date:
    """The newest listing that arXiv has announced by now."""
    now = clock.now()
    day = announcement_day(now)
    while day > now.date():
        day -= timedelta(days=1)
    return day
