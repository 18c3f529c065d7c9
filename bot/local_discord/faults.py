"""Faults: how the local Discord fails on purpose, for tests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Fault:
    """A fault for requests whose ``METHOD /path`` matches."""

    route: str = ".*"
    status: int | None = None
    """Answer with this status (429, 500, 502, ...)."""
    code: int = 0
    """The JSON error code that goes with it: 40003, 40333, 50278, ..."""
    message: str = ""
    """The error's text; by default the status' own."""
    retry_after: float = 0.5
    everywhere: bool = False
    """For 429: a global limit instead of the route's."""
    delay: float = 0.0
    """Seconds to wait before answering."""
    hold: float = 0.0
    """Seconds to wait between doing what was asked and answering."""
    after: bool = False
    """Do what was asked, then answer with the fault, so the client can't know that it worked."""
    times: int = 1

    def matches(self, method: str, path: str) -> bool:
        """Whether this request meets the fault."""
        return self.times > 0 and re.search(self.route, f"{method} {path}") is not None


@dataclass
class Close:
    """Closes the bots' sockets, with any code."""

    close: int
    """The code: 4004, 4014, ...; 1006 cuts the socket without a word."""
    when: str = "now"
    """``now``, or ``identify`` to answer the next attempts to identify."""
    times: int = 1
    """How many attempts to identify get this answer."""


@dataclass
class Faults:
    """All faults that are planned."""

    requests: list[Fault] = field(default_factory=list)
    identifies: list[Close] = field(default_factory=list)
    """Refusals for the next attempts to identify."""
    duplicate_dispatches: int = 0
    """How many of the next dispatches to send twice."""

    def add(self, **fault: object) -> None:
        """Plan a :class:`Fault`.

        Raises
        ------
        TypeError
            If a field is unknown.
        """
        self.requests.append(Fault(**fault))  # type: ignore[arg-type]

    def next_for(self, method: str, path: str) -> Fault | None:
        """The fault that this request meets; using it counts once."""
        for fault in self.requests:
            if fault.matches(method, path):
                fault.times -= 1
                return fault
        return None

    def refusal(self) -> int | None:
        """The close code for the client that identifies now, or None."""
        for close in self.identifies:
            if close.times > 0:
                close.times -= 1
                return close.close
        return None

    def clear(self) -> None:
        """Behave again."""
        self.requests.clear()
        self.identifies.clear()
        self.duplicate_dispatches = 0
