"""How every command begins and ends: read the settings, run, report errors."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
import sys
from collections.abc import Coroutine
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import SettingsError
from sqlalchemy.exc import DBAPIError

from bot.cli.reporter import Reporter
from bot.ending import Ending
from bot.settings import Settings
from bot.settings_checks import SettingError, check
from bot.worker import RunOutcome
from data.database.engine import AwayError, StoreError
from data.database.unavailable import FULL, DatabaseUnavailableError, Why, is_full_disk, why
from data.sources.http import SourceError
from index.identity.judgement import JudgingError
from index.search.embedding_model import ModelError
from index.search.files_of_database import BusyError
from index.search.vector_manifest import VectorsError
from index.search.word_files import WordsDamagedError, WordsUnreadableError

KNOWN = (
    *(StoreError, DatabaseUnavailableError, SourceError, VectorsError, ModelError, BusyError, JudgingError),
    *(WordsDamagedError, WordsUnreadableError, DBAPIError, sqlite3.Error),
)
"""Errors whose message says what to do."""
OUTAGES = {
    Why.AWAY: "The database doesn't answer. What was done so far is kept; run the command again later.",
    Why.COPY: "Only a copy of the database answers (a standby). What was done so far is kept; run the "
    "command again later.",
    Why.BUSY: "Another process kept the database locked for too long. Nothing is lost; try again.",
    Why.READ_ONLY: "The database takes no changes: its server (default_transaction_read_only) or its file is "
    "read-only. What was done so far is kept; change that, then run the command again.",
    Why.FULL: FULL,
}


def settings(**given: object) -> Settings:
    """The settings, with those that the command line gives; a wrong one prints a line and exits with 2."""
    try:
        config = Settings(**given)  # type: ignore[arg-type]
        check(config)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=False):
            name = f"{str(detail['loc'][0]).upper()}: " if detail["loc"] else ""
            print(name + _said(detail), file=sys.stderr)
    except SettingError as error:
        print(error, file=sys.stderr)
    except SettingsError as error:
        print(f"The settings can't be read: {error}", file=sys.stderr)
    except (OSError, UnicodeError) as error:
        print(
            f".env can't be read ({error}). It must be a text file in UTF-8; see .env.example.",
            file=sys.stderr,
        )
    else:
        return config
    sys.exit(2)


def _said(detail: ErrorDetails) -> str:
    """What a wrong value should look like, with an example."""
    kind = detail["type"]
    if not detail["loc"] or kind == "value_error":
        return detail["msg"].removeprefix("Value error, ")
    field = Settings.model_fields[str(detail["loc"][0])]
    if kind == "bool_parsing":
        return "must be true or false"
    if kind == "literal_error":
        return f"must be {detail['ctx']['expected']}" + (", or off" if field.default is None else "")
    limits = {
        name: getattr(part, name) for part in field.metadata for name in ("ge", "le") if hasattr(part, name)
    }
    if field.annotation not in (int, float):
        return detail["msg"]
    what = "a whole number" if field.annotation is int else "a number"
    least, most = limits.get("ge"), limits.get("le")
    if least is not None:
        what += f" from {least:,} to {most:,}" if most is not None else f" of {least:,} or more"
    example = (field.examples or [field.default])[0]
    return (
        f"must be {what}, such as {example:g}"
        if isinstance(example, float)
        else f"must be {what}, such as {example}"
    )


STOPPED = "Stopped. What was done so far is kept; run the command again to finish."


def perform(
    work: Coroutine[Any, Any, int | None],
    *,
    events: bool = False,
    ending: Ending | None = None,
    stopped: str = STOPPED,
) -> None:
    """Run a coroutine; a known error prints one line and exits with 1, or with the error's own ``status``.

    With ``ending``, signals end it too, and no hanging thread can keep the process alive. ``stopped`` is said
    after Ctrl-C.
    """
    from bot.closes import LoginError  # lazy: start-up

    try:
        status = asyncio.run(ending.watch(work) if ending else work)
    except (*KNOWN, LoginError) as error:
        kind, message = _described(error)
        if not message:
            raise
        if events:
            Reporter.event(error=message, kind=kind)
        else:
            print(message, file=sys.stderr)
        sys.exit(getattr(error, "status", 1))
    except KeyboardInterrupt:
        print(stopped, file=sys.stderr)
        sys.exit(130)
    except OSError as error:
        if isinstance(error, IsADirectoryError):
            message = f"{error.filename2 or error.filename} is a folder, where a file belongs."
        elif is_full_disk(error):
            message = FULL.replace("the database", "LABMATE_DATA")
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) and error.filename:
            message = (
                f"{error.filename2 or error.filename} can't be used ({error.strerror}). The user who "
                "runs Labmate must own LABMATE_DATA and all in it (chown -R), and its disk must be writable."
            )
        else:
            raise
        if events:
            Reporter.event(error=message, kind=RunOutcome.FAILED)
        else:
            print(message, file=sys.stderr)
        sys.exit(1)
    sys.exit(status or 0)


def _described(error: Exception) -> tuple[RunOutcome, str]:
    """The kind of failure and the message; the message is empty for a bug, which needs its traceback."""
    if isinstance(error, DBAPIError | sqlite3.Error | DatabaseUnavailableError):
        reason = error.why if isinstance(error, DatabaseUnavailableError) else why(error)
        passes = reason in (None, Why.AWAY, Why.COPY, Why.BUSY)
        return RunOutcome.BUSY if passes else RunOutcome.FAILED, OUTAGES[reason] if reason else ""
    kinds: dict[type[Exception], RunOutcome] = {
        AwayError: RunOutcome.BUSY,
        BusyError: RunOutcome.BUSY,
        SourceError: RunOutcome.UNREACHABLE,
    }
    return kinds.get(type(error), RunOutcome.FAILED), str(error)
