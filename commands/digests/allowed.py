"""Who may change a digest, and who may read a posting."""

from __future__ import annotations

import discord

from commands.kit.authority import manages
from commands.kit.replies import UserError
from commands.kit.services import Services
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest

WHO_MAY = "Only those who manage this server can set up digests here. For one of your own: /digest mine."
IN_SERVER = "Set up a server's digest in the server. For one of your own: /digest mine."
NOT_HERE = "I'm not in this server, so I can't post here. For a digest by direct message: /digest mine."
DELETED = "This digest was deleted."
NOT_YOURS = "This digest belongs to somebody else."


async def own_digest(interaction: discord.Interaction, services: Services, number: int) -> Digest:
    """A digest that the member may change: of the server that they manage, or their own.

    Raises
    ------
    UserError
        Where it is gone, or they may not change it.
    """
    digest = await services.store.digests.find(number)
    if digest is None:
        raise UserError(DELETED)
    if digest.is_own:
        if digest.owner != interaction.user.id:
            raise UserError(NOT_YOURS)
    elif not await manages(interaction, digest.guild):
        raise UserError(WHO_MAY)
    return digest


async def readable_here(
    interaction: discord.Interaction, services: Services, number: int
) -> tuple[Digest, Delivery]:
    """A posting with its digest, for a member who can read the place where it was posted.

    Raises
    ------
    UserError
        Where it is gone, or somebody else's.
    """
    delivery = await services.store.digests.delivery(number)
    digest = await services.store.digests.find(delivery.digest_id) if delivery else None
    if delivery is None or digest is None:
        raise UserError(DELETED)
    if digest.is_own:
        allowed = digest.owner == interaction.user.id
    else:
        allowed = digest.guild == interaction.guild_id and _reads(interaction, delivery.channel)
    if not allowed:
        raise UserError(NOT_YOURS)
    return digest, delivery


def _reads(interaction: discord.Interaction, channel: int) -> bool:
    """Whether a member can read a channel or thread of this server; its managers, if I can't see it."""
    if channel in (interaction.channel_id, getattr(interaction.channel, "parent_id", None)):
        return True
    place = interaction.guild.get_channel(channel) if interaction.guild else None
    if place is None:
        return interaction.permissions.manage_guild
    return (
        isinstance(interaction.user, discord.Member) and place.permissions_for(interaction.user).view_channel
    )
