"""The wire, kept for the page's drawer: requests with their answers, and events to the bot."""

from __future__ import annotations

import json
import time
from collections import deque
from itertools import count
from typing import Any

from bot.local_discord.state import Json

_KEPT = 400
_MOST_TEXT = 12_000
"""Characters of a body that are kept; files and long listings are longer."""


class Wire:
    """The last exchanges. It is off until a page may ask for it."""

    def __init__(self) -> None:
        self.is_on = False
        self._entries: deque[Json] = deque(maxlen=_KEPT)
        self._numbers = count(1)

    def request(
        self, who: str, method: str, path: str, body: Any, status: int, answer: Any, took: float
    ) -> None:
        """Keep a request with its answer; ``took`` is in seconds."""
        if self.is_on:
            sent = {"method": method, "path": path, "request": _text(body)}
            self._keep({"who": who, **sent, "status": status, "answer": _text(answer), "ms": took * 1000})

    def event(self, who: str, name: str, data: Json) -> None:
        """Keep an event that the gateway sent to the bot."""
        if self.is_on:
            self._keep({"who": who, "event": name, "answer": _text(data)})

    def after(self, number: int) -> list[Json]:
        """The entries that came after the one of this number."""
        return [entry for entry in self._entries if entry["n"] > number]

    def _keep(self, entry: Json) -> None:
        self._entries.append({"n": next(self._numbers), "at": time.time(), **entry})


def _text(body: Any) -> str:
    """A body as indented JSON; it is a text at once, since messages change later."""
    if body is None:
        return ""
    text = json.dumps(body, indent=1, ensure_ascii=False)
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}\n… ({len(text):,} characters in all)"
