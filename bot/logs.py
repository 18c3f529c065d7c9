"""Logging: one process writes the file, libraries log only what matters, secrets are blotted out.

No library logs below WARNING (discord.py: INFO), whatever LOG_LEVEL says: their debug messages hold request
bodies, headers and SQL values. That keeps secrets out of the log; blotting out what looks like one is the
second defence.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout
from pydantic import SecretStr
from sqlalchemy import make_url

from bot.settings import Settings
from data.database.private_files import keep_private

Role = Literal["bot", "worker", "command"]
"""A ``bot`` owns the log file; a ``worker`` sends it JSON lines; a ``command`` logs to the terminal."""
LEVELS = {"discord": logging.INFO}
"""Libraries that may log more than warnings."""
TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
BLOTTED = "[secret]"
_SHORTEST = 6
"""The shortest secret to search for; a shorter one occurs in many words by chance."""
_LOOKS_SECRET = re.compile(
    r"""(?x)
    \b[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}          # a bot's token
    | (?<=/feeds/)[\w-]{20,}
    | (?<=/interactions/)\d+/[\w-]{20,}
    | (?<=/webhooks/)\d+/[\w-]{20,}
    | (?i:(?<=api_key=)|(?<=apikey=)|(?<=access_token=))[^&\s'"]+
    | (?i:(?<=bearer\s)|(?<=bot\s))[\w.-]{20,}
    | (?<=://)[^/\s:@]*:[^/\s@]+(?=@)                # name and password in an address
    """
)
_held: list[FileLock] = []


class Blotter:
    """Blots secrets out of a text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= _SHORTEST}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __call__(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(BLOTTED, text)
        return _LOOKS_SECRET.sub(BLOTTED, text)


def secrets_of(settings: Settings) -> list[str]:
    """All secrets in the settings: every ``SecretStr``, and the password in the database's address."""
    secrets = [value.get_secret_value() for _, value in settings if isinstance(value, SecretStr)]
    if settings.database_url and (password := make_url(settings.database_url).password):
        secrets.append(str(password))
    return secrets


class TextLines(logging.Formatter):
    """A line for people to read."""

    def __init__(self, blot: Blotter) -> None:
        super().__init__(TEXT)
        self._blot = blot

    def format(self, record: logging.LogRecord) -> str:
        """The record's text, followed by any traceback."""
        return self._blot(super().format(record))


class JsonLines(logging.Formatter):
    """One JSON object per line: time, level, logger, message; exception and reference if there are any."""

    def __init__(self, blot: Blotter) -> None:
        super().__init__()
        self._blot = blot

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": self._blot(record.getMessage()),
        }
        if record.exc_info and record.exc_info[0] is not None:
            entry["exception"] = self._blot(self.formatException(record.exc_info))
        elif record.exc_text:
            entry["exception"] = self._blot(record.exc_text)
        if reference := getattr(record, "reference", None):
            entry["reference"] = str(reference)
        return json.dumps(entry, ensure_ascii=False)


def log_to(settings: Settings, role: Role = "command", *, console: bool = True) -> None:
    """Set up logging for this process; ``console`` is false if someone types in this terminal."""
    keep_private(settings.labmate_data)
    blot = Blotter(secrets_of(settings))
    as_json = settings.log_format == "json" or role == "worker"
    handlers: list[logging.Handler] = []
    if role == "bot":
        handlers += _file(settings.labmate_data)
    if console or role == "worker":
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(JsonLines(blot) if as_json else TextLines(blot))
    logging.basicConfig(level=logging.WARNING, handlers=handlers or [logging.NullHandler()], force=True)
    level = logging.getLevelNamesMapping()[settings.log_level]
    quiet = role == "command" and level == logging.INFO  # a terminal shows what needs attention
    logging.getLogger("labmate").setLevel(logging.WARNING if quiet else level)
    for name, least in LEVELS.items():
        logging.getLogger(name).setLevel(logging.WARNING if quiet else max(least, level))


def _file(folder: Path) -> list[logging.Handler]:
    """The rotating log file, if no other process holds it: two processes that rotate it would lose lines."""
    lock = FileLock(folder / "labmate.log.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        print(
            f"Another Labmate is writing {folder / 'labmate.log'}, so this one logs to the terminal.",
            file=sys.stderr,
        )
        return []
    _held.append(lock)
    path = folder / "labmate.log"
    os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    return [RotatingFileHandler(path, maxBytes=5_000_000, backupCount=3, encoding="utf-8")]
