"""The command line: python -m bot run | ask | ingest | index | identify | rank | evaluate | train | ..."""

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
train = typer.Typer(no_args_is_help=True, help="Train the shipped models anew.")
app.add_typer(evaluate, name="evaluate")
app.add_typer(train, name="train")

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


@app.command()
def identify(
    full: Annotated[
        bool, typer.Option("--full", help="Judge everybody anew, not only the authors of new papers.")
    ] = False,
    events: Events = False,
) -> None:
    """Tell people apart, find topics, compare papers with earlier ones. Safe to stop; what was known stays."""
    from bot.app import open_library
    from bot.ingest import Reporter
    from index.insight import derive
    from index.people_pass import identify as identify_now

    config = settings()
    log_to(config)

    async def work() -> None:
        report, begun = Reporter(events=events), time.monotonic()
        async with open_library(config, writable=False) as library:
            with library.writing(), report.showing():
                outcome = await identify_now(library, full=full, report=report.step)
                await derive(library, report.step)
            report.say(
                f"{outcome.people:,} people of {outcome.authorships:,} authorships, "
                f"{outcome.changed:,} changed, in {time.monotonic() - begun:.0f} s"
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


@evaluate.command("identity")
def evaluate_identity(
    data: Annotated[
        Path | None, typer.Option(help="A file of papers; with author_ids, these are the truth.")
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Who is who: ours beside plain rules and, after `make peers`, S2AND; on known ids or on pseudo-people."""
    from bot.app import open_library
    from bot.evaluations import installed_peers, print_rows
    from bot.ingest import Reporter
    from index.embedding import Embedder
    from index.evaluate.corpus import read_file, vectors_beside
    from index.evaluate.identity import evaluate as evaluate_now
    from index.people_pass import read_corpus

    config = settings()

    async def work() -> None:
        report = Reporter(events=False)
        with report.showing():
            truth = None
            if data:
                embedder = Embedder(config.embedding_model)
                ready = vectors or vectors_beside(data)
                corpus = await asyncio.to_thread(read_file, data, embedder, vectors=ready, report=report.step)
                authorships = corpus.authorships
                truth = corpus.people if (corpus.people >= 0).any() else None
            else:
                async with open_library(config) as library:
                    authorships = (await read_corpus(library)).authorships
            result = await asyncio.to_thread(
                evaluate_now, authorships, truth, seed=seed, peers=installed_peers(), report=report.step
            )
        result = {"task": result["task"], "data": str(data or config.labmate_data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
        else:
            print_rows(result, Console())

    perform(work())


@evaluate.command("score")
def evaluate_score(
    cut: Annotated[
        datetime, typer.Option(formats=["%Y-%m-%d"], help="The day up to which papers are looked at.")
    ] = datetime(2025, 12, 31),
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Does a paper's score on a day tell what follows it later? On what this Labmate holds, after `identify`."""
    from bot.app import open_library
    from bot.evaluations import print_rows
    from bot.ingest import Reporter
    from data.sources.http import SourceError
    from index.evaluate.score import evaluate as evaluate_now
    from index.insight import Insight

    config = settings()

    async def work() -> None:
        report = Reporter(events=False)
        async with open_library(config) as library:
            insight = Insight(library)
            await insight.refresh()
            if insight.novelty is None:
                raise SourceError("Nothing was compared with earlier papers yet. Run: python -m bot identify")
            with report.showing():
                result = await evaluate_now(library, insight, cut=cut.date(), seed=seed, report=report.step)
        result = {"task": result["task"], "data": str(config.labmate_data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
        else:
            print_rows(result, Console())

    perform(work())


@train.command("identity")
def train_identity(
    data: Annotated[Path, typer.Option(help="A file of papers.")],
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    out: Annotated[Path, typer.Option(help="The folder that the models go to.")] = Path("index/models"),
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train the models that tell people apart, on pseudo-people; half of all rare names are kept out."""
    from bot.ingest import Reporter
    from index.embedding import Embedder
    from index.evaluate.corpus import read_file, vectors_beside
    from index.evaluate.train_identity import train as train_now

    config = settings()

    async def work() -> None:
        report, begun = Reporter(events=False), time.monotonic()
        with report.showing():
            corpus = await asyncio.to_thread(
                read_file,
                data,
                Embedder(config.embedding_model),
                vectors=vectors or vectors_beside(data),
                report=report.step,
            )
            recipe = await asyncio.to_thread(train_now, corpus.authorships, out, report.step, seed)
        report.say(f"trained into {out} in {time.monotonic() - begun:.0f} s: {recipe['sha256']}")

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
