"""Direct messages: a member's channel is opened once and remembered, as Discord asks of bots."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import discord

from data.stores.direct_channels import DirectChannels

T = TypeVar("T")
_UNKNOWN_CHANNEL = 10003


async def in_direct(
    client: discord.Client, channels: DirectChannels, member: int, send: Callable[[Any], Awaitable[T]]
) -> T:
    """Do something in a member's direct messages: ``send`` gets a channel with ``send`` and ``history``.

    Raises
    ------
    discord.HTTPException
        Where Discord can't do it now, or refuses it.
    """
    known = await channels.of(member)
    if known is not None:
        try:
            return await send(client.get_partial_messageable(known))
        except discord.HTTPException as error:
            if error.code != _UNKNOWN_CHANNEL:
                raise
    return await send(client.get_partial_messageable(await open_direct(client, channels, member)))


async def open_direct(client: discord.Client, channels: DirectChannels, member: int) -> int:
    """Open a member's direct messages and remember them; returns the channel's id; raises as above."""
    channel = await client.create_dm(discord.Object(member))
    await channels.keep(member, channel.id)
    return channel.id
