"""What the local Discord sends is held to Discord's own description, where that is at hand."""

from __future__ import annotations

import logging
from typing import Any

from bot.local_discord.description import Description
from bot.local_discord.state import Json

log = logging.getLogger(__name__)


class NonconformingError(RuntimeError):
    """The local Discord sent what Discord would not send; the message says what."""


class Conformance:
    """Checks answers and events, and remembers what was wrong with them.

    Parameters
    ----------
    description
        Discord's description, or None to check nothing.
    """

    def __init__(self, description: Description | None) -> None:
        self._description = description
        self._last_event: Json | None = None
        self.violations: list[str] = []

    def answer(self, method: str, path: str, status: int, body: Any) -> None:
        """Check an answer to a request."""
        if self._description is not None:
            self._note(self._description.check_answer(method, path, status, body))

    def event(self, event: str, data: Json) -> None:
        """Check a gateway event, once for all the sessions that get it."""
        if self._description is not None and data is not self._last_event:
            self._last_event = data
            self._note(self._description.check_event(event, data))

    def _note(self, violations: list[str]) -> None:
        for violation in violations:
            log.error("not as Discord's description has it: %s", violation)
        self.violations += violations
        if self._description is not None:
            self._description.violations += violations

    def close(self) -> None:
        """Say at the end what was wrong.

        Raises
        ------
        NonconformingError
            If anything was.
        """
        if self.violations:
            raise NonconformingError("\n".join(self.violations[:20]))
