"""The time zone that a new draft begins with, where one is known; its owner is asked in any case."""

from __future__ import annotations

import discord

from commands.kit.services import Services
from data.calendar.zones import guessed


async def first_zone(services: Services, interaction: discord.Interaction, guild: int) -> str:
    """A member's own zone, else that of the server's other digests, else what their language speaks for.

    Empty where none of these says it: then a digest can't start before somebody has.
    """
    profile = await services.store.claims.profile(interaction.user.id)
    if profile is not None and profile.time_zone:
        return profile.time_zone
    store = services.store.digests
    others = await (store.of_guild(guild) if guild else store.of_owner(interaction.user.id))
    zones = [digest.zone for digest in reversed(others) if digest.zone]
    return zones[0] if zones else guessed(str(interaction.locale))
