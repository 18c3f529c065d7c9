"""A data folder that knows the sample, made once for all tests and copied."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

from bot.app import load_sample
from bot.settings import Settings
from data.calendar import clock
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
    template = _template()
    shutil.copytree(template, folder, dirs_exist_ok=True)
    databases.copy(template, folder)


@cache
def _template() -> Path:
    """The folder to copy."""
    folder, draft = kept_in() / "sample", kept_in() / "sample-draft"
    with FileLock(kept_in() / "sample.lock"):
        if not folder.exists():
            settings = Settings(_env_file=None, labmate_data=draft, database_url=databases.setting(draft))
            # In a thread, since the one that asks may be in an event loop.
            failed: list[BaseException] = []

            def make() -> None:
                try:
                    asyncio.run(load_sample(settings))
                except BaseException as error:
                    failed.append(error)

            # By the machine's clock: another test would find a sample of a day long ago due for a full pass.
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(clock, "_file", None)
                patched.setattr(clock, "_ahead", timedelta(0))
                thread = threading.Thread(target=make)
                thread.start()
                thread.join()
            if failed:
                raise failed[0]
            draft.rename(folder)
            databases.copy(draft, folder)
    return folder
