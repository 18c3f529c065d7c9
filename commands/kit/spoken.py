"""Commands asked for in words: a file that registers how its command answers does not know who listens.

A mention such as ``@Labmate papers by ChonLam Lao`` is led to a command, which answers as if it was typed::

    @spoken("papers", needs=NEEDS)
    async def answer_in_words(asked: Spoken) -> ui.LayoutView:
        return await _papers(asked.services, asked.options["author"])
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from discord import ui

from commands.kit.limits import ASK, Cost
from commands.kit.progress import Need
from commands.kit.reply import Reply
from commands.kit.services import Services
from data.stores.asked_questions import AskedQuestion


@dataclass(frozen=True)
class Spoken:
    """What somebody asked a command in words."""

    services: Services
    """As the server where it was said sees people."""
    options: Mapping[str, str]
    """The command's options as a member would have typed them."""
    place: int
    """The channel, thread or direct message where it was said."""
    follows: bool = False
    """Whether it goes on from an earlier question in that place, which is kept in the store."""
    before: AskedQuestion | None = None
    """A question that it goes on from all the same: what was asked last in a direct message."""

    @property
    def member(self) -> int:
        """The Discord id of who asked."""
        return self.services.place.member

    @property
    def private(self) -> bool:
        """Whether only that member sees the answer."""
        return self.services.place.guild is None


Answering = Callable[[Spoken], Awaitable[ui.LayoutView | Reply]]


@dataclass(frozen=True)
class SpokenCommand:
    """How a command answers, what it costs, and what its answers need."""

    answer: Answering
    cost: Cost
    needs: Sequence[Need]


SPOKEN: dict[str, SpokenCommand] = {}
"""Every command that can be asked for in words, by its name, once its file is imported."""


def spoken(command: str, *, cost: Cost = ASK, needs: Sequence[Need] = ()) -> Callable[[Answering], Answering]:
    """Register how a command answers when it is asked for in words."""

    def register(answer: Answering) -> Answering:
        if command in SPOKEN:
            raise ValueError(f"/{command} is registered twice")
        SPOKEN[command] = SpokenCommand(answer, cost, needs)
        return answer

    return register
