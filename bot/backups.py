"""Backups by the clock: a running Labmate makes one every BACKUP_EVERY hours."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from pathlib import Path

from bot.settings import Settings
from bot.worker import RunOutcome, Worker
from data.calendar import clock
from data.database import backups
from data.database.engine import sqlite_path

log = logging.getLogger("labmate")
ONLY_FILES = "BACKUP_EVERY is set, but Labmate makes no backups of PostgreSQL"
RETRY_AFTER = timedelta(hours=1)
"""How long to wait after a backup that failed."""


def folder_of(config: Settings) -> Path:
    """The folder for backups that are given no other place."""
    return config.labmate_data / "backups"


def makes_backups(config: Settings) -> bool:
    """Whether a running Labmate backs up its database."""
    return bool(config.backup_every) and sqlite_path(config.database) is not None


def overdue(config: Settings, newest: datetime | None, now: datetime) -> bool:
    """Whether a backup is missing that a running Labmate should have made."""
    late = timedelta(hours=2 * config.backup_every + 1)
    return makes_backups(config) and (newest is None or now - newest > late)


async def back_up_by_the_clock(config: Settings, worker: Worker) -> None:
    """Back up every BACKUP_EVERY hours; return at once if that is not set or the database is not SQLite."""
    if not makes_backups(config):
        if config.backup_every:
            log.warning("%s. Use pg_dump (docs/operate.md).", ONLY_FILES)
        return
    every = timedelta(hours=config.backup_every)
    while True:
        now = clock.now()
        last = backups.newest_in(folder_of(config), now)
        await clock.wait_until(now if last is None else last + every)
        if await worker.run("backup") is not RunOutcome.DONE:
            await clock.wait_until(clock.now() + min(RETRY_AFTER, every))
