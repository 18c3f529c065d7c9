"""The gateway: sockets of bots and users, sessions that resume, events for everyone who may see them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable

from aiohttp import WSMsgType, web

from bot.local_discord import session_starts
from bot.local_discord.conformance import Conformance
from bot.local_discord.faults import Faults
from bot.local_discord.intents import (
    GUILD_MEMBERS,
    GUILD_PRESENCES,
    MESSAGE_CONTENT,
    is_for_shard,
    members_told,
)
from bot.local_discord.permissions import VIEW_CHANNEL, permissions_in
from bot.local_discord.session_starts import SessionStarts
from bot.local_discord.sessions import DISPATCH, Session, Socket
from bot.local_discord.state import DM, Json, State

HEARTBEAT_MS = 41_250
"""The interval that Discord tells clients."""
HEARTBEAT, IDENTIFY, PRESENCE, RESUME, RECONNECT = 1, 2, 3, 6, 7
REQUEST_MEMBERS, INVALID, HELLO, ACK = 8, 9, 10, 11
_KEPT = 1_000
UNKNOWN_OPCODE, DECODE_ERROR, NOT_AUTHENTICATED, AUTHENTICATION_FAILED = 4001, 4002, 4003, 4004
ALREADY, INVALID_SEQ, INVALID_SHARD, SHARDING_REQUIRED = 4005, 4007, 4010, 4011
INVALID_INTENTS, DISALLOWED_INTENTS = 4013, 4014
_ALL_INTENTS = (1 << 26) - 1
_GUILDS_A_SHARD = 2_500


class Gateway:
    """Keeps all sessions and dispatches events to them."""

    def __init__(
        self, state: State, faults: Faults, conformance: Conformance, url: Callable[[], str]
    ) -> None:
        self._state = state
        self._faults = faults
        self._conformance = conformance
        self._url = url
        self.starts = SessionStarts(state)
        self.sessions: dict[str, Session] = {}
        self.presences: dict[str, Json] = {}
        """User id -> the status that they last set."""
        self.on_dispatch: Callable[[str, str, Json], None] | None = None
        """Called with each user's id, event and data, to show what was sent."""
        self.heartbeat_ms = HEARTBEAT_MS
        self.connections = 0
        """How many sockets have been opened so far, to test reconnecting."""

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one websocket until it closes."""
        ws = web.WebSocketResponse(max_msg_size=1 << 20)
        await ws.prepare(request)
        self.connections += 1
        socket = Socket(ws, request.query.get("compress"))
        await socket.send(
            {"op": HELLO, "d": {"heartbeat_interval": self.heartbeat_ms, "_trace": []}, "s": None, "t": None}
        )
        session: Session | None = None
        try:
            async for message in ws:
                if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                    break
                try:
                    payload = json.loads(message.data)
                    op, data = payload["op"], payload.get("d")
                except (ValueError, KeyError, TypeError):
                    await ws.close(code=DECODE_ERROR, message=b"Error while decoding payload.")
                    break
                if op == HEARTBEAT:
                    await socket.send({"op": ACK, "d": None, "s": None, "t": None})
                elif op in (IDENTIFY, RESUME):
                    if session is not None:
                        await ws.close(code=ALREADY, message=b"Already authenticated.")
                        break
                    session = await (self._identify if op == IDENTIFY else self._resume)(socket, data)
                elif session is None:
                    await ws.close(code=NOT_AUTHENTICATED, message=b"Not authenticated.")
                    break
                elif op == REQUEST_MEMBERS:
                    await self._members(session, data)
                elif op == PRESENCE:
                    self.presences[session.user_id] = data
                elif op not in (4, 31):
                    await ws.close(code=UNKNOWN_OPCODE, message=b"Unknown opcode.")
                    break
        finally:
            if session is not None and session.socket is socket:
                session.socket = None
        return ws

    async def _identify(self, socket: Socket, data: Json) -> Session | None:
        token = str((data or {}).get("token", ""))
        user_id = self._state.user_of(token)
        if user_id is None:
            await socket.ws.close(code=AUTHENTICATION_FAILED, message=b"Authentication failed.")
            return None
        is_bot = user_id == self._state.application["bot"]["id"]
        shard = _shard(data)
        refusal = self._refusal(data, shard) if is_bot else None
        if refusal is not None or shard is None:
            await socket.ws.close(code=refusal or INVALID_SHARD)
            return None
        if is_bot and self.starts.is_too_soon(shard[0]):
            await asyncio.sleep(min(1.0, session_starts.EVERY))  # clients try again at once
            await socket.send({"op": INVALID, "d": False, "s": None, "t": None})
            return None
        if is_bot and self.starts.is_one_too_many():
            self._state.reset_bot_token()
            await self.drop(code=AUTHENTICATION_FAILED, user_id=user_id)
            self.sessions = {key: one for key, one in self.sessions.items() if one.user_id != user_id}
            await socket.ws.close(code=AUTHENTICATION_FAILED, message=b"Authentication failed.")
            return None
        socket.compress_payloads = bool(data.get("compress"))
        session = Session(user_id, is_bot, int(data.get("intents") or 0), shard)
        session.socket = socket
        self.sessions[session.id] = session
        guilds = [
            guild
            for guild, known in self._state.guilds.items()
            if user_id in known["members"] and is_for_shard(shard, "", {"guild_id": guild})
        ]
        await self._send(
            session,
            "READY",
            {
                "v": 10,
                "user": {**self._state.users[user_id], "verified": True, "mfa_enabled": False, "email": None},
                "guilds": [{"id": guild, "unavailable": True} for guild in guilds],
                "session_id": session.id,
                "resume_gateway_url": self._url(),
                "shard": list(shard),
                "application": {"id": self._state.application["id"], "flags": 0},
                "private_channels": [],
                "_trace": [],
            },
        )
        for guild in guilds:
            known = self._state.guild_json(guild, user_id)
            known = members_told(session.intents, user_id, known) if is_bot else known
            await self._send(session, "GUILD_CREATE", known)
        return session

    def _refusal(self, data: Json, shard: tuple[int, int] | None) -> int | None:
        """The code that refuses a bot's attempt to identify, or None."""
        refusal = self._faults.refusal()
        if refusal is not None:
            return refusal
        intents = data.get("intents") or 0
        if shard is None:
            return INVALID_SHARD
        if len(self._state.guilds) / shard[1] > _GUILDS_A_SHARD:
            return SHARDING_REQUIRED
        if not isinstance(intents, int) or intents & ~_ALL_INTENTS or intents < 0:
            return INVALID_INTENTS
        allowed = self._state.application.get("_privileged_intents", 0)
        disallowed = intents & (GUILD_MEMBERS | MESSAGE_CONTENT | GUILD_PRESENCES) & ~allowed
        return DISALLOWED_INTENTS if disallowed else None

    async def _resume(self, socket: Socket, data: Json) -> Session | None:
        session = self.sessions.get(str(data.get("session_id")))
        sequence = int(data.get("seq") or 0)
        is_theirs = session is not None and self._state.user_of(str(data.get("token"))) == session.user_id
        if not is_theirs or session is None or (session.sent and sequence < session.sent[0]["s"] - 1):
            await socket.send({"op": INVALID, "d": False, "s": None, "t": None})
            return None
        if sequence > session.sequence:
            await socket.ws.close(code=INVALID_SEQ, message=b"Invalid seq.")
            return None
        session.socket = socket
        for payload in [p for p in session.sent if p["s"] > sequence]:
            await socket.send(payload)
        await self._send(session, "RESUMED", {"_trace": []})
        return session

    async def _members(self, session: Session, data: Json) -> None:
        guild_id = str(data.get("guild_id"))
        if session.user_id not in self._state.guilds.get(guild_id, {}).get("members", {}):
            return
        query, wanted = str(data.get("query") or ""), data.get("user_ids")
        limit = int(data.get("limit") or 0)
        if not wanted and not (query and limit) and session.is_bot and not session.intents & GUILD_MEMBERS:
            return  # a whole list takes the intent
        ids = [str(i) for i in (wanted if isinstance(wanted, list) else [wanted])] if wanted else None
        members = [
            self._state.member_json(guild_id, user)
            for user in self._state.guilds[guild_id]["members"]
            if (ids is None or user in ids)
            and self._state.users[user]["username"].lower().startswith(query.lower())
        ][: limit or None]
        chunk = {"guild_id": guild_id, "members": members, "chunk_index": 0, "chunk_count": 1}
        await self._send(
            session, "GUILD_MEMBERS_CHUNK", {**chunk, "nonce": data.get("nonce"), "not_found": []}
        )

    # -- dispatching -----------------------------------------------------------------------------

    async def _send(self, session: Session, event: str, data: Json) -> None:
        if not session.hears(event, data):
            return
        self._conformance.event(event, data)
        if self.on_dispatch is not None:
            self.on_dispatch(session.user_id, event, data)
        session.sequence += 1
        payload = {"op": DISPATCH, "t": event, "s": session.sequence, "d": data}
        session.sent.append(payload)
        del session.sent[:-_KEPT]
        if session.socket is not None:
            await session.socket.send(payload)

    async def to_users(self, user_ids: Iterable[str], event: str, data: Json) -> None:
        """Dispatch an event to all sessions of these users."""
        wanted = set(user_ids)
        twice = self._faults.duplicate_dispatches > 0
        if twice:
            self._faults.duplicate_dispatches -= 1
        for session in list(self.sessions.values()):
            if session.user_id in wanted:
                await self._send(session, event, data)
                if twice:
                    await self._send(session, event, data)

    async def to_channel(self, channel: Json, event: str, data: Json) -> None:
        """Dispatch an event to everyone who sees the channel; bots without the intent get no content."""
        for session in list(self.sessions.values()):
            if not self._state.sees(session.user_id, channel):
                continue
            if (
                channel["type"] != DM
                and not permissions_in(self._state, channel, session.user_id) & VIEW_CHANNEL
            ):
                continue
            visible = data
            if (
                event in ("MESSAGE_CREATE", "MESSAGE_UPDATE")
                and session.is_bot
                and self._hides_content(session, channel, data)
            ):
                visible = {**data, "content": "", "embeds": [], "components": [], "attachments": []}
            await self._send(session, event, visible)

    def _may_view(self, session: Session, channel: Json) -> bool:
        return bool(permissions_in(self._state, channel, session.user_id) & VIEW_CHANNEL)

    @staticmethod
    def _hides_content(session: Session, channel: Json, message: Json) -> bool:
        mine = message.get("author", {}).get("id") == session.user_id
        mentioned = any(user["id"] == session.user_id for user in message.get("mentions", []))
        return not (session.intents & MESSAGE_CONTENT or mine or mentioned or channel["type"] == DM)

    async def to_guild(self, guild_id: str, event: str, data: Json) -> None:
        """Dispatch an event to all members of a guild."""
        await self.to_users(self._state.guilds[guild_id]["members"], event, data)

    async def drop(self, *, code: int = 1006, user_id: str | None = None) -> None:
        """Cut sockets without notice (1006), or close them with a code."""
        for session in list(self.sessions.values()):
            if session.socket is not None and user_id in (None, session.user_id):
                ws, session.socket = session.socket.ws, None
                if code == 1006 and ws._req is not None and ws._req.transport is not None:
                    ws._req.transport.abort()
                else:
                    await ws.close(code=code)

    async def invalidate(self, *, user_id: str | None = None, resumable: bool = False) -> None:
        """Tell clients that their session is invalid; forget it unless it is resumable."""
        for session in list(self.sessions.values()):
            if user_id in (None, session.user_id) and session.socket is not None:
                await session.socket.send({"op": INVALID, "d": resumable, "s": None, "t": None})
                if not resumable:
                    self.sessions.pop(session.id, None)

    async def reconnect(self) -> None:
        """Ask all clients to reconnect."""
        for session in list(self.sessions.values()):
            if session.socket is not None:
                await session.socket.send({"op": RECONNECT, "d": None, "s": None, "t": None})

    async def close(self) -> None:
        """Close all sockets."""
        for session in list(self.sessions.values()):
            if session.socket is not None:
                await session.socket.ws.close()


def _shard(data: Json) -> tuple[int, int] | None:
    """The shard's number and how many there are; None if they make no sense."""
    match data.get("shard") or [0, 1]:
        case [int(number), int(count)] if 0 <= number < count:
            return number, count
    return None
