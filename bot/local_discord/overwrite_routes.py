"""Permission overwrites of channels."""

from __future__ import annotations

from collections.abc import Iterable

from bot.local_discord import errors
from bot.local_discord.limits import Problems
from bot.local_discord.routes import Call, Handler, Routes
from bot.local_discord.state import Json

_MANAGE_ROLES = 1 << 28
_ROLE, _MEMBER = 0, 1


def overwrite(overwrite_id: str, body: Json) -> Json:
    """An overwrite as Discord keeps it: permissions are texts, and none is ``"0"``.

    Raises
    ------
    ApiError
        50035 for permissions that aren't a number.
    """
    problems = Problems()
    kept: Json = {"id": overwrite_id, "type": body.get("type") or _ROLE}
    if kept["type"] not in (_ROLE, _MEMBER):
        problems.add("type", "BASE_TYPE_CHOICES", "Value must be one of (0, 1).")
    for name in ("allow", "deny"):
        kept[name] = problems.permissions(name, body.get(name))
    if problems.tree:
        raise errors.invalid_form(problems)
    return kept


def overwrites(bodies: Iterable[Json] | None) -> list[Json]:
    """The overwrites of a channel that is made or changed; raises as :func:`overwrite` does."""
    return [overwrite(str(body.get("id")), body) for body in bodies or []]


class OverwriteRoutes(Routes):
    """Routes under ``/channels/{channel}/permissions``."""

    def overwrite_routes(self) -> list[tuple[str, str, Handler, bool]]:
        """(method, path, handler, needs authorization)."""
        path = "/channels/{channel}/permissions/{overwrite}"
        return [("PUT", path, self.put_overwrite, True), ("DELETE", path, self.delete_overwrite, True)]

    async def put_overwrite(self, call: Call) -> None:
        """Set what a role or a member may do in a channel."""
        channel = self._of_guild(call)
        guild = self._state.guilds[channel["guild_id"]]
        there = guild["members"] if call.body.get("type") == _MEMBER else [r["id"] for r in guild["roles"]]
        if call["overwrite"] not in there:
            raise errors.ApiError(404, 10009, "Unknown permission overwrite")
        await self._replace(channel, call, [overwrite(call["overwrite"], call.body)])

    async def delete_overwrite(self, call: Call) -> None:
        """Take an overwrite away."""
        channel = self._of_guild(call)
        if all(kept["id"] != call["overwrite"] for kept in channel["permission_overwrites"]):
            raise errors.ApiError(404, 10009, "Unknown permission overwrite")
        await self._replace(channel, call, [])

    def _of_guild(self, call: Call) -> Json:
        channel = self._channel(call)
        if "guild_id" not in channel or "thread_metadata" in channel:
            raise errors.ApiError(400, 50024, "Cannot execute action on this channel type")
        self._require(call, channel["guild_id"], _MANAGE_ROLES)
        return channel

    async def _replace(self, channel: Json, call: Call, new: list[Json]) -> None:
        others = [kept for kept in channel["permission_overwrites"] if kept["id"] != call["overwrite"]]
        channel["permission_overwrites"] = others + new
        changed = self._state.channel_json(channel, call.user_id)
        await self._gateway.to_channel(channel, "CHANNEL_UPDATE", changed)
