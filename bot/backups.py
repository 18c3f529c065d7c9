"""`python -m bot backup`, `restore`: by hand and, where BACKUP_EVERY is set, by the clock."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from bot.cli.command_line import perform, settings
from bot.cli.ingest import Reporter
from bot.logs import log_to
from bot.settings import Settings
from bot.worker import RunOutcome, Worker
from data.calendar import clock
from data.database import backups
from data.database.engine import StoreError, sqlite_path

log = logging.getLogger("labmate")
AGAIN = timedelta(hours=1)
"""After a backup that failed."""
T = TypeVar("T")


def folder_of(config: Settings) -> Path:
    """Where backups lie that are given no other place."""
    return config.labmate_data / "backups"


def backup(
    path: Annotated[
        Path | None, typer.Argument(help="The file to write; by default a new one in LABMATE_DATA/backups.")
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Look a backup through instead.")] = False,
    events: Annotated[bool, typer.Option("--events", hidden=True)] = False,
) -> None:
    """Back the database up into one checked file, also while Labmate runs; or look a backup through."""
    config = settings()
    log_to(config, "worker" if events else "command")
    if verify:
        if path is None:
            print("Name the backup: python -m bot backup --verify PATH", file=sys.stderr)
            sys.exit(2)
        report = Reporter(events=events)
        with report.showing():
            checked = _said(lambda: backups.verify(path, report.step), events=events)
        _tell(checked, "is whole", events=events)
        return
    made = _said(lambda: _make(config, path, events=events), events=events)
    _tell(made, "is whole and has every row", events=events)


def _make(config: Settings, path: Path | None, *, events: bool) -> backups.Checked:
    if config.labmate_clock is not None:
        clock.follow(config.labmate_clock)
    folder = folder_of(config)
    target = path or folder / backups.folder_name(clock.now())
    report = Reporter(events=events)
    with report.showing():
        made = backups.back_up(_database(config), target, report.step)
    if path is None:
        for gone in backups.remove_oldest(folder, config.backup_keep):
            log.info("removed the backup %s", gone.name)
    return made


def restore(
    path: Annotated[Path, typer.Argument(help="A backup.")],
) -> None:
    """Put a backup in the place of the database; Labmate has to be stopped. What was there is kept beside it."""
    config = settings()
    log_to(config)
    report = Reporter(events=False)

    def work() -> backups.Restored:
        if config.labmate_clock is not None:
            clock.follow(config.labmate_clock)
        database = _database(config)
        with report.showing():
            return backups.restore(path, database, clock.now(), report.step)

    done = _said(work)
    print(f"Restored {_database(config)} from {path}, {_summary(done.backup)}.", flush=True)
    if done.aside:
        print(f"What was there before is now {done.aside}; remove it when you no longer need it.", flush=True)
    perform(_follow(config, report))


async def _follow(config: Settings, report: Reporter) -> None:
    """Bring what is derived to where the restored database is.

    Words, topics and novelty are begun again: they may be of later papers, which had the numbers of papers to come.
    Vectors say themselves which text they are of.
    """
    from bot.app import open_corpus
    from index.people.insight import derive

    async with open_corpus(config, writable=True) as corpus:
        with corpus.writing(), report.showing():
            await asyncio.to_thread(corpus.words.clear)
            for name in ("topics", "novelty"):
                (corpus.folder / f"{name}.npz").unlink(missing_ok=True)
            await corpus.catch_up_words(lambda done, total: report.step("words", done, total))
            assert corpus.vectors is not None
            corpus.vectors.remove(corpus.orphans())
            await derive(corpus, report.step)
        waiting = len(corpus.backlog())
    rest = f"{waiting:,} papers wait for their embedding, which a running Labmate makes. " if waiting else ""
    print(f"The indexes follow it. {rest}You can start Labmate now.")


def _database(config: Settings) -> Path:
    path = sqlite_path(config.database)
    if path is None:
        raise StoreError(
            "DATABASE_URL names no SQLite file. Back PostgreSQL up with its own pg_dump, restore with pg_restore."
        )
    return path


def _said(work: Callable[[], T], *, events: bool = False) -> T:
    """Do it, or leave with one line and exit 1. A signal ends it at once, so it stays out of an event loop."""
    try:
        return work()
    except StoreError as error:
        if events:
            Reporter.event(error=str(error))
        else:
            print(error, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("Stopped. Nothing was replaced.", file=sys.stderr)
        sys.exit(130)


def _summary(checked: backups.Checked) -> str:
    return f"{checked.size / 1e6:,.1f} MB, schema {checked.schema}, {sum(checked.rows.values()):,} rows"


def _tell(checked: backups.Checked, what: str, *, events: bool) -> None:
    if events:
        Reporter.event(say=f"{checked.path} {what}: {_summary(checked)}")
        return
    print(f"{checked.path} {what}: {_summary(checked)}")
    wide = max(len(name) for name in checked.rows)
    for name, rows in checked.rows.items():
        print(f"  {name:{wide}}  {rows:>12,}")


# -- by the clock --------------------------------------------------------------------------------


async def back_up_by_the_clock(config: Settings, worker: Worker) -> None:
    """Have a backup made every BACKUP_EVERY hours; returns at once where there are to be none."""
    if not config.backup_every or sqlite_path(config.database) is None:
        return
    every = timedelta(hours=config.backup_every)
    while True:
        now = clock.now()
        last = max(backups.kept_in(folder_of(config)).values(), default=None)
        await clock.wait_until(now if last is None else min(last + every, now + every))
        if await worker.run("backup") is not RunOutcome.DONE:
            await clock.wait_until(clock.now() + min(AGAIN, every))
