"""Guilds: channels, members and roles."""

from __future__ import annotations

from bot.local_discord import errors
from bot.local_discord.channel_fields import channel_fields
from bot.local_discord.intents import GUILD_MEMBERS
from bot.local_discord.limits import Problems
from bot.local_discord.role_routes import role_fields
from bot.local_discord.routes import Call, Routes
from bot.local_discord.state import TEXT, Json

_MANAGE_ROLES, _MANAGE_CHANNELS = 1 << 28, 1 << 4
_OF_GUILDS = (0, 2, 4, 5, 13, 14, 15, 16)
"""The types of channels that a guild's managers make."""


class GuildRoutes(Routes):
    """Routes under ``/guilds``."""

    async def get_guild(self, call: Call) -> Json:
        guild = self._state.guild_json(self._guild(call)["id"], call.user_id)
        hidden = ("members", "channels", "threads", "presences", "voice_states")
        shown = {key: value for key, value in guild.items() if key not in hidden}
        if call.request.query.get("with_counts", "").lower() in ("true", "1"):
            shown |= self._counts(guild["id"])
        return shown

    def _counts(self, guild_id: str) -> Json:
        """How many members there are, and how many of them are connected."""
        members = self._state.guilds[guild_id]["members"]
        online = {session.user_id for session in self._gateway.sessions.values() if session.socket}
        counts = {"approximate_member_count": len(members)}
        return {**counts, "approximate_presence_count": len(online & members.keys())}

    async def get_my_guilds(self, call: Call) -> list[Json]:
        """The guilds of the user, by their ids."""
        limit = self._limit(call, 200, 200)
        before, after = self._snowflake(call, "before"), self._snowflake(call, "after")
        mine = [g for g, guild in self._state.guilds.items() if call.user_id in guild["members"]]
        mine = [g for g in sorted(mine, key=int) if int(g) > after and (not before or int(g) < before)]
        with_counts = call.request.query.get("with_counts", "").lower() in ("true", "1")
        return [
            {
                **{name: guild[name] for name in ("id", "name", "icon", "banner", "features")},
                "owner": guild["owner_id"] == call.user_id,
                "permissions": str(self._state.permissions(guild["id"], call.user_id)),
                **(self._counts(guild["id"]) if with_counts else {}),
            }
            for guild in (
                self._state.guild_json(g, call.user_id)
                for g in (mine[-limit:] if before and not after else mine[:limit])
            )
        ]

    async def leave_guild(self, call: Call) -> None:
        guild = self._guild(call)
        if guild["owner_id"] == call.user_id:
            raise errors.ApiError(400, 50055, "Invalid Guild")
        del guild["members"][call.user_id]
        await self._gateway.to_users(
            [call.user_id], "GUILD_DELETE", {"id": guild["id"], "unavailable": False}
        )

    async def guild_channels(self, call: Call) -> list[Json]:
        return list(self._state.guild_json(self._guild(call)["id"], call.user_id)["channels"])

    async def create_channel(self, call: Call) -> Json:
        guild = self._guild(call)
        self._require(call, guild["id"], _MANAGE_CHANNELS)
        kind = int(call.body.get("type") or TEXT)
        if kind not in _OF_GUILDS:
            problems = Problems()
            problems.add("type", "BASE_TYPE_CHOICES", f"Value must be one of {set(_OF_GUILDS)}.")
            raise errors.invalid_form(problems)
        fields = channel_fields(self._state, kind, {"name": "channel", **call.body})
        channel = self._state.add_channel(guild["id"], fields["name"], kind)
        channel |= fields
        created = self._state.channel_json(channel, call.user_id)
        await self._gateway.to_guild(guild["id"], "CHANNEL_CREATE", created)
        call.status = 201
        return created

    async def guild_members(self, call: Call) -> list[Json]:
        guild = self._guild(call)
        application = self._state.application
        if (
            call.user_id == application["bot"]["id"]
            and not application["_privileged_intents"] & GUILD_MEMBERS
        ):
            raise errors.missing_access()
        limit, after = int(call.request.query.get("limit", 1)), int(call.request.query.get("after", 0))
        users = sorted((user for user in guild["members"] if int(user) > after), key=int)[:limit]
        return [self._state.member_json(guild["id"], user) for user in users]

    async def search_members(self, call: Call) -> list[Json]:
        """Members whose name or nickname starts with the query."""
        guild, limit = self._guild(call), self._limit(call, 1000, 1)
        query = call.request.query.get("query", "").lower()
        if not 1 <= len(query) <= 100:
            problems = Problems()
            problems.too_long("query", query, 100, 1)
            raise errors.invalid_form(problems)
        members = [self._state.member_json(guild["id"], user) for user in sorted(guild["members"], key=int)]
        shown = [m for m in members if any(name.startswith(query) for name in _names(m))]
        return shown[:limit]

    async def get_member(self, call: Call) -> Json:
        guild = self._guild(call)
        if call["user"] not in guild["members"]:
            raise errors.unknown("Member", 10007)
        return self._state.member_json(guild["id"], call["user"])

    async def guild_roles(self, call: Call) -> list[Json]:
        return list(self._guild(call)["roles"])

    async def create_role(self, call: Call) -> Json:
        guild = self._guild(call)
        self._require(call, guild["id"], _MANAGE_ROLES)
        fields = role_fields(call.body)
        permissions = int(fields.pop("permissions", 0))
        role = self._state.add_role(guild["id"], str(call.body.get("name", "new role")), permissions)
        role |= fields
        await self._gateway.to_guild(
            guild["id"], "GUILD_ROLE_CREATE", {"guild_id": guild["id"], "role": role}
        )
        return role

    async def add_member_role(self, call: Call) -> None:
        await self._member_role(call, add=True)

    async def remove_member_role(self, call: Call) -> None:
        await self._member_role(call, add=False)

    async def _member_role(self, call: Call, *, add: bool) -> None:
        guild = self._guild(call)
        self._require(call, guild["id"], _MANAGE_ROLES)
        member = guild["members"].get(call["user"])
        if member is None:
            raise errors.unknown("Member", 10007)
        if all(role["id"] != call["role"] for role in guild["roles"]):
            raise errors.unknown("Role", 10011)
        roles = [role for role in member["roles"] if role != call["role"]]
        member["roles"] = [*roles, call["role"]] if add else roles
        update = {"guild_id": guild["id"], **self._state.member_json(guild["id"], call["user"])}
        await self._gateway.to_guild(guild["id"], "GUILD_MEMBER_UPDATE", update)


def _names(member: Json) -> list[str]:
    """What a member is called, in lower case."""
    user = member["user"]
    return [name.lower() for name in (user["username"], user.get("global_name"), member.get("nick")) if name]
