"""What all routes share: parsed requests, and lookups with permission checks."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import BodyPartReader, web

from bot.local_discord import errors
from bot.local_discord.gateway import Gateway
from bot.local_discord.interactions import Interactions
from bot.local_discord.messages import Messages, Upload
from bot.local_discord.state import Json, State

Handler = Callable[["Call"], Awaitable[Any]]


class Call:
    """A parsed request."""

    def __init__(self, request: web.Request, user_id: str | None, body: Any, uploads: list[Upload]) -> None:
        self.request = request
        self.user_id = user_id or ""
        self.raw = body
        self.uploads = uploads

    @property
    def body(self) -> Json:
        """The body as an object."""
        return self.raw if isinstance(self.raw, dict) else {}

    def __getitem__(self, name: str) -> str:
        return self.request.match_info[name]


async def read_body(request: web.Request) -> tuple[Any, list[Upload]]:
    """The JSON body and files of a request, plain or multipart.

    Raises
    ------
    ApiError
        50109 if the body is not valid JSON.
    """
    uploads: list[Upload] = []
    if request.content_type == "multipart/form-data":
        raw = b"{}"
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader):  # a multipart within: Discord's clients send none
                continue
            data = bytes(await part.read(decode=False))
            if part.name == "payload_json":
                raw = data
            elif part.name and part.name.startswith("files["):
                kind = part.headers.get("Content-Type", "application/octet-stream")
                uploads.append(Upload(int(part.name[6:-1]), part.filename or "file", kind, data))
    else:
        raw = await request.read()
    try:
        return (json.loads(raw) if raw else None), uploads
    except ValueError as error:
        raise errors.ApiError(400, 50109, "The request body contains invalid JSON.") from error


class Routes:
    """Base class for the handlers of some routes."""

    def __init__(
        self, state: State, gateway: Gateway, messages: Messages, interactions: Interactions
    ) -> None:
        self._state = state
        self._gateway = gateway
        self._messages = messages
        self._interactions = interactions
        self.gateway_url = ""

    def _channel(self, call: Call) -> Json:
        channel = self._state.channels.get(call["channel"])
        if channel is None:
            raise errors.unknown("Channel", 10003)
        if not self._state.sees(call.user_id, channel):
            raise errors.missing_access()
        return channel

    def _require(self, call: Call, guild_id: str | None, permission: int) -> None:
        if guild_id and not self._state.permissions(guild_id, call.user_id) & permission:
            raise errors.missing_permissions()

    def _guild(self, call: Call) -> Json:
        guild = self._state.guilds.get(call["guild"])
        if guild is None or call.user_id not in guild["members"]:
            raise errors.unknown("Guild", 10004)
        return guild
