"""A data folder that knows the sample, and perhaps further papers, made once for all tests and copied."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from bot.app import load_sample, open_corpus
from bot.settings import Settings
from data.calendar import clock
from data.records import PaperRecord
from index.search.intake import Intake
from tests.helpers import databases

_kept_in: Path | None = None


def keep_in(folder: Path) -> None:
    """Name the folder that the workers of one run share."""
    global _kept_in
    _kept_in = folder


def kept_in() -> Path:
    """The folder that the workers of one run share."""
    assert _kept_in is not None
    return _kept_in


def lay_sample(folder: Path) -> None:
    """Fill a folder as a first start does before it loads the model; a folder in use stays as it is."""
    if databases.is_in_use(folder) or os.environ.get("DATABASE_URL"):
        return
    _copy(_sample(), folder)


def lay_listing(folder: Path, records: Callable[[], list[PaperRecord]]) -> None:
    """Fill a new folder with the sample and with further papers that a test's clock dates."""
    _copy(_listing(records, clock.now()), folder)


def _copy(template: Path, folder: Path) -> None:
    shutil.copytree(template, folder, dirs_exist_ok=True)
    databases.copy(template, folder)


@cache
def _sample() -> Path:
    """The folder to copy."""
    # By the machine's clock: another test would find a sample of a day long ago due for a full pass.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(clock, "_file", None)
        patched.setattr(clock, "_ahead", timedelta(0))
        return _made("sample", load_sample)


@cache
def _listing(records: Callable[[], list[PaperRecord]], now: datetime) -> Path:
    """The folder to copy, whose papers came now by the test's clock."""

    async def read_in(settings: Settings) -> None:
        async with open_corpus(settings, writable=True) as corpus:
            with corpus.writing():
                await Intake(corpus, "test", "test").run(iter(enumerate(records())))

    return _made(f"{records.__name__}-{now:%Y%m%d%H%M}", read_in, lay_sample)


def _made(
    name: str,
    make: Callable[[Settings], Coroutine[Any, Any, None]],
    begin: Callable[[Path], None] = lambda folder: None,
) -> Path:
    """A folder that all workers share; the first to ask makes it.

    ``begin`` fills it before it has settings, whose URL makes an empty database in PostgreSQL.
    """
    folder, draft = kept_in() / name, kept_in() / f"{name}-draft"
    with FileLock(kept_in() / f"{name}.lock"):
        if not folder.exists():
            begin(draft)
            settings = Settings(_env_file=None, labmate_data=draft, database_url=databases.setting(draft))
            # In a thread, since the one that asks may be in an event loop.
            failed: list[BaseException] = []

            def run() -> None:
                try:
                    asyncio.run(make(settings))
                except BaseException as error:
                    failed.append(error)

            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
            if failed:
                raise failed[0]
            draft.rename(folder)
            databases.copy(draft, folder)
    return folder
