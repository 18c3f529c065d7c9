"""The examples that a new member gets below their first reply: once, and never if they have used Labmate."""

from __future__ import annotations

import logging
from typing import Any

import discord

from commands.cards.help import first_reply
from commands.cards.lists import note
from commands.kit.services import Services
from data.stores.limits import WELCOMED
from data.stores.store import Store

log = logging.getLogger("labmate")
NOT_AFTER = frozenset({"help", "about", "setup", "admin", "me"})
"""Commands whose replies are help themselves, or of somebody who has other things to do."""
MOST_KNOWN = 50_000


async def welcome(interaction: discord.Interaction, services: Services) -> None:
    """After a member's first reply to a command, tell them alone what else works here."""
    if interaction.type is not discord.InteractionType.application_command:
        return
    data: Any = interaction.data or {}
    member = interaction.user.id
    if data.get("name") in NOT_AFTER or member in services.welcomed:
        return
    if len(services.welcomed) >= MOST_KNOWN:
        services.welcomed.clear()
    services.welcomed.add(member)
    try:
        if not await _is_new(services.everywhere.store, member):
            return
        shown = await services.everywhere.examples()
        if shown:
            view = note(first_reply(shown))
            await interaction.followup.send(
                view=view, ephemeral=True, allowed_mentions=discord.AllowedMentions.none()
            )
    except discord.HTTPException as error:  # the reply itself was sent
        log.info("a new member got no examples: %s", error)


async def _is_new(store: Store, member: int) -> bool:
    """Whether this is a member's first reply, of whom nothing is held; noted at once."""
    if not await store.limits.spend(WELCOMED, member):
        return False
    for part in store.about_members:
        held = await part.held(member)
        if any(entries for entries in held.values() if isinstance(entries, list)):
            return False
    return True
