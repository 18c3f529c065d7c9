"""`/save` and `/library`: the works that a member keeps, with tags, notes and how far they have read each."""

from __future__ import annotations

from itertools import islice

import discord
from discord import app_commands
from discord.ext import commands

from commands.cards.library import STATE_WORDS
from commands.kit.feeds import feed_view
from commands.kit.installs import anywhere
from commands.kit.limits import ASK, EXPORT, FEED, IMPORT, SEARCH
from commands.kit.options import CHOICES, complete_paper
from commands.kit.replies import answer, in_line
from commands.kit.services import Services
from commands.library import works
from commands.library.files import FORMAT_CHOICES, export_library, import_file
from data.keys import fold
from data.stores.library import MAX_NOTE
from index.library.query import LibraryQuery

STATE_CHOICES = [app_commands.Choice(name=text, value=state) for state, text in STATE_WORDS.items()]


@anywhere
class LibraryCommands(
    commands.GroupCog, group_name="library", group_description="Your own library: papers, tags, notes"
):
    """A member's library."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    @app_commands.command()
    @app_commands.describe(
        search="Words in it, or what it is about", tag="One of your tags", state="How far you have read it"
    )
    @app_commands.choices(state=STATE_CHOICES)
    async def show(
        self,
        interaction: discord.Interaction,
        search: app_commands.Range[str, 1, 200] | None = None,
        tag: app_commands.Range[str, 1, 60] | None = None,
        state: str | None = None,
    ) -> None:
        """Show your library"""
        work = works.show(self._services, interaction.user.id, LibraryQuery.of(search, tag, state))
        await answer(interaction, work, private=True, cost=SEARCH if search else ASK)

    @app_commands.command(name="export")
    @app_commands.describe(format="The file format", tag="Only works with this tag")
    @app_commands.choices(format=FORMAT_CHOICES)
    async def export_(
        self,
        interaction: discord.Interaction,
        format: str = "bibtex",
        tag: app_commands.Range[str, 1, 60] | None = None,
    ) -> None:
        """Get your library as BibTeX, RIS or CSL-JSON"""
        limit = interaction.filesize_limit
        work = export_library(self._services, interaction.user.id, format, LibraryQuery.of(tag=tag), limit)
        await answer(interaction, work, private=True, cost=EXPORT)

    @app_commands.command(name="import")
    @app_commands.describe(file="BibTeX, RIS or CSL-JSON, as Zotero exports them")
    async def import_(self, interaction: discord.Interaction, file: discord.Attachment) -> None:
        """Add the references in a file to your library"""
        work = in_line(interaction, import_file(self._services, interaction.user.id, file))
        await answer(interaction, work, private=True, cost=IMPORT)

    @app_commands.command()
    async def feed(self, interaction: discord.Interaction) -> None:
        """Read your library in a feed reader"""
        member = interaction.user.id
        work = feed_view(self._services, "library", member, member)
        await answer(interaction, work, private=True, cost=FEED)

    @show.autocomplete("tag")
    @export_.autocomplete("tag")
    async def _tags(self, interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
        counts = await self._services.store.library.tags(interaction.user.id)
        typed = fold(current.lstrip("#"))
        found = islice((tag for tag in counts if typed in fold(tag)), CHOICES)
        return [app_commands.Choice(name=f"{tag} ({counts[tag]})"[:100], value=tag) for tag in found]


class Save(commands.Cog):
    """Saving one paper."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command(name="save")
    @anywhere
    @app_commands.describe(
        paper="A title, an id or a link", tags="Separated by commas", note="A note that only you see"
    )
    @app_commands.autocomplete(paper=complete_paper)
    async def save(
        self,
        interaction: discord.Interaction,
        paper: app_commands.Range[str, 1, 500],
        tags: app_commands.Range[str, 1, 500] | None = None,
        note: app_commands.Range[str, 1, MAX_NOTE] | None = None,
    ) -> None:
        """Save a paper to your library"""
        work = works.save(self._services, interaction.user.id, paper, tags or "", note or "")
        await answer(interaction, work, private=True)


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(LibraryCommands(services))
    await bot.add_cog(Save(services))
