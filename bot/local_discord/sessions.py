"""A client's session on the gateway, and the socket that it has while it is connected."""

from __future__ import annotations

import asyncio
import json
import secrets
import zlib

import zstandard
from aiohttp import web

from bot.local_discord.intents import is_for_shard, is_wanted
from bot.local_discord.state import Json

DISPATCH = 0


class Session:
    """A client's session; it outlives its socket, so it can resume."""

    def __init__(self, user_id: str, is_bot: bool, intents: int, shard: tuple[int, int] = (0, 1)) -> None:
        self.id = secrets.token_hex(16)
        self.user_id = user_id
        self.is_bot = is_bot
        self.intents = intents
        self.shard = shard
        self.sequence = 0
        self.sent: list[Json] = []
        self.socket: Socket | None = None

    def hears(self, event: str, data: Json) -> bool:
        """Whether an event is for this session: users hear everything, bots what they asked for."""
        return not self.is_bot or (
            is_for_shard(self.shard, event, data) and is_wanted(self.intents, self.user_id, event, data)
        )


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
