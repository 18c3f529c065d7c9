"""What all routes share: parsed requests, and lookups with permission checks."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

from aiohttp import BodyPartReader, web
from aiohttp.http_exceptions import HttpProcessingError

from bot.local_discord import errors
from bot.local_discord.gateway import Gateway
from bot.local_discord.interactions import Interactions
from bot.local_discord.limits import Problems
from bot.local_discord.messages import Messages, Upload
from bot.local_discord.permissions import VIEW_CHANNEL, permissions_in
from bot.local_discord.state import Json, State

Handler = Callable[["Call"], Awaitable[Any]]


class Call:
    """A parsed request."""

    def __init__(self, request: web.Request, user_id: str | None, body: Any, uploads: list[Upload]) -> None:
        self.request = request
        self.user_id = user_id or ""
        self.raw = body
        self.uploads = uploads
        self.status = 200
        """Of an answer with a body; handlers that make something say 201, where Discord does."""

    @property
    def body(self) -> Json:
        """The body as an object."""
        return self.raw if isinstance(self.raw, dict) else {}

    def __getitem__(self, name: str) -> str:
        return self.request.match_info[name]


async def read_body(request: web.Request) -> tuple[Any, list[Upload]]:
    """The JSON body and files of a request: plain, multipart, or a form with the JSON in ``payload_json``.

    Raises
    ------
    ApiError
        50109 if the body is not valid JSON.
    """
    uploads: list[Upload] = []
    try:
        if request.content_type == "multipart/form-data":
            raw = await _multipart(request, uploads)
        else:
            raw = await request.read()
            if request.content_type == "application/x-www-form-urlencoded":
                raw = b"".join(parse_qs(raw)[b"payload_json"][:1]) if b"payload_json=" in raw else b""
        body = json.loads(raw, parse_constant=_no_constant) if raw else None
        json.dumps(body, ensure_ascii=False).encode()  # half a character can't be encoded
    except (ValueError, AssertionError, RecursionError, HttpProcessingError) as error:
        raise errors.ApiError(400, 50109, "The request body contains invalid JSON.") from error
    return body, uploads


async def _multipart(request: web.Request, uploads: list[Upload]) -> bytes:
    """The JSON of a multipart request; adds its files to the uploads."""
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
    return raw


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


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
        if not (self._state.sees(call.user_id, channel) and self._may(call, channel, VIEW_CHANNEL)):
            raise errors.missing_access()
        return channel

    def _thread(self, call: Call) -> Json:
        channel = self._channel(call)
        if "thread_metadata" not in channel:
            raise errors.ApiError(400, 50024, "Cannot execute action on this channel type")
        return channel

    def _require(self, call: Call, guild_id: str | None, permission: int) -> None:
        if guild_id and not self._state.permissions(guild_id, call.user_id) & permission:
            raise errors.missing_permissions()

    def _may(self, call: Call, channel: Json, permission: int) -> bool:
        """Whether somebody may do something in a channel; in a direct message both may."""
        if not channel.get("guild_id"):
            return True
        return bool(permissions_in(self._state, channel, call.user_id) & permission)

    def _require_in(self, call: Call, channel: Json, permission: int) -> None:
        if not self._may(call, channel, permission):
            raise errors.missing_permissions()

    def _limit(self, call: Call, most: int, default: int) -> int:
        """The query's ``limit``."""
        text = call.request.query.get("limit", str(default))
        if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= most):
            problems = Problems()
            problems.add("limit", "NUMBER_TYPE_MAX", f"int value should be between 1 and {most}.")
            raise errors.invalid_form(problems)
        return int(text)

    def _snowflake(self, call: Call, name: str) -> int:
        """An id of the query, 0 where it has none."""
        text = call.request.query.get(name) or "0"
        if not (text.isascii() and text.isdecimal() and len(text) <= 20):
            problems = Problems()
            problems.add(name, "NUMBER_TYPE_COERCE", f'Value "{text[:40]}" is not snowflake.')
            raise errors.invalid_form(problems)
        return int(text)

    def _moment(self, text: str) -> float:
        """A time of the query, in seconds since 1970."""
        try:
            moment = datetime.fromisoformat(text)
        except ValueError as error:
            problems = Problems()
            problems.add("before", "DATE_TIME_TYPE_PARSE", f'Could not parse "{text[:40]}".')
            raise errors.invalid_form(problems) from error
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

    def _thread_member(self, thread: Json, user: str) -> Json:
        return {"id": thread["id"], "user_id": user, "join_timestamp": self._state.timestamp(), "flags": 0}

    def _guild(self, call: Call) -> Json:
        guild = self._state.guilds.get(call["guild"])
        if guild is None or call.user_id not in guild["members"]:
            raise errors.unknown("Guild", 10004)
        return guild
