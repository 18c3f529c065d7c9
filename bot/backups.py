"""Backups by the clock: a running Labmate makes one every BACKUP_EVERY hours."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bot.settings import Settings
from bot.worker import RunOutcome, Worker
from data.calendar import clock
from data.database import backups
from data.database.engine import sqlite_path

RETRY_AFTER = timedelta(hours=1)
"""How long to wait after a backup that failed."""


def folder_of(config: Settings) -> Path:
    """The folder for backups that are given no other place."""
    return config.labmate_data / "backups"


async def back_up_by_the_clock(config: Settings, worker: Worker) -> None:
    """Back up every BACKUP_EVERY hours; return at once if that is not set or the database is not SQLite."""
    if not config.backup_every or sqlite_path(config.database) is None:
        return
    every = timedelta(hours=config.backup_every)
    while True:
        now = clock.now()
        last = max(backups.kept_in(folder_of(config)).values(), default=None)
        await clock.wait_until(now if last is None else min(last + every, now + every))
        if await worker.run("backup") is not RunOutcome.DONE:
            await clock.wait_until(clock.now() + min(RETRY_AFTER, every))
