"""The gateway: sockets of bots and users, sessions that resume, events for everyone who may see them."""

from __future__ import annotations

import asyncio
import json
import secrets
import zlib
from collections.abc import Callable, Iterable

import zstandard
from aiohttp import WSMsgType, web

from bot.local_discord.faults import Faults
from bot.local_discord.state import DM, Json, State

HEARTBEAT_MS = 41_250
"""The interval that Discord tells clients."""
DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT = 0, 1, 2, 6, 7
REQUEST_MEMBERS, INVALID, HELLO, ACK = 8, 9, 10, 11
_KEPT = 1_000
_GUILD_MEMBERS, _MESSAGE_CONTENT = 1 << 1, 1 << 15
_SUBSCRIBED = {"MESSAGE_REACTION_": (1 << 10, 1 << 13), "MESSAGE_": (1 << 9, 1 << 12)}
"""Events that a bot gets only with an intent: the one for servers, and the one for direct messages."""
UNKNOWN_OPCODE, DECODE_ERROR, NOT_AUTHENTICATED, AUTHENTICATION_FAILED = 4001, 4002, 4003, 4004
ALREADY, INVALID_SEQ, DISALLOWED_INTENTS = 4005, 4007, 4014


class Session:
    """A client's session; it outlives its socket, so it can resume."""

    def __init__(self, user_id: str, is_bot: bool, intents: int) -> None:
        self.id = secrets.token_hex(16)
        self.user_id = user_id
        self.is_bot = is_bot
        self.intents = intents
        self.sequence = 0
        self.sent: list[Json] = []
        self.socket: Socket | None = None


class Socket:
    """A websocket with the compression that its client asked for."""

    def __init__(self, ws: web.WebSocketResponse, compress: str | None) -> None:
        self.ws = ws
        self._zlib = zlib.compressobj() if compress == "zlib-stream" else None
        self._zstd = zstandard.ZstdCompressor().compressobj() if compress == "zstd-stream" else None
        self.compress_payloads = False
        self._lock = asyncio.Lock()

    async def send(self, payload: Json) -> None:
        """Send a payload, unless the socket is gone."""
        text = json.dumps(payload)
        async with self._lock:
            if self.ws.closed:
                return
            try:
                if self._zlib:
                    data = self._zlib.compress(text.encode()) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
                    await self.ws.send_bytes(data)
                elif self._zstd:
                    data = self._zstd.compress(text.encode())
                    await self.ws.send_bytes(data + self._zstd.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
                elif self.compress_payloads and payload["op"] == DISPATCH and payload["t"] == "READY":
                    await self.ws.send_bytes(zlib.compress(text.encode()))
                else:
                    await self.ws.send_str(text)
            except (ConnectionError, RuntimeError):
                return


class Gateway:
    """Keeps all sessions and dispatches events to them."""

    def __init__(self, state: State, faults: Faults, url: Callable[[], str]) -> None:
        self._state = state
        self._faults = faults
        self._url = url
        self.sessions: dict[str, Session] = {}
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
                elif op not in (3, 4, 31):
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
        refusal = self._faults.refusal() if user_id == self._state.application["bot"]["id"] else None
        if refusal is not None:
            await socket.ws.close(code=refusal)
            return None
        intents = int(data.get("intents") or 0)
        allowed = self._state.application.get("_privileged_intents", 0)
        if intents & (_GUILD_MEMBERS | _MESSAGE_CONTENT | 1 << 8) & ~allowed:
            await socket.ws.close(code=DISALLOWED_INTENTS, message=b"Disallowed intent(s).")
            return None
        socket.compress_payloads = bool(data.get("compress"))
        session = Session(user_id, user_id == self._state.application["bot"]["id"], intents)
        session.socket = socket
        self.sessions[session.id] = session
        guilds = [g for g, guild in self._state.guilds.items() if user_id in guild["members"]]
        await self._send(
            session,
            "READY",
            {
                "v": 10,
                "user": {**self._state.users[user_id], "verified": True, "mfa_enabled": False, "email": None},
                "guilds": [{"id": guild, "unavailable": True} for guild in guilds],
                "session_id": session.id,
                "resume_gateway_url": self._url(),
                "shard": data.get("shard", [0, 1]),
                "application": {"id": self._state.application["id"], "flags": 0},
                "private_channels": [],
                "_trace": [],
            },
        )
        shard, count = data.get("shard", [0, 1])
        for guild in guilds:
            if (int(guild) >> 22) % count == shard:
                await self._send(session, "GUILD_CREATE", self._state.guild_json(guild, user_id))
        return session

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
        guild_id = str(data["guild_id"])
        query, wanted = str(data.get("query") or ""), data.get("user_ids")
        ids = [str(i) for i in (wanted if isinstance(wanted, list) else [wanted])] if wanted else None
        members = [
            self._state.member_json(guild_id, user)
            for user in self._state.guilds[guild_id]["members"]
            if (ids is None or user in ids)
            and self._state.users[user]["username"].lower().startswith(query.lower())
        ]
        chunk = {"guild_id": guild_id, "members": members, "chunk_index": 0, "chunk_count": 1}
        await self._send(
            session, "GUILD_MEMBERS_CHUNK", {**chunk, "nonce": data.get("nonce"), "not_found": []}
        )

    # -- dispatching -----------------------------------------------------------------------------

    async def _send(self, session: Session, event: str, data: Json) -> None:
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
            if not self._state.sees(session.user_id, channel) or not _subscribed(session, channel, event):
                continue
            visible = data
            if (
                event.startswith("MESSAGE_")
                and session.is_bot
                and self._hides_content(session, channel, data)
            ):
                visible = {**data, "content": "", "embeds": [], "components": [], "attachments": []}
            await self._send(session, event, visible)

    @staticmethod
    def _hides_content(session: Session, channel: Json, message: Json) -> bool:
        mine = message.get("author", {}).get("id") == session.user_id
        mentioned = any(user["id"] == session.user_id for user in message.get("mentions", []))
        return not (session.intents & _MESSAGE_CONTENT or mine or mentioned or channel["type"] == DM)

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


def _subscribed(session: Session, channel: Json, event: str) -> bool:
    """Whether a session hears of such an event: users always do, bots with the intent for it."""
    intents = next((both for start, both in _SUBSCRIBED.items() if event.startswith(start)), None)
    return not session.is_bot or intents is None or bool(session.intents & intents[channel["type"] == DM])
