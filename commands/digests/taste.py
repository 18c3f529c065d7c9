"""`/digest taste`: a dozen papers to say yes or no to, and what a digest has learned from all answers."""

from __future__ import annotations

from typing import Any

from discord import ButtonStyle, ui

from commands.cards import taste as cards
from commands.cards.lists import note
from commands.digests.allowed import own_digest
from commands.digests.opinions import UNKNOWN_PAPER
from commands.kit.links import Press, button, choice, link, select
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from data.stores.digest_record import Digest
from index.digest import learning
from index.digest.learning import NoListingError, paper_to_ask

QUESTIONS = 12
NO_LISTING = "I haven't read a listing yet, so there is nothing to ask about."


@button("digest.want", "dt:y:{digest}:{count:page}:{paper}", style=ButtonStyle.success)
async def want(press: Press, digest: int, count: int, paper: int) -> None:
    """Yes, more papers like this."""
    await answer(press.interaction, _said(press, digest, count, paper, "like"), private=True, update=True)


@button("digest.not_want", "dt:n:{digest}:{count:page}:{paper}", style=ButtonStyle.danger)
async def not_want(press: Press, digest: int, count: int, paper: int) -> None:
    """No, fewer papers like this."""
    await answer(press.interaction, _said(press, digest, count, paper, "dislike"), private=True, update=True)


@button("digest.skip", "dt:s:{digest}:{count:page}:{paper}")
async def skip(press: Press, digest: int, count: int, paper: int) -> None:
    """No opinion."""
    await answer(press.interaction, _said(press, digest, count, paper, "skip"), private=True, update=True)


@button("digest.ask", "dt:b:{digest}:{count:page}:{paper}")
async def begin(press: Press, digest: int, count: int, paper: int) -> None:
    """Ask the first question."""
    await answer(press.interaction, _asked(press, digest, count), private=True, update=True)


@button("digest.enough", "dt:e:{digest}:{count:page}:{paper}")
async def enough(press: Press, digest: int, count: int, paper: int) -> None:
    """Stop asking."""
    await answer(press.interaction, _learned(press, digest), private=True, update=True)


@button("digest.learned", "dt:f:{digest}:{count:page}:{paper}")
async def show_learned(press: Press, digest: int, count: int, paper: int) -> None:
    """Show what it has learned; old messages have this button."""
    await answer(press.interaction, _learned(press, digest), private=True, update=True)


@select("digest.unlearn", "du:{digest}", "Take back an answer", value=int)
async def unlearn(press: Press, paper: int, digest: int) -> None:
    """Take back an answer of one's own."""
    await answer(press.interaction, _unlearned(press, digest, paper), private=True, update=True)


async def _said(press: Press, number: int, count: int, paper: int, kind: str) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    store = press.services.store
    if not await store.papers([paper]):
        raise UserError(UNKNOWN_PAPER)
    await store.digests.think(digest.guild, press.member, paper, kind, digest.channel)
    return await _next(press.services, digest, press.member, count)


async def _asked(press: Press, number: int, count: int) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    return await _next(press.services, digest, press.member, count)


async def _learned(press: Press, number: int) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    return await learned(press.services, digest, press.member)


async def _unlearned(press: Press, number: int, paper: int) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    await press.services.store.digests.think(digest.guild, press.member, paper, None)
    return await learned(press.services, digest, press.member)


async def _next(services: Services, digest: Digest, member: int, count: int) -> ui.LayoutView:
    """The next question, or after the last one what was learned."""
    if count >= QUESTIONS:
        return await learned(services, digest, member)
    try:
        paper = await paper_to_ask(services, digest, member)
    except NoListingError as error:
        raise UserError(NO_LISTING) from error
    if paper is None:
        return await learned(services, digest, member)
    ids: dict[str, Any] = {"digest": digest.id, "count": count + 1, "paper": paper.id}
    buttons: list[ui.Item[Any]] = [
        link("digest.want", "Yes", **ids),
        link("digest.not_want", "No", **ids),
        link("digest.skip", "Not sure", **ids),
        link("digest.enough", "Stop here", **ids),
    ]
    return note(cards.question(digest, paper, count + 1, QUESTIONS), [buttons])


async def learned(services: Services, digest: Digest, member: int) -> ui.LayoutView:
    """What a digest has learned; the member can take back their own answers."""
    lessons = await learning.learned(services, digest, member)
    _, newest, _ = await services.store.listings.around()
    if newest is None and not (lessons.wanted[0] or lessons.unwanted[0]):
        raise UserError(NO_LISTING)
    rows: list[list[ui.Item[Any]]] = []
    if newest is not None:
        text = "Ask me more" if lessons.asked else "Ask me"
        rows.append([link("digest.ask", text, digest=digest.id, count=0, paper=0)])
    if (lessons.wanted[0] or lessons.unwanted[0]) and (options := cards.answer_options(lessons)):
        rows.insert(0, [choice("digest.unlearn", options, digest=digest.id)])
    given = len(await services.store.digests.seeds(digest.id))
    if given:
        rows.append([link("digest.forget_given", "Forget what it was given", digest=digest.id)])
    return note(cards.learned(digest, lessons, QUESTIONS, given), rows)
