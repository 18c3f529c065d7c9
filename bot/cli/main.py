"""The command line, `python -m bot COMMAND`.

Imports marked "lazy: start-up" wait until their command runs: they bring discord.py, scikit-learn and the
like. `--help`, a typing mistake or a simple command should not wait seconds for libraries that it does not
use.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.allocator import keep_few_arenas
from bot.cli import (  # some add their own commands
    answers,
    backups,
    evaluate_digest,  # noqa: F401
    evaluate_fits,  # noqa: F401
    evaluate_rephrasing,  # noqa: F401
    moving,
)
from bot.cli.admin import admin
from bot.cli.before_running import NOBODY_TYPES, check_before_running
from bot.cli.command_line import STOPPED, perform, settings
from bot.cli.days import a_day
from bot.cli.evaluate import evaluate, match, rank, train
from bot.cli.explore import explore
from bot.cli.ingest_snapshot import ingest_snapshot_command
from bot.cli.phrases import phrases
from bot.cli.reporter import Reporter
from bot.cli.shared_vectors import export, take_vectors_command
from bot.ending import Ending
from bot.logs import log_to
from bot.settings import Settings
from data.calendar.arxiv_ids import CATEGORY
from data.database.in_thread import finished_in_thread
from data.database.private_files import NOBODY_ELSE
from data.sources.http import SourceError

app = typer.Typer(
    name="labmate",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Labmate, a Discord bot for research discovery.",
)
ingest = typer.Typer(no_args_is_help=True, help="Read in papers, or embeddings made elsewhere.")
app.add_typer(ingest, name="ingest")
ingest.command("snapshot")(ingest_snapshot_command)
ingest.command("vectors")(take_vectors_command)
app.add_typer(export, name="export")
app.add_typer(admin, name="admin")
app.add_typer(rank, name="rank")
app.add_typer(evaluate, name="evaluate")
app.add_typer(train, name="train")
app.command("match")(match)
app.command("answer")(answers.answer)
app.command("phrases")(phrases)
app.command("explore")(explore)
app.command("backup")(backups.backup)
app.command("restore")(backups.restore)
app.command("move")(moving.move)

Events = Annotated[
    bool, typer.Option("--events", hidden=True, help="Write JSON lines for the parent process.")
]
Day = Annotated[datetime, typer.Option(parser=a_day, metavar="DAY", help="A day such as 2026-05-18.")]


def main() -> None:
    """Run a command; errors that the user can fix become one clear line."""
    os.umask(NOBODY_ELSE)
    # Interpreters that this one starts inherit it. The tracker cleans up after a process that ended at once;
    # without this, its warning would be the last line that a user reads.
    sys.warnoptions.append("ignore::UserWarning:multiprocessing.resource_tracker")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)


@app.command()
def run(
    papers: Annotated[Path | None, typer.Option(help="A file of papers to read in first.")] = None,
    vectors: Annotated[Path | None, typer.Option(help="Precomputed embeddings of that file (.npy).")] = None,
    shards: Annotated[
        str | None, typer.Option(help="The shards of this process, such as 0-3; others hold the rest.")
    ] = None,
    of: Annotated[int | None, typer.Option(help="How many shards all processes have together.")] = None,
    browser: Annotated[
        bool, typer.Option("--browser", help="Open the page of the local Discord in a browser.")
    ] = False,
    port: Annotated[
        int, typer.Option(help="The port of the local Discord; 0 takes the last one.", min=0, max=65_535)
    ] = 0,
) -> None:
    """Start Labmate: in Discord if DISCORD_TOKEN is set, otherwise with a local Discord in this terminal."""
    keep_few_arenas()
    given = {"labmate_shards": shards, "labmate_shards_of": of}
    config = settings(**{name: value for name, value in given.items() if value is not None})
    if browser and config.discord_token:
        raise typer.BadParameter(
            "it opens the local Discord, which runs only without DISCORD_TOKEN", param_hint="--browser"
        )
    if vectors and not papers:
        raise typer.BadParameter(
            "these are the embeddings of a file of papers; name that with --papers", param_hint="--vectors"
        )
    serves = browser or bool(port)
    check_before_running(config, serves=serves)
    log_to(config, "bot", console=config.discord_token is not None)
    ending = Ending()
    ending.listen(signal.SIGTERM, *([signal.SIGINT] if config.discord_token else []))

    async def work() -> int:
        if papers:
            await _ingest_file(config, papers, vectors, embed_too=False, events=False)
        if config.discord_token:
            from bot.run import run_in_discord  # lazy: start-up

            await run_in_discord(config, lambda text: print(text, flush=True), ending)
        else:
            from bot.terminal.prompt import run_locally  # lazy: start-up

            if not await run_locally(config, port=port, browser=browser, stays=serves):
                print(NOBODY_TYPES, file=sys.stderr)
                return 2
        return 0

    perform(work(), ending=ending)


@app.command()
def ask(
    command: Annotated[str, typer.Argument(help='The command, such as "/papers author:ChonLam Lao".')],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the message payloads as they crossed the wire.")
    ] = False,
) -> None:
    """Run one slash command as a user would and print the reply."""
    from bot.cli.ask import ask as ask_once  # lazy: start-up

    config = settings()
    log_to(config)
    if not command.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in command):
        print("The command isn't valid UTF-8, so it can't be read. Type it again.", file=sys.stderr)
        sys.exit(2)
    perform(ask_once(config, command, as_json=as_json))


async def _ingest_file(
    config: Settings,
    path: Path,
    vectors: Path | None,
    *,
    embed_too: bool,
    events: bool,
    own_ids: bool = False,
) -> None:
    from bot.app import load_sample, open_corpus  # lazy: start-up
    from bot.cli import ingest as reading  # lazy: start-up

    report = Reporter(events=events)
    await load_sample(config)
    async with open_corpus(config, writable=True) as corpus:
        with corpus.writing(), report.showing():
            summary = await reading.ingest_file(corpus, path, vectors, report, own_ids=own_ids)
            report.say(reading.closing(summary))
            if embed_too and corpus.backlog():
                await reading.embed(corpus, report)
            waiting = len(corpus.backlog())
            if embed_too and await reading.people_wait(corpus.store):
                await corpus.refresh()
                await reading.tell_apart(corpus, report)
        if waiting:
            report.say(_waiting(waiting))


def _waiting(papers: int) -> str:
    return (
        f"{papers:,} papers still need an embedding and author matching. A running Labmate does both; or run "
        "`python -m bot index`, then `python -m bot identify`."
    )


@ingest.command("file")
def ingest_file_command(
    path: Annotated[
        Path, typer.Argument(help="Such as arxiv-daily.jsonl, arXiv's metadata snapshot, or seed papers.")
    ],
    vectors: Annotated[
        Path | None, typer.Option(help="Precomputed embeddings (.npy), with their manifest beside them.")
    ] = None,
    embed: Annotated[
        bool, typer.Option(help="Embed the new papers and match their authors right away.")
    ] = True,
    own_ids: Annotated[
        bool, typer.Option("--own-ids", help="The ids aren't arXiv's; each one is a separate paper.")
    ] = False,
    events: Events = False,
) -> None:
    """Read in a file of papers: JSON lines or a JSON array; plain, .gz, .bz2, .xz, .zst or .zip."""
    config = settings()
    log_to(config, "worker" if events else "command")
    work = _ingest_file(config, path, vectors, embed_too=embed, events=events, own_ids=own_ids)
    perform(work, events=events)


@contextmanager
def _with_another_way() -> Iterator[None]:
    """If arXiv doesn't answer, the error says how else papers come in."""
    try:
        yield
    except SourceError as error:
        if "can't be reached" not in str(error) and "keeps answering" not in str(error):
            raise
        raise SourceError(
            f"{error}. Check the network, and try again later. "
            "To add papers from a file: python -m bot ingest file PATH"
        ) from error


