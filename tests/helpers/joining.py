"""Servers that Labmate joins on the local Discord, and what it said there."""

from tests.helpers.members import said


async def joins_server(discord, *, system=True, may_write=True, name="Reading group", owner=None):
    """Labmate joins a new server; returns the server and its first channel."""
    state, bot = discord.state, discord.state.application["bot"]["id"]
    guild = state.add_guild(name, (owner or discord.owner)["id"])
    channel = state.add_channel(guild["id"], "lobby")
    if not may_write:
        guild["roles"][0]["permissions"] = str(int(guild["roles"][0]["permissions"]) & ~(1 << 11))
    state.add_member(guild["id"], bot)
    guild["system_channel_id"] = channel["id"] if system else None
    await tell_joined(discord, guild)
    return guild, channel


async def tell_joined(discord, guild):
    """Tell the bot that it joined a server: without ``unavailable``, as Discord does."""
    bot = discord.state.application["bot"]["id"]
    data = discord.state.guild_json(guild["id"], bot)
    del data["unavailable"]
    await discord.gateway.to_users([bot], "GUILD_CREATE", data)


async def tell_outage(discord, guild):
    """Let a server be unavailable for a while, and come back."""
    bot = discord.state.application["bot"]["id"]
    await discord.gateway.to_users([bot], "GUILD_DELETE", {"id": guild["id"], "unavailable": True})
    await discord.gateway.to_users([bot], "GUILD_CREATE", discord.state.guild_json(guild["id"], bot))


def greetings(discord):
    """Every message with the button that sets a server up: (channel, message)."""
    return [
        (channel, message)
        for channel in discord.state.channels.values()
        for message in said(discord, channel)
        if "su:g:" in str(message["components"]) and message["id"] not in discord.state.hidden
    ]
