"""A language model on any server that speaks OpenAI's chat protocol, with limits on time and bytes."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openai import AsyncOpenAI

log = logging.getLogger("labmate")
SECONDS = 20.0
"""An answer's time, from asking to its last word."""
STALL = 8.0
"""Seconds between two parts of an answer, once it has begun."""
RETRIES = 2
"""Further attempts where the server refuses for the moment (429, 5xx) or can't be reached."""
MOST_TEXT = 8_000
"""Characters of an answer that are read."""
MOST_PARTS = 10_000
"""Events of an answer that are read; most have a token, or a part of a thought that is not read."""
REST = 30.0
"""Seconds in which a server that failed is left alone."""
CHARS_A_TOKEN = 3.0
"""Characters of English a token has, on the low side, so that estimates are on the high side."""
_MOST_CHARS = 6.0
"""Characters of English a token has at most: a server that doesn't count may send many in one event."""
_OPTIONAL = frozenset({"max_tokens", "temperature", "stream_options"})
_OTHER_NAMES = {"max_tokens": "max_completion_tokens"}
"""What newer models of OpenAI call a parameter that every other server knows by its first name."""


class LlmError(RuntimeError):
    """The model gave no answer.

    The message says why, in words of ours: never the key, and nothing that the server said.

    Attributes
    ----------
    asked
        Tokens that may have to be paid for, although nothing came.
    """

    def __init__(self, message: str, asked: int = 0) -> None:
        super().__init__(message)
        self.asked = asked


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A model's answer.

    Attributes
    ----------
    text
        What it wrote.
    whole
        False where it was cut off: by its length, the time, or a server that stopped.
    asked, answered
        Tokens read and written, as the server counts them or as they are estimated, whichever is more.
    """

    text: str
    whole: bool
    asked: int
    answered: int


def tokens_of(text: str) -> int:
    """An estimate of a text's tokens, on the high side for English."""
    return int(len(text.encode()) / CHARS_A_TOKEN) + 8


class Llm:
    """One model on one server; safe to ask several times at once.

    Parameters
    ----------
    url
        The address before ``/chat/completions``.
    model
        Its name on that server.
    key
        Sent as a bearer token; None for a server that wants none.
    seconds, stall, rest
        Limits in seconds: a whole answer, a pause within it, and how long a failed server is left alone.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        seconds: float = SECONDS,
        stall: float = STALL,
        rest: float = REST,
    ) -> None:
        self.url, self.model, self.seconds = url, model, seconds
        self._key, self._stall, self._rest = key, stall, rest
        self._client: AsyncOpenAI | None = None
        self._opening = asyncio.Lock()
        self._unknown: set[str] = set()
        self._resting_until = 0.0

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def write(self, instructions: str, message: str, most_tokens: int) -> WrittenText:
        """Ask once: the instructions as the system's words, the message as the user's.

        Raises
        ------
        LlmError
            Where nothing that can be read came within the time.
        """
        if (left := self._resting_until - time.monotonic()) > 0:
            raise LlmError(f"it failed a moment ago and is left alone for {left:.0f} s")
        reading = _Reading(tokens_of(instructions + message), most_tokens)
        client = await self._opened()  # the first time, this imports the library: not the server's time
        try:
            async with asyncio.timeout(self.seconds):
                await self._read(client, instructions, message, reading)
        except Exception as error:
            return self._ended(error, reading)
        if not reading.text.strip():
            raise LlmError("it answered nothing", reading.asked)
        return reading.written()

    def _ended(self, error: Exception, reading: _Reading) -> WrittenText:
        """What came before an error; a library that reads what a hostile server sends may raise anything."""
        why = _why(error, self.seconds)
        log.warning("the language model failed: %s", why)
        if reading.text.strip():
            reading.whole = False
            return reading.written()
        self._resting_until = time.monotonic() + self._rest
        raise LlmError(why, reading.asked if reading.begun else 0) from None

    async def _read(self, client: AsyncOpenAI, instructions: str, message: str, reading: _Reading) -> None:
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": message}]
        stream = await self._begin(client, messages, reading)
        try:
            parts = aiter(stream)
            while True:
                async with asyncio.timeout(self._stall if reading.text else None):
                    part = await anext(parts, None)
                if part is None or not reading.take(part):
                    return
        finally:
            await stream.close()

    async def _begin(self, client: AsyncOpenAI, messages: list[dict[str, str]], reading: _Reading) -> Any:
        """Send the request; a parameter that this server does not know is left out from then on."""
        from openai import APIConnectionError, APIStatusError  # lazy: only where a model is set

        while True:
            options: dict[str, Any] = {
                "max_tokens": reading.most,
                "temperature": 0,
                "stream_options": {"include_usage": True},
            }
            for name in self._unknown:
                value = options.pop(name)
                if name in _OTHER_NAMES:
                    options[_OTHER_NAMES[name]] = value
            try:
                reading.begun = True
                create: Any = client.chat.completions.create
                return await create(model=self.model, messages=messages, stream=True, **options)
            except (APIConnectionError, APIStatusError) as error:
                reading.begun = False
                named = str(error.param or "").partition(".")[0]
                if named not in _OPTIONAL - self._unknown:
                    raise
                self._unknown.add(named)

    async def _opened(self) -> AsyncOpenAI:
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(_connect, self.url, self._key)
            return self._client


class _Reading:
    """An answer as far as it has come."""

    def __init__(self, asked: int, most: int) -> None:
        self.asked, self.most = asked, most
        self.text = ""
        self.begun = False
        self.whole = False
        self._parts = self._events = 0
        self._usage = (0, 0)

    def take(self, part: Any) -> bool:
        """Add one event of the stream; False where enough was read."""
        usage = getattr(part, "usage", None)
        counts = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        self._usage = max(self._usage[0], counts[0]), max(self._usage[1], counts[1])
        choices = getattr(part, "choices", None)
        if isinstance(choices, list) and choices:
            content = getattr(getattr(choices[0], "delta", None), "content", None)
            if isinstance(content, str):
                self._parts += 1
                self.text += content
            if getattr(choices[0], "finish_reason", None) == "stop":
                self.whole = True
        self._events += 1
        if len(self.text) > MOST_TEXT or self._events >= MOST_PARTS:
            self.text, self.whole = self.text[:MOST_TEXT], False
            return False
        return True

    def written(self) -> WrittenText:
        """The answer; a server's counts are believed as far as they are possible."""
        asked = min(max(self._usage[0], self.asked // 2), 4 * self.asked)
        answered = min(max(self._usage[1], self._parts, int(len(self.text) / _MOST_CHARS)), self.most)
        return WrittenText(self.text, self.whole, asked, answered)


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value > 0 else 0


def _connect(url: str, key: str | None) -> AsyncOpenAI:
    from data.sources.llm_wire import connect  # lazy: imports openai, which takes a second

    return connect(url, key, RETRIES)


def _why(error: Exception, seconds: float) -> str:
    """The reason in words of ours."""
    from openai import APIConnectionError, APIStatusError  # lazy: only where a model is set

    from data.sources.llm_wire import WireError  # lazy: imports openai

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, WireError):
            return str(cause)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, TimeoutError):
        return f"it did not answer within {seconds:g} s, or stopped in the middle"
    if isinstance(error, APIStatusError):
        status = error.status_code
        reasons = {401: "it does not accept the key", 404: "it does not know this address or model"}
        return f"it answers {status}" + (f": {reasons[status]}" if status in reasons else "")
    if isinstance(error, APIConnectionError):
        return "it can't be reached, or ended the connection"
    return f"it sent what can't be read ({type(error).__name__})"
