"""Limits on what a member or server may ask, and a fair queue, so that nobody waits for all of another's."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from data.stores.limits import LastingLimits, Limit
from data.stores.repository import DATABASE_ERRORS

T = TypeVar("T")
MINUTE, HOUR = 60.0, 3_600.0
_BREATH = 0.015
"""Seconds between two refusals of one member; sixty fit well within Discord's three seconds."""
_SWEEP = 2_000
"""Counters kept before those that have run out are dropped."""


class TooMuch(Exception):
    """A member asks too much; the text says when to ask again."""


@dataclass(frozen=True, slots=True)
class Cost:
    """A kind of answer that costs.

    Attributes
    ----------
    what
        What was asked for, as "You've asked for 20 …" goes on.
    member, server
        How many one member, and all of one server, get within ``period`` seconds; 0 for no limit.
    at_once, each
        How many are in work at once, and how many of them one member's.
    waiting
        How many of one member's wait for their turn.
    """

    what: str
    member: int = 0
    server: int = 0
    period: float = MINUTE
    at_once: int = 1_000
    each: int = 4
    waiting: int = 40


ASK = Cost("answers")
SEARCH = Cost("searches", 20, 240, at_once=2, each=1, waiting=10)
MENTION = Cost("answers to mentions", 20, 240, each=2, waiting=6)
PICTURE = Cost("pictures", 20, 240, at_once=2, each=1, waiting=6)
EXPORT = Cost("files", 6, 60, 10 * MINUTE, at_once=2, each=1, waiting=2)
IMPORT = Cost("imports", 12, 120, HOUR, each=1, waiting=2)
SUMMARY = Cost("summaries", 20, 120, 10 * MINUTE, at_once=4, each=1, waiting=4)
FEED = Cost("feeds", 12, 120, HOUR)


class Counters:
    """How often something happened lately, by key."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._times: dict[tuple[object, ...], tuple[float, deque[float]]] = {}
        self._full = _SWEEP

    def wait(self, key: tuple[object, ...], most: int, period: float) -> float:
        """Seconds until there is room for one more; 0 where there is."""
        now, (_, times) = self._now(), self._times.get(key, (period, deque[float]()))
        while times and times[0] <= now - period:
            times.popleft()
        return 0.0 if len(times) < most else times[0] + period - now

    def count(self, key: tuple[object, ...], period: float) -> None:
        """Note one more."""
        if len(self._times) >= self._full and key not in self._times:
            old = self._now()
            self._times = {k: v for k, v in self._times.items() if v[1] and v[1][-1] > old - v[0]}
            # Where many are still counted, not each new one may look at all of them.
            self._full = max(_SWEEP, 2 * len(self._times))
        self._times.setdefault(key, (period, deque()))[1].append(self._now())


class Turns:
    """A line for each member; the lines take turns."""

    def __init__(self, at_once: int, each: int) -> None:
        self._at_once, self._each = at_once, each
        self._lines: OrderedDict[int, deque[asyncio.Future[None]]] = OrderedDict()
        self._working: Counter[int] = Counter()

    def waiting(self, member: int) -> int:
        """How many of a member's wait."""
        return len(self._lines.get(member, ()))

    def _free(self, member: int) -> bool:
        return self._working.total() < self._at_once and self._working[member] < self._each

    async def enter(self, member: int) -> None:
        """Wait for the next turn of a member's."""
        if self._free(member) and not self._lines:
            self._working[member] += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(member, deque()).append(turn)
        self._advance()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it came just as nobody wanted it any more
                self.leave(member)
            raise

    def leave(self, member: int) -> None:
        """End a turn: the member that waits longest for one is next."""
        self._working[member] -= 1
        if self._working[member] <= 0:
            del self._working[member]
        if member in self._lines:
            self._lines.move_to_end(member)
        self._advance()

    def _advance(self) -> None:
        for member in list(self._lines):
            line = self._lines[member]
            while line and line[0].done():  # cancelled while it waited
                line.popleft()
            if line and self._free(member):
                self._working[member] += 1
                line.popleft().set_result(None)
            if not line:
                del self._lines[member]


@dataclass
class _Held:
    """A member's turn, for as long as some work has it."""

    turns: Turns
    member: int
    now: bool = False

    async def take(self) -> None:
        await self.turns.enter(self.member)
        self.now = True

    def give(self) -> None:
        if self.now:
            self.now = False
            self.turns.leave(self.member)


_HELD: ContextVar[_Held | None] = ContextVar("turn", default=None)