async def _ingest_online(
    config: Settings, kind: str, names: list[str], since: date | None, events: bool
) -> None:
    from bot.app import load_sample, open_corpus  # lazy: start-up
    from bot.cli import ingest as reading  # lazy: start-up

    report = Reporter(events=events)
    await load_sample(config)
    async with open_corpus(config, writable=True) as corpus:
        with corpus.writing(), report.showing():
            with nullcontext() if events else _with_another_way():
                if kind == "arxiv":
                    assert since is not None
                    summary = await reading.ingest_arxiv(corpus, config, names, since, report)
                elif kind == "oai":
                    assert since is not None
                    summary = await reading.ingest_oai(corpus, config, names, since, report)
                else:
                    summary = await reading.ingest_recent(corpus, config, report)
            waiting = len(corpus.backlog())
        report.say(f"arXiv: {reading.closing(summary)}")
        if waiting and not events:
            report.say(_waiting(waiting))


@ingest.command("arxiv")
def ingest_arxiv_command(
    since: Day,
    category: Annotated[
        list[str] | None, typer.Option(help="Such as cs.CL; can be given more than once.")
    ] = None,
    events: Events = False,
) -> None:
    """Read in recent papers of some categories, through arXiv's Atom API."""
    config = settings()
    log_to(config, "worker" if events else "command")
    names = category or config.labmate_categories
    for name in names:
        if not CATEGORY.match(name):
            print(f"{name[:40]!r} is not an arXiv category; they look like cs.CL", file=sys.stderr)
            sys.exit(2)
    perform(_ingest_online(config, "arxiv", names, since.date(), events), events=events)


