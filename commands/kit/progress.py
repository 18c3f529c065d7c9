"""What the worker is still doing; replies that depend on it say so, with the time left."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from discord import ui

from commands.cards.text import plural

if TYPE_CHECKING:
    from commands.kit.replies import Reply
    from commands.kit.services import Services

_LEAST = 2.0
"""Seconds that a step is watched before the time left is told from its rate."""
_TEXT_LIMIT, _PARTS_LIMIT = 4_000, 40


class Need(IntEnum):
    """What a reply depends on, in the order in which the worker makes it."""

    PAPERS = 1
    MEANING = 2
    PEOPLE = 3
    TOPICS = 4


STEPS = {
    "words": Need.PAPERS,
    "embedding": Need.MEANING,
    "gathering authorships": Need.PEOPLE,
    "telling people apart": Need.PEOPLE,
    "writing down who is who": Need.PEOPLE,
    "finding topics": Need.TOPICS,
    "comparing with earlier papers": Need.TOPICS,
}
"""What each step of the worker makes; every other one reads papers in."""
_DOING = {
    Need.PAPERS: "reading in papers",
    Need.MEANING: "comparing papers by meaning",
    Need.PEOPLE: "matching authors to papers",
    Need.TOPICS: "finding topics",
}
_WAITING = {
    Need.MEANING: "I haven't compared {} by meaning yet",
    Need.PEOPLE: "I haven't matched the authors of the newest papers yet",
    Need.TOPICS: "I haven't sorted the newest papers into topics yet",
}
STARTING = "I've just started and am still loading what I know about people. Ask again in a few seconds."


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

    def left(self, at: float | None = None) -> float | None:
        """Seconds until the step is done, at the rate since it began; None where that can't be told."""
        watched, made = self._last - self._begun, self.done - self._first
        if watched < _LEAST or made <= 0 or not self.total:
            return None
        waited = (time.monotonic() if at is None else at) - self._last
        return max(0.0, watched / made * (self.total - self.done) - waited)

    @property
    def text(self) -> str:
        """What is being done, in words, or nothing."""
        if not self.step:
            return ""
        of = f" of {self.total:,}" if self.total else ""
        left = self.left()
        return f"{self.step}: {self.done:,}{of}" + (f", about {duration(left)} left" if left else "")


def duration(seconds: float) -> str:
    """A time that is left, roughly."""
    if seconds < 90:
        return f"{max(5, round(seconds / 5) * 5)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{round(minutes / 60)} h"


def missing(services: Services, *needs: Need) -> str | None:
    """What the reply still lacks, in a short line of small print; None where it lacks nothing."""
    found = [need for need in sorted(needs) if _lacks(services, need)]
    if not found:
        return None
    need, progress = found[0], services.progress
    if services.is_starting and need in (Need.PEOPLE, Need.TOPICS):
        return f"-# {STARTING}"
    if doing := _doing(progress, need):
        return f"-# {doing}, so this may be incomplete."
    papers = plural(services.corpus.waiting(), "paper")
    return f"-# {_WAITING[need].format(papers)}, so this may be incomplete."


def _doing(progress: Progress, need: Need) -> str | None:
    """What is being done before a need is met, with the time left; None where nothing is being done for it."""
    making = progress.makes
    if making is None or making > need:
        return None
    left = progress.left()
    more = "about" if making == need else "more than"
    time_left = f" ({more} {duration(left)} left)" if left is not None else ""
    return f"I'm still {_DOING[need]}{time_left}"


def _lacks(services: Services, need: Need) -> bool:
    if need is Need.PAPERS:
        return services.progress.makes is Need.PAPERS and services.progress.done > 0
    if need is Need.MEANING:
        return services.corpus.waiting() > 0
    if need is Need.PEOPLE:
        return services.is_starting or services.insight.people_lag
    return services.is_starting or services.insight.topics_lag


def not_yet(services: Services) -> str:
    """Why I can't say anything about people yet, and when I can."""
    if services.is_starting:
        return STARTING
    if doing := _doing(services.progress, Need.PEOPLE):
        return f"{doing}. Please ask again later."
    return "I haven't matched authors to papers yet. That happens after papers are read in."


async def told(
    services: Services, work: Awaitable[ui.LayoutView | Reply], *needs: Need
) -> ui.LayoutView | Reply:
    """A reply, with a line about what it still lacked when it was asked for."""
    line = None if services.is_starting else missing(services, *needs)  # a reply waits for what is starting
    made = await work
    line = line if line is None else (missing(services, *needs) or line)
    if line is None:
        return made
    view = made if isinstance(made, ui.LayoutView) else made.view
    if view.total_children_count < _PARTS_LIMIT and view.content_length() + len(line) <= _TEXT_LIMIT:
        view.add_item(ui.TextDisplay(line))
    return made
