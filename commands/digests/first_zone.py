"""The time zone of a new draft, if one is known; its owner confirms it in any case."""

from __future__ import annotations

import discord

from commands.kit.services import Services
from data.calendar.zones import guessed


async def first_zone(services: Services, interaction: discord.Interaction, guild: int) -> str:
    """A member's own zone, else that of the server's other digests, else the one their language suggests.

    Empty if none of these is known; the digest can't start until somebody chooses one.
    """
    profile = await services.store.claims.profile(interaction.user.id)
    if profile is not None and profile.time_zone:
        return profile.time_zone
    store = services.store.digests
    others = await (store.of_guild(guild) if guild else store.of_owner(interaction.user.id))
    zones = [digest.zone for digest in reversed(others) if digest.zone]
    return zones[0] if zones else guessed(str(interaction.locale))
