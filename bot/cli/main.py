"""The command line: python -m bot run | ask | ingest | index | identify | admin | rank | match | evaluate | train | ..."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot import backups
from bot.cli import evaluate_digest, evaluate_fits  # noqa: F401 - they add their commands
from bot.cli.admin import admin
from bot.cli.command_line import perform, settings
from bot.cli.evaluate import evaluate, match, rank, train
from bot.ending import Ending
from bot.logs import log_to
from bot.settings import Settings
from data.database.private_files import NOBODY_ELSE

app = typer.Typer(
    name="labmate", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__
)
ingest = typer.Typer(no_args_is_help=True, help="Read papers in, from files or from arXiv.")
app.add_typer(ingest, name="ingest")
app.add_typer(admin, name="admin")
app.add_typer(rank, name="rank")
app.add_typer(evaluate, name="evaluate")
app.add_typer(train, name="train")
app.command("match")(match)
app.command("backup")(backups.backup)
app.command("restore")(backups.restore)

Events = Annotated[bool, typer.Option("--events", hidden=True, help="JSON lines for the process that asks.")]
Day = Annotated[datetime, typer.Option(formats=["%Y-%m-%d"], help="A day such as 2026-05-18.")]


def main() -> None:
    """Run, and turn what a person can do something about into one clear line."""
    os.umask(NOBODY_ELSE)
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)


@app.command()
def run(
    papers: Annotated[Path | None, typer.Option(help="A file of papers to read in first.")] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
) -> None:
    """Start Labmate: in Discord where DISCORD_TOKEN is set, else with a local Discord to try it in."""
    config = settings()
    log_to(config, "bot", console=config.discord_token is not None)
    ending = Ending()
    ending.listen(signal.SIGTERM, *([signal.SIGINT] if config.discord_token else []))

    async def work() -> None:
        if papers:
            await _ingest_file(config, papers, vectors, embed_too=False, events=False)
        if config.discord_token:
            from bot.run import run_in_discord

            await run_in_discord(config, lambda text: print(text, flush=True), ending)
        else:
            from bot.terminal.prompt import run_locally

            await run_locally(config)

    perform(work(), ending=ending)


@app.command()
def ask(
    command: Annotated[str, typer.Argument(help='Such as "/papers author:ChonLam Lao".')],
    as_json: Annotated[
        bool, typer.Option("--json", help="The message payloads as they crossed the wire.")
    ] = False,
) -> None:
    """Ask one command as a user would, print the reply, leave."""
    from bot.cli.ask import ask as ask_once

    config = settings()
    log_to(config)
    perform(ask_once(config, command, as_json=as_json))


async def _ingest_file(
    config: Settings, path: Path, vectors: Path | None, *, embed_too: bool, events: bool
) -> None:
    from bot.app import load_sample, open_corpus
    from bot.cli.ingest import Reporter, closing, embed, ingest_file, people_wait, tell_apart

    report = Reporter(events=events)
    await load_sample(config)
    async with open_corpus(config, writable=True) as corpus:
        with corpus.writing(), report.showing():
            summary = await ingest_file(corpus, path, vectors, report)
            report.say(closing(summary))
            if embed_too and corpus.backlog():
                await embed(corpus, report)
            waiting = len(corpus.backlog())
            if embed_too and await people_wait(corpus.store):
                await corpus.refresh()
                await tell_apart(corpus, report)
        if waiting:
            report.say(_waiting(waiting))


def _waiting(papers: int) -> str:
    return (
        f"{papers:,} papers wait for their embedding and their authors to be told apart; a running Labmate does "
        "both, or `python -m bot index` and then `python -m bot identify`."
    )


@ingest.command("file")
def ingest_file_command(
    path: Annotated[
        Path, typer.Argument(help="arxiv-daily.jsonl, arXiv's metadata snapshot, or seed papers.")
    ],
    vectors: Annotated[
        Path | None, typer.Option(help="Ready embeddings (.npy) with their manifest beside.")
    ] = None,
    embed: Annotated[
        bool, typer.Option(help="Embed what the file brings and tell its authors apart, at once.")
    ] = True,
    events: Events = False,
) -> None:
    """Read a file of papers: JSON lines or a JSON array; plain, .gz, .zst or .zip."""
    config = settings()
    log_to(config, "worker" if events else "command")
    perform(_ingest_file(config, path, vectors, embed_too=embed, events=events), events=events)


async def _ingest_online(
    config: Settings, kind: str, names: list[str], since: date | None, events: bool
) -> None:
    from bot.app import load_sample, open_corpus
    from bot.cli.ingest import Reporter, closing, ingest_arxiv, ingest_oai, ingest_recent

    report = Reporter(events=events)
    await load_sample(config)
    async with open_corpus(config, writable=True) as corpus:
        with corpus.writing(), report.showing():
            if kind == "arxiv":
                assert since is not None
                summary = await ingest_arxiv(corpus, config, names, since, report)
            elif kind == "oai":
                assert since is not None
                summary = await ingest_oai(corpus, config, names, since, report)
            else:
                summary = await ingest_recent(corpus, config, report)
            waiting = len(corpus.backlog())
        report.say(f"arXiv: {closing(summary)}")
        if waiting and not events:
            report.say(_waiting(waiting))


@ingest.command("arxiv")
def ingest_arxiv_command(
    since: Day,
    category: Annotated[
        list[str] | None, typer.Option(help="Such as cs.CL; may be given several times.")
    ] = None,
    events: Events = False,
) -> None:
    """Read recent papers of some categories through arXiv's Atom API."""
    from data.calendar.arxiv_ids import CATEGORY

    config = settings()
    log_to(config, "worker" if events else "command")
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
    log_to(config, "worker" if events else "command")
    perform(_ingest_online(config, "oai", set_, from_.date(), events), events=events)


