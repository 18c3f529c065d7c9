"""The command line, `python -m bot COMMAND`.

Imports marked "lazy: start-up" wait until their command runs: they bring discord.py, scikit-learn and the
like. `--help`, a typing mistake or a simple command should not wait seconds for libraries that it does not
use.
"""

from __future__ import annotations

import os
import signal
import sys
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
from bot.cli.evaluate import evaluate, match, rank, train
from bot.cli.explore import explore
from bot.cli.ingest_commands import Events, ingest, read_in_file
from bot.cli.phrases import phrases
from bot.cli.reporter import Reporter
from bot.cli.shared_vectors import export
from bot.ending import Ending
from bot.logs import log_to
from data.database.in_thread import finished_in_thread
from data.database.private_files import NOBODY_ELSE

app = typer.Typer(
    name="labmate",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Labmate, a Discord bot for research discovery.",
)
app.add_typer(ingest, name="ingest")
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
            await read_in_file(config, papers, vectors, embed_too=False, events=False)
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
