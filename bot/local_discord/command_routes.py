"""Application commands: register, list, permit."""

from __future__ import annotations

from typing import Any

from bot.local_discord import errors
from bot.local_discord.limits import check_commands
from bot.local_discord.routes import Call, Routes
from bot.local_discord.state import Json


class CommandRoutes(Routes):
    """Routes under ``/applications``."""

    def _scope(self, call: Call) -> str | None:
        if call["app"] != self._state.application["id"]:
            raise errors.missing_access()
        return call.request.match_info.get("guild")

    def _command(self, call: Call) -> Json:
        command = self._state.commands.get(self._scope(call), {}).get(call["command"])
        if command is None:
            raise errors.unknown("application command", 10063)
        return command

    async def list_commands(self, call: Call) -> list[Json]:
        return list(self._state.commands.get(self._scope(call), {}).values())

    async def put_commands(self, call: Call) -> list[Json]:
        scope, wanted = self._scope(call), call.raw if isinstance(call.raw, list) else []
        problems = check_commands(wanted)
        if problems.tree:
            raise errors.invalid_form(problems)
        old = {(c["type"], c["name"]): c for c in self._state.commands.get(scope, {}).values()}
        fresh = [self._complete(scope, c, old.get((c.get("type") or 1, c["name"]))) for c in wanted]
        self._state.commands[scope] = {command["id"]: command for command in fresh}
        return fresh

    def _complete(self, scope: str | None, command: Json, old: Json | None = None) -> Json:
        given = _told(command)
        if "default_member_permissions" in given:
            given["default_member_permissions"] = str(given["default_member_permissions"])
        return {
            "id": old["id"] if old else self._state.snowflake(),
            "application_id": self._state.application["id"],
            "default_member_permissions": None,
            "type": 1,
            "description": "",
            "nsfw": False,
            "contexts": None,
            "integration_types": [0],
            **({"guild_id": scope} if scope else {"dm_permission": True}),
            **given,
            "version": self._state.snowflake(),
        }

    async def post_command(self, call: Call) -> Json:
        problems = check_commands([call.body])
        if problems.tree:
            raise errors.invalid_form(problems)
        scope = self._scope(call)
        registered = self._state.commands.setdefault(scope, {})
        old = next(
            (
                c
                for c in registered.values()
                if (c["type"], c["name"]) == (call.body.get("type") or 1, call.body["name"])
            ),
            None,
        )
        command = self._complete(scope, call.body, old)
        registered[command["id"]] = command
        call.status = 200 if old else 201
        return command

    async def get_command(self, call: Call) -> Json:
        return self._command(call)

    async def patch_command(self, call: Call) -> Json:
        command = self._command(call)
        changed = self._complete(self._scope(call), {**command, **call.body}, command)
        command.update(changed, version=self._state.snowflake())
        return command

    async def delete_command(self, call: Call) -> None:
        command = self._command(call)
        del self._state.commands[self._scope(call)][command["id"]]

    async def list_permissions(self, call: Call) -> list[Json]:
        return [
            entry for (guild, _), entry in self._state.command_permissions.items() if guild == call["guild"]
        ]

    async def get_permissions(self, call: Call) -> Json:
        entry = self._state.command_permissions.get((call["guild"], call["command"]))
        if entry is None:
            raise errors.ApiError(404, 10066, "Unknown application command permissions")
        return entry

    async def put_permissions(self, call: Call) -> Json:
        application, guild = self._state.application["id"], self._guild(call)["id"]
        known = {**self._state.commands.get(None, {}), **self._state.commands.get(self._scope(call), {})}
        if call["command"] not in known and call["command"] != application:
            raise errors.unknown("application command", 10063)
        entry = {
            "id": call["command"],
            "application_id": application,
            "guild_id": guild,
            "permissions": call.body.get("permissions") or [],
        }
        self._state.command_permissions[call["guild"], call["command"]] = entry
        return entry


def _told(value: Any) -> Any:
    """Without what is null, at any depth: Discord leaves such fields out."""
    if isinstance(value, dict):
        return {key: _told(entry) for key, entry in value.items() if entry is not None}
    return [_told(entry) for entry in value] if isinstance(value, list) else value
