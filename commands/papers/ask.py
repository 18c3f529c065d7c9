"""`/ask`: an answer of quoted sentences from several papers, or from one."""

from __future__ import annotations

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.answer import context_card
from commands.cards.places import place_link
from commands.kit.installs import anywhere
from commands.kit.last_asked import direct_place
from commands.kit.limits import SEARCH
from commands.kit.links import Press, button, link, select
from commands.kit.options import (
    A_CATEGORY,
    PRIVATE,
    category_name,
    complete_category,
    complete_paper,
    complete_since,
    since_day,
)
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.services import Services, seen_by
from commands.kit.shown_links import ids_in
from commands.kit.spoken import Spoken, spoken
from commands.kit.which_paper import ask_which_paper, no_such_paper, paper_of
from commands.papers.answering import mark_of, replied
from commands.papers.ask_query import AskQuery, kept_query
from data.stores.asked_questions import AskedQuestion
from index.answers.asked_before import Before
from index.answers.going_on import refers_back
from index.answers.passage import Passage

NEEDS = (Need.PAPERS, Need.MEANING)
CHOOSE = "ask.choose_paper"
CHANGED = "The sentence no longer stands there: the text was revised since. This is how it reads now."


@button("ask.context", "ac:{paper}:{part:page}:{start:page}:{end:page}:{mark:[0-9a-f]+}")
async def open_context(press: Press, paper: int, part: int, start: int, end: int, mark: str) -> None:
    """Show the text that a sentence stands in, with the sentence marked."""
    work = show_context(press.services, paper, part, (start, end), mark)
    await answer(press.interaction, work, private=press.private)


@button("ask.more", "aq:m:i:{code:text}")
async def open_more(press: Press, code: str) -> None:
    """Answer once more, from papers that were not quoted yet; the question is in the button."""
    work = _more(press, AskQuery.from_code(code))
    await answer(press.interaction, work, private=press.private, cost=SEARCH, needs=NEEDS)


@button("ask.more_kept", "aq:m:k:{kept}")
async def open_more_kept(press: Press, kept: int) -> None:
    """Answer once more; the question, too long for a button, is in the store."""
    work = _more_kept(press, kept)
    await answer(press.interaction, work, private=press.private, cost=SEARCH, needs=NEEDS)


async def _more_kept(press: Press, kept: int) -> Reply:
    return await _more(press, await kept_query(press.services, kept))


async def _more(press: Press, asked: AskQuery) -> Reply:
    quoted = dict.fromkeys(ids["paper"] for ids in ids_in(press.interaction.message, "ask.context"))
    left_out = tuple(dict.fromkeys((*asked.left_out, *quoted)))
    further = AskQuery(
        asked.question, asked.paper, asked.since, asked.category, asked.about, left_out=left_out
    )
    return await _reply(press.services, further)


@select(CHOOSE, "aqw:{kept}", "Which paper do you mean?", value=int)
async def choose_paper(press: Press, paper: int, kept: int) -> None:
    """Ask the paper that was meant."""
    work = _of_paper(press.services, paper, kept)
    await answer(press.interaction, work, update=True, cost=SEARCH, needs=NEEDS)


async def _of_paper(services: Services, paper: int, kept: int) -> Reply:
    asked = await kept_query(services, kept)
    return await _reply(services, AskQuery(asked.question, paper, asked.since, asked.category))


async def _reply(services: Services, asked: AskQuery) -> Reply:
    return (await replied(services, asked)).reply


async def show_context(
    services: Services, number: int, part: int, span: tuple[int, int], mark: str
) -> ui.LayoutView:
    """The abstract, or the passage of a full text, with a sentence marked.

    Raises
    ------
    UserError
        Where the paper or the passage is gone.
    """
    paper = await paper_of(services, number)
    passage = Passage(paper.id, paper.abstract, paper.title)
    if part and services.full_texts is not None:
        kept = await services.full_texts.passage(paper.id, part - 1)
        if kept is None:
            raise UserError("I no longer keep this paper's full text. Ask again, and I'll read it again.")
        passage = kept
    rows = [[link("paper.card", "About this paper", paper=paper.id)]]
    where = place_link(paper, passage) if part else "Abstract"
    start, end = span
    if mark_of(passage.text[start:end]) == mark:
        return context_card(paper, passage.text, start, end, where, rows)
    return context_card(paper, passage.text, 0, 0, f"{where} · {CHANGED}", rows)


