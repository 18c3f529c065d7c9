"""`/help` and `/about`."""

from __future__ import annotations

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.text import day, plural, safe
from commands.kit.installs import anywhere
from commands.kit.options import PRIVATE
from commands.kit.replies import answer
from commands.kit.services import Services
from commands.kit.spoken import Spoken, spoken

HELP = """## What I can do
**/papers** `ChonLam Lao` — papers by an author; narrow them down with sort, since and category
**/similar** `PrismLLM` — the most similar papers: give an arXiv id or link, a DOI, a title, \
a system's name, or paste an abstract
**/search** `fault tolerance of GPU training` — find papers in your own words. I understand dates and people \
(`last week's papers by …`), `papers like PrismLLM but for inference`, “quoted phrases”, author: and category:
**/ask** `how can large GPU clusters be emulated?` — an answer in sentences quoted from papers; \
*Ask on* opens a thread for the next question
**/paper** `2605.15617` — one paper's card: abstract, links, authors, how to cite it
**/summary** `2605.15617` — its problem, method, result and limits, quoted from the full text
**/new** — the papers announced on a day, by category or topic, or ranked for this channel
**/digest** `mine` — the few new papers of the day that you, or this channel, will want, posted on schedule; \
**/top** — what people here saved and liked most
**/save** `PrismLLM`, **/library** `show` — your library: tags, notes, import and export; **/list** — \
lists that this server shares
**/author** `ChonLam Lao` — a person's card; **/graph** `PrismLLM`, **/compare**, \
**/similar-people** `ChonLam Lao`, **/trending** lead on from there
**/collaborators** `Mengqi Liu` — possible collaborators, and why; \
**/who-knows** `in-network aggregation` finds people by topic
**/claim** `ChonLam Lao` — say which papers are yours; then you can use **/profile** (also from your CV) and \
**/invite**, and suggestions are about you
**/person** `history ChonLam Lao` — corrections of who wrote what; `split` and `same` make one; \
**/contest** — say that a claim is wrong
**/follow** `topic:in-network aggregation`, **/following**, **/unfollow** — get news of people, papers, \
topics and categories; **/me** `data` — what I keep about you; **/me** `forget` deletes it
**/about** — the papers I know, and where they come from

With `private:True`, only you see an answer about papers or people; answers that concern you alone are \
always private. Buttons below an answer keep working, even after a restart. You can also mention \
me with a question in your own words, or write to me directly."""


@spoken("help")
async def help_in_words(said: Spoken) -> ui.LayoutView:
    """Say what I can do to somebody who asked in words."""
    return note(HELP)


class About(commands.Cog):
    """What Labmate is, and what it knows."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command(name="help")
    @anywhere
    @app_commands.describe(private=PRIVATE)
    async def help_(self, interaction: discord.Interaction, private: bool = False) -> None:
        """What I can do, and how to ask"""

        async def work() -> ui.LayoutView:
            return note(HELP)

        await answer(interaction, work(), private=private)

    @app_commands.command()
    @anywhere
    @app_commands.describe(private=PRIVATE)
    async def about(self, interaction: discord.Interaction, private: bool = False) -> None:
        """What I know: papers, newest day, model"""
        await answer(interaction, self._about(), private=private)

    async def _about(self) -> ui.LayoutView:
        services = self._services
        papers, authors = await services.store.count(), await services.store.author_names.count()
        _, newest, _ = await services.store.listings.around()
        vectors = services.corpus.vectors
        embedded = len(vectors) if vectors is not None else 0
        loaded = "loaded" if services.corpus.embedder.is_loaded else "still loading"
        lines = [
            "## Labmate",
            f"**Papers:** {papers:,} by {plural(authors, 'author name')}",
            f"**Newest listing:** {day(newest) if newest else 'none read yet'}",
            f"**Embedded:** {embedded:,} of {papers:,}, by {safe(services.corpus.embedder.name)} ({loaded})",
            f"**Categories:** {' '.join(services.categories) or 'none'}",
        ]
        if services.progress.text:
            lines.append(f"**Right now:** {safe(services.progress.text)}")
        lines.append(
            "-# Papers come from arXiv. Thank you to arXiv for use of its open access interoperability. The "
            "person who runs me can add more: python -m bot ingest --help"
        )
        return note("\n".join(lines))


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(About(services))
