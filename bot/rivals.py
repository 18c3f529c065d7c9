"""Another process that answers with the same token over other data: Discord's refusals give it away.

Discord sends each interaction to both, and takes the answer of whoever is quicker. The other one's is refused
as a second answer, although it was the only one that this process has sent.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from types import SimpleNamespace
from typing import NoReturn

import aiohttp

from bot.closes import ACT, LoginError
from commands.kit.replies import ALREADY_ANSWERED

log = logging.getLogger("labmate")
YOUNG = 3_600.0
"""Seconds since its start for which a process ends when it meets another: it is probably the one too many."""
ENOUGH = 2
"""Answers that another process has given in place of this one before it ends: where two processes lose one
each at the same moment, both stay."""
LATELY = 900.0
"""Seconds for which another process counts as still there; it shows only when somebody asks something."""
TOLD_EVERY = 600.0
_REMEMBERED = 1_000
_CALLBACK = re.compile(r"/interactions/(\d+)/[^/]+/callback$")
RESET = (
    "If you can't find the other one, reset the token (Developer Portal, your application, Bot, Reset "
    "Token), which ends both, and put the new one into DISCORD_TOKEN."
)
WORDS = (
    "Another process answers in Discord with this DISCORD_TOKEN, from other data. The quicker one answers "
    f"each member, and what members save reaches only that one. Stop one of the two. {RESET}"
)


class Rivals:
    """Watches the answers that this process gives.

    Attributes
    ----------
    noticed
        Set once another process has answered in place of this one.
    """

    def __init__(self, may_share: Callable[[], bool]) -> None:
        self._may_share = may_share
        """Says whether others of this Labmate may answer just now, as while shards are handed over."""
        self._sent: OrderedDict[str, int] = OrderedDict()
        self._born = time.monotonic()
        self._last, self._told = float("-inf"), float("-inf")
        self._times = 0
        self.noticed = asyncio.Event()

    @property
    def lately(self) -> bool:
        """Whether another process has answered in place of this one in the last minutes."""
        return time.monotonic() - self._last < LATELY

    @property
    def trace(self) -> aiohttp.TraceConfig:
        """What looks at each request."""
        trace = aiohttp.TraceConfig()
        trace.on_request_start.append(self._began)
        trace.on_request_end.append(self._ended)
        return trace

    async def _began(
        self, _: aiohttp.ClientSession, __: SimpleNamespace, request: aiohttp.TraceRequestStartParams
    ) -> None:
        if answered := _CALLBACK.search(request.url.path):
            self._sent[answered[1]] = self._sent.get(answered[1], 0) + 1
            while len(self._sent) > _REMEMBERED:
                self._sent.popitem(last=False)

    async def _ended(
        self, _: aiohttp.ClientSession, __: SimpleNamespace, request: aiohttp.TraceRequestEndParams
    ) -> None:
        answered = _CALLBACK.search(request.url.path)
        if answered is None or request.response.status != 400 or self._may_share():
            return
        # More than one: the first was taken although its answer got lost, or Discord sent the event twice.
        if self._sent.get(answered[1]) == 1 and await _code(request.response) == ALREADY_ANSWERED:
            self._notice()

    def _notice(self) -> None:
        self._last = time.monotonic()
        self._times += 1
        self.noticed.set()

    async def until_too_many(self) -> NoReturn:
        """Say so each time, and wait until this process turns out to be the one that is too many.

        Only one that started lately is; else a try on another machine could end what has run for months.

        Raises
        ------
        LoginError
            It says what to do.
        """
        while True:
            await self.noticed.wait()
            if self._times >= ENOUGH and self._last - self._born < YOUNG:
                raise LoginError(f"{WORDS} This one started within the last hour, so it ends.", status=ACT)
            if self._last - self._told > TOLD_EVERY:
                self._told = self._last
                log.error("%s", WORDS)
            self.noticed.clear()


async def _code(response: aiohttp.ClientResponse) -> int:
    """The error's number in Discord's list; 0 where there is none."""
    try:
        said = await response.json(content_type=None)
    except (aiohttp.ClientError, ValueError, TimeoutError):
        return 0
    return int(said.get("code", 0)) if isinstance(said, dict) else 0