@asynccontextmanager
async def aside() -> AsyncIterator[None]:
    """Let others have the turn while something that takes no effort is waited for."""
    held = _HELD.get()
    if held is None or not held.now:
        yield
        return
    held.give()
    try:
        yield
    finally:
        await held.take()


@dataclass(frozen=True, slots=True)
class _Quota:
    """How many answers a member, or a server's members together, get."""

    kind: str
    whose: int
    most: int
    who: str

    @property
    def key(self) -> tuple[object, ...]:
        return self.kind, self.whose

    def spent(self, cost: Cost, wait: float) -> TooMuch:
        """What to say when it is used up, ``wait`` seconds before there is room again."""
        return TooMuch(
            f"{self.who} asked for {self.most} {cost.what} in the last {_words(cost.period)}; "
            f"try again {_when(wait)}."
        )


def _quotas(cost: Cost, member: int, guild: int | None) -> list[_Quota]:
    """Those that one answer counts for."""
    quotas = [_Quota("member", member, cost.member, "You've")]
    if guild is not None:
        quotas.append(_Quota("server", guild, cost.server, "The members of this server have"))
    return [quota for quota in quotas if quota.most]


class RateLimits:
    """The limits of all costs, and their turns. Nothing of it outlives the process.

    Parameters
    ----------
    counted
        Whether anything is refused; turns are taken always.
    shared
        Where several processes count together; None where there is one.
    """

    def __init__(
        self,
        *,
        counted: bool = True,
        shared: LastingLimits | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._counted = counted
        self._shared = shared
        self._counters = Counters(now)
        self._turns: dict[str, Turns] = {}
        self._refusing = Turns(1_000, 1)

    async def admit(self, cost: Cost, member: int, guild: int | None) -> None:
        """Count one answer of a kind, in all processes together where there are several.

        Raises
        ------
        TooMuch
            Where it is one too many; then it is not counted.
        """
        if not self._counted or self._shared is None:
            self.take(cost, member, guild)
            return
        self._not_too_many_waiting(cost, member)
        quotas = _quotas(cost, member, guild)
        within = timedelta(seconds=cost.period)
        try:
            place, wait = await self._shared.spend_all(
                [
                    (Limit(f"asked {quota.kind} {cost.what}", quota.most, within), quota.whose)
                    for quota in quotas
                ]
            )
        except DATABASE_ERRORS:  # what needs no database can still be answered
            self.take(cost, member, guild)
            return
        if wait > 0:
            raise quotas[place].spent(cost, wait)

    def take(self, cost: Cost, member: int, guild: int | None) -> None:
        """Count one answer of a kind in this process.

        Raises
        ------
        TooMuch
            Where it is one too many; then it is not counted.
        """
        if not self._counted:
            return
        self._not_too_many_waiting(cost, member)
        asked = _quotas(cost, member, guild)
        for quota in asked:
            wait = self._counters.wait((cost.what, *quota.key), quota.most, cost.period)
            if wait > 0:
                raise quota.spent(cost, wait)
        for quota in asked:
            self._counters.count((cost.what, *quota.key), cost.period)

    def _not_too_many_waiting(self, cost: Cost, member: int) -> None:
        if self._of(cost).waiting(member) >= cost.waiting:
            raise TooMuch(
                f"{cost.waiting} of your {cost.what} are waiting already. Ask again once some have come."
            )

    async def carry(self, cost: Cost, member: int, work: Awaitable[T]) -> T:
        """What some work makes, done in the member's turn."""
        held = _Held(self._of(cost), member)
        _HELD.set(held)
        try:
            await held.take()
        except asyncio.CancelledError:
            if asyncio.iscoroutine(work):
                work.close()  # else Python warns that it was never awaited
            raise
        try:
            return await work
        finally:
            held.give()

    @asynccontextmanager
    async def refusing(self, member: int) -> AsyncIterator[None]:
        """Send a member's refusals one after the other, with room between them for other members' answers."""
        await self._refusing.enter(member)
        try:
            yield
            await asyncio.sleep(_BREATH)
        finally:
            self._refusing.leave(member)

    def _of(self, cost: Cost) -> Turns:
        return self._turns.setdefault(cost.what, Turns(cost.at_once, cost.each))


def _words(seconds: float) -> str:
    if seconds == MINUTE:
        return "minute"
    return "hour" if seconds == HOUR else f"{round(seconds / MINUTE)} minutes"


def _when(seconds: float) -> str:
    """When the member may ask again, as a timestamp that Discord counts down to."""
    return f"<t:{math.ceil(time.time() + seconds)}:R>"
