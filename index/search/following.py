"""How far this machine's words and facts are behind the store's log of changes, and for how long."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from data.stores.store import Store

MOMENT = 15.0
"""Seconds that following may take without a word: a look every few seconds, and a batch of a few papers."""
MOST_COUNTED = 10_000
_MARKS = 1_000


@dataclass(frozen=True, slots=True)
class Lag:
    """The changes that have not reached this machine."""

    papers: int = 0
    """New or changed papers, counted up to :data:`MOST_COUNTED`."""
    seconds: float = 0.0
    """Since this process first saw that the oldest of them was there."""
    or_longer: bool = False
    """Whether it was there when this process began to look."""

    @property
    def count(self) -> str:
        """The number of papers, in words."""
        more = "more than " if self.papers >= MOST_COUNTED else ""
        return f"{more}{self.papers:,} new or changed paper{'' if self.papers == 1 else 's'}"

    @property
    def is_worth_telling(self) -> bool:
        """Whether it has lasted longer than following takes."""
        return self.papers > 0 and (self.or_longer or self.seconds > MOMENT)


@dataclass(frozen=True, slots=True)
class _Mark:
    newest: int
    """The number of the store's newest batch, as a look found it."""
    at: float
    at_the_beginning: bool


class StoreFollower:
    """Compares the last change in the store with the last one here.

    Parameters
    ----------
    here
        The number of the newest batch that this machine has taken in.
    """

    def __init__(self, store: Store, here: Callable[[], int]) -> None:
        self._store, self._here = store, here
        self._seen: deque[_Mark] = deque()
        self.newest = -1
        """The store's newest batch at the last look."""
        self.lag = Lag()
        """As it was at the last look."""

    async def look(self) -> Lag:
        """Compare them now.

        Raises
        ------
        data.database.unavailable.DatabaseUnavailableError
            Where the store can't be asked.
        """
        self.newest = newest = await self._store.last_change()
        here, now = self._here(), time.monotonic()
        began = not self._seen
        if began or (self._seen[-1].newest != newest and len(self._seen) < _MARKS):
            self._seen.append(_Mark(newest, now, began))
        while len(self._seen) > 1 and self._seen[0].newest <= here:
            self._seen.popleft()
        self.lag = Lag()
        if newest != here:
            # After a restore, the store may be older than what is here: then all of it is taken in again.
            after = here if here < newest else -1
            papers, oldest = await self._store.changed_count(after, MOST_COUNTED), self._seen[0]
            self.lag = Lag(papers, now - oldest.at, oldest.at_the_beginning)
        return self.lag