@ingest.command("arxiv-oai")
def ingest_oai_command(
    set_: Annotated[list[str], typer.Option("--set", help="Such as cs, or physics:quant-ph.")],
    from_: Annotated[
        datetime, typer.Option("--from", parser=a_day, metavar="DAY", help="A day such as 2026-05-18.")
    ],
    events: Events = False,
) -> None:
    """Read in everything announced, changed or deleted since a day, through arXiv's OAI-PMH interface."""
    config = settings()
    log_to(config, "worker" if events else "command")
    perform(_ingest_online(config, "oai", set_, from_.date(), events), events=events)


@ingest.command("from")
def ingest_from_command(
    name: Annotated[str, typer.Argument(help="The source's name: NAME of data/sources/NAME_source.py.")],
    since: Day,
) -> None:
    """Read everything new or changed since a day from a source you added (docs/extend.md)."""
    from bot.cli.ingest_source import ingest_from  # lazy: start-up

    ingest_from(settings(), name, since.date())


@ingest.command("recent")
def ingest_recent_command(events: Events = False) -> None:
    """Read in what arXiv announced in LABMATE_CATEGORIES since the last time."""
    config = settings()
    log_to(config, "worker" if events else "command")
    perform(_ingest_online(config, "recent", [], None, events), events=events)


_IDENTIFY_STOPPED = (
    "Stopped. Authors matched so far are kept, but topics start again. Run the command again to finish."
)
REBUILD_STOPPED = (
    "Stopped. What was made so far is kept; to go on, run: python -m bot index (without --rebuild)"
)


@app.command()
def index(
    rebuild: Annotated[
        bool, typer.Option(help="Build the word index and all embeddings again, for example for a new model.")
    ] = False,
    events: Events = False,
) -> None:
    """Bring the indexes up to date: the word index, and embeddings for papers that have none."""
    from bot.app import open_corpus  # lazy: start-up
    from bot.cli.ingest import embed  # lazy: start-up

    config = settings()
    log_to(config, "worker" if events else "command")

    async def work() -> None:
        report = Reporter(events=events)
        # A running bot keeps one core free for its answers.
        threads = max(1, (os.cpu_count() or 2) - 1) if events else None
        async with open_corpus(config, writable=True, rebuild=rebuild, threads=threads) as corpus:
            with corpus.writing(), report.showing():
                if rebuild:
                    await finished_in_thread(corpus.words.clear)
                elif not events and await corpus.remake_damaged_words():
                    report.say("The word index is damaged, so it is made again.")
                elif not events and await corpus.words_lost():
                    report.say(
                        "The word index has another number of papers than the database, so it is made again."
                    )
                    await finished_in_thread(corpus.words.clear)
                await corpus.catch_up_words(lambda done, total: report.step("words", done, total))
                count = await embed(corpus, report)
            report.say(
                f"The index is up to date: {len(corpus.words):,} papers in the word index, "
                f"{count:,} newly embedded."
            )

    perform(work(), events=events, stopped=REBUILD_STOPPED if rebuild else STOPPED)


@app.command()
def identify(
    full: Annotated[
        bool, typer.Option("--full", help="Match all authors from scratch, not just those of new papers.")
    ] = False,
    processes: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=256,
            help="Processes that match authors in a large library. Default: one per core.",
        ),
    ] = None,
    events: Events = False,
) -> None:
    """Match authors, find topics, and compare papers with earlier ones; can be stopped at any time."""
    from bot.app import open_corpus  # lazy: start-up
    from bot.cli.ingest import tell_apart  # lazy: start-up

    config = settings()
    log_to(config, "worker" if events else "command")

    async def work() -> None:
        report = Reporter(events=events)
        async with open_corpus(config, bulk=True) as corpus:
            with corpus.writing(), report.showing():
                await tell_apart(corpus, report, full=full, processes=processes)

    perform(work(), events=events, stopped=_IDENTIFY_STOPPED)


@app.command("derive", hidden=True)
def derive_command(events: Events = False) -> None:
    """Find topics and compare papers with earlier ones, after another machine has matched authors."""
    from bot.app import open_corpus  # lazy: start-up
    from index.people.insight import derive  # lazy: start-up

    config = settings()
    log_to(config, "worker" if events else "command")

    async def work() -> None:
        report = Reporter(events=events)
        async with open_corpus(config) as corpus:
            with corpus.writing(), report.showing():
                await derive(corpus, report.step)

    perform(work(), events=events)


@app.command("local-discord")
def local_discord_command(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 picks a free one.")] = 0,
) -> None:
    """Run the local Discord by itself, to try a bot written with any Discord library."""
    from bot.cli.local_discord import serve  # lazy: start-up

    perform(serve(port))


@app.command()
def doctor() -> None:
    """Check for common problems, and say how to fix each."""
    from bot.doctor.examine import examine  # lazy: start-up

    perform(examine(settings()))
