"""The local Discord's server: it starts and stops, applies faults and checks, and records requests."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections import deque
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self

from aiohttp import web

from bot.local_discord import blanks, errors
from bot.local_discord.conformance import Conformance
from bot.local_discord.description import description_in
from bot.local_discord.faults import Close, Fault, Faults
from bot.local_discord.gateway import Gateway
from bot.local_discord.interactions import Interactions
from bot.local_discord.messages import Messages
from bot.local_discord.rates import Rates
from bot.local_discord.rest import Rest
from bot.local_discord.routes import Call, Handler, read_body
from bot.local_discord.state import Json, State

API = "/api/v10"
_KEPT_REQUESTS = 2_000
LONG_AGO = "2020-01-01T00:00:00+00:00"
"""When the bot joined its first guild, so that it doesn't look new there."""


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
        A file that keeps ids, so that the user and the server stay the same after a restart.
    """

    def __init__(self, port: int = 0, *, description: Path | None = None, ids: Path | None = None) -> None:
        self._port = port
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
        self._populate(_kept_ids(ids, state=self.state))

    def _populate(self, ids: dict[str, str]) -> None:
        state = self.state
        bot = state.add_user("labmate", bot=True, id=ids["bot"])
        owner = state.add_user("you", id=ids["owner"])
        state.application = blanks.application(bot["id"], "Labmate", owner, bot)
        state.application["_privileged_intents"] = 0
        state.reset_bot_token()
        self.guild = state.add_guild("Local lab", owner["id"], id=ids["guild"])
        state.add_member(self.guild["id"], bot["id"])["joined_at"] = LONG_AGO
        self.channel = state.add_channel(self.guild["id"], "general", id=ids["channel"])
        self.owner = owner

    # -- running -------------------------------------------------------------------------------

    async def start(self) -> Self:
        """Listen on loopback."""
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.router.add_get("/gateway", self.gateway.handle)
        app.router.add_get("/gateway/", self.gateway.handle)
        app.router.add_get("/attachments/{channel}/{id}/{name}", self._attachment)
        app.router.add_post("/local/faults", self._set_faults)
        for method, path, handler, authorized in self.routes():
            for prefix in (API, "/api"):
                app.router.add_route(method, prefix + path, self._wrap(handler, authorized))
        app.router.add_route("*", "/{anything:.*}", self._nothing_here)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        assert site._server is not None
        self._port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        self._rest.gateway_url = self.gateway_url
        self.messages.base_url = self.url
        return self

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
            path = request.path.removeprefix("/api").removeprefix("/v10")
            address = request.remote or ""
            if self.rates.is_banned(address):
                return web.Response(status=429, text="error code: 1015", content_type="text/html")
            wait = self.rates.wait(self.state.user_of(request.headers.get("Authorization", "")), path)
            fault = (
                self.faults.next_for(request.method, path)
                if wait is None
                else Fault(status=429, retry_after=wait, everywhere=True)
            )
            if fault is not None and fault.delay:
                await asyncio.sleep(fault.delay)
            if fault is not None and fault.status and not fault.after:
                self.rates.note(address, fault.status)
                return _faulty(fault)
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
            if fault is not None and fault.hold:
                await asyncio.sleep(fault.hold)
            if fault is not None and fault.status:
                return _faulty(fault)
            self.conformance.answer(request.method, path, status, answer)
            if answer is None:
                return web.Response(status=status, headers=_limit_headers(path))
            return _json(answer, status=status, headers=_limit_headers(path))

        return handle

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
        name, kind, data = self.state.files.get(request.match_info["id"], ("", "", b""))
        if name != request.match_info["name"]:
            return web.Response(status=404)
        return web.Response(body=data, content_type=kind.partition(";")[0])

    async def _set_faults(self, request: web.Request) -> web.Response:
        """Take a JSON list of faults; an empty list ends them."""
        try:
            wanted = json.loads(await request.read())
            faults = [Fault(**fault) for fault in wanted if "close" not in fault]
            closes = [Close(**fault) for fault in wanted if "close" in fault]
        except (ValueError, TypeError) as error:
            return _json({"message": str(error)}, status=400)
        self.faults.clear()
        self.faults.requests.extend(faults)
        self.faults.identifies.extend(close for close in closes if close.when == "identify")
        for close in closes:
            if close.when == "now":
                await self.gateway.drop(code=close.close, user_id=self.state.application["bot"]["id"])
        return web.Response(status=204)

    async def _nothing_here(self, request: web.Request) -> web.Response:
        return _json({"message": "404: Not Found", "code": 0}, status=404)


def _kept_ids(file: Path | None, *, state: State) -> dict[str, str]:
    """The ids of the first user, bot and server: from the file, or new ones that it then keeps."""
    fresh = {name: state.snowflake() for name in ("bot", "owner", "guild", "channel")}
    if file is None:
        return fresh
    try:
        ids = json.loads(file.read_text())
        return {name: str(int(ids[name])) for name in fresh}
    except (OSError, ValueError, KeyError, TypeError):
        file.write_text(json.dumps(fresh))
        return fresh


def _json(data: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    # Discord's content type has no charset, and some clients compare the whole string.
    body = json.dumps(data).encode()
    return web.Response(body=body, status=status, headers=headers, content_type="application/json")


def _faulty(fault: Fault) -> web.Response:
    if fault.status == 429:
        scope = "global" if fault.everywhere else "user"
        body = {
            "message": "You are being rate limited.",
            "retry_after": fault.retry_after,
            "global": fault.everywhere,
        }
        headers = {"Via": "1.1 local", "Retry-After": str(fault.retry_after), "X-RateLimit-Scope": scope}
        if fault.everywhere:
            headers["X-RateLimit-Global"] = "true"
        return _json(body, status=429, headers=headers)
    status = HTTPStatus(fault.status or 500)
    return _json({"message": fault.message or status.phrase, "code": fault.code}, status=status)


def _limit_headers(path: str) -> dict[str, str]:
    """Headers that tell clients about generous rate limits; answers to interactions have none."""
    if path.endswith("/callback"):
        return {}
    bucket = "-".join(part for part in path.split("/") if part and not part.isdigit())[:60]
    # Discord's buckets are hashes, too; a path may hold an emoji, which no header can.
    bucket = hashlib.sha256(bucket.encode()).hexdigest()[:32]
    return {
        "X-RateLimit-Limit": "1000",
        "X-RateLimit-Remaining": "999",
        "X-RateLimit-Reset-After": "1.0",
        "X-RateLimit-Bucket": bucket,
    }
