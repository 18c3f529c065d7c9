"""Lets a language model reword an answer's quotes, within limits; the quotes remain where it fails."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from data.calendar.clock import utc_now
from data.sources.llm import Llm, LlmError, WrittenText, tokens_of
from data.stores.llm_spending import LlmSpending, Spent
from index.answers.answer import Answer, Encode
from index.answers.rephrase import (
    MOST_TOKENS,
    CheckedText,
    CitedSentence,
    check,
    prompt,
    sentences_of,
)

log = logging.getLogger("labmate")
AT_ONCE = 2
"""Requests to the model at once; others wait, within their own time."""
USED_UP = {
    "member": "You've used up your rewording for today, so these are the papers' own sentences.",
    "all": "Today's rewording is used up, so these are the papers' own sentences.",
}
UNREACHED = "The language model gave no answer, so these are the papers' own sentences."
UNSUPPORTED = "The language model's wording went beyond the quotes, so these are the papers' own sentences."
REWORDED = "Reworded by {model}; each sentence was checked against the quote that it cites."


@dataclass(frozen=True, slots=True)
class DayLimits:
    """What rewording may cost a day (UTC), and what a token costs.

    Attributes
    ----------
    member, everyone
        The most for one member, and for all together.
    price_in, price_out
        Dollars for a million tokens read and written.
    """

    member: Spent
    everyone: Spent
    price_in: float = 0.0
    price_out: float = 0.0

    def cost(self, asked: int, answered: int, seconds: float) -> Spent:
        """The cost of one request; dollars a million tokens are millionths of a dollar a token."""
        return Spent(
            asked + answered,
            math.ceil(seconds * 1_000),
            math.ceil(asked * self.price_in + answered * self.price_out),
        )


@dataclass(frozen=True, slots=True)
class Rephrased:
    """An answer in a model's words, or nothing but the reason.

    Attributes
    ----------
    sentences
        Each with the places of its quotes in ``answer.quotes``; empty where the quotes are to be shown.
    note
        One line for below the answer; empty where there is nothing to say.
    """

    sentences: tuple[CitedSentence, ...] = ()
    note: str = ""


class Rephraser:
    """Rewords answers with one model.

    Parameters
    ----------
    vectors
        Embeds texts (unit rows); called in a thread.
    """

    def __init__(self, llm: Llm, spending: LlmSpending, limits: DayLimits, vectors: Encode) -> None:
        self.llm = llm
        self._spending, self._limits, self._vectors = spending, limits, vectors
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def close(self) -> None:
        """Close the connection to the model."""
        await self.llm.close()

    async def rewrite(
        self, question: str, answer: Answer, passages: Sequence[object], *, member: int
    ) -> Rephrased:
        """Reword an answer's quotes for a member.

        Takes at most about :attr:`Llm.seconds`, and as long again for a turn where many ask; raises nothing
        that a server, a model or a limit causes.

        Parameters
        ----------
        passages
            Those the answer was made from; a model is shown the quotes alone.
        member
            Whose limits count.
        """
        quotes = [quote.text for quote in answer.quotes]
        if not answer.answered or not quotes:
            return Rephrased()
        written = await self._write(question, quotes, member)
        if isinstance(written, str):
            return Rephrased(note=written)
        checked = await asyncio.to_thread(self.checked, written, quotes)
        log.info(
            "the language model's sentences: %d kept, %d dropped (%s)",
            *(len(checked.kept), len(checked.dropped)),
            ", ".join(sorted({why for _, why in checked.dropped})),
        )
        if not checked.stands:
            return Rephrased(note=UNSUPPORTED)
        return Rephrased(checked.kept, REWORDED.format(model=self.llm.model))

    def checked(self, written: WrittenText, quotes: Sequence[str]) -> CheckedText:
        """What of a model's text stands."""
        return check(sentences_of(written.text, whole=written.whole), quotes, self._vectors)

    async def _write(self, question: str, quotes: Sequence[str], member: int) -> WrittenText | str:
        """The model's text, or the note that says why there is none."""
        instructions, message = prompt(question, quotes)
        day = utc_now().date()
        most = self._limits.cost(tokens_of(instructions + message), MOST_TOKENS, self.llm.seconds)
        limits = self._limits
        full = await self._spending.reserve(member, day, most, limits.member, limits.everyone)
        if full:
            return USED_UP[full]
        cost = Spent()
        try:
            async with self._turn():
                cost, begun = most, time.monotonic()  # what a request may cost that is cancelled
                written = await self.llm.write(instructions, message, MOST_TOKENS)
                cost = limits.cost(written.asked, written.answered, time.monotonic() - begun)
                return written
        except LlmError as error:
            cost = limits.cost(error.asked, 0, time.monotonic() - begun) if error.asked else Spent()
            return UNREACHED
        except TimeoutError:  # others' requests took too long
            return UNREACHED
        finally:
            await self._spending.settle(member, day, most, cost)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait for one of the turns, as long as an answer may take."""
        async with asyncio.timeout(self.llm.seconds):
            await self._turns.acquire()
        try:
            yield
        finally:
            self._turns.release()
