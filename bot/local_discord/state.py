"""The local Discord's memory: users, guilds, channels, messages, commands."""

from __future__ import annotations

import base64
import itertools
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bot.local_discord import blanks
from bot.local_discord.blanks import Json as Json
from bot.local_discord.patience import Patience

EPOCH_MS = 1_420_070_400_000
"""The first millisecond of Discord's snowflakes (https://docs.discord.com/developers/reference)."""

TEXT, DM, PUBLIC_THREAD, PRIVATE_THREAD, FORUM = 0, 1, 11, 12, 15
SUPPRESS_EMBEDS, EPHEMERAL, LOADING, COMPONENTS_V2 = 1 << 2, 1 << 6, 1 << 7, 1 << 15
ALL_PERMISSIONS = (1 << 53) - 1
MANAGE_THREADS, CREATE_PUBLIC_THREADS, CREATE_PRIVATE_THREADS = 1 << 34, 1 << 35, 1 << 36
MEMBER_PERMISSIONS = 0x0000_02A0_7C00_6FC3_7E41 | 1 << 15 | 1 << 35 | 1 << 36 | 1 << 38
"""What everyone may do in a new server; the last bits: attach files, start threads, write in them."""


@dataclass
class Interaction:
    """An interaction, from the moment a user starts it until its token expires."""

    id: str
    token: str
    payload: Json
    user_id: str
    made_at: float
    patience: Patience
    """The seconds that the bot has for its first answer."""
    nonce: str | None = None
    answered: bool = False
    given_up: bool = False
    message_id: str | None = None
    """The message that ``@original`` means."""
    source_message_id: str | None = None
    deferred: int | None = None
    follow_ups: int = 0
    """How many follow-ups it has, where they are counted."""


