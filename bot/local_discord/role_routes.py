"""Roles: change, move and delete them."""

from __future__ import annotations

from bot.local_discord import errors
from bot.local_discord.limits import Problems
from bot.local_discord.routes import Call, Handler, Routes
from bot.local_discord.state import Json

_MANAGE_ROLES = 1 << 28
_FIELDS = ("name", "hoist", "mentionable", "unicode_emoji")


def role_fields(body: Json) -> Json:
    """The fields of a role that a request sets.

    Raises
    ------
    ApiError
        50035 for permissions that aren't a number.
    """
    problems = Problems()
    fields = {name: body[name] for name in _FIELDS if body.get(name) is not None}
    if body.get("permissions") is not None:
        fields["permissions"] = problems.permissions("permissions", body["permissions"])
    if problems.tree:
        raise errors.invalid_form(problems)
    colors = body.get("colors") or {}
    color = colors.get("primary_color", body.get("color"))
    if color is not None:
        second, third = colors.get("secondary_color"), colors.get("tertiary_color")
        fields["color"] = color
        fields["colors"] = {"primary_color": color, "secondary_color": second, "tertiary_color": third}
    return fields


class RoleRoutes(Routes):
    """Routes under ``/guilds/{guild}/roles/{role}``."""

    def role_routes(self) -> list[tuple[str, str, Handler, bool]]:
        """(method, path, handler, needs authorization)."""
        roles, one = "/guilds/{guild}/roles", "/guilds/{guild}/roles/{role}"
        return [
            ("PATCH", roles, self.move_roles, True),
            ("GET", one, self.get_role, True),
            ("PATCH", one, self.patch_role, True),
            ("DELETE", one, self.delete_role, True),
        ]

    def _role(self, call: Call) -> Json:
        roles: list[Json] = self._guild(call)["roles"]
        role = next((role for role in roles if role["id"] == call["role"]), None)
        if role is None:
            raise errors.unknown("Role", 10011)
        return role

    async def get_role(self, call: Call) -> Json:
        """One role."""
        return self._role(call)

    async def patch_role(self, call: Call) -> Json:
        """Change a role."""
        role, guild_id = self._role(call), call["guild"]
        self._require(call, guild_id, _MANAGE_ROLES)
        role.update(role_fields(call.body))
        await self._gateway.to_guild(guild_id, "GUILD_ROLE_UPDATE", {"guild_id": guild_id, "role": role})
        return role

    async def move_roles(self, call: Call) -> list[Json]:
        """Set the positions of some roles."""
        guild = self._guild(call)
        self._require(call, guild["id"], _MANAGE_ROLES)
        wanted = call.raw if isinstance(call.raw, list) else []
        roles = {role["id"]: role for role in guild["roles"]}
        for entry in wanted:
            role = roles.get(str(entry.get("id")))
            if role is None:
                raise errors.unknown("Role", 10011)
            if entry.get("position") is not None:
                role["position"] = int(entry["position"])
        guild["roles"].sort(key=lambda role: (role["position"], int(role["id"])))
        for role in guild["roles"]:
            event = {"guild_id": guild["id"], "role": role}
            await self._gateway.to_guild(guild["id"], "GUILD_ROLE_UPDATE", event)
        return list(guild["roles"])

    async def delete_role(self, call: Call) -> None:
        """Delete a role; its members lose it."""
        role, guild = self._role(call), self._guild(call)
        self._require(call, guild["id"], _MANAGE_ROLES)
        if role["id"] == guild["id"] or role["managed"]:
            raise errors.ApiError(400, 50028, "Invalid Role")
        guild["roles"].remove(role)
        event = {"guild_id": guild["id"], "role_id": role["id"]}
        await self._gateway.to_guild(guild["id"], "GUILD_ROLE_DELETE", event)
        for user_id, member in guild["members"].items():
            if role["id"] in member["roles"]:
                member["roles"].remove(role["id"])
                update = {"guild_id": guild["id"], **self._state.member_json(guild["id"], user_id)}
                await self._gateway.to_guild(guild["id"], "GUILD_MEMBER_UPDATE", update)
