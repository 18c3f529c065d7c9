"""`/me`: everything that is kept about a member, to read or to delete."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.text import plural
from commands.kit.installs import anywhere
from commands.kit.limits import EXPORT
from commands.kit.links import Press, button, link
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.services import Services
from commands.kit.uploads import Sections, packed, sections_of, with_files


@button("me.forget", "mf:{member:snowflake}", style=ButtonStyle.danger)
async def forget_pressed(press: Press, member: int) -> None:
    """Delete everything about the presser, who must be the member it was offered to."""
    await answer(press.interaction, forget(press.services, press.member, member), private=True)


async def show_data(services: Services, member: int, limit: int) -> Reply:
    """Everything that is kept about a member, as a file, or as parts of ``limit`` bytes."""
    store = services.store
    held: dict[str, Any] = {}
    for part in store.about_members:
        held |= await part.held(member)
    held |= services.last_asked.held(member)
    count = sum(len(value) for value in held.values() if isinstance(value, list))
    name = "labmate-about-me.json"
    files = await asyncio.to_thread(packed, name, sections_of(held), Sections(), limit)
    return with_files(
        f"This file holds everything that I keep about you: {plural(count, 'entry', 'entries')}. I don't "
        "keep your searches and messages, except long ones that a button needs: 30 days, and without your "
        "name. Questions that follow Ask on I keep for 90 days. In direct messages, I remember the last "
        "thing that you asked for an hour.",
        files,
        [[link("me.forget", "Forget me", member=member)]],
    )


async def ask_forget(member: int) -> ui.LayoutView:
    """Ask before deleting."""
    return note(
        "This deletes everything that I keep about you: your claim and profile, what you kept from a CV, "
        "what you follow, your settings, the people you did not want suggested, your library and what you "
        "liked, your own digests and feeds, your invitations, and what you asked in threads. If others "
        "blocked you, that stays, as do corrections that you made and the operator's log of decisions. A "
        "person's history will still show that a claim was made, contested and ended, but not who was "
        "involved. You can't undo this. Older backups of the database keep it until they are deleted.",
        [[link("me.forget", "Delete it for good", member=member)]],
    )


async def forget(services: Services, presser: int, member: int) -> ui.LayoutView:
    """Delete everything that is kept about the presser."""
    if presser != member:
        raise UserError("This button belongs to somebody else. /me forget is yours.")
    store = services.store
    gone = sum([await part.forget(member) for part in store.about_members])
    gone += services.last_asked.forget(member)
    return note(
        f"Forgotten. I deleted {plural(gone, 'entry', 'entries')}." if gone else "I kept nothing about you."
    )


@anywhere
class Me(commands.GroupCog, group_name="me", group_description="What Labmate keeps about you"):
    """What is kept about a member."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    @app_commands.command()
    async def data(self, interaction: discord.Interaction) -> None:
        """Get everything that I keep about you, as a file"""
        work = show_data(self._services, interaction.user.id, interaction.filesize_limit)
        await answer(interaction, work, private=True, cost=EXPORT)

    @app_commands.command()
    async def forget(self, interaction: discord.Interaction) -> None:
        """Delete everything that I keep about you"""
        await answer(interaction, ask_forget(interaction.user.id), private=True)


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Me(services))
