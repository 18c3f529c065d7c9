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
NOT_AFTER = frozenset({"help", "about", "setup", "settings", "admin", "me"})
"""Commands whose replies are help themselves, or after which examples would be in the way."""
MOST_KNOWN = 50_000


async def welcome(interaction: discord.Interaction, services: Services) -> None:
    """After the first reply to a member's command, show examples to that member alone."""
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
    except Exception:  # the reply itself was sent, and nothing of it went wrong
        log.warning("a new member got no examples", exc_info=True)


async def _is_new(store: Store, member: int) -> bool:
    """Whether this is a member's first reply and Labmate keeps nothing about them; noted at once."""
    if not await store.limits.spend(WELCOMED, member):
        return False
    for part in store.about_members:
        held = await part.held(member)
        if any(entries for entries in held.values() if isinstance(entries, list)):
            return False
    return True
