"""What every command of the command line does first and last: read the settings, run, say what went wrong."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any

from pydantic import ValidationError
from pydantic_settings import SettingsError
from sqlalchemy.exc import DBAPIError

from bot.ending import Ending
from bot.settings import Settings
from bot.settings_checks import SettingError, check
from bot.worker import RunOutcome
from data.database.engine import StoreError
from data.sources.http import SourceError
from index.search.corpus import BusyError
from index.search.embedding import ModelError
from index.search.vector_log import VectorsError

LOCKED = (
    "Another process was writing to the database for longer than this one waits. Nothing is lost; try again."
)


def settings() -> Settings:
    """The settings, or exit 2 with one line for each that is wrong."""
    try:
        found = Settings()
        check(found)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=False):
            name = f"{str(detail['loc'][0]).upper()}: " if detail["loc"] else ""
            print(name + detail["msg"].removeprefix("Value error, "), file=sys.stderr)
    except SettingError as error:
        print(error, file=sys.stderr)
    except SettingsError as error:
        print(f"the settings can't be read: {error}", file=sys.stderr)
    except (OSError, UnicodeError) as error:
        print(f".env can't be read ({error}). It is a text file in UTF-8; see .env.example.", file=sys.stderr)
    else:
        return found
    sys.exit(2)


def perform(
    work: Coroutine[Any, Any, int | None], *, events: bool = False, ending: Ending | None = None
) -> None:
    """Run a coroutine; known errors end it with one line and exit 1, or with the error's own ``status``.

    With ``ending``, signals end it, too, and nothing that hangs keeps it alive.
    """
    from bot.cli.ingest import Reporter
    from bot.closes import LoginError

    try:
        status = asyncio.run(ending.watch(work) if ending else work)
    except (StoreError, SourceError, VectorsError, ModelError, BusyError, LoginError, DBAPIError) as error:
        kind, said = _told(error)
        if not said:
            raise
        if events:
            Reporter.event(error=said, kind=kind)
        else:
            print(said, file=sys.stderr)
        sys.exit(getattr(error, "status", 1))
    except KeyboardInterrupt:
        print("Stopped. What was read is kept; the same command completes it.", file=sys.stderr)
        sys.exit(130)
    sys.exit(status or 0)


def _told(error: Exception) -> tuple[RunOutcome, str]:
    """What kind of failure it is, and the words for it; no words for one that nobody can do something about."""
    if isinstance(error, DBAPIError):
        locked = "database is locked" in str(error.orig)
        return RunOutcome.BUSY, LOCKED if locked else ""
    kinds = {BusyError: RunOutcome.BUSY, SourceError: RunOutcome.UNREACHABLE}
    return kinds.get(type(error), RunOutcome.FAILED), str(error)
