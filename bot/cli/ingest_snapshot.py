"""python -m bot ingest snapshot FILE: all of arXiv, or some of its categories and years, from one file."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.command_line import perform, settings
from bot.cli.reporter import Reporter, still_need
from bot.logs import log_to
from bot.settings import Settings
from commands.kit.progress import duration
from data.calendar.arxiv_ids import is_category
from data.database.engine import MILLIONS
from data.sources.http import SourceError
from data.sources.snapshot import SOURCE, SnapshotChoice, SnapshotFile, parse_years
from index.search.corpus import Corpus
from index.search.intake import ReadyVectors, Summary
from index.search.ready_words import ReadyWords
from index.search.resumed_intake import ResumedIntake

_ALL = "all"
_LONG = 16 << 20
"""Bytes on disk above which a file is read in a process of its own, which takes a second to start."""
_WORTH_TELLING = 60
"""How long reading took is said from this many seconds on."""


def ingest_snapshot_command(
    path: Annotated[
        Path, typer.Argument(help="The snapshot: .json, plain or compressed (.gz, .zst, .bz2, .xz, .zip).")
    ],
    categories: Annotated[
        str | None,
        typer.Option(help="Categories or archives, such as cs.AI,math, or all. Default: LABMATE_CATEGORIES."),
    ] = None,
    years: Annotated[
        str | None, typer.Option(help="Years of first submission: 2020-2026, 2020- or 2024.")
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(help="Precomputed embeddings (.npy), row i for line i, with their manifest beside it."),
    ] = None,
    embed: Annotated[
        bool, typer.Option(help="Embed the papers and match their authors before the command ends.")
    ] = False,
    events: Annotated[
        bool, typer.Option("--events", hidden=True, help="Write JSON lines for the parent process.")
    ] = False,
) -> None:
    """Read in arXiv's public metadata snapshot. If it was stopped, run it again to go on."""
    config = settings()
    try:
        chosen = SnapshotChoice(
            _categories(categories, config.labmate_categories), parse_years(years) if years else None
        )
    except ValueError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    log_to(config, "worker" if events else "command")
    perform(
        _read_in(config, path, chosen, vectors, named=categories is not None, embed_too=embed, events=events),
        events=events,
    )


def _categories(text: str | None, default: list[str]) -> tuple[str, ...] | None:
    if text is None:
        return tuple(default)
    names = [name for name in re.split(r"[,\s]+", text) if name]
    if names == [_ALL]:
        return None
    for name in names:
        if not is_category(name):
            raise ValueError(f"{name[:40]!r} is not an arXiv category; write cs.AI,cs.CL or math, or all")
    if not names:
        raise ValueError("--categories names none; write cs.AI,cs.CL or math, or all")
    return tuple(dict.fromkeys(names))


async def _read_in(
    config: Settings,
    path: Path,
    chosen: SnapshotChoice,
    vectors: Path | None,
    *,
    named: bool,
    embed_too: bool,
    events: bool,
) -> None:
    from bot.app import load_sample, open_corpus  # lazy: start-up
    from bot.cli import ingest as reading  # lazy: start-up

    report = Reporter(events=events)
    await load_sample(config)
    async with open_corpus(config, writable=True, paging=MILLIONS) as corpus:
        with corpus.writing(), report.showing():
            told = f"Reading {chosen} from {path.name}."
            if not named:
                told += " These are LABMATE_CATEGORIES; `--categories all` takes all of arXiv."
            report.say(told)
            begun = time.monotonic()
            summary, left_out = await ingest_snapshot(corpus, path, chosen, vectors, report)
            report.say(reading.closing(summary, lines=True))
            if left_out:
                papers, were = ("paper", "was") if left_out == 1 else ("papers", "were")
                report.say(f"{left_out:,} other {papers} of the file {were} left out.")
            if (seconds := time.monotonic() - begun) >= _WORTH_TELLING:
                report.say(f"Reading took {duration(seconds)}.")
            if embed_too:
                await reading.embed(corpus, report)
                await corpus.refresh()
                await reading.tell_apart(corpus, report)
            waiting = len(corpus.backlog())
        if waiting:
            report.say(
                f"{still_need(waiting)}. A running Labmate embeds them, newest first, "
                "and matches their authors; so do `python -m bot index` and then `python -m bot identify`."
            )
        elif not embed_too and await reading.people_wait(corpus.store):
            report.say("A running Labmate matches the authors; so does `python -m bot identify`.")


async def ingest_snapshot(
    corpus: Corpus, path: Path, chosen: SnapshotChoice, vectors: Path | None, report: Reporter
) -> tuple[Summary, int]:
    """Read the chosen papers of the snapshot into the corpus.

    Returns
    -------
    (Summary, int)
        The counts, those of interrupted runs included; and how many lines were left out.

    Raises
    ------
    SourceError
        If the file is torn or not the snapshot, or no paper in it was chosen.
    """
    assert corpus.vectors is not None
    file = SnapshotFile(path, chosen)
    ready = ReadyVectors(vectors, corpus.vectors.fingerprint) if vectors else None
    begun, place = time.monotonic(), 0

    def show(summary: Summary) -> None:
        seconds = max(0.01, time.monotonic() - begun)
        taken = _taken(summary)
        rate = f"{taken:,} taken, {(taken - before) / seconds:,.0f}/s"
        report.step(f"reading {path.name}", reading.position, file.size, rate)

    scope = f"{file.scope}{' with ' + vectors.name[:60] if vectors else ''}"
    words = ReadyWords()
    intake = ResumedIntake(corpus, SOURCE, scope, vectors=ready, words=words, progress=show)
    place, before = await intake.find_place(), _taken(intake.summary)
    if place:
        report.say(f"Going on after line {place:,}, where the last run stopped.")
    make = partial(SnapshotFile, path, chosen, place)
    reading = words.reading(make) if file.size > _LONG else make()
    report.step(f"reading {path.name}", 0, file.size)
    try:
        summary = await intake.run(iter(reading))
    except SourceError:
        if _taken(intake.summary) > before:
            report.say("What was taken before the damage is kept.")
        raise
    taken = _taken(summary)
    if taken == summary.refused:
        raise SourceError(
            f"{path} has {reading.lines:,} lines, but no paper of {chosen}. Nothing was read in. "
            "Choose other --categories or --years."
        )
    for doubt in ready.doubts(path, reading.lines) if ready else ():
        report.say(doubt)
    return replace(summary, read=taken), reading.lines - taken


def _taken(summary: Summary) -> int:
    return summary.added + summary.updated + summary.unchanged + summary.refused
