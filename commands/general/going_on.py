"""Direct messages that go on from the last question or search there, and the button that asks them alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from commands.cards.text import plural
from commands.general.saying import saying
from commands.kit.kept import kept_link, kept_numbers
from commands.kit.last_asked import direct_place
from commands.kit.limits import SEARCH
from commands.kit.links import Link, Press, button, link
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.services import Services
from commands.kit.shown_links import papers_on
from commands.kit.spoken import SPOKEN, Spoken
from index.answers.going_on import Before, asks_for_alike, asks_for_one, going_on, listed
from index.search.routing import LONGEST, Route, routed

ALONE = "Ask it alone"
NEEDS = (Need.PAPERS, Need.MEANING)
_GONE = "I no longer know what was asked here. Please ask again."
_INLINE = 80
"""Characters that a button carries itself; longer ones are kept in the store."""
_LISTS = ("search", "papers")
_NOTED_OR_NOTHING = ("ask", "paper", "help")
"""Commands that note themselves what they leave for the next message, or answer nothing."""


@button("said.alone", "sa:i:{code:text}")
async def ask_alone(press: Press, code: str) -> None:
    """Answer what was said as if nothing had been asked before; it is in the button."""
    work = _alone(press, unquote(code))
    await answer(press.interaction, work, update=True, cost=SEARCH, needs=NEEDS)


@button("said.alone_kept", "sa:k:{kept}")
async def ask_alone_kept(press: Press, kept: int) -> None:
    """As ``said.alone``, for what is too long for a button and in the store."""
    await answer(press.interaction, _kept_alone(press, kept), update=True, cost=SEARCH, needs=NEEDS)


async def _kept_alone(press: Press, kept: int) -> Reply:
    said = await press.services.store.kept_texts.find(kept)
    if said is None:
        raise UserError(_GONE)
    return await _alone(press, said)


async def _alone(press: Press, said: str) -> Reply:
    services = press.services
    found = await routed(services.search, said, commands=SPOKEN)
    asked = Spoken(services, found.options, press.interaction.channel_id or 0)
    made = await SPOKEN[found.command].answer(asked)
    reply = made if isinstance(made, Reply) else Reply(made)
    await note_list(services, found, said, reply, direct_place(press.interaction))
    return saying(found, reply)


@dataclass(frozen=True)
class TakenAs:
    """How a message was taken."""

    found: Route
    before: Before | None = None
    """What it goes on from, if it does."""
    refers: bool = False
    """Whether it keeps the subject of that."""


async def meant(services: Services, said: str, direct: int | None, *, follows: bool) -> TakenAs:
    """The command for a message, which in a ``direct`` one may go on from what was asked before.

    Raises
    ------
    UserError
        If a direct message only points at a paper, and it isn't clear at which.
    """
    before = services.last_asked.last(direct) if direct is not None else None
    if before is not None and (on := await going_on(services.search, said, before)) is not None:
        return TakenAs(on.route, before, on.refers)
    if direct is not None and (asks_for_one(said) or asks_for_alike(said)):
        raise UserError(_which(before))
    return TakenAs(await routed(services.search, said, commands=SPOKEN, follows=follows))


def _which(before: Before | None) -> str:
    """What to say where somebody means a paper that isn't among those shown last."""
    shown = len(before.asked.papers) if before is not None else 0
    if not shown:
        return "I don't know which paper you mean. Please name it."
    return (
        f"I don't know which paper you mean: my last reply showed {plural(shown, 'paper')}. Please name it."
    )


async def note_list(services: Services, found: Route, said: str, reply: Reply, direct: int | None) -> None:
    """Remember a list of papers that was asked for in a direct message: the next may go on from it.

    After another command's answer, it may go on from nothing.
    """
    if direct is None or found.command in _NOTED_OR_NOTHING:
        return
    if found.command not in _LISTS:
        services.last_asked.drop(direct)
    else:
        words = found.options.get("query", said)
        asked = await listed(found.command, words, services.search, tuple(papers_on(reply.view)))
        services.last_asked.note(direct, services.place.member, asked)


async def said_with(services: Services, said: str, taken: TakenAs, reply: Reply) -> Reply:
    """A reply that says how to type it, and what it was read with if it was."""
    if taken.before is None:
        return saying(taken.found, reply)
    return saying(
        taken.found, reply, read_with=taken.before.said, alone=await _button_to(services, said[:LONGEST])
    )


async def _button_to(services: Services, said: str) -> Callable[[], Link]:
    code = quote(said, safe=" ,?'’()/:-")
    if len(code) <= _INLINE:
        return lambda: link("said.alone", ALONE, code=code)
    numbers = await kept_numbers(services, [said])
    return lambda: kept_link(numbers, "said.alone_kept", ALONE, said)
