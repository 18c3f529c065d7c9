"""`/settings`: what members choose for themselves."""

from __future__ import annotations

from typing import Literal

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.kit.installs import anywhere
from commands.kit.replies import answer
from commands.kit.services import Services

Theme = Literal["dark", "light"]


async def choose_theme(services: Services, member: int, theme: Theme) -> ui.LayoutView:
    """Keep the theme of a member's pictures."""
    await services.store.member_settings.choose_theme(member, theme)
    return note(
        f"Your pictures are **{theme}** from now on: graphs, bars and the map in your own digest. "
        "A channel's digest has its own setting: /digest edit, *Papers*, *Layout*."
    )


@anywhere
class MemberSettingsCommand(commands.GroupCog, group_name="settings", group_description="Your settings"):
    """What members choose for themselves."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    @app_commands.command()
    @app_commands.describe(colours="Dark or light, to match your Discord")
    async def theme(self, interaction: discord.Interaction, colours: Theme) -> None:
        """Choose dark or light pictures"""
        work = choose_theme(self._services, interaction.user.id, colours)
        await answer(interaction, work, private=True)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(MemberSettingsCommand(services))
