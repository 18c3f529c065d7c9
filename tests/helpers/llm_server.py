"""A language model's server on loopback: it speaks OpenAI's chat protocol, and misbehaves as it is told."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

Behaviour = Callable[[web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]


def event(text: str | None, finish: str | None = None, **more: Any) -> bytes:
    """One event of a stream, as OpenAI sends it."""
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "test",
        "choices": [{"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}],
        **more,
    }
    return f"data: {json.dumps(chunk)}\n\n".encode()


async def begun(request: web.Request, content_type: str = "text/event-stream") -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": content_type})
    await response.prepare(request)
    return response


def says(text: str, *, finish: str = "stop", usage: dict[str, Any] | None = None) -> Behaviour:
    """Streams a text word by word."""

    async def behave(request: web.Request, _body: dict[str, Any]) -> web.StreamResponse:
        response = await begun(request)
        for word in text.split(" "):
            await response.write(event(word + " "))
        await response.write(event(None, finish))
        if usage is not None:
            await response.write(b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n")
        await response.write(b"data: [DONE]\n\n")
        return response

    return behave


def stalls(text: str = "") -> Behaviour:
    """Streams a text, and then nothing for ever."""

    async def behave(request: web.Request, _body: dict[str, Any]) -> web.StreamResponse:
        response = await begun(request)
        if text:
            await response.write(event(text))
        await asyncio.Event().wait()
        return response

    return behave


def drips(piece: bytes, every: float) -> Behaviour:
    """Sends a piece again and again, slowly and without end."""

    async def behave(request: web.Request, _body: dict[str, Any]) -> web.StreamResponse:
        response = await begun(request)
        while True:
            await response.write(piece)
            await asyncio.sleep(every)

    return behave


def floods(piece: bytes) -> Behaviour:
    """Sends a piece again and again, as fast as it is taken."""
    return drips(piece, 0)


def sends(
    body: bytes, content_type: str = "text/event-stream", status: int = 200, **headers: str
) -> Behaviour:
    """Sends these bytes at once."""

    async def behave(_request: web.Request, _body: dict[str, Any]) -> web.StreamResponse:
        return web.Response(body=body, status=status, headers={"Content-Type": content_type, **headers})

    return behave


def packs(size: int) -> Behaviour:
    """Sends a small packed answer that unpacks to a large one."""
    return sends(gzip.compress(b"\0" * size), **{"Content-Encoding": "gzip"})


def breaks_off(text: str) -> Behaviour:
    """Streams a text and cuts the connection."""

    async def behave(request: web.Request, _body: dict[str, Any]) -> web.StreamResponse:
        response = await begun(request)
        await response.write(event(text))
        assert request.transport is not None
        request.transport.close()
        return response

    return behave


def first(*behaviours: Behaviour) -> Behaviour:
    """Behaves in these ways one after the other, in the last one from then on."""
    left = list(behaviours)

    async def behave(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        return await (left.pop(0) if len(left) > 1 else left[0])(request, body)

    return behave


class LlmServer:
    """Serves /v1/chat/completions; remembers the bodies and headers that it was sent."""

    def __init__(self, behave: Behaviour | None = None) -> None:
        self.behave = behave or says("Nothing was asked.")
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""
        self.heard = asyncio.Condition()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.asked.append(body)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        async with self.heard:
            self.heard.notify_all()
        return await self.behave(request, body)

    async def until_asked(self, times: int) -> None:
        """Wait until so many requests have come."""
        async with self.heard:
            await self.heard.wait_for(lambda: len(self.asked) >= times)

    async def __aenter__(self) -> LlmServer:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()
