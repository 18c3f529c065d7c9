"""*Possible collaborators* in a member's menu: people for them, if they show which papers are theirs."""

from __future__ import annotations

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.kit.installs import with_labmate
from commands.kit.limits import SEARCH
from commands.kit.member_person import person_behind
from commands.kit.replies import answer
from commands.kit.services import seen_by
from commands.people.collaborators import NEEDS, show_suggestions


async def suggest_for(interaction: discord.Interaction, member: discord.Member | discord.User) -> None:
    """Suggest possible collaborators for a member, to the member who asks."""
    work = _suggestions(interaction, member)
    await answer(interaction, work, private=True, cost=SEARCH, needs=NEEDS)


async def _suggestions(
    interaction: discord.Interaction, member: discord.Member | discord.User
) -> ui.LayoutView:
    services, asker = await seen_by(interaction), interaction.user.id
    return await show_suggestions(services, await person_behind(services, asker, member), asker)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    menu = app_commands.ContextMenu(name="Possible collaborators", callback=suggest_for)
    bot.tree.add_command(with_labmate(menu))
