"""Asks Discord whose account a number is, for whoever decides about a claim."""

from __future__ import annotations

import discord

from commands.cards.accounts import account
from commands.kit.servers import server_of
from data.stores.claim_lookup import FORGOTTEN


async def account_of(client: discord.Client, member: int, guild: int) -> str:
    """An account as :func:`commands.cards.accounts.account` tells of it; ``guild`` is 0 for no server."""
    if member == FORGOTTEN:
        return "a forgotten account"
    try:
        server = await server_of(client, guild) if guild else None
        if server is not None:
            try:
                return account(member, await server.fetch_member(member), "the server")
            except discord.NotFound:  # they have left
                pass
        return account(member, await client.fetch_user(member))
    except discord.HTTPException:
        return account(member)
