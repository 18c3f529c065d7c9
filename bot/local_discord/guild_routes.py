"""Guilds: channels, members and roles."""

from __future__ import annotations

from bot.local_discord import errors
from bot.local_discord.routes import Call, Routes
from bot.local_discord.state import TEXT, Json

_MANAGE_ROLES, _MANAGE_CHANNELS = 1 << 28, 1 << 4


class GuildRoutes(Routes):
    """Routes under ``/guilds``."""

    async def get_guild(self, call: Call) -> Json:
        guild = self._state.guild_json(self._guild(call)["id"], call.user_id)
        hidden = ("members", "channels", "threads", "presences", "voice_states")
        return {key: value for key, value in guild.items() if key not in hidden}

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
        extra = {"parent_id": call.body["parent_id"]} if call.body.get("parent_id") else {}
        channel = self._state.add_channel(guild["id"], str(call.body.get("name", "channel")), kind, **extra)
        created = self._state.channel_json(channel, call.user_id)
        await self._gateway.to_guild(guild["id"], "CHANNEL_CREATE", created)
        return created

    async def guild_members(self, call: Call) -> list[Json]:
        guild = self._guild(call)
        limit, after = int(call.request.query.get("limit", 1)), int(call.request.query.get("after", 0))
        users = sorted((user for user in guild["members"] if int(user) > after), key=int)[:limit]
        return [self._state.member_json(guild["id"], user) for user in users]

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
        permissions = int(call.body.get("permissions") or 0)
        role = self._state.add_role(guild["id"], str(call.body.get("name", "new role")), permissions)
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
