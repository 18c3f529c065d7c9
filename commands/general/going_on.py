"""Direct messages that go on from the last question or search there, and the button that asks them alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote

from commands.general.saying import saying
from commands.general.unclear import unclear
from commands.kit.kept import kept_link, kept_numbers
from commands.kit.last_asked import direct_place
from commands.kit.limits import SEARCH
from commands.kit.links import Link, Press, button, link
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.services import Services
from commands.kit.shown_links import listed_on, offered_in, papers_on, people_on
from commands.kit.spoken import SPOKEN, Spoken
from commands.kit.which_person import name_of_one
from index.answers.asked_before import NO_LIST, Among, Before, listed, on_card, only_listed
from index.answers.author_at import asks_of_author_at
from index.answers.compared_before import asks_to_compare
from index.answers.going_on import asks_for_alike, going_on
from index.answers.of_person import asks_of_somebody
from index.answers.one_of_several import asks_for_next, asks_for_one, asks_for_other, is_named_so
from index.answers.unclear import Unclear, UnclearError
from index.search.routing import LONGEST, Route, routed

ALONE = "Ask it alone"
NEEDS = (Need.PAPERS, Need.MEANING)
_GONE = "I no longer know what was asked here. Please ask again."
_INLINE = 80
"""Characters that a button carries itself; longer ones are kept in the store."""
_LISTS = ("search", "papers")
_CARDS = ("paper", "author")
_NOTED_OR_NOTHING = ("ask", *_CARDS, "help")
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
    await note_list(services, TakenAs(found), said, reply, direct_place(press.interaction))
    return saying(found, reply)


@dataclass(frozen=True)
class TakenAs:
    """How a message was taken."""

    found: Route
    before: Before | None = None
    """What it goes on from, if it does."""
    refers: bool = False
    """Whether it keeps the subject of that."""
    among: Among = NO_LIST
    """The list from which its paper or person was taken; empty for none."""
    person: str = ""
    """The person that the message is about, by a name that /author finds; empty for none."""


async def meant(services: Services, said: str, direct: int | None, *, follows: bool) -> TakenAs:
    """The command for a message, which in a ``direct`` one may go on from what was asked before.

    Raises
    ------
    UserError
        If a message goes on from something, and it isn't clear from what.
    """
    before = services.last_asked.last(direct) if direct is not None else None
    try:
        if before is not None and (on := await going_on(services.search, said, before)) is not None:
            return TakenAs(await _named(services, on.route), before, on.refers, on.among, on.person)
    except UnclearError as error:
        raise UserError(unclear(error, before)) from None
    what = _alone_unclear(said, before, follows=follows) if direct is not None or not follows else None
    if what is not None and not await is_named_so(services.search, said):
        raise UserError(unclear(UnclearError(what), before))
    return TakenAs(await routed(services.search, said, commands=SPOKEN, follows=follows))


def _alone_unclear(said: str, before: Before | None, *, follows: bool) -> Unclear | None:
    """What is unclear in a text that only points at something, and goes on from nothing ``before``."""
    if asks_for_one(said) or asks_for_alike(said) or (not follows and asks_of_author_at(said)):
        return "paper"
    if asks_for_next(said):
        return "next"
    if follows:
        return None
    if asks_for_other(said):
        return "other"
    if asks_of_somebody(said):
        return "whom"
    return "compared" if before is None and asks_to_compare(said) else None


async def _named(services: Services, found: Route) -> Route:
    """A route whose people are named, and not by a number alone (``~12``)."""
    options = dict(found.options)
    for option, text in found.options.items():
        if text.startswith("~") and text[1:].isdecimal():
            person = await services.store.people.find(int(text[1:]))
            options[option] = await name_of_one(services, person) if person is not None else text
    return Route(found.command, options)


async def note_list(services: Services, taken: TakenAs, said: str, reply: Reply, direct: int | None) -> None:
    """Remember what was shown in a direct message: the next may go on from it.

    After what shows neither papers nor people, it may go on from nothing.
    """
    if direct is None:
        return
    found, last = taken.found, services.last_asked.last(direct)
    if (
        found.command in (*_CARDS, "ask")
        and taken.among.ids
        and last is not None
        and last.command == found.command
    ):
        services.last_asked.note(direct, services.place.member, replace(last, among=taken.among))
    if found.command in _NOTED_OR_NOTHING:
        return
    shown = papers_on(reply.view)
    if found.command == "summary" and len(shown) == 1:
        [paper] = await services.store.papers(shown[:1])
        name = await services.search.name_of(paper.id)
        before = on_card(paper.id, paper.title, name, taken.among)
        services.last_asked.note(direct, services.place.member, before)
        return
    among = listed_on(reply.view)
    if found.command == "compare" and not among.ids:
        among = Among(people=people_on(reply.view))
    if found.command in _LISTS:
        among = among or Among(people=offered_in(reply.view.children, "person.choose_papers"))
        words, author = found.options.get("query", said), taken.person or found.options.get("author", "")
        if found.command == "papers" and taken.before is not None:
            since = found.options.get("since")
            words = f"papers by {author.partition(' ~')[0]}" + (f" since {since}" if since else "")
        asked = await listed(found.command, words, services.search, among, author)
        services.last_asked.note(direct, services.place.member, asked)
    elif among.ids:
        services.last_asked.note(direct, services.place.member, only_listed(said, among))
    else:
        services.last_asked.drop(direct)


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
