"""Two commands in a message's menu: the papers in it, and papers similar to them or to its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import Entry, listing, note
from commands.cards.named_papers import unknown_line
from commands.cards.text import label, plural
from commands.kit.installs import anywhere
from commands.kit.limits import SEARCH
from commands.kit.links import choice, link
from commands.kit.message_papers import LOOKED_FOR, papers_of, text_of
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.similar_papers import similar_papers, similar_to_text
from commands.kit.which_paper import guessed
from commands.papers.paper import CHOOSE, show
from commands.papers.similar import CHOOSE as CHOOSE_SIMILAR
from commands.papers.similar import NEEDS
from data.keys import title_words
from data.records import Paper
from index.search.named_papers import Recognised

SHOWN = 8
CHOICES = 25
ENOUGH_WORDS = 4
"""The fewest words of a message that papers can be compared with."""
MOST_TEXT = 6_000
NONE_HERE = f"I don't see a paper in this message. I look for {LOOKED_FOR}."


async def papers_in(services: Services, found: Recognised) -> ui.LayoutView:
    """The papers of a message: the card of a single one, else a list; unknown ones by their identifiers."""
    if not found:
        return note(NONE_HERE)
    if len(found.papers) == 1 and not found.unknown:
        return await show(services, found.papers[0])
    lacking = unknown_line(found.unknown, services.paper_count)
    if not found.papers:
        return note(lacking, await _guesses(services, found))
    papers = await services.store.papers(found.papers)
    entries = [Entry(paper, link("paper.card", "Details", paper=paper.id)) for paper in papers[:SHOWN]]
    rows: list[list[ui.Item[Any]]] = []
    if others := papers[SHOWN : SHOWN + CHOICES]:
        rows.append([choice("paper.open_card", _options(others), placeholder="More papers in this message")])
    return listing(
        f"## {plural(len(papers), 'paper')} in this message",
        entries,
        footer=f"-# {lacking}" if lacking else None,
        rows=rows,
    )


async def _guesses(services: Services, found: Recognised) -> list[list[ui.Item[Any]]]:
    """What `/paper` offers for an unknown id: papers with almost the same id."""
    if len(found.unknown) != 1:
        return []
    return await guessed(services, found.unknown[0].value, CHOOSE)


async def similar_to(services: Services, found: Recognised, text: str) -> ui.LayoutView:
    """The papers most similar to a message's paper, or to its text; with several papers, it asks which one.

    Raises
    ------
    UserError
        If the message has neither a known paper nor enough text.
    """
    if len(found.papers) == 1:
        return await similar_papers(services, found.papers[0])
    if found.papers:
        options = _options(await services.store.papers(found.papers[:CHOICES]))
        told = f"This message names {plural(len(found.papers), 'paper')}. Similar to which one?"
        return note(told, [[choice(CHOOSE_SIMILAR, options)]])
    if len(title_words(text)) >= ENOUGH_WORDS:
        return await similar_to_text(services, text[:MOST_TEXT])
    if found.unknown:
        raise UserError(unknown_line(found.unknown, services.paper_count))
    raise UserError(
        f"This message names no papers and has too little text to compare. I look for {LOOKED_FOR}."
    )


def _options(papers: Sequence[Paper]) -> list[discord.SelectOption]:
    return [
        discord.SelectOption(
            label=label(paper.title, 100),
            value=str(paper.id),
            description=label(", ".join(author.name for author in paper.authors[:3]), 100),
        )
        for paper in papers
    ]


class InMessage:
    """The two commands."""

    def __init__(self, bot: commands.Bot) -> None:
        self._bot = bot

    async def papers(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Show the papers in a message to the member who asks."""
        await answer(interaction, self._papers(interaction, message), private=True)

    async def _papers(self, interaction: discord.Interaction, message: discord.Message) -> ui.LayoutView:
        services = await seen_by(interaction)
        return await papers_in(services, await papers_of(self._bot, services, message))

    async def similar(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Show papers similar to a message to the member who asks."""
        work = self._similar(interaction, message)
        await answer(interaction, work, private=True, cost=SEARCH, needs=NEEDS)

    async def _similar(self, interaction: discord.Interaction, message: discord.Message) -> ui.LayoutView:
        services = await seen_by(interaction)
        return await similar_to(services, await papers_of(self._bot, services, message), text_of(message))


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    menu = InMessage(bot)
    bot.tree.add_command(anywhere(app_commands.ContextMenu(name="Papers in here", callback=menu.papers)))
    bot.tree.add_command(anywhere(app_commands.ContextMenu(name="Similar", callback=menu.similar)))
