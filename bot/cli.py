"""The command line: python -m bot run | ask | ingest | index | rank | evaluate | local-discord | doctor."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from collections.abc import Coroutine
from datetime import date, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console

from bot.settings import Settings
from data.database import StoreError
from data.sources.http import SourceError
from index.embedding import ModelError
from index.library import BusyError
from index.vectors import VectorsError

app = typer.Typer(
    name="labmate", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__
)
ingest = typer.Typer(no_args_is_help=True, help="Read papers in, from files or from arXiv.")
rank = typer.Typer(no_args_is_help=True, help="Rank queries over a file's papers alone, as a TREC run.")
evaluate = typer.Typer(no_args_is_help=True, help="Measure how well papers are found, beside baselines.")
app.add_typer(ingest, name="ingest")
app.add_typer(rank, name="rank")
app.add_typer(evaluate, name="evaluate")

Events = Annotated[bool, typer.Option("--events", hidden=True, help="JSON lines for the process that asks.")]
Day = Annotated[datetime, typer.Option(formats=["%Y-%m-%d"], help="A day such as 2026-05-18.")]


def main() -> None:
    """Run, and turn what a person can do something about into one clear line."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)


def settings() -> Settings:
    """The settings, or exit 2 saying which one is wrong."""
    try:
        return Settings()
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=False):
            name = str(detail["loc"][0]).upper() if detail["loc"] else "settings"
            print(f"{name}: {detail['msg'].removeprefix('Value error, ')}", file=sys.stderr)
        sys.exit(2)


