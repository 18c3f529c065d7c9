"""The local Discord's server: it starts and stops, applies faults and checks, and records requests."""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from pathlib import Path
from typing import Any, Self

from aiohttp import web

from bot.local_discord import errors
from bot.local_discord.answers import faulty, json_answer, limit_headers
from bot.local_discord.conformance import Conformance
from bot.local_discord.description import description_in
from bot.local_discord.faults import Fault, Faults
from bot.local_discord.furniture import Furniture, keep_port, kept_port
from bot.local_discord.gateway import Gateway
from bot.local_discord.interactions import Interactions
from bot.local_discord.local_routes import LocalRoutes, MoveClock, refusal
from bot.local_discord.messages import Messages
from bot.local_discord.page_files import ATTACHMENT_HEADERS
from bot.local_discord.rates import Rates
from bot.local_discord.rest import Rest
from bot.local_discord.routes import Call, Handler, read_body
from bot.local_discord.state import Json, State
from bot.local_discord.wire import Wire

API = "/api/v10"
_KEPT_REQUESTS = 2_000


class LocalDiscord:
    """A Discord on loopback with one application and one guild, which one user owns.

    Parameters
    ----------
    port
        0 for any free port.
    description
        Discord's OpenAPI description, to check requests, answers and events against; by default the file
        that ``DISCORD_OPENAPI`` names.
    ids
        A file that keeps ids and the port, so that user, server and page stay the same after a restart.
    furnished
        For people: with a second channel and user, a forum and direct messages, and the wire is recorded.
    move_clock
        Moves the bot's clock when somebody moves this Discord's.
    """

    def __init__(
        self,
        port: int = 0,
        *,
        description: Path | None = None,
        ids: Path | None = None,
        furnished: bool = False,
        move_clock: MoveClock | None = None,
    ) -> None:
        self._port = port
        self._ids = ids
        named = description or (
            Path(os.environ["DISCORD_OPENAPI"]) if os.environ.get("DISCORD_OPENAPI") else None
        )
        self._description = description_in(named) if named and named.exists() else None
        self.state = State()
        self.faults = Faults()
        self.rates = Rates(self.state)
        self.conformance = Conformance(self._description)
        self.gateway = Gateway(self.state, self.faults, self.conformance, lambda: self.gateway_url)
        self.messages = Messages(self.state, self.gateway)
        self.interactions = Interactions(self.state, self.gateway, self.messages)
        self.requests: deque[Json] = deque(maxlen=_KEPT_REQUESTS)
        """The bot's requests: method, path, body, status."""
        self._rest = Rest(self.state, self.gateway, self.messages, self.interactions)
        self._runner: web.AppRunner | None = None
        furniture = Furniture(self.state, ids, furnished=furnished)
        self.owner, self.guild, self.channel = furniture.owner, furniture.guild, furniture.channel
        self.wire = Wire()
        self.wire.is_on = furnished
        self.gateway.on_dispatch = self._dispatched
        self._local = LocalRoutes(self.state, self.faults, self.gateway, self.wire, furniture, move_clock)

    # -- running -------------------------------------------------------------------------------

    async def start(self) -> Self:
        """Listen on loopback."""
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.router.add_get("/gateway", self.gateway.handle)
        app.router.add_get("/gateway/", self.gateway.handle)
        app.router.add_get("/attachments/{channel}/{id}/{name}", self._attachment)
        self._local.add_to(app.router)
        for method, path, handler, authorized in self.routes():
            for prefix in (API, "/api"):
                app.router.add_route(method, prefix + path, self._wrap(handler, authorized))
        app.router.add_route("*", "/{anything:.*}", self._nothing_here)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        self._port = await self._listen(self._runner)
        keep_port(self._ids, self._port)
        self._rest.gateway_url = self.gateway_url
        self.messages.base_url = self.url
        return self

    async def _listen(self, runner: web.AppRunner) -> int:
        """Listen on the port that was asked for, else on the last one if it is free, else on any."""
        last = kept_port(self._ids) if not self._port else 0
        site = web.TCPSite(runner, "127.0.0.1", last or self._port)
        try:
            await site.start()
        except OSError:
            if not last:
                raise
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
        assert site._server is not None
        return int(site._server.sockets[0].getsockname()[1])  # type: ignore[attr-defined]

    def routes(self) -> list[tuple[str, str, Handler, bool]]:
        """What is served of the API: (method, path, handler, needs authorization)."""
        return self._rest.routes()

    async def stop(self) -> None:
        """Close everything.

        Raises
        ------
        NonconformingError
            If an answer or an event was not as Discord's description has it.
        """
        await self.interactions.close()
        await self.gateway.close()
        if self._runner is not None:
            await self._runner.cleanup()
        self.conformance.close()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def url(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def api_url(self) -> str:
        """Stands in for ``https://discord.com/api/v10``."""
        return self.url + API

    @property
    def gateway_url(self) -> str:
        """Stands in for ``wss://gateway.discord.gg``."""
        return f"ws://127.0.0.1:{self._port}/gateway"

    @property
    def bot_token(self) -> str:
        """The bot's token."""
        return self.state.bot_token

    @property
    def user_token(self) -> str:
        """The owner's token, for :class:`bot.local_discord.client.UserClient`."""
        return self.state.token_of(self.owner["id"])

    # -- each request ----------------------------------------------------------------------------

    def _wrap(self, handler: Handler, authorized: bool) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            path, began = request.path.removeprefix("/api").removeprefix("/v10"), time.monotonic()
            user_id = self.state.user_of(request.headers.get("Authorization", ""))
            address = request.remote or ""
            if self.rates.is_banned(address):
                return web.Response(status=429, text="error code: 1015", content_type="text/html")
            wait = self.rates.wait(user_id, path)
            fault = (
                self.faults.next_for(request.method, path)
                if wait is None
                else Fault(status=429, retry_after=wait, everywhere=True)
            )
            if fault is not None and fault.delay:
                await asyncio.sleep(fault.delay)
            if fault is not None and fault.status and not fault.after:
                self.rates.note(address, fault.status)
                self._record(request, user_id, path, None, fault.status, None, began)
                return faulty(fault)
            entry: Json = {"method": request.method, "path": path}
            try:
                status, answer = await self._answer(request, path, handler, authorized, entry)
            except errors.ApiError as error:
                status, answer = error.status, error.body
            except ConnectionResetError:  # the client died during its request
                return web.Response(status=400)
            self.rates.note(address, status)
            entry |= {"status": status, "answer": answer if status >= 400 else None}
            if not path.startswith("/interactions") or "callback" in path:
                self.requests.append(entry)
            given = fault.status if fault is not None and fault.status else status
            self._record(request, user_id, path, entry.get("body"), given, answer, began)
            if fault is not None and fault.hold:
                await asyncio.sleep(fault.hold)
            if fault is not None and fault.status:
                return faulty(fault)
            self.conformance.answer(request.method, path, status, answer)
            if answer is None:
                return web.Response(status=status, headers=limit_headers(path))
            return json_answer(answer, status=status, headers=limit_headers(path))

        return handle

    def _record(
        self,
        request: web.Request,
        user_id: str | None,
        path: str,
        body: Any,
        status: int,
        answer: Any,
        began: float,
    ) -> None:
        """Keep an exchange for the page. Routes of interactions, which need no token, are the bot's."""
        known = self.state.users.get(user_id or "") or self.state.application["bot"]
        self.wire.request(
            known["username"], request.method, path, body, status, answer, time.monotonic() - began
        )

    def _dispatched(self, user_id: str, event: str, data: Json) -> None:
        if user_id == self.state.application["bot"]["id"]:
            self.wire.event(self.state.users[user_id]["username"], event, data)

    async def _answer(
        self, request: web.Request, path: str, handler: Handler, authorized: bool, entry: Json
    ) -> tuple[int, Any]:
        user_id = self.state.user_of(request.headers.get("Authorization", ""))
        if authorized and user_id is None:
            raise errors.unauthorized()
        body, uploads = await read_body(request)
        entry["body"] = body
        if self._description is not None and body is not None and not uploads and path != "/interactions":
            problems = self._description.check(request.method, path, body)
            if problems.tree:
                raise errors.invalid_form(problems)
        call = Call(request, user_id, body, uploads)
        answer = await handler(call)
        return 204 if answer is None else call.status, answer

    async def _attachment(self, request: web.Request) -> web.Response:
        if (refused := refusal(request)) is not None:
            return refused
        name, kind, data = self.state.files.get(request.match_info["id"], ("", "", b""))
        if name != request.match_info["name"]:
            return web.Response(status=404)
        return web.Response(body=data, content_type=kind.partition(";")[0], headers=ATTACHMENT_HEADERS)

    async def _nothing_here(self, request: web.Request) -> web.Response:
        return json_answer({"message": "404: Not Found", "code": 0}, status=404)
