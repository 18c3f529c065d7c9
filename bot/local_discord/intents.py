"""Which gateway events a bot's session gets: by its intents and its shard."""

from __future__ import annotations

from bot.local_discord.state import Json

GUILDS, GUILD_MEMBERS, GUILD_PRESENCES, MESSAGE_CONTENT = 1 << 0, 1 << 1, 1 << 8, 1 << 15
_MESSAGES, _DIRECT_MESSAGES = 1 << 9, 1 << 12
_NEEDED: dict[str, tuple[int, int] | None] = {
    "GUILD_MEMBER_": (GUILD_MEMBERS, 0),
    "GUILD_MEMBERS_CHUNK": None,
    "GUILD_BAN_": (1 << 2, 0),
    "GUILD_EMOJIS_": (1 << 3, 0),
    "GUILD_STICKERS_": (1 << 3, 0),
    "GUILD_SOUNDBOARD_": (1 << 3, 0),
    "GUILD_INTEGRATIONS_": (1 << 4, 0),
    "GUILD_SCHEDULED_EVENT_": (1 << 16, 0),
    "GUILD_": (GUILDS, 0),
    "CHANNEL_PINS_UPDATE": (GUILDS, _DIRECT_MESSAGES),
    "CHANNEL_": (GUILDS, 0),
    "THREAD_": (GUILDS, 0),
    "WEBHOOKS_UPDATE": (1 << 5, 0),
    "INVITE_": (1 << 6, 0),
    "MESSAGE_REACTION_": (1 << 10, 1 << 13),
    "MESSAGE_POLL_": (1 << 24, 1 << 25),
    "MESSAGE_": (_MESSAGES, _DIRECT_MESSAGES),
    "TYPING_START": (1 << 11, 1 << 14),
}
"""Event -> the intent for servers and the one for direct messages; the longest start that fits counts.

After https://docs.discord.com/developers/events/gateway#list-of-intents. What is not here comes to everyone.
"""


def is_wanted(intents: int, user_id: str, event: str, data: Json) -> bool:
    """Whether a bot with these intents gets an event."""
    start = max((start for start in _NEEDED if event.startswith(start)), key=len, default="")
    needed = _NEEDED.get(start)
    if needed is None:
        return True
    if event == "GUILD_MEMBER_UPDATE" and data["user"]["id"] == user_id:
        return True  # a bot always hears of itself
    if event == "THREAD_MEMBERS_UPDATE" and not intents & GUILD_MEMBERS:
        added = {member["user_id"] for member in data.get("added_members", [])}
        return bool(intents & GUILDS) and user_id in added | set(data.get("removed_member_ids", []))
    in_guild = bool(data.get("guild_id")) or event.startswith("GUILD_")
    return bool(intents & needed[0 if in_guild else 1])


def is_for_shard(shard: tuple[int, int], event: str, data: Json) -> bool:
    """Whether an event is for a shard: those of a guild for the guild's, direct messages for the first."""
    number, count = shard
    guild = (
        data.get("id") if event in ("GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE") else data.get("guild_id")
    )
    return event in ("READY", "RESUMED") or (int(guild or 0) >> 22) % count == number


def members_told(intents: int, user_id: str, guild: Json) -> Json:
    """``GUILD_CREATE`` for a bot: without the presence intent, it names no member but the bot itself."""
    if intents & GUILD_PRESENCES:
        return guild
    return {**guild, "members": [one for one in guild["members"] if one["user"]["id"] == user_id]}
