"""python -m bot ingest from NAME: read papers from a source in one file, data/sources/NAME_source.py."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date

from bot.app import load_sample, open_corpus
from bot.cli.command_line import perform
from bot.cli.ingest import closing
from bot.cli.reporter import Reporter, still_need
from bot.logs import log_to
from bot.settings import Settings
from data.sources.http import PoliteClient
from data.sources.source import Read, source
from index.search.corpus import Corpus
from index.search.intake import Intake, Numbered, Summary

INTERVAL = 1.0
"""Seconds between two requests to one source."""


def ingest_from(config: Settings, name: str, since: date) -> None:
    """Read what a further source has, new or changed since a day."""
    log_to(config, "command")
    perform(_work(config, name, since))


async def _work(config: Settings, name: str, since: date) -> None:
    read = source(name)
    report = Reporter(events=False)
    await load_sample(config)
    async with open_corpus(config, writable=True) as corpus:
        with corpus.writing(), report.showing():
            summary = await ingest_source(corpus, config, name, read, since, report)
            waiting = len(corpus.backlog())
        report.say(f"{name}: {closing(summary)}")
        if waiting:
            report.say(
                f"{still_need(waiting)} and author matching. "
                "A running Labmate does both; so do `python -m bot index` and then `python -m bot identify`."
            )


async def ingest_source(
    corpus: Corpus, config: Settings, name: str, read: Read, since: date, report: Reporter
) -> Summary:
    """Read a source's papers into the corpus."""
    client = PoliteClient(interval=INTERVAL, turn=config.labmate_data / f"{name}.turn")

    async def items() -> AsyncIterator[Numbered]:
        async for item in read(client, since):
            yield 0, item

    def show(summary: Summary) -> None:
        report.step(f"reading {name}", summary.read, 0, f"{summary.read:,} records")

    report.step(f"reading {name}", 0, 0)
    try:
        return await Intake(corpus, name, "", since=since, progress=show).run(items())
    finally:
        await client.close()
