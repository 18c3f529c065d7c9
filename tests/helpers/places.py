"""Places of the local Discord whose permissions tests change, and which the bot has seen change."""

import discord

from tests.helpers.members import heard_by


async def seen_anew(scene, channel):
    """Let the bot hear that a channel has changed."""
    async with heard_by(scene.bot, "guild_channel_update"):
        await scene.discord.gateway.to_guild(channel["guild_id"], "CHANNEL_UPDATE", channel)


async def forbid(scene, channel, *names):
    """Take permissions from everybody in a channel, by discord.py's names; no names give all back."""
    bits = discord.Permissions(**dict.fromkeys(names, True)).value
    channel["permission_overwrites"] = [
        {"id": channel["guild_id"], "type": 0, "allow": "0", "deny": str(bits)}
    ]
    await seen_anew(scene, channel)


async def place_of(scene, kind, **more):
    """A new channel or forum, which the bot has seen come."""
    place = scene.discord.state.add_channel(scene.discord.guild["id"], "place", kind, **more)
    async with heard_by(scene.bot, "guild_channel_create"):
        await scene.discord.gateway.to_channel(place, "CHANNEL_CREATE", place)
    return place


async def thread_in(scene, parent, name="papers"):
    """A new thread, which the bot has seen come."""
    thread = scene.discord.state.add_thread(parent, name, scene.discord.owner["id"])
    async with heard_by(scene.bot, "thread_join"):
        shown = scene.discord.state.channel_json(thread, "0")
        await scene.discord.gateway.to_channel(thread, "THREAD_CREATE", shown)
    return thread


def tag(number, name, *, moderated=False):
    return {"id": str(number), "name": name, "moderated": moderated, "emoji_id": None, "emoji_name": None}


async def lose(scene, place):
    """Somebody deletes a channel."""
    async with heard_by(scene.bot, "guild_channel_delete"):
        await scene.discord.gateway.to_channel(place, "CHANNEL_DELETE", place)
    del scene.discord.state.channels[place["id"]]
