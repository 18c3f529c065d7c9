"""What a member may do in a channel: roles, then the channel's overwrites, as Discord documents them.

See https://docs.discord.com/developers/topics/permissions and .../topics/threads.
"""

from __future__ import annotations

from bot.local_discord.state import ALL_PERMISSIONS, Json, State

VIEW_CHANNEL, SEND_MESSAGES, ATTACH_FILES = 1 << 10, 1 << 11, 1 << 15
READ_MESSAGE_HISTORY, SEND_IN_THREADS = 1 << 16, 1 << 38


def permissions_in(state: State, channel: Json, user_id: str) -> int:
    """A member's permissions in a channel of a guild; a thread has those of its channel."""
    guild_id = channel["guild_id"]
    bits = state.permissions(guild_id, user_id)
    if bits == ALL_PERMISSIONS:
        return bits
    if "thread_metadata" in channel:
        channel = state.channels.get(channel["parent_id"], channel)
    overwrites = {str(one["id"]): one for one in channel.get("permission_overwrites") or []}
    roles = state.guilds[guild_id]["members"].get(user_id, {}).get("roles", [])
    for group in ([guild_id], roles, [user_id]):
        mine = [overwrites[one] for one in group if one in overwrites]
        for name in ("deny", "allow"):
            changed = 0
            for one in mine:
                changed |= int(one.get(name) or 0)
            bits = bits & ~changed if name == "deny" else bits | changed
    return bits if bits & VIEW_CHANNEL else 0


def writes_with(channel: Json) -> int:
    """The permission that writing in a channel takes: a thread has one of its own."""
    return SEND_IN_THREADS if "thread_metadata" in channel else SEND_MESSAGES
