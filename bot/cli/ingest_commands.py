"""`python -m bot ingest ...`: papers from files and from arXiv.

Imports marked "lazy: start-up" wait until their command runs (`bot.cli.main`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.command_line import perform, settings
from bot.cli.days import a_day
from bot.cli.ingest_snapshot import ingest_snapshot_command
from bot.cli.reporter import Reporter, still_need
from bot.cli.shared_vectors import take_vectors_command
from bot.logs import log_to
from bot.settings import Settings
from data.calendar.arxiv_ids import is_category
from data.sources.http import SourceError

ingest = typer.Typer(no_args_is_help=True, help="Read in papers, or embeddings made elsewhere.")
ingest.command("snapshot")(ingest_snapshot_command)
ingest.command("vectors")(take_vectors_command)

Events = Annotated[
    bool, typer.Option("--events", hidden=True, help="Write JSON lines for the parent process.")
]
Day = Annotated[datetime, typer.Option(parser=a_day, metavar="DAY", help="A day such as 2026-05-18.")]


async def read_in_file(
    config: Settings,
    path: Path,
    vectors: Path | None,
    *,
    embed_too: bool,
    events: bool,
    own_ids: bool = False,
) -> None:
    """Read in a file of papers; with ``embed_too``, embed them and match their authors."""
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
        f"{still_need(papers)} and author matching. A running Labmate does both; or run "
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
    work = read_in_file(config, path, vectors, embed_too=embed, events=events, own_ids=own_ids)
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
    async with open_corpus(config, writable=True, by_words=True) as corpus:
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
        if not is_category(name):
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
