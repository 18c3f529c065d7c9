"""What the worker is still doing, how far it is, and the time left."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import IntEnum

_LEAST = 2.0
"""Seconds that a step is watched before the time left is told from its rate."""


class Need(IntEnum):
    """What a reply depends on, in the order in which the worker makes it."""

    PAPERS = 1
    MEANING = 2
    PEOPLE = 3
    TOPICS = 4


STEPS: dict[str, Need | None] = {
    "words": Need.PAPERS,
    "embedding": Need.MEANING,
    "gathering authorships": Need.PEOPLE,
    "telling people apart": Need.PEOPLE,
    "writing down who is who": Need.PEOPLE,
    "writing who wrote what": Need.PEOPLE,
    "averaging people's papers": Need.PEOPLE,
    "joining coauthors": Need.PEOPLE,
    "finding topics": Need.TOPICS,
    "comparing with earlier papers": Need.TOPICS,
    "finding phrases": None,
}
"""What each step of the worker makes, None if no reply waits for it; every other one reads papers in."""
_DOING = {
    Need.PAPERS: "reading in papers",
    Need.MEANING: "comparing papers by meaning",
    Need.PEOPLE: "matching authors to papers",
    Need.TOPICS: "finding topics",
}


@dataclass
class Progress:
    """The step that is being done right now, as far as its events say; times are monotonic, in seconds."""

    step: str = ""
    done: int = 0
    total: int = 0
    _begun: float = 0.0
    _first: int = 0
    _last: float = 0.0

    def heard(self, step: str, done: int, total: int, at: float | None = None) -> None:
        """Take an event in."""
        at = time.monotonic() if at is None else at
        if step != self.step or done < self.done:
            self._begun, self._first = at, done
        self.step, self.done, self.total, self._last = step, done, total, at

    def over(self) -> None:
        """Note that nothing is being done any more."""
        self.heard("", 0, 0)

    @property
    def makes(self) -> Need | None:
        """What the step makes."""
        return STEPS.get(self.step, Need.PAPERS) if self.step else None

    @property
    def rate(self) -> float | None:
        """How many a second since the step began; None where that can't be told."""
        watched, made = self._last - self._begun, self.done - self._first
        return made / watched if watched >= _LEAST and made > 0 else None

    def left(self, at: float | None = None) -> float | None:
        """Seconds until the step is done, at the rate since it began; None where that can't be told."""
        rate = self.rate
        if rate is None or not self.total:
            return None
        waited = (time.monotonic() if at is None else at) - self._last
        return max(0.0, (self.total - self.done) / rate - waited)

    @property
    def text(self) -> str:
        """What is being done, in words, or nothing."""
        if not self.step:
            return ""
        counted = f": {self.done:,}" if self.done or self.total else ""
        of = f" of {self.total:,}" if self.total else ""
        rate, left = self.rate, self.left()
        return (
            f"{self.step}{counted}{of}"
            + (f", {_pace(rate)}" if rate else "")
            + (f", about {duration(left)} left" if left else "")
        )


def _pace(rate: float) -> str:
    """``50 a second``; slow work is told by the minute."""
    return f"{rate:,.0f} a second" if rate >= 1.5 else f"{max(1, round(60 * rate)):,} a minute"


def duration(seconds: float) -> str:
    """A length of time, roughly."""
    if seconds < 90:
        return f"{max(5, round(seconds / 5) * 5)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{round(minutes / 60)} h"


def doing(progress: Progress, need: Need) -> str | None:
    """The work that a need waits for, with the time left; None if nothing is being done for it."""
    making = progress.makes
    if making is None or making > need:
        return None
    left = progress.left()
    more = "about" if making == need else "more than"
    time_left = f" ({more} {duration(left)} left)" if left is not None else ""
    return f"I'm still {_DOING[need]}{time_left}"
