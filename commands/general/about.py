"""`/help` and `/about`."""

from __future__ import annotations

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.help import CHOOSE, goal_options, goal_text, help_text
from commands.cards.lists import note
from commands.cards.text import day, plural, safe
from commands.kit.dated_by import dated_by
from commands.kit.installs import anywhere
from commands.kit.links import Press, choice, select
from commands.kit.options import PRIVATE
from commands.kit.progress import duration
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.spoken import Spoken, spoken

CATEGORIES_SHOWN = 20
"""Of a library that reads no listing, those with most papers."""
NO_MEANING = (
    "**By meaning:** not now. My embeddings can't be read, so I find papers by words only. The person who "
    "runs me can mend it: python -m bot index --rebuild"
)
CHOSEN_GONE = "I no longer offer this choice. Please run /help again."


@select("help.goal", "help:g", CHOOSE)
async def choose_goal(press: Press, goal: str) -> None:
    """Show how to do one thing, to the member who asks."""
    await answer(press.interaction, _how(press.services, goal), private=True)


async def _how(services: Services, goal: str) -> ui.LayoutView:
    text = goal_text(goal, await services.everywhere.examples(soon=True))
    if text is None:
        raise UserError(CHOSEN_GONE)
    return note(text)


@spoken("help")
async def help_in_words(said: Spoken) -> ui.LayoutView:
    """Say what I can do to somebody who asked in words."""
    return await show_help(said.services)


async def show_help(services: Services) -> ui.LayoutView:
    """What people can do here, with examples from this library."""
    text = help_text(await services.everywhere.examples(soon=True))
    return note(text, [[choice("help.goal", goal_options())]])


class About(commands.Cog):
    """What Labmate is, and what it knows."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command(name="help")
    @anywhere
    @app_commands.describe(private=PRIVATE)
    async def help_(self, interaction: discord.Interaction, private: bool = False) -> None:
        """What I can do, and how to ask"""
        await answer(interaction, show_help(self._services), private=private)

    @app_commands.command()
    @anywhere
    @app_commands.describe(private=PRIVATE)
    async def about(self, interaction: discord.Interaction, private: bool = False) -> None:
        """What I know: papers, newest day, model"""
        await answer(interaction, self._about(), private=private)

    async def _about(self) -> ui.LayoutView:
        services = self._services
        papers, authors = services.paper_count, len(services.corpus.names)
        _, newest, _ = await services.store.listings.around()
        upto = day(newest, await dated_by(services, newest)) if newest else "none read yet"
        vectors = services.corpus.vectors
        embedded = len(vectors) if vectors is not None else 0
        loaded = "loaded" if services.corpus.embedder.is_loaded else "still loading"
        lines = [
            "## Labmate",
            f"**Papers:** {papers:,} by {plural(authors, 'author name')}",
            f"**{'Newest listing' if services.reads_arxiv else 'Newest papers'}:** {upto}",
            f"**Embedded:** {embedded:,} of {papers:,}, by {safe(services.corpus.embedder.name)} ({loaded})",
            f"**Categories:** {' '.join(_categories(services)) or 'none'}",
        ]
        if services.corpus.unreadable:
            lines.append(NO_MEANING)
        lag = await services.corpus.following.look()
        if lag.is_worth_telling:
            since = f"{duration(lag.seconds)}{' or longer' if lag.or_longer else ''}"
            lines.append(f"**Behind:** {lag.count}, for {since}")
        if services.progress.text:
            lines.append(f"**Right now:** {safe(services.progress.text)}")
        source = "files."
        if services.reads_arxiv:
            source = "arXiv. Thank you to arXiv for use of its open access interoperability."
        more = "The person who runs me can add more: python -m bot ingest --help"
        lines.append(f"-# Papers come from {source} {more}")
        return note("\n".join(lines))


def _categories(services: Services) -> list[str]:
    """Those that are read from arXiv, or else those that most papers of the library have."""
    if services.reads_arxiv:
        return list(services.categories)
    known = services.corpus.facets.category_counts()
    return sorted(known, key=lambda one: (-known[one], one))[:CATEGORIES_SHOWN]


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(About(services))
