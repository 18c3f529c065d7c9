"""The wire to a language model's server: which headers leave this machine, and how much may come back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx2
from openai import AsyncOpenAI

MOST_BYTES = 2_000_000
"""Bytes of one answer; an answer of 600 tokens, each an event with its own JSON, has about 200,000."""
MOST_OF_EVENT = 64_000
"""Bytes of one event; the library that takes events apart copies an unfinished one for each of its lines."""
CONNECT_SECONDS = 5.0
_PIECE = 4_096
"""Bytes that are taken apart before others get their turn."""
_ENDS = (b"\n\n", b"\r\r", b"\r\n\r\n")
"""What ends an event."""
_SENT = frozenset(
    {"accept", "authorization", "connection", "content-length", "content-type", "host", "transfer-encoding"}
)
"""The library would also tell the server this machine's system, and organizations from the environment."""


class WireError(Exception):
    """The server's answer can't be read; the text says why in words of ours."""


class _Counted(httpx2.AsyncByteStream):
    """The bytes of an answer, up to a number, in pieces so small that each takes no time to speak of."""

    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream, self._most = stream, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count, begun = 0, b""
        async for part in self._stream:
            count += len(part)
            if count > self._most:
                raise WireError(f"it answered more than {self._most:,} bytes")
            for start in range(0, len(part), _PIECE):
                piece = part[start : start + _PIECE]
                begun = _last_event(begun + piece)
                if len(begun) > MOST_OF_EVENT:
                    raise WireError(f"it sent an event of more than {MOST_OF_EVENT:,} bytes")
                yield piece
                await asyncio.sleep(0)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()


def _last_event(data: bytes) -> bytes:
    """What stands behind the end of the last whole event, with that end."""
    return data[max(0, *(data.rfind(end) for end in _ENDS)) :]


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Sends the headers that are needed and no others, and reads answers up to a size.

    Raises
    ------
    WireError
        Where an answer or one event of it is too long, or an answer is packed (a small one could unpack to
        gigabytes) or no stream of events.
    """

    def __init__(self, key: str | None, most_bytes: int = MOST_BYTES) -> None:
        self._key, self._most = key, most_bytes
        self._inner = httpx2.AsyncHTTPTransport(
            trust_env=False, limits=httpx2.Limits(max_connections=4, max_keepalive_connections=2)
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request."""
        for name in list(request.headers):
            if name not in _SENT:
                del request.headers[name]
        request.headers["user-agent"] = "labmate"
        request.headers["accept-encoding"] = "identity"
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key}"
        else:
            request.headers.pop("authorization", None)
        response = await self._inner.handle_async_request(request)
        try:
            self._check(response)
        except WireError:
            await response.aclose()
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Counted(response.stream, self._most)
        return response

    @staticmethod
    def _check(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise WireError("it packed its answer, which it was not asked to do")
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.status_code == 200 and kind != "text/event-stream":
            raise WireError(f"it answered with {_shown(kind)} instead of a stream of events")

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


def _shown(kind: str) -> str:
    """A content type, if it looks like one."""
    fits = kind.isascii() and kind.replace("/", "").replace("-", "").replace("+", "").isalnum()
    return kind[:40] if fits else "something"


def connect(url: str, key: str | None, retries: int, most_bytes: int = MOST_BYTES) -> AsyncOpenAI:
    """A client for one server. It follows no redirect, so the quotes go nowhere else."""
    http = httpx2.AsyncClient(
        transport=BoundedTransport(key, most_bytes),
        follow_redirects=False,
        trust_env=False,
        timeout=httpx2.Timeout(
            None, connect=CONNECT_SECONDS
        ),  # how long the rest may take: data/sources/llm.py
    )
    return AsyncOpenAI(
        base_url=url,
        api_key=key or "none",
        organization="",
        project="",
        max_retries=retries,
        http_client=http,
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
    )
