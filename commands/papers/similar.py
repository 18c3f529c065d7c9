"""`/similar`: the papers most similar to one, to a pasted abstract, or to an idea in a sentence."""

from __future__ import annotations

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.kit.installs import anywhere
from commands.kit.limits import SEARCH
from commands.kit.links import Press, button, select
from commands.kit.noted import noted_list
from commands.kit.options import PRIVATE, complete_paper
from commands.kit.progress import Need
from commands.kit.replies import answer
from commands.kit.services import Services
from commands.kit.similar_papers import similar_papers, similar_to_text
from commands.kit.spoken import Spoken, spoken
from commands.kit.which_paper import ask_which_paper, no_such_paper, offer_others, paper_of
from data.keys import title_words
from index.search.understanding import is_description

NEEDS = (Need.PAPERS, Need.MEANING)
CHOOSE = "paper.choose_similar"
SENTENCE = 7
"""A text of at least so many words that names no paper is compared as a sentence."""


@button("paper.similar", "s:{paper}")
async def open_similar(press: Press, paper: int) -> None:
    """Show the papers most similar to one, as a new reply."""
    work = _noted(press, paper)
    await answer(press.interaction, work, private=press.private, cost=SEARCH, needs=NEEDS)


@button("similar.turn", "sp:{paper}:{page:page}")
async def turn(press: Press, paper: int, page: int) -> None:
    """Turn to a page of similar papers."""
    work = _noted(press, paper, page)
    await answer(press.interaction, work, update=True, cost=SEARCH, needs=NEEDS)


@select(CHOOSE, "which:s", "Which paper do you mean?", value=int)
async def choose_similar(press: Press, paper: int) -> None:
    """Show the papers most similar to the one that was meant."""
    await answer(press.interaction, _noted(press, paper), update=True, cost=SEARCH, needs=NEEDS)


async def _noted(press: Press, paper: int, page: int = 0) -> ui.LayoutView:
    """A page of similar papers; in a direct message, the next message may go on from it."""
    view = await similar_papers(press.services, paper, page)
    title = (await paper_of(press.services, paper)).title
    return await noted_list(press.services, press.interaction, view, f"papers like {title}")


class Similar(commands.Cog):
    """Similar papers."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(
        paper="A title or part of one, a system's name, a DOI, an id or link, an abstract, or an idea",
        private=PRIVATE,
    )
    @app_commands.autocomplete(paper=complete_paper)
    async def similar(
        self, interaction: discord.Interaction, paper: app_commands.Range[str, 1, 6000], private: bool = False
    ) -> None:
        """Find the papers most similar to one"""
        work = self._similar(interaction, paper)
        await answer(interaction, work, private=private, cost=SEARCH, needs=(Need.PAPERS, Need.MEANING))

    async def _similar(self, interaction: discord.Interaction, paper: str) -> ui.LayoutView:
        view = await similar_to(self._services, paper)
        return await noted_list(self._services, interaction, view, f"papers like {paper}")


async def similar_to(services: Services, typed: str) -> ui.LayoutView:
    """The papers most similar to the one that a text means, or to the text itself."""
    meant = await services.search.meant(typed)
    if meant.paper is not None:
        view = await similar_papers(services, meant.paper)
        return await offer_others(services, view, meant.others, typed, CHOOSE)
    if meant.others:
        return await ask_which_paper(services, meant.others, typed, CHOOSE)
    if is_description(typed) or len(title_words(typed)) >= SENTENCE:
        return await similar_to_text(services, typed)
    return await no_such_paper(services, typed, CHOOSE)


@spoken("similar", cost=SEARCH, needs=NEEDS)
async def similar_in_words(said: Spoken) -> ui.LayoutView:
    """Find similar papers for somebody who asked in words."""
    return await similar_to(said.services, said.options["paper"])


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Similar(services))
