"""Routes for this machine's own page and programs only: the users, the clock, faults, the wire."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import fields
from datetime import timedelta
from http import HTTPStatus
from typing import Any, TypeVar

from aiohttp import web

from bot.local_discord.faults import Close, Fault, Faults
from bot.local_discord.furniture import Furniture
from bot.local_discord.gateway import Gateway
from bot.local_discord.page_files import serve
from bot.local_discord.state import Json, State
from bot.local_discord.wire import Wire

MoveClock = Callable[[timedelta], None]
FARTHEST = timedelta(days=31)
"""How far the clock goes at once."""
LONGEST = 3_600
"""Seconds that a fault may take."""
_SECONDS = ("delay", "hold", "retry_after")
_KINDS: dict[str, Any] = {"status": int | None, "close": int, **dict.fromkeys(_SECONDS, int | float)}
"""What a fault's fields hold, where the default alone does not tell."""
Planned = TypeVar("Planned", Fault, Close)
_Answer = Callable[[web.Request], Awaitable[web.Response]]
_OURS = (None, "same-origin", "none")
"""The values with which a browser marks a request from our own page; programs send none."""


class LocalRoutes:
    """The page and the routes under ``/local``.

    They have no token. A page of somebody else in the same browser could ask them, also under a name that it
    lets point here, so a request must name this machine as its host and, if at all, our page as its origin.

    Parameters
    ----------
    move_clock
        Moves the clock of the bot, which shares this process.
    """

    def __init__(
        self,
        state: State,
        faults: Faults,
        gateway: Gateway,
        wire: Wire,
        furniture: Furniture,
        move_clock: MoveClock | None,
    ) -> None:
        self._state = state
        self._faults = faults
        self._gateway = gateway
        self._wire = wire
        self._furniture = furniture
        self._move_clock = move_clock

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Serve everything."""
        for path in ("/", "/page/{name:.+}"):
            router.add_get(path, self._ours(self._page))
        for path, get, post in (
            ("/local/session", self._session, None),
            ("/local/clock", self._clock, self._set_clock),
            ("/local/faults", self._planned, self._set_faults),
            ("/local/wire", self._crossed, None),
        ):
            router.add_get(path, self._ours(get))
            if post is not None:
                router.add_post(path, self._ours(post))

    def _ours(self, handler: _Answer) -> _Answer:
        async def handle(request: web.Request) -> web.Response:
            refused = refusal(request)
            return refused if refused is not None else await handler(request)

        return handle

    async def _page(self, request: web.Request) -> web.Response:
        return serve(request, request.match_info.get("name", "index.html"))

    async def _session(self, request: web.Request) -> web.Response:
        """Who there is, with the tokens of the people that a page may act as."""
        state = self._state
        people = [
            {"id": one["id"], "name": one["username"], "token": state.token_of(one["id"])}
            for one in self._furniture.people
        ]
        answer = {"people": people, "guild_id": self._furniture.guild["id"], "bot": state.application["bot"]}
        return answered({**answer, "application_id": state.application["id"]})

    async def _clock(self, request: web.Request) -> web.Response:
        return answered({"now": self._state.now(), "ahead": self._state.clock_offset})

    async def _set_clock(self, request: web.Request) -> web.Response:
        """Take ``{"seconds": 3600}``, and move this Discord's clock and the bot's ahead by so much."""
        seconds = (await _object(request)).get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            return answered({"message": "seconds must be a number"}, status=400)
        if not 0 < seconds <= FARTHEST.total_seconds():  # nor is NaN
            limit = f"The clock goes ahead by at most {FARTHEST.days} days at once, and never back."
            return answered({"message": limit}, status=400)
        self._state.clock_offset += seconds
        if self._move_clock is not None:
            self._move_clock(timedelta(seconds=seconds))
        return await self._clock(request)

    async def _planned(self, request: web.Request) -> web.Response:
        """The faults that are still to come."""
        left = [vars(fault) for fault in self._faults.requests if fault.times > 0]
        return answered(left + [vars(close) for close in self._faults.identifies if close.times > 0])

    async def _set_faults(self, request: web.Request) -> web.Response:
        """Take a JSON list of faults; an empty list ends them."""
        try:
            wanted = json.loads(await request.read())
            faults = [_sound(Fault(**fault)) for fault in wanted if "close" not in fault]
            closes = [_sound(Close(**fault)) for fault in wanted if "close" in fault]
        except (ValueError, TypeError, RecursionError, re.error) as error:
            return answered({"message": str(error)}, status=400)
        self._faults.clear()
        self._faults.requests.extend(faults)
        self._faults.identifies.extend(close for close in closes if close.when == "identify")
        for close in closes:
            if close.when == "now":
                await self._gateway.drop(code=close.close, user_id=self._state.application["bot"]["id"])
        return web.Response(status=204)

    async def _crossed(self, request: web.Request) -> web.Response:
        """What crossed the wire ``after`` the entry of that number."""
        after = request.query.get("after", "0")
        return answered(self._wire.after(int(after[:18]) if after.isascii() and after.isdecimal() else 0))


def _sound(planned: Planned) -> Planned:
    """A fault that each later request can meet.

    Raises
    ------
    TypeError, ValueError, re.error
        Where a field has a value of another kind, the route is no pattern, or the status is none.
    """
    for part in fields(planned):
        value = getattr(planned, part.name)
        if not isinstance(value, _KINDS.get(part.name, type(part.default))):
            raise TypeError(f"{part.name} can't be {value!r}")
        if part.name in _SECONDS and not 0 <= value <= LONGEST:
            raise ValueError(f"{part.name} can't be {value!r} seconds")
    if isinstance(planned, Fault):
        re.compile(planned.route)
        HTTPStatus(planned.status or 200)
    return planned


async def _object(request: web.Request) -> Json:
    """The JSON object of a request; an empty one for anything else."""
    try:
        body = json.loads(await request.read())
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def answered(data: Any, *, status: int = 200) -> web.Response:
    """An answer in JSON that nobody keeps and no other page may read."""
    headers = {
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    body = json.dumps(data).encode()
    return web.Response(body=body, status=status, headers=headers, content_type="application/json")


def refusal(request: web.Request) -> web.Response | None:
    """The answer to a request that does not come from our page or a program here, or sends no JSON."""
    transport = request.transport
    port = transport.get_extra_info("sockname")[1] if transport is not None else 0
    names = {f"127.0.0.1:{port}", f"localhost:{port}"}
    if request.host not in names:
        return answered({"message": f"This server answers only as 127.0.0.1:{port}."}, status=403)
    origin = request.headers.get("Origin")
    if origin not in (None, f"http://{request.host}") or request.headers.get("Sec-Fetch-Site") not in _OURS:
        return answered({"message": "Only this server's own page may ask this."}, status=403)
    if request.method == "POST" and request.content_type != "application/json":
        return answered({"message": "Send application/json."}, status=415)
    return None