@dataclass
class State:
    """Everything that the local Discord knows; ids are strings, as on the wire."""

    application: Json = field(default_factory=dict)
    bot_token: str = ""
    users: dict[str, Json] = field(default_factory=dict)
    user_tokens: dict[str, str] = field(default_factory=dict)
    guilds: dict[str, Json] = field(default_factory=dict)
    channels: dict[str, Json] = field(default_factory=dict)
    messages: dict[str, dict[str, Json]] = field(default_factory=dict)
    """Channel id -> message id -> message."""
    hidden: dict[str, str] = field(default_factory=dict)
    """Ephemeral message id -> the only user who sees it."""
    commands: dict[str | None, dict[str, Json]] = field(default_factory=dict)
    """Guild id (None: global) -> command id -> command."""
    command_permissions: dict[tuple[str, str], Json] = field(default_factory=dict)
    interactions: dict[str, Interaction] = field(default_factory=dict)
    webhooks: dict[str, Interaction] = field(default_factory=dict)
    """Interaction token -> interaction."""
    nonces: dict[tuple[str, str], tuple[float, Json]] = field(default_factory=dict)
    """(author, nonce) -> when it was used, and the message, for ``enforce_nonce``."""
    shards: int = 1
    """With how many shards ``GET /gateway/bot`` tells bots to connect."""
    files: dict[str, tuple[str, str, bytes]] = field(default_factory=dict)
    """Attachment id -> (name, content type, bytes)."""
    attached: dict[str, list[Json]] = field(default_factory=dict)
    """Message id -> all its attachments, those that its components and embeds show as well."""
    upload_limit: int = 10 * 1024 * 1024
    """The most bytes that a file may have."""
    reactions: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """Message id -> emoji -> the users who reacted with it."""
    votes: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    """Message id -> answer of its poll -> the users who voted for it."""
    pins: dict[str, dict[str, str]] = field(default_factory=dict)
    """Channel id -> message id -> when it was pinned; the last one pinned comes last."""
    hooks: dict[str, Json] = field(default_factory=dict)
    """Webhooks that members and bots made; ``webhooks`` has those of interactions."""
    locales: dict[str, str] = field(default_factory=dict)
    """User id -> the language of their client, where it is not American English."""
    closed_dms: set[str] = field(default_factory=set)
    """Users who accept direct messages only from friends."""
    user_installs: set[str] = field(default_factory=set)
    """Users who have installed the application for themselves, and so use it where the bot is not."""
    clock_offset: float = 0.0
    """How many seconds this Discord's clock is ahead, so that tests need not wait."""
    _ids: Any = field(default_factory=lambda: itertools.count(1))

    def now(self) -> float:
        """Seconds since 1970 on this Discord's clock."""
        return time.time() + self.clock_offset

    def snowflake(self) -> str:
        """A new id; like Discord's, ids sort by time."""
        return str(((int(self.now() * 1000) - EPOCH_MS) << 22) | (next(self._ids) & 0x3FFFFF))

    def timestamp(self) -> str:
        """Now, as Discord writes it."""
        return datetime.fromtimestamp(self.now(), UTC).isoformat()

    # -- making things -------------------------------------------------------------------------

    def add_user(self, name: str, *, bot: bool = False, id: str | None = None) -> Json:
        """A new user; its token is in ``user_tokens``."""
        user = blanks.user(id or self.snowflake(), name, bot=bot)
        self.users[user["id"]] = user
        self.user_tokens[f"user.{secrets.token_hex(12)}"] = user["id"]
        return user

    def reset_bot_token(self) -> None:
        """A new token for the bot. Its first part is the bot's id, which some clients read from it."""
        whose = base64.urlsafe_b64encode(self.application["bot"]["id"].encode()).decode().rstrip("=")
        self.bot_token = f"{whose}.{secrets.token_urlsafe(4)}.{secrets.token_urlsafe(28)}"

    def token_of(self, user_id: str) -> str:
        """The token that a user connects with."""
        return next(token for token, owner in self.user_tokens.items() if owner == user_id)

    def add_guild(self, name: str, owner_id: str, *, id: str | None = None) -> Json:
        """A new guild with its @everyone role and no channel."""
        guild_id = id or self.snowflake()
        everyone = blanks.role(guild_id, "@everyone", MEMBER_PERMISSIONS, 0)
        guild: Json = {
            "id": guild_id,
            "name": name,
            "icon": None,
            "owner_id": owner_id,
            "roles": [everyone],
            "members": {},
            "joined_at": self.timestamp(),
        }
        self.guilds[guild_id] = guild
        self.add_member(guild_id, owner_id)
        return guild

    def add_role(self, guild_id: str, name: str, permissions: int = 0) -> Json:
        """A new role in a guild."""
        roles = self.guilds[guild_id]["roles"]
        role = blanks.role(self.snowflake(), name, permissions, len(roles))
        roles.append(role)
        return role

    def add_member(self, guild_id: str, user_id: str) -> Json:
        """Add a user to a guild."""
        member = blanks.member(self.timestamp())
        self.guilds[guild_id]["members"][user_id] = member
        return member

    def add_channel(self, guild_id: str | None, name: str, kind: int = TEXT, **extra: Any) -> Json:
        """A channel, thread or DM."""
        channel: Json = {"id": self.snowflake(), "type": kind, "last_message_id": None, "flags": 0, **extra}
        if guild_id is not None:
            position = sum(c.get("guild_id") == guild_id for c in self.channels.values())
            channel |= {
                "guild_id": guild_id,
                "name": name,
                "position": position,
                "permission_overwrites": [],
                "nsfw": False,
                "topic": None,
                "rate_limit_per_user": 0,
                "parent_id": extra.get("parent_id"),
            }
        if kind == FORUM:
            channel |= {"available_tags": extra.get("available_tags", []), "default_reaction_emoji": None}
        self.channels[channel["id"]] = channel
        self.messages[channel["id"]] = {}
        return channel

    def add_thread(
        self, parent: Json, name: str, owner_id: str, kind: int = PUBLIC_THREAD, thread_id: str | None = None
    ) -> Json:
        """A thread under a channel, or a post in a forum; one on a message has the message's id."""
        return self.add_channel(
            parent["guild_id"],
            name,
            kind,
            **({"id": thread_id} if thread_id else {}),
            parent_id=parent["id"],
            owner_id=owner_id,
            message_count=0,
            member_count=1,
            total_message_sent=0,
            _members={owner_id},
            thread_metadata={
                "archived": False,
                "auto_archive_duration": 1440,
                "archive_timestamp": self.timestamp(),
                "locked": False,
                "create_timestamp": self.timestamp(),
            },
        )

    def dm_between(self, user: str, partner: str) -> Json:
        """The direct message channel of two users; made when first asked for."""
        for channel in self.channels.values():
            if channel["type"] == DM and {user, partner} == set(channel["_users"]):
                return channel
        return self.add_channel(None, "", DM, _users=[user, partner])

    # -- as seen by someone ----------------------------------------------------------------------

    def member_json(self, guild_id: str, user_id: str, *, permissions: bool = False) -> Json:
        """A member as Discord sends it; interactions also carry the computed permissions."""
        member = {**self.guilds[guild_id]["members"][user_id], "user": self.users[user_id]}
        if permissions:
            member["permissions"] = str(self.permissions(guild_id, user_id))
        return member

    def permissions(self, guild_id: str, user_id: str) -> int:
        """A member's permissions in the guild (channel overwrites are not kept here)."""
        guild = self.guilds[guild_id]
        if guild["owner_id"] == user_id:
            return ALL_PERMISSIONS
        mine = {guild_id, *guild["members"].get(user_id, {}).get("roles", [])}
        bits = 0
        for role in guild["roles"]:
            if role["id"] in mine:
                bits |= int(role["permissions"])
        return ALL_PERMISSIONS if bits & 0x8 else bits

    def channel_json(self, channel: Json, viewer: str) -> Json:
        """A channel as Discord sends it; a DM has the other user as recipient."""
        public = {key: value for key, value in channel.items() if not key.startswith("_")}
        if channel["type"] == DM:
            public["recipients"] = [self.users[user] for user in channel["_users"] if user != viewer]
        return public

    def guild_json(self, guild_id: str, viewer: str) -> Json:
        """A guild as ``GUILD_CREATE`` carries it."""
        guild = self.guilds[guild_id]
        mine = [c for c in self.channels.values() if c.get("guild_id") == guild_id]
        threads = [c for c in mine if c["type"] in (PUBLIC_THREAD, PRIVATE_THREAD) and self.sees(viewer, c)]
        return {
            **blanks.guild_fields(),
            **guild,
            "members": [self.member_json(guild_id, user) for user in guild["members"]],
            "member_count": len(guild["members"]),
            "channels": [
                self.channel_json(c, viewer) for c in mine if c["type"] not in (PUBLIC_THREAD, PRIVATE_THREAD)
            ],
            "threads": [self.channel_json(c, viewer) for c in threads],
        }

    def user_of(self, authorization: str) -> str | None:
        """The user behind an Authorization header or gateway token."""
        if authorization.removeprefix("Bot ") == self.bot_token:
            return str(self.application["bot"]["id"])
        return self.user_tokens.get(authorization)

    def sees(self, user_id: str, channel: Json) -> bool:
        """Whether a user can see the channel."""
        if channel["type"] == DM:
            return user_id in channel["_users"]
        if user_id not in self.guilds[channel["guild_id"]]["members"]:
            return False
        if channel["type"] == PRIVATE_THREAD and user_id not in channel["_members"]:
            return bool(self.permissions(channel["guild_id"], user_id) & MANAGE_THREADS)
        return True
