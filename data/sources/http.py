"""A polite HTTP client: one connection, a pause between requests, and patience when a server asks for it."""

from __future__ import annotations

import asyncio
import time
from email.utils import parsedate_to_datetime
from pathlib import Path

import aiohttp
import tenacity
from filelock import FileLock

MAX_BODY = 100_000_000
_RETRIED = {429, 500, 502, 503, 504}
_LONGEST_WAIT = 900.0
CONNECT_ATTEMPTS = 3


class SourceError(RuntimeError):
    """A source could not be read; the message explains why and how to go on."""


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
    """

    def __init__(self, *, interval: float, turn: Path | None = None, attempts: int = 6) -> None:
        self._interval = interval
        self._turn = turn
        self._attempts = attempts
        self._session: aiohttp.ClientSession | None = None
        self._lock = asyncio.Lock()
        self._last = 0.0

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
        retry = tenacity.AsyncRetrying(
            stop=self._enough,
            wait=_wait,
            retry=tenacity.retry_if_exception_type((_Later, aiohttp.ClientError, TimeoutError)),
            reraise=True,
        )
        try:
            return await retry(self._once, url, params, accept)
        except _Later as error:
            raise SourceError(f"{url} keeps answering {error}") from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise SourceError(f"{url} can't be reached ({_reason(error)})") from error

    def _enough(self, state: tenacity.RetryCallState) -> bool:
        """Fewer attempts where no server answers, more where one asks for patience."""
        error = state.outcome.exception() if state.outcome else None
        nobody_there = isinstance(error, aiohttp.ClientConnectorError)
        return state.attempt_number >= (
            min(CONNECT_ATTEMPTS, self._attempts) if nobody_there else self._attempts
        )

    async def _once(self, url: str, params: dict[str, str], accept: frozenset[int]) -> str:
        async with self._lock:
            await self._wait_turn()
            try:
                return await self._fetch(url, params, accept)
            finally:
                self._last = time.time()

    async def _wait_turn(self) -> None:
        """Wait until the interval since the last request of any process has passed."""
        if self._turn is None:
            await asyncio.sleep(max(0.0, self._last + self._interval - time.time()))
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

    async def _fetch(self, url: str, params: dict[str, str], accept: frozenset[int]) -> str:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=1),
                timeout=aiohttp.ClientTimeout(total=180, connect=15),
                headers={"User-Agent": "labmate (https://github.com/labmate-bot/labmate)"},
            )
        async with self._session.get(url, params=params) as answer:
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
    except ValueError:
        return None
