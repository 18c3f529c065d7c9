"""What every command of the command line does first and last: read the settings, run, say what went wrong."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Coroutine
from logging.handlers import RotatingFileHandler
from typing import Any

from pydantic import ValidationError

from bot.ending import Ending
from bot.settings import Settings
from data.database import StoreError
from data.private_files import keep_private
from data.sources.http import SourceError
from index.embedding import ModelError
from index.library import BusyError
from index.vectors import VectorsError


def settings() -> Settings:
    """The settings, or exit 2 saying which one is wrong."""
    try:
        return Settings()
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=False):
            name = str(detail["loc"][0]).upper() if detail["loc"] else "settings"
            print(f"{name}: {detail['msg'].removeprefix('Value error, ')}", file=sys.stderr)
        sys.exit(2)


def perform(
    work: Coroutine[Any, Any, int | None], *, events: bool = False, ending: Ending | None = None
) -> None:
    """Run a coroutine; known errors end it with one line and exit 1, or with the error's own ``status``.

    With ``ending``, signals end it, too, and nothing that hangs keeps it alive.
    """
    from bot.closes import LoginError
    from bot.ingest import Reporter

    try:
        status = asyncio.run(ending.watch(work) if ending else work)
    except (StoreError, SourceError, VectorsError, ModelError, BusyError, LoginError) as error:
        if events:
            Reporter.event(error=str(error))
        else:
            print(error, file=sys.stderr)
        sys.exit(getattr(error, "status", 1))
    except KeyboardInterrupt:
        print("Stopped. What was read is kept; the same command completes it.", file=sys.stderr)
        sys.exit(130)
    sys.exit(status or 0)


def log_to(config: Settings, *, console: bool = False) -> None:
    """Log to a file in the data folder, and to the terminal where nobody types there."""
    keep_private(config.labmate_data)
    handlers: list[logging.Handler] = [
        RotatingFileHandler(config.labmate_data / "labmate.log", maxBytes=5_000_000, backupCount=3)
    ]
    if console:
        handlers.append(logging.StreamHandler())
    logging.basicConfig(
        level=config.log_level, handlers=handlers, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("discord").setLevel(max(logging.INFO, logging.getLogger().level))