@ingest.command("from")
def ingest_from_command(
    name: Annotated[str, typer.Argument(help="The source's name: NAME of data/sources/NAME_source.py.")],
    since: Day,
) -> None:
    """Read everything new or changed since a day from a source that is one file (docs/extend.md)."""
    from bot.cli.ingest_source import ingest_from

    ingest_from(settings(), name, since.date())


@ingest.command("recent")
def ingest_recent_command(events: Events = False) -> None:
    """Read what arXiv announced since the last time, of LABMATE_CATEGORIES."""
    config = settings()
    log_to(config, "worker" if events else "command")
    perform(_ingest_online(config, "recent", [], None, events), events=events)


@app.command()
def index(
    rebuild: Annotated[
        bool, typer.Option(help="Throw the index away and make it anew, as after a new model.")
    ] = False,
    events: Events = False,
) -> None:
    """Bring the indexes up to date with the store: words, and embeddings of what has none."""
    from bot.app import open_corpus
    from bot.cli.ingest import Reporter, embed

    config = settings()
    log_to(config, "worker" if events else "command")

    async def work() -> None:
        report = Reporter(events=events)
        # Beside a running bot one core stays free for its answers.
        threads = max(1, (os.cpu_count() or 2) - 1) if events else None
        async with open_corpus(config, writable=True, rebuild=rebuild, threads=threads) as corpus:
            with corpus.writing(), report.showing():
                if rebuild:
                    await asyncio.to_thread(corpus.words.clear)
                await corpus.catch_up_words(lambda done, total: report.step("words", done, total))
                count = await embed(corpus, report)
            report.say(
                f"The index is up to date: {len(corpus.words):,} papers by words, {count:,} newly embedded."
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
    from bot.app import open_corpus
    from bot.cli.ingest import Reporter, tell_apart

    config = settings()
    log_to(config, "worker" if events else "command")

    async def work() -> None:
        report = Reporter(events=events)
        async with open_corpus(config, writable=False) as corpus:
            with corpus.writing(), report.showing():
                await tell_apart(corpus, report, full=full)

    perform(work(), events=events)


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
