"""*Papers* in a member's menu: what they have written, if they show it."""

from __future__ import annotations

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.kit.installs import with_labmate
from commands.kit.member_person import person_behind
from commands.kit.replies import answer
from commands.kit.services import seen_by
from commands.papers.papers import NEEDS, PapersQuery, show


async def open_papers(interaction: discord.Interaction, member: discord.Member | discord.User) -> None:
    """Show a member's papers to the member who asks."""
    await answer(interaction, _papers(interaction, member), private=True, needs=NEEDS)


async def _papers(interaction: discord.Interaction, member: discord.Member | discord.User) -> ui.LayoutView:
    services = await seen_by(interaction)
    person = await person_behind(services, interaction.user.id, member)
    await services.wait_for_people()
    return await show(services, PapersQuery(f"~{services.store.people.lead(person)}"))


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    bot.tree.add_command(with_labmate(app_commands.ContextMenu(name="Papers", callback=open_papers)))
