"""How the local Discord misbehaves when told to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Fault:
    """One kind of trouble for requests whose ``METHOD /path`` matches."""

    route: str = ".*"
    status: int | None = None
    """Answer this instead (429, 500, 502, ...)."""
    retry_after: float = 0.5
    everywhere: bool = False
    """For 429: a global limit, not one of the route."""
    delay: float = 0.0
    """Seconds to wait before answering."""
    hold: float = 0.0
    """Seconds to wait after doing what was asked, before saying so."""
    after: bool = False
    """Do what was asked first, then answer with the fault: the client can't know that it worked."""
    times: int = 1

    def matches(self, method: str, path: str) -> bool:
        """Whether it is this request's turn."""
        return self.times > 0 and re.search(self.route, f"{method} {path}") is not None


@dataclass
class Close:
    """A close of bots' sockets, with any code."""

    close: int
    """The code: 4004, 4014, ...; 1006 cuts the socket without a word."""
    when: str = "now"
    """``now``, or ``identify``: as the answer to the next attempts to identify."""
    times: int = 1
    """How many attempts to identify are answered so."""


@dataclass
class Faults:
    """Everything that is wrong right now."""

    requests: list[Fault] = field(default_factory=list)
    identifies: list[Close] = field(default_factory=list)
    """How the next attempts to identify are refused."""
    duplicate_dispatches: int = 0
    """How many of the next dispatches reach the client twice."""

    def add(self, **fault: object) -> None:
        """Plan a :class:`Fault`.

        Raises
        ------
        TypeError
            Where a field is unknown.
        """
        self.requests.append(Fault(**fault))  # type: ignore[arg-type]

    def next_for(self, method: str, path: str) -> Fault | None:
        """The fault that this request meets, used up once."""
        for fault in self.requests:
            if fault.matches(method, path):
                fault.times -= 1
                return fault
        return None

    def refusal(self) -> int | None:
        """The code that closes the socket of whoever identifies now."""
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