class Ask(commands.Cog):
    """Questions, answered with sentences from papers."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(
        question="Your question, in your own words",
        paper="Only this paper answers: a title or part of one, a DOI, an id or a link",
        since="Only papers since this day, such as 2026-05",
        category=A_CATEGORY,
        private=PRIVATE,
    )
    @app_commands.autocomplete(paper=complete_paper, since=complete_since, category=complete_category)
    async def ask(
        self,
        interaction: discord.Interaction,
        question: app_commands.Range[str, 1, 6000],
        paper: app_commands.Range[str, 0, 1000] | None = None,
        since: app_commands.Range[str, 0, 30] | None = None,
        category: app_commands.Range[str, 0, 40] | None = None,
        private: bool = False,
    ) -> None:
        """Get an answer in sentences quoted from papers"""
        start = since_day(since, newest=self._services.search.newest())
        asked = AskQuery(question, None, start, category_name(category))
        thread = interaction.channel_id if isinstance(interaction.channel, discord.Thread) else None
        work = _typed(interaction, asked, paper, None if private else thread)
        await answer(interaction, work, private=private, cost=SEARCH, needs=NEEDS)


async def _typed(
    interaction: discord.Interaction, asked: AskQuery, paper: str | None, place: int | None
) -> ui.LayoutView | Reply:
    return await ask_typed(await seen_by(interaction), asked, paper, place, direct=direct_place(interaction))


async def ask_typed(
    services: Services,
    asked: AskQuery,
    paper: str | None,
    place: int | None,
    *,
    direct: int | None = None,
    before: AskedQuestion | None = None,
) -> ui.LayoutView | Reply:
    """Answer a question, of a paper where one was typed; in a place that keeps its subject, go on from it.

    Parameters
    ----------
    place
        The thread or direct message whose subject the question keeps, if any was kept there.
    direct
        The direct message where it is asked, which remembers it for a while.
    before
        What it goes on from in any case.
    """
    if paper and paper.strip():
        meant = await services.search.meant(paper)
        if meant.paper is None:
            return await _which_paper(services, asked, paper, meant.others)
        asked = AskQuery(asked.question, meant.paper, asked.since, asked.category)
    questions, member = services.store.asked_questions, services.place.member
    last = await questions.last(place) if place is not None else None
    goes_on_here, last = last is not None, before or last
    if last is not None:
        asked = asked.going_on(last)
    made = await replied(services, asked, goes_on_here=goes_on_here)
    if goes_on_here and place is not None:
        await questions.keep(place, member, made.kept)
    if direct is not None and last is None and not asked.paper and refers_back(made.meant):  # to nothing
        services.last_asked.drop(direct)
    else:
        services.last_asked.note(direct, member, Before("ask", made.meant, made.kept))
    return made.reply


async def _which_paper(
    services: Services, asked: AskQuery, typed: str, others: tuple[int, ...]
) -> ui.LayoutView:
    """Ask which paper is meant, or say that there is none such."""
    kept = await services.store.kept_texts.keep(asked.code())
    if others:
        return await ask_which_paper(services, others, typed, CHOOSE, kept=kept)
    return await no_such_paper(services, typed, CHOOSE, kept=kept)


@spoken("ask", cost=SEARCH, needs=NEEDS)
async def ask_in_words(said: Spoken) -> ui.LayoutView | Reply:
    """Answer a question from a message."""
    options = said.options
    since = since_day(options.get("since"), newest=said.services.search.newest())
    asked = AskQuery(options["question"], None, since, category_name(options.get("category")))
    kept, direct = said.place if said.follows else None, said.place if said.private else None
    return await ask_typed(
        said.services, asked, options.get("paper"), kept, direct=direct, before=said.before
    )


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Ask(services))