def perform(work: Coroutine[Any, Any, int | None], *, events: bool = False) -> None:
    """Run a coroutine; known errors end it with one line and exit 1."""
    from bot.ingest import Reporter
    from bot.run import LoginError

    try:
        status = asyncio.run(work)
    except (StoreError, SourceError, VectorsError, ModelError, BusyError, LoginError) as error:
        if events:
            Reporter.event(error=str(error))
        else:
            print(error, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("Stopped. What was read is kept; the same command completes it.", file=sys.stderr)
        sys.exit(130)
    sys.exit(status or 0)


def log_to(config: Settings, *, console: bool = False) -> None:
    """Log to a file in the data folder, and to the terminal where nobody types there."""
    config.labmate_data.mkdir(parents=True, exist_ok=True)
    handlers: list[logging.Handler] = [
        RotatingFileHandler(config.labmate_data / "labmate.log", maxBytes=5_000_000, backupCount=3)
    ]
    if console:
        handlers.append(logging.StreamHandler())
    logging.basicConfig(
        level=config.log_level, handlers=handlers, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("discord").setLevel(max(logging.INFO, logging.getLogger().level))


@app.command()
def run(
    papers: Annotated[Path | None, typer.Option(help="A file of papers to read in first.")] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
) -> None:
    """Start Labmate: in Discord where DISCORD_TOKEN is set, else with a local Discord to try it in."""
    config = settings()
    log_to(config, console=config.discord_token is not None)

    async def work() -> None:
        if papers:
            await _ingest_file(config, papers, vectors, embed_too=False, events=False)
        if config.discord_token:
            from bot.run import run_in_discord

            await run_in_discord(config, lambda text: print(text, flush=True))
        else:
            from bot.prompt import run_locally

            await run_locally(config)

    perform(work())


@app.command()
def ask(
    command: Annotated[str, typer.Argument(help='Such as "/papers author:ChonLam Lao".')],
    as_json: Annotated[
        bool, typer.Option("--json", help="The message payloads as they crossed the wire.")
    ] = False,
) -> None:
    """Ask one command as a user would, print the reply, leave."""
    from bot.ask import ask as ask_once

    config = settings()
    log_to(config)
    perform(ask_once(config, command, as_json=as_json))


async def _ingest_file(
    config: Settings, path: Path, vectors: Path | None, *, embed_too: bool, events: bool
) -> None:
    from bot.app import load_sample, open_library
    from bot.ingest import Reporter, closing, embed, ingest_file

    report = Reporter(events=events)
    await load_sample(config)
    async with open_library(config, writable=True) as library:
        with library.writing(), report.showing():
            summary = await ingest_file(library, path, vectors, report)
            waiting = len(library.backlog())
            if embed_too and waiting:
                await embed(library, report)
                waiting = 0
        report.say(closing(summary))
        if waiting:
            report.say(
                f"{waiting:,} papers wait for their embedding; a running Labmate, or `python -m bot index`, makes it."
            )


@ingest.command("file")
def ingest_file_command(
    path: Annotated[
        Path, typer.Argument(help="arxiv-daily.jsonl, arXiv's metadata snapshot, or seed papers.")
    ],
    vectors: Annotated[
        Path | None, typer.Option(help="Ready embeddings (.npy) with their manifest beside.")
    ] = None,
    embed: Annotated[bool, typer.Option(help="Embed what the file brings, at once.")] = True,
    events: Events = False,
) -> None:
    """Read a file of papers: JSON lines or a JSON array; plain, .gz, .zst or .zip."""
    config = settings()
    log_to(config)
    perform(_ingest_file(config, path, vectors, embed_too=embed, events=events), events=events)


async def _ingest_online(
    config: Settings, kind: str, names: list[str], since: date | None, events: bool
) -> None:
    from bot.app import load_sample, open_library
    from bot.ingest import Reporter, closing, ingest_arxiv, ingest_oai, ingest_recent

    report = Reporter(events=events)
    await load_sample(config)
    async with open_library(config, writable=True) as library:
        with library.writing(), report.showing():
            if kind == "arxiv":
                assert since is not None
                summary = await ingest_arxiv(library, config, names, since, report)
            elif kind == "oai":
                assert since is not None
                summary = await ingest_oai(library, config, names, since, report)
            else:
                summary = await ingest_recent(library, config, report)
            waiting = len(library.backlog())
        report.say(f"arXiv: {closing(summary)}")
        if waiting and not events:
            report.say(
                f"{waiting:,} papers wait for their embedding; a running Labmate, or `python -m bot index`, makes it."
            )


@ingest.command("arxiv")
def ingest_arxiv_command(
    since: Day,
    category: Annotated[
        list[str] | None, typer.Option(help="Such as cs.CL; may be given several times.")
    ] = None,
    events: Events = False,
) -> None:
    """Read recent papers of some categories through arXiv's Atom API."""
    from data.arxiv_ids import CATEGORY

    config = settings()
    log_to(config)
    names = category or config.labmate_categories
    for name in names:
        if not CATEGORY.match(name):
            print(f"{name[:40]!r} is no arXiv category; they look like cs.CL", file=sys.stderr)
            sys.exit(2)
    perform(_ingest_online(config, "arxiv", names, since.date(), events), events=events)


@ingest.command("arxiv-oai")
def ingest_oai_command(
    set_: Annotated[list[str], typer.Option("--set", help="Such as cs, or physics:quant-ph.")],
    from_: Annotated[
        datetime, typer.Option("--from", formats=["%Y-%m-%d"], help="A day such as 2026-05-18.")
    ],
    events: Events = False,
) -> None:
    """Read everything announced, changed or deleted since a day, through arXiv's OAI-PMH interface."""
    config = settings()
    log_to(config)
    perform(_ingest_online(config, "oai", set_, from_.date(), events), events=events)


@ingest.command("recent")
def ingest_recent_command(events: Events = False) -> None:
    """Read what arXiv announced since the last time, of LABMATE_CATEGORIES."""
    config = settings()
    log_to(config)
    perform(_ingest_online(config, "recent", [], None, events), events=events)


@app.command()
def index(
    rebuild: Annotated[
        bool, typer.Option(help="Throw the index away and make it anew, as after a new model.")
    ] = False,
    events: Events = False,
) -> None:
    """Bring the indexes up to date with the store: words, and embeddings of what has none."""
    import os

    from bot.app import open_library
    from bot.ingest import Reporter, embed

    config = settings()
    log_to(config)

    async def work() -> None:
        report = Reporter(events=events)
        # Beside a running bot one core stays free for its answers.
        threads = max(1, (os.cpu_count() or 2) - 1) if events else None
        async with open_library(config, writable=True, rebuild=rebuild, threads=threads) as library:
            with library.writing(), report.showing():
                if rebuild:
                    await asyncio.to_thread(library.words.clear)
                await library.catch_up_words(lambda done, total: report.step("words", done, total))
                count = await embed(library, report)
            report.say(
                f"The index is up to date: {len(library.words):,} papers by words, {count:,} newly embedded."
            )

    perform(work(), events=events)


@rank.command("similar")
def rank_similar(
    papers: Annotated[Path, typer.Option(help="A file of papers.")],
    queries: Annotated[Path, typer.Option(help="One id of the papers a line.")],
    out: Annotated[Path, typer.Option(help="Where the run goes.")],
    depth: Annotated[int, typer.Option(min=1, max=10_000)] = 100,
) -> None:
    """Rank the file's papers by closeness to each query paper."""
    _rank("similar", papers, queries, out, depth)


@rank.command("search")
def rank_search(
    papers: Annotated[Path, typer.Option(help="A file of papers.")],
    queries: Annotated[Path, typer.Option(help='JSON lines of {"id", "text"}.')],
    out: Annotated[Path, typer.Option(help="Where the run goes.")],
    depth: Annotated[int, typer.Option(min=1, max=10_000)] = 100,
) -> None:
    """Rank the file's papers for each query text."""
    _rank("search", papers, queries, out, depth)


def _rank(kind: str, papers: Path, queries: Path, out: Path, depth: int) -> None:
    from bot.ingest import Reporter
    from index.evaluate.run_file import rank_queries

    config = settings()

    async def work() -> None:
        report, begun = Reporter(events=False), time.monotonic()
        with report.showing():
            count = await rank_queries(kind, papers, queries, out, depth, config.embedding_model, report.step)
        report.say(f"{count:,} queries ranked into {out} in {time.monotonic() - begun:.0f} s")

    perform(work())


@evaluate.command("search")
def evaluate_search(
    data: Annotated[
        Path | None, typer.Option(help="A file of papers; by default what this Labmate holds.")
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    questions: Annotated[int, typer.Option(min=1, help="Queries of each kind.")] = 200,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Known-item search: words of a title, a rare name, a long question; ours beside words, vectors and RRF."""
    from bot.app import open_library
    from bot.evaluations import print_rows
    from bot.ingest import Reporter
    from index.embedding import Embedder
    from index.evaluate.corpus import temporary_library, vectors_beside
    from index.evaluate.search import evaluate as evaluate_now

    config = settings()

    async def work() -> None:
        report = Reporter(events=False)
        with report.showing():
            if data:
                ready = vectors or vectors_beside(data)
                opened = temporary_library(
                    data, Embedder(config.embedding_model), vectors=ready, report=report.step
                )
            else:
                opened = open_library(config)
            async with opened as library:
                result = await evaluate_now(
                    library, per_kind=questions, seed=seed, progress=lambda d, t: report.step("asking", d, t)
                )
        result = {"task": result["task"], "data": str(data or config.labmate_data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
        else:
            print_rows(result, Console())

    perform(work())


@app.command("local-discord")
def local_discord_command(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 for any free one.")] = 0,
) -> None:
    """Run the local Discord alone, so that a bot written with any Discord library can be tried on it."""
    from bot.local_discord.alone import serve

    perform(serve(port))


@app.command()
def doctor() -> None:
    """Check what commonly goes wrong, and say what to do about each."""
    from bot.doctor import examine

    perform(examine(settings()))
