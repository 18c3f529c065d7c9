"""What `/ask` was asked, and how a button carries it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from urllib.parse import quote, unquote

from commands.kit.kept import kept_link, kept_numbers
from commands.kit.links import LARGEST, Link, link
from commands.kit.replies import UserError
from commands.kit.services import Services
from data.stores.asked_questions import AskedQuestion

MAX_QUESTION = 1_500
"""Characters of a question that are read."""
_INLINE = 80
"""Characters that a button carries itself; longer ones are kept in the store."""
_MOST_PAPERS = 60
GONE = "I no longer know what was asked here. Please ask again."


@dataclass(frozen=True, slots=True)
class AskQuery:
    """A question with its limits, and what it goes on from.

    Attributes
    ----------
    paper
        The one paper that answers.
    about, quoted
        The subject so far, and the papers quoted last: what "it" and "that paper" mean.
    left_out
        Papers not to quote again.
    """

    question: str
    paper: int | None = None
    since: date | None = None
    category: str | None = None
    about: str = ""
    quoted: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()

    def code(self) -> str:
        """As one line of text."""
        numbers = (",".join(map(str, several)) for several in (self.quoted, self.left_out))
        parts = (
            self.question,
            f"{self.since:%Y%m%d}" if self.since else "",
            self.category or "",
            str(self.paper or ""),
            self.about,
            *numbers,
        )
        return "&".join(quote(part, safe=" ,?'’()/:-") for part in parts).rstrip("&")

    @classmethod
    def from_code(cls, code: str) -> AskQuery:
        """What a line of text asks; what is missing or can't be read asks nothing."""
        parts = (*map(unquote, code.split("&")), *[""] * 7)[:7]
        question, since, category, paper, about, quoted, left_out = parts
        return cls(
            question[:MAX_QUESTION],
            next(iter(_numbers(paper)), None),
            _day(since),
            category[:30] or None,
            about[:400],
            _numbers(quoted),
            _numbers(left_out),
        )

    def going_on(self, last: AskedQuestion) -> AskQuery:
        """The same after an earlier question, whose limits hold where this one sets none."""
        limits = last.limits
        return replace(
            self,
            paper=self.paper or limits.get("paper"),
            since=self.since or _day(str(limits.get("since") or "")),
            category=self.category or limits.get("category"),
            about=last.about,
            quoted=last.papers,
        )

    def kept(self, about: str, papers: tuple[int, ...]) -> AskedQuestion:
        """What a place keeps of it, so that the next question can go on."""
        limits: dict[str, Any] = {"paper": self.paper, "category": self.category}
        limits["since"] = f"{self.since:%Y%m%d}" if self.since else None
        return AskedQuestion(
            self.question, about, {name: value for name, value in limits.items() if value}, papers
        )


async def button_to(services: Services, name: str, label: str, asked: AskQuery) -> Link:
    """A button that asks: the action ``name`` reads a short code, ``name_kept`` the number of a long one."""
    code = asked.code()
    if len(code) <= _INLINE:
        return link(name, label, code=code)
    return kept_link(await kept_numbers(services, [code]), f"{name}_kept", label, code)


async def kept_query(services: Services, kept: int) -> AskQuery:
    """The question behind a number that a button carries.

    Raises
    ------
    UserError
        Where it is no longer kept.
    """
    code = await services.store.kept_texts.find(kept)
    if code is None:
        raise UserError(GONE)
    return AskQuery.from_code(code)


def _numbers(text: str) -> tuple[int, ...]:
    found = (int(number) for number in re.findall(r"\d{1,19}", text)[:_MOST_PAPERS])
    return tuple(number for number in found if 0 < number <= LARGEST)


def _day(digits: str) -> date | None:
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:8])) if len(digits) == 8 else None
    except ValueError:
        return None
