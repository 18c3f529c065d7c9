"""*Save* in a message's menu: saves its papers to the member's library."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.library import work_lines
from commands.cards.lists import boxed
from commands.cards.named_papers import unknown_line
from commands.cards.text import plural
from commands.kit.installs import anywhere
from commands.kit.links import link
from commands.kit.message_papers import LOOKED_FOR, papers_of
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.library.works import show_one
from data.stores.library import LibraryFull
from index.search.named_papers import Recognised

SHOWN = 8
_EPOCH = datetime(1970, 1, 1)


async def save_all(services: Services, member: int, found: Recognised) -> ui.LayoutView:
    """Save the papers of a message; the member can undo it, or manage each paper.

    Raises
    ------
    UserError
        If Labmate knows none of them, or the library is full.
    """
    lacking = unknown_line(found.unknown, services.paper_count)
    if not found.papers:
        raise UserError(
            f"Nothing to save. {lacking}"
            if lacking
            else f"I don't see a paper in this message. I look for {LOOKED_FOR}."
        )
    library = services.store.library
    try:
        added = await library.add(member, [(paper, {}) for paper in found.papers])
    except LibraryFull as error:
        raise UserError(f"{error} Nothing was saved.") from error
    if len(found.papers) == 1:
        return await _one(services, member, found.papers[0], new=bool(added.new), lacking=lacking)
    entries: list[tuple[str, ui.Item[Any]]] = []
    for paper in await services.store.papers(found.papers[:SHOWN]):
        if (kept := await library.of_paper(member, paper.id)) is not None:
            manage = link("library.manage", "Manage", kept=kept.id)
            entries.append(("\n".join(work_lines(paper, {}, 120))[:450], manage))
    already = (
        f", {added.known:,} {'was' if added.known == 1 else 'were'} there already" if added.known else ""
    )
    more = len(found.papers) - len(entries)
    footer = [f"and {more} more: /library show" if more else "", lacking]
    return boxed(
        f"## Saved to your library\n{plural(added.new, 'new paper')}{already}",
        entries,
        footer="\n".join(f"-# {line}" for line in footer if line) or None,
        rows=[[_undo(added.made)]] if added.new else [],
    )


async def _one(services: Services, member: int, paper: int, *, new: bool, lacking: str) -> ui.LayoutView:
    kept = await services.store.library.of_paper(member, paper)
    assert kept is not None
    view = await show_one(services, member, kept.id)
    said = ["Saved to your library." if new else "It was in your library already.", lacking]
    view.add_item(ui.TextDisplay("\n".join(f"-# {line}" for line in said if line)))
    return view


def _undo(made: datetime) -> ui.Item[Any]:
    return link("library.undo_import", "Undo", moment=(made - _EPOCH) // timedelta(microseconds=1))


class SavedMessage:
    """The command."""

    def __init__(self, bot: commands.Bot) -> None:
        self._bot = bot

    async def save(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Save the papers in a message."""
        await answer(interaction, self._save(interaction, message), private=True)

    async def _save(self, interaction: discord.Interaction, message: discord.Message) -> ui.LayoutView:
        services = await seen_by(interaction)
        found = await papers_of(self._bot, services, message)
        return await save_all(services, interaction.user.id, found)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    menu = SavedMessage(bot)
    bot.tree.add_command(anywhere(app_commands.ContextMenu(name="Save", callback=menu.save)))
