"""A polite HTTP client: one connection, a pause between requests, and patience when a server asks for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TypeVar

import aiohttp
import tenacity
from filelock import FileLock
from yarl import URL

T = TypeVar("T")
MAX_BODY = 100_000_000
MOST_REDIRECTS = 3
_RETRIED = {429, 500, 502, 503, 504}
_LONGEST_WAIT = 900.0
CONNECT_ATTEMPTS = 3


class SourceError(RuntimeError):
    """A source could not be read; the message explains why and how to go on."""


class TooLargeError(SourceError):
    """A file has more bytes than are read."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file as a server sends it; ``kind`` is its media type, in lower case and without parameters."""

    status: int
    kind: str
    body: bytes


class _Later(Exception):
    """The server asks us to try again later, after this many seconds if it says."""

    def __init__(self, what: str, after: float | None) -> None:
        super().__init__(what)
        self.after = after


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, _Later) and error.after is not None:
        return min(error.after, _LONGEST_WAIT)
    return float(min(2.0 ** (state.attempt_number - 1), 60.0))


class PoliteClient:
    """GETs text with one connection and a pause between any two requests.

    Parameters
    ----------
    interval
        Seconds between the end of one request and the start of the next.
    turn
        A file that shares the time of the last request among processes, or None.
    attempts
        The number of attempts per request.
    patience
        Seconds for a request, with all attempts and pauses, where somebody waits for the answer; None: no
        limit.
    """

    def __init__(
        self, *, interval: float, turn: Path | None = None, attempts: int = 6, patience: float | None = None
    ) -> None:
        self._interval = interval
        self._turn = turn
        self._attempts = attempts
        self._patience = patience
        self._session: aiohttp.ClientSession | None = None
        self._lock = asyncio.Lock()
        self._last = float("-inf")

    async def close(self) -> None:
        """Close the connection."""
        if self._session:
            await self._session.close()
            self._session = None

    async def get(self, url: str, params: dict[str, str], *, accept: frozenset[int] = frozenset()) -> str:
        """The body of an answer with status 200, or with a status in ``accept``.

        Raises
        ------
        SourceError
            Where the server can't be reached, or still fails after all attempts.
        """
        return await self._patiently(url, lambda: self._fetch(url, params, accept))

    async def download(self, url: str, *, most: int, follow: Callable[[URL], bool]) -> Download:
        """The file at an address, whatever its status; 429 and 5xx are asked again.

        Parameters
        ----------
        most
            Bytes that are read, at most. Nothing is unpacked, so few bytes never become many.
        follow
            Whether a redirect may lead to an address.

        Raises
        ------
        TooLargeError
            Where the file has more bytes.
        SourceError
            As :meth:`get`, or where a redirect leads elsewhere.
        """
        address = URL(url)
        for _ in range(MOST_REDIRECTS + 1):
            held = address
            found = await self._patiently(str(held), lambda: self._load(held, most))  # noqa: B023
            if isinstance(found, Download):
                return found
            address = held.join(found)
            if not follow(address):
                raise SourceError(f"{held} leads to {address}, which I don't open")
        raise SourceError(f"{url} redirects more than {MOST_REDIRECTS} times")

    async def _patiently(self, url: str, ask: Callable[[], Awaitable[T]]) -> T:
        """The answer to a request, asked again where that may help."""
        retry = tenacity.AsyncRetrying(
            stop=self._enough,
            wait=_wait,
            retry=tenacity.retry_if_exception_type((_Later, aiohttp.ClientError, TimeoutError)),
            reraise=True,
        )
        try:
            async with asyncio.timeout(self._patience):
                return await retry(self._once, ask)
        except _Later as error:
            raise SourceError(f"{url} keeps answering {error}") from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise SourceError(f"{url} can't be reached ({_reason(error)})") from error

    def _enough(self, state: tenacity.RetryCallState) -> bool:
        """Whether to give up: sooner if no server answers, at once if one asks for more than our patience."""
        error = state.outcome.exception() if state.outcome else None
        if self._patience is not None and isinstance(error, _Later) and (error.after or 0) > self._patience:
            return True
        nobody_there = isinstance(error, aiohttp.ClientConnectorError)
        return state.attempt_number >= (
            min(CONNECT_ATTEMPTS, self._attempts) if nobody_there else self._attempts
        )

    async def _once(self, ask: Callable[[], Awaitable[T]]) -> T:
        async with self._lock:
            await self._wait_turn()
            try:
                return await ask()
            finally:
                self._last = time.monotonic()  # a clock that is set back must not stop requests

    async def _wait_turn(self) -> None:
        """Wait until the interval since the last request of any process has passed."""
        if self._turn is None:
            await asyncio.sleep(max(0.0, self._last + self._interval - time.monotonic()))
            return
        while True:
            with FileLock(self._turn.with_suffix(".lock"), timeout=30):
                try:
                    last = float(self._turn.read_text() or 0)
                except (OSError, ValueError):
                    last = 0.0
                now = time.time()
                rest = self._interval - (now - last) if last <= now else self._interval
                if rest <= 0:
                    self._turn.write_text(repr(now))
                    return
            await asyncio.sleep(rest)

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=1),
                timeout=aiohttp.ClientTimeout(total=180, connect=15),
                headers={"User-Agent": "labmate (https://github.com/labmate-bot/labmate)"},
            )
        return self._session

    async def _fetch(self, url: str, params: dict[str, str], accept: frozenset[int]) -> str:
        async with self._opened().get(url, params=params) as answer:
            if answer.status in _RETRIED and answer.status not in accept:
                raise _Later(
                    f"{answer.status} {answer.reason}", _retry_after(answer.headers.get("Retry-After"))
                )
            if answer.status != 200 and answer.status not in accept:
                raise SourceError(f"{url} answered {answer.status} {answer.reason}")
            body = bytearray()
            async for part in answer.content.iter_chunked(1 << 16):
                body += part
                if len(body) > MAX_BODY:
                    raise SourceError(f"{url} answered more than {MAX_BODY:,} bytes")
            return body.decode("utf-8", "replace")

    async def _load(self, url: URL, most: int) -> Download | URL:
        """A file, or the address that it is to be found at."""
        plain = {"Accept-Encoding": "identity"}
        async with self._opened().get(url, allow_redirects=False, headers=plain) as answer:
            if answer.status in _RETRIED:
                raise _Later(
                    f"{answer.status} {answer.reason}", _retry_after(answer.headers.get("Retry-After"))
                )
            if 300 <= answer.status < 400 and "Location" in answer.headers:
                return _address(answer.headers["Location"])
            if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
                raise SourceError(f"{url} can only be read compressed")
            if (answer.content_length or 0) > most:
                raise TooLargeError(f"{url} has {(answer.content_length or 0):,} bytes")
            body = bytearray()
            async for part in answer.content.iter_chunked(1 << 16):
                body += part
                if len(body) > most:
                    raise TooLargeError(f"{url} has more than {most:,} bytes")
            return Download(answer.status, answer.content_type.lower(), bytes(body))


def _address(text: str) -> URL:
    try:
        return URL(text[:2_000])
    except ValueError as error:
        raise SourceError("a redirect leads to no address") from error


def _reason(error: Exception) -> str:
    """The reason for an error, without the whole address, whose query may hold a key."""
    if isinstance(error, aiohttp.ClientResponseError | aiohttp.InvalidURL):
        return type(error).__name__
    return str(error) or type(error).__name__


def _retry_after(header: str | None) -> float | None:
    """Seconds to wait, from either form that RFC 9110 allows."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
