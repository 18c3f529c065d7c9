"""`/summary`: a paper's problem, method, result and limits in its own sentences."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.summary import summary_card
from commands.cards.text import label
from commands.kit.installs import anywhere
from commands.kit.limits import SUMMARY
from commands.kit.links import Press, button, link, select
from commands.kit.options import A_PAPER, PRIVATE, complete_paper
from commands.kit.replies import answer
from commands.kit.services import Services
from commands.kit.spoken import Spoken, spoken
from commands.kit.which_paper import paper_of, shown
from index.documents.paper_summary import summary_of

CHOOSE = "paper.choose_summary"


@button("paper.summary", "sm:{paper}")
async def open_summary(press: Press, paper: int) -> None:
    """Show the summary of a paper as a new reply."""
    await answer(press.interaction, show(press.services, paper), private=press.private, cost=SUMMARY)


@select(CHOOSE, "which:u", "Which paper do you mean?", value=int)
async def choose_summary(press: Press, paper: int) -> None:
    """Show the summary of the paper that was meant."""
    await answer(press.interaction, show(press.services, paper), update=True, cost=SUMMARY)


async def show(services: Services, paper_id: int) -> ui.LayoutView:
    """A paper's summary; its full text is fetched where it is not kept yet."""
    paper = await paper_of(services, paper_id)
    text = await services.full_text(paper)
    said = await asyncio.to_thread(summary_of, paper, text)
    actions: list[ui.Item[Any]] = [
        link("paper.card", label(f"About {paper.title}", 60), paper=paper.id),
        link("paper.similar", "Similar papers", paper=paper.id),
    ]
    if paper.url:
        actions.append(ui.Button(label="Read it", url=paper.url))
    return summary_card(paper, said, text, actions)


class SummaryCommand(commands.Cog):
    """A paper in four sentences."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(
        paper=A_PAPER,
        private=PRIVATE,
    )
    @app_commands.autocomplete(paper=complete_paper)
    async def summary(
        self, interaction: discord.Interaction, paper: app_commands.Range[str, 1, 6000], private: bool = False
    ) -> None:
        """Sum up a paper in its own sentences: problem, method, result, limits"""
        await answer(interaction, summary_typed(self._services, paper), private=private, cost=SUMMARY)


async def summary_typed(services: Services, typed: str) -> ui.LayoutView:
    """The summary of the paper that a text means, or a question which one is meant."""
    return await shown(services, typed, CHOOSE, show)


@spoken("summary", cost=SUMMARY)
async def summary_in_words(said: Spoken) -> ui.LayoutView:
    """Sum up a paper for somebody who asked in words."""
    return await summary_typed(said.services, said.options["paper"])


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(SummaryCommand(services))
