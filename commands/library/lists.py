"""`/list`: a server's shared lists of papers."""

from __future__ import annotations

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.exports import FORMATS, ExportedWork
from commands.cards.lists import note
from commands.cards.text import label, plural, shown
from commands.kit.authority import manages_server
from commands.kit.feeds import feed_view
from commands.kit.installs import in_servers
from commands.kit.limits import EXPORT, FEED
from commands.kit.links import link
from commands.kit.options import CHOICES, complete_paper
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.services import Services
from commands.library import shared_list as shared
from commands.library.files import FORMAT_CHOICES, file_of
from data.keys import fold
from index.library.rights import may_change_list


@in_servers
class ListCommands(
    commands.GroupCog, group_name="list", group_description="Lists of papers that this server shares"
):
    """A server's shared lists."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    async def _complete(
        self, interaction: discord.Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        wanted = fold(current)
        lists = await self._services.store.lists.of(interaction.guild_id) if interaction.guild_id else []
        return [
            app_commands.Choice(
                name=label(f"{one.name} ({plural(one.papers, 'paper')})", 100), value=f"#{one.id}"
            )
            for one in lists
            if wanted in fold(one.name)
        ][:CHOICES]

    @app_commands.command()
    @app_commands.describe(paper="A title, an id or a link", list="Its name; a new name starts a list")
    @app_commands.autocomplete(paper=complete_paper, list=_complete)
    async def add(
        self,
        interaction: discord.Interaction,
        paper: app_commands.Range[str, 1, 500],
        list: app_commands.Range[str, 1, 80],
    ) -> None:
        """Add a paper to a shared list"""
        await answer(interaction, shared.add(interaction, self._services, paper, list))

    @app_commands.command()
    @app_commands.describe(list="Which list; leave it out to see all of them")
    @app_commands.autocomplete(list=_complete)
    async def show(
        self, interaction: discord.Interaction, list: app_commands.Range[str, 1, 80] | None = None
    ) -> None:
        """Show a shared list, or name all of them"""
        await answer(interaction, self._show(interaction, list))

    async def _show(self, interaction: discord.Interaction, typed: str | None) -> ui.LayoutView:
        if typed is None:
            return await shared.show_all(self._services, interaction.guild_id)
        return await shared.show(self._services, await shared.named(interaction, self._services, typed))

    @app_commands.command()
    @app_commands.describe(paper="A title, an id or a link", list="Which list")
    @app_commands.autocomplete(paper=complete_paper, list=_complete)
    async def remove(
        self,
        interaction: discord.Interaction,
        paper: app_commands.Range[str, 1, 500],
        list: app_commands.Range[str, 1, 80],
    ) -> None:
        """Take a paper off a shared list"""
        await answer(interaction, self._remove(interaction, paper, list), private=True)

    async def _remove(self, interaction: discord.Interaction, typed: str, name: str) -> ui.LayoutView:
        shared_list = await shared.named(interaction, self._services, name)
        ids = (await self._services.search.meant(typed)).papers
        on = {entry.paper for entry in await self._services.store.lists.papers(shared_list.id)}
        meant = [number for number in ids if number in on]
        if len(meant) != 1:
            raise UserError(
                "This paper is not on the list."
                if not meant
                else "Several papers match. Give the whole title."
            )
        return await shared.take_off(interaction, self._services, shared_list, meant[0])

    @app_commands.command()
    @app_commands.describe(list="Which list")
    @app_commands.autocomplete(list=_complete)
    async def delete(self, interaction: discord.Interaction, list: app_commands.Range[str, 1, 80]) -> None:
        """Delete a shared list"""
        await answer(interaction, self._ask(interaction, list), private=True)

    async def _ask(self, interaction: discord.Interaction, typed: str) -> ui.LayoutView:
        shared_list = await shared.named(interaction, self._services, typed)
        shared.refuse_deleting(interaction, shared_list)
        text = (
            f"Delete **{shown(shared_list.name, 80)}** with {plural(shared_list.papers, 'paper')}? "
            "/list export keeps it in a file."
        )
        return note(text, [[link("list.delete", "Delete", number=shared_list.id)]])

    @app_commands.command(name="export")
    @app_commands.describe(list="Which list", format="The file format")
    @app_commands.autocomplete(list=_complete)
    @app_commands.choices(format=FORMAT_CHOICES)
    async def export_(
        self, interaction: discord.Interaction, list: app_commands.Range[str, 1, 80], format: str = "bibtex"
    ) -> None:
        """Get a shared list as BibTeX, RIS or CSL-JSON"""
        await answer(interaction, self._export(interaction, list, format), private=True, cost=EXPORT)

    async def _export(self, interaction: discord.Interaction, typed: str, format_: str) -> Reply:
        shared_list = await shared.named(interaction, self._services, typed)
        entries = await self._services.store.lists.papers(shared_list.id)
        papers = await self._services.store.papers([entry.paper for entry in entries])
        if not papers:
            raise UserError(f"**{shown(shared_list.name, 80)}** is empty.")
        name, limit = f"list.{FORMATS[format_]}", interaction.filesize_limit
        return await file_of([ExportedWork(paper) for paper in papers], format_, name, limit)

    @app_commands.command()
    @app_commands.describe(list="Which list")
    @app_commands.autocomplete(list=_complete)
    async def feed(self, interaction: discord.Interaction, list: app_commands.Range[str, 1, 80]) -> None:
        """Read a shared list in a feed reader"""
        await answer(interaction, self._feed(interaction, list), private=True, cost=FEED)

    async def _feed(self, interaction: discord.Interaction, typed: str) -> ui.LayoutView:
        shared_list = await shared.named(interaction, self._services, typed)
        if not may_change_list(shared_list, interaction.user.id, manages=manages_server(interaction)):
            raise UserError(
                "Only the member who started the list, or someone who manages the server, can make its feed."
            )
        return await feed_view(self._services, "list", shared_list.id, interaction.user.id)


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(ListCommands(services))
