"""`python -m bot backup` and `restore`."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from bot.backups import folder_of
from bot.cli.command_line import perform, settings
from bot.cli.reporter import Reporter, still_need
from bot.logs import log_to
from bot.settings import Settings
from data.calendar import clock
from data.database import backups
from data.database.engine import StoreError, sqlite_path
from index.search import origin

log = logging.getLogger("labmate")
T = TypeVar("T")


def backup(
    path: Annotated[
        Path | None, typer.Argument(help="The file to write. Default: a new file in LABMATE_DATA/backups.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the backup at PATH instead of making one.")
    ] = False,
    events: Annotated[bool, typer.Option("--events", hidden=True)] = False,
) -> None:
    """Back up the database into one checked file, even while Labmate runs; or check a backup."""
    config = settings()
    log_to(config, "worker" if events else "command")
    if verify:
        if path is None:
            print("Which backup? Type: python -m bot backup --verify PATH", file=sys.stderr)
            sys.exit(2)
        report = Reporter(events=events)
        with report.showing():
            verified = _or_exit(lambda: backups.verify(path, report.step), events=events)
        _tell(verified, "is intact", events=events)
        return
    backed_up = _or_exit(lambda: _make(config, path, events=events), events=events)
    _tell(backed_up, "is intact and has every row", events=events)


def _make(config: Settings, path: Path | None, *, events: bool) -> backups.Checked:
    if config.labmate_clock is not None:
        clock.follow(config.labmate_clock)
    database, folder = _database(config), folder_of(config)
    if not database.exists():
        raise StoreError(
            f"There is no database at {database}. Check LABMATE_DATA and DATABASE_URL, or start Labmate once "
            "to create one."
        )
    target = path or folder / backups.folder_name(clock.now())
    report = Reporter(events=events)
    with report.showing():
        backed_up = backups.back_up(database, target, report.step)
    if path is None:
        for removed in backups.remove_oldest(folder, config.backup_keep, clock.now()):
            log.info("removed the old backup %s", removed.name)
    return backed_up


def restore(
    path: Annotated[Path, typer.Argument(help="The backup to restore.")],
    altered: Annotated[
        bool, typer.Option("--altered", help="Restore it even if its checksum doesn't match.")
    ] = False,
) -> None:
    """Replace the database with a backup. Stop Labmate first. The old database is kept beside the new one."""
    config = settings()
    log_to(config)
    report = Reporter(events=False)

    def work() -> backups.Restored:
        if config.labmate_clock is not None:
            clock.follow(config.labmate_clock)
        database = _database(config)
        with report.showing():
            return backups.restore(path, database, clock.now(), report.step, altered=altered)

    restored = _or_exit(work)
    origin.note(config.labmate_data, origin.NONE)  # whatever was made from the old database
    print(f"Restored {_database(config)} from {path}, {_summary(restored.backup)}.", flush=True)
    if restored.aside:
        print(f"The old database is now {restored.aside}; remove it when you no longer need it.", flush=True)
    perform(_rebuild_indexes(config, report), stopped=_STOPPED)


_STOPPED = (
    "Stopped. The database is restored, but not all indexes are made yet. Labmate makes them when it starts, "
    "and so does: python -m bot index"
)


async def _rebuild_indexes(config: Settings, report: Reporter) -> None:
    """Bring the indexes in line with the restored database.

    Opening them removes those of the old database (:mod:`index.search.origin`): they may hold papers that
    came after the backup, and new papers will get the same numbers.
    """
    from bot.app import open_corpus  # lazy: start-up
    from index.people.insight import derive  # lazy: start-up

    async with open_corpus(config, writable=True) as corpus:
        with corpus.writing(), report.showing():
            await corpus.catch_up_words(lambda done, total: report.step("words", done, total))
            await derive(corpus, report.step)
        waiting = len(corpus.backlog())
    rest = f"{still_need(waiting)}; a running Labmate embeds them. " if waiting else ""
    print(f"The indexes are up to date. {rest}You can start Labmate now.")


def _database(config: Settings) -> Path:
    path = sqlite_path(config.database)
    if path is None:
        raise StoreError(
            "DATABASE_URL does not name an SQLite file. "
            "For PostgreSQL, use pg_dump to back up and pg_restore to restore."
        )
    return path


def _or_exit(work: Callable[[], T], *, events: bool = False) -> T:
    """Run the work, or print one line and exit with status 1. A signal stops it at once."""
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
    without = "" if checked.sealed else ", no checksum (from an older Labmate, or not a backup)"
    rows = sum(checked.rows.values())
    return f"{checked.size / 1e6:,.1f} MB, schema {checked.schema}, {rows:,} rows{without}"


def _tell(checked: backups.Checked, what: str, *, events: bool) -> None:
    if events:
        Reporter.event(say=f"{checked.path} {what}: {_summary(checked)}")
        return
    print(f"{checked.path} {what}: {_summary(checked)}")
    wide = max(len(name) for name in checked.rows)
    for name, rows in checked.rows.items():
        print(f"  {name:{wide}}  {rows:>12,}")
