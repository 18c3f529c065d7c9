"""Discord's HTTP API v10, as far as a bot uses it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from bot.local_discord import errors
from bot.local_discord.gateway import Gateway
from bot.local_discord.interactions import Interactions
from bot.local_discord.limits import Problems, check_commands
from bot.local_discord.messages import Messages, Upload
from bot.local_discord.state import DM, FORUM, PRIVATE_THREAD, PUBLIC_THREAD, TEXT, Json, State

Handler = Callable[["Call"], Awaitable[Any]]
_MANAGE_MESSAGES, _MANAGE_ROLES, _MANAGE_CHANNELS, _SEND = 1 << 13, 1 << 28, 1 << 4, 1 << 11


class Call:
    """One request, taken apart."""

    def __init__(self, request: web.Request, user_id: str | None, body: Any, uploads: list[Upload]) -> None:
        self.request = request
        self.user_id = user_id or ""
        self.raw = body
        self.uploads = uploads

    @property
    def body(self) -> Json:
        """The body as an object."""
        return self.raw if isinstance(self.raw, dict) else {}

    def __getitem__(self, name: str) -> str:
        return self.request.match_info[name]


async def read_body(request: web.Request) -> tuple[Any, list[Upload]]:
    """The JSON body and files of a request, plain or multipart.

    Raises
    ------
    ApiError
        50109 where the JSON is none.
    """
    uploads: list[Upload] = []
    if request.content_type == "multipart/form-data":
        raw = b"{}"
        async for part in await request.multipart():
            data = bytes(await part.read(decode=False))  # type: ignore[union-attr]
            if part.name == "payload_json":
                raw = data
            elif part.name and part.name.startswith("files["):
                kind = part.headers.get("Content-Type", "application/octet-stream")
                uploads.append(Upload(int(part.name[6:-1]), part.filename or "file", kind, data))  # type: ignore[union-attr]
    else:
        raw = await request.read()
    try:
        return (json.loads(raw) if raw else None), uploads
    except ValueError as error:
        raise errors.ApiError(400, 50109, "The request body contains invalid JSON.") from error


class Rest:
    """Handlers of all routes."""

    def __init__(
        self, state: State, gateway: Gateway, messages: Messages, interactions: Interactions
    ) -> None:
        self._state = state
        self._gateway = gateway
        self._messages = messages
        self._interactions = interactions
        self.gateway_url = ""

    def routes(self) -> list[tuple[str, str, Handler, bool]]:
        """(method, path, handler, needs authorization)."""
        app, guild_app = "/applications/{app}/commands", "/applications/{app}/guilds/{guild}/commands"
        hook, channel, message = (
            "/webhooks/{app}/{token}",
            "/channels/{channel}",
            "/channels/{channel}/messages/{message}",
        )
        commands = [
            (method, path + tail, handler, True)
            for path in (app, guild_app)
            for method, tail, handler in (
                ("GET", "", self.list_commands),
                ("PUT", "", self.put_commands),
                ("POST", "", self.post_command),
                ("GET", "/{command}", self.get_command),
                ("PATCH", "/{command}", self.patch_command),
                ("DELETE", "/{command}", self.delete_command),
            )
        ]
        return [
            ("GET", "/gateway", self.get_gateway, False),
            ("GET", "/gateway/bot", self.get_gateway_bot, True),
            ("GET", "/users/@me", self.get_me, True),
            ("GET", "/users/@me/guilds", self.get_my_guilds, True),
            ("POST", "/users/@me/channels", self.open_dm, True),
            ("GET", "/users/{user}", self.get_user, True),
            ("GET", "/oauth2/applications/@me", self.get_application, True),
            ("GET", "/applications/@me", self.get_application, True),
            ("GET", guild_app + "/permissions", self.list_permissions, True),
            ("GET", guild_app + "/{command}/permissions", self.get_permissions, True),
            ("PUT", guild_app + "/{command}/permissions", self.put_permissions, True),
            *commands,
            ("POST", "/interactions", self.create_interaction, True),
            ("POST", "/interactions/{id}/{token}/callback", self.callback, False),
            ("POST", hook, self.follow_up, False),
            ("GET", hook + "/messages/{message}", self.get_reply, False),
            ("PATCH", hook + "/messages/{message}", self.edit_reply, False),
            ("DELETE", hook + "/messages/{message}", self.delete_reply, False),
            ("GET", channel, self.get_channel, True),
            ("PATCH", channel, self.patch_channel, True),
            ("DELETE", channel, self.delete_channel, True),
            ("GET", channel + "/messages", self.list_messages, True),
            ("POST", channel + "/messages", self.post_message, True),
            ("POST", channel + "/messages/bulk-delete", self.bulk_delete, True),
            ("GET", message, self.get_message, True),
            ("PATCH", message, self.patch_message, True),
            ("DELETE", message, self.delete_message, True),
            ("PUT", message + "/reactions/{emoji}/@me", self.react, True),
            ("DELETE", message + "/reactions/{emoji}/@me", self.unreact, True),
            ("POST", message + "/threads", self.thread_from_message, True),
            ("POST", channel + "/threads", self.start_thread, True),
            ("PUT", channel + "/thread-members/@me", self.no_content, True),
            ("GET", channel + "/threads/archived/public", self.archived_threads, True),
            ("POST", channel + "/typing", self.no_content, True),
            ("PUT", channel + "/pins/{message}", self.pin, True),
            ("GET", "/guilds/{guild}", self.get_guild, True),
            ("GET", "/guilds/{guild}/channels", self.guild_channels, True),
            ("POST", "/guilds/{guild}/channels", self.create_channel, True),
            ("GET", "/guilds/{guild}/threads/active", self.active_threads, True),
            ("GET", "/guilds/{guild}/members", self.guild_members, True),
            ("GET", "/guilds/{guild}/members/{user}", self.get_member, True),
            ("GET", "/guilds/{guild}/roles", self.guild_roles, True),
            ("POST", "/guilds/{guild}/roles", self.create_role, True),
            ("PUT", "/guilds/{guild}/members/{user}/roles/{role}", self.add_member_role, True),
            ("DELETE", "/guilds/{guild}/members/{user}/roles/{role}", self.remove_member_role, True),
        ]

    # -- who and where ---------------------------------------------------------------------------

    async def no_content(self, call: Call) -> None:
        """204."""

    async def get_gateway(self, call: Call) -> Json:
        return {"url": self.gateway_url}

    async def get_gateway_bot(self, call: Call) -> Json:
        limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
        return {"url": self.gateway_url, "shards": 1, "session_start_limit": limit}

    async def get_me(self, call: Call) -> Json:
        return {**self._state.users[call.user_id], "verified": True, "mfa_enabled": False, "locale": "en-US"}

    async def get_my_guilds(self, call: Call) -> list[Json]:
        mine = [g for g in self._state.guilds.values() if call.user_id in g["members"]]
        return [
            {"id": g["id"], "name": g["name"], "icon": None, "owner": g["owner_id"] == call.user_id}
            for g in mine
        ]

    async def get_user(self, call: Call) -> Json:
        if call["user"] not in self._state.users:
            raise errors.unknown("User", 10013)
        return self._state.users[call["user"]]

    async def get_application(self, call: Call) -> Json:
        return {key: value for key, value in self._state.application.items() if not key.startswith("_")}

    async def open_dm(self, call: Call) -> Json:
        other = str(call.body.get("recipient_id"))
        if other not in self._state.users:
            raise errors.unknown("User", 10013)
        return self._state.channel_json(self._state.dm_between(call.user_id, other), call.user_id)

    # -- application commands ----------------------------------------------------------------------

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
        given = {key: value for key, value in command.items() if value is not None}
        return {
            "id": old["id"] if old else self._state.snowflake(),
            "application_id": self._state.application["id"],
            "version": self._state.snowflake(),
            "default_member_permissions": None,
            "type": 1,
            "description": "",
            "nsfw": False,
            "contexts": None,
            "integration_types": [0],
            **({"guild_id": scope} if scope else {"dm_permission": True}),
            **given,
        }

    async def post_command(self, call: Call) -> Json:
        problems = check_commands([call.body])
        if problems.tree:
            raise errors.invalid_form(problems)
        scope = self._scope(call)
        known = self._state.commands.setdefault(scope, {})
        old = next(
            (
                c
                for c in known.values()
                if (c["type"], c["name"]) == (call.body.get("type") or 1, call.body["name"])
            ),
            None,
        )
        command = self._complete(scope, call.body, old)
        known[command["id"]] = command
        return command

    async def get_command(self, call: Call) -> Json:
        return self._command(call)

    async def patch_command(self, call: Call) -> Json:
        command = self._command(call)
        command.update(call.body, version=self._state.snowflake())
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
        entry = {
            "id": call["command"],
            "application_id": call["app"],
            "guild_id": call["guild"],
            "permissions": call.body.get("permissions", []),
        }
        self._state.command_permissions[call["guild"], call["command"]] = entry
        return entry

    # -- interactions ------------------------------------------------------------------------------

    async def create_interaction(self, call: Call) -> None:
        await self._interactions.create(call.user_id, call.body)

    async def callback(self, call: Call) -> Json | None:
        kind = int(call.body.get("type") or 0)
        interaction = await self._interactions.answer(call["id"], call["token"], call.body, call.uploads)
        if call.request.query.get("with_response", "").lower() in ("true", "1"):
            return self._interactions.callback_answer(interaction, kind)
        return None

    async def follow_up(self, call: Call) -> Json:
        interaction = self._interactions.by_token(call["token"])
        return await self._interactions.follow_up(interaction, call.body, call.uploads)

    async def get_reply(self, call: Call) -> Json:
        return self._interactions.message(self._interactions.by_token(call["token"]), call["message"])

    async def edit_reply(self, call: Call) -> Json:
        interaction = self._interactions.by_token(call["token"])
        return await self._interactions.edit(interaction, call["message"], call.body, call.uploads)

    async def delete_reply(self, call: Call) -> None:
        interaction = self._interactions.by_token(call["token"])
        await self._messages.delete(self._interactions.message(interaction, call["message"]))

    # -- channels and messages -----------------------------------------------------------------------

    def _channel(self, call: Call) -> Json:
        channel = self._state.channels.get(call["channel"])
        if channel is None:
            raise errors.unknown("Channel", 10003)
        if not self._state.sees(call.user_id, channel):
            raise errors.missing_access()
        return channel

    def _require(self, call: Call, guild_id: str | None, permission: int) -> None:
        if guild_id and not self._state.permissions(guild_id, call.user_id) & permission:
            raise errors.missing_permissions()

    async def get_channel(self, call: Call) -> Json:
        return self._state.channel_json(self._channel(call), call.user_id)

    async def patch_channel(self, call: Call) -> Json:
        channel = self._channel(call)
        for name in ("name", "topic", "nsfw", "position", "parent_id", "available_tags", "applied_tags"):
            if name in call.body:
                channel[name] = call.body[name]
        for name in ("archived", "locked", "auto_archive_duration"):
            if name in call.body and "thread_metadata" in channel:
                channel["thread_metadata"][name] = call.body[name]
        event = "THREAD_UPDATE" if "thread_metadata" in channel else "CHANNEL_UPDATE"
        await self._gateway.to_channel(channel, event, self._state.channel_json(channel, call.user_id))
        return self._state.channel_json(channel, call.user_id)

    async def delete_channel(self, call: Call) -> Json:
        channel = self._channel(call)
        shown = self._state.channel_json(channel, call.user_id)
        await self._gateway.to_channel(channel, "CHANNEL_DELETE", shown)
        del self._state.channels[channel["id"]]
        self._state.messages.pop(channel["id"], None)
        return shown

    async def list_messages(self, call: Call) -> list[Json]:
        channel, query = self._channel(call), call.request.query
        limit = int(query.get("limit", 50))
        if not 1 <= limit <= 100:
            problems = Problems()
            problems.add("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
            raise errors.invalid_form(problems)
        visible = [
            m
            for m in self._state.messages[channel["id"]].values()
            if m["id"] not in self._state.hidden
            and (not query.get("before") or int(m["id"]) < int(query["before"]))
            and (not query.get("after") or int(m["id"]) > int(query["after"]))
        ]
        part = visible[:limit] if query.get("after") else visible[-limit:]
        return part[::-1]

    async def post_message(self, call: Call) -> Json:
        channel = self._channel(call)
        self._require(call, channel.get("guild_id"), _SEND)
        if channel["type"] == FORUM:
            raise errors.ApiError(400, 50008, "Cannot send messages in a non-text channel")
        return await self._messages.create(channel, call.user_id, call.body, uploads=call.uploads)

    async def get_message(self, call: Call) -> Json:
        return self._messages.get(self._channel(call)["id"], call["message"])

    async def patch_message(self, call: Call) -> Json:
        message = self._messages.get(self._channel(call)["id"], call["message"])
        if message["author"]["id"] != call.user_id:
            raise errors.ApiError(403, 50005, "Cannot edit a message authored by another user")
        return await self._messages.edit(message, call.body, call.uploads)

    async def delete_message(self, call: Call) -> None:
        channel = self._channel(call)
        message = self._messages.get(channel["id"], call["message"])
        if message["author"]["id"] != call.user_id:
            self._require(call, channel.get("guild_id"), _MANAGE_MESSAGES)
        await self._messages.delete(message)

    async def bulk_delete(self, call: Call) -> None:
        channel = self._channel(call)
        self._require(call, channel.get("guild_id"), _MANAGE_MESSAGES)
        for message_id in call.body.get("messages", []):
            if str(message_id) in self._state.messages[channel["id"]]:
                await self._messages.delete(self._messages.get(channel["id"], str(message_id)))

    async def react(self, call: Call) -> None:
        await self._reaction(call, "MESSAGE_REACTION_ADD")

    async def unreact(self, call: Call) -> None:
        await self._reaction(call, "MESSAGE_REACTION_REMOVE")

    async def _reaction(self, call: Call, event: str) -> None:
        channel = self._channel(call)
        message = self._messages.get(channel["id"], call["message"])
        users = self._state.reactions.setdefault(message["id"], {}).setdefault(call["emoji"], set())
        (users.add if event.endswith("ADD") else users.discard)(call.user_id)
        data: Json = {"user_id": call.user_id, "channel_id": channel["id"], "message_id": message["id"]}
        data |= {"guild_id": channel.get("guild_id"), "emoji": {"id": None, "name": call["emoji"]}, "type": 0}
        await self._gateway.to_channel(channel, event, {**data, "burst": False})

    async def pin(self, call: Call) -> None:
        self._messages.get(self._channel(call)["id"], call["message"])["pinned"] = True

    # -- threads -------------------------------------------------------------------------------------

    async def start_thread(self, call: Call) -> Json:
        parent = self._channel(call)
        if parent["type"] == DM:
            raise errors.ApiError(400, 50024, "Cannot execute action on this channel type")
        kind = PUBLIC_THREAD if parent["type"] == FORUM else int(call.body.get("type") or PRIVATE_THREAD)
        thread = await self._new_thread(call, parent, kind)
        if parent["type"] == FORUM:
            thread["applied_tags"] = call.body.get("applied_tags", [])
            opening = call.body.get("message") or {}
            message = await self._messages.create(thread, call.user_id, opening, uploads=call.uploads)
            return {**self._state.channel_json(thread, call.user_id), "message": message}
        return self._state.channel_json(thread, call.user_id)

    async def thread_from_message(self, call: Call) -> Json:
        parent = self._channel(call)
        self._messages.get(parent["id"], call["message"])
        thread = await self._new_thread(call, parent, PUBLIC_THREAD)
        return self._state.channel_json(thread, call.user_id)

    async def _new_thread(self, call: Call, parent: Json, kind: int) -> Json:
        problems = Problems()
        problems.too_long("name", call.body.get("name") or "", 100, 1)
        if problems.tree:
            raise errors.invalid_form(problems)
        thread = self._state.add_thread(parent, call.body["name"], call.user_id, kind)
        shown = {**self._state.channel_json(thread, call.user_id), "newly_created": True}
        await self._gateway.to_guild(parent["guild_id"], "THREAD_CREATE", shown)
        return thread

    def _threads(self, archived: bool, **where: str) -> list[Json]:
        return [
            channel
            for channel in self._state.channels.values()
            if channel.get("thread_metadata", {}).get("archived") is archived
            and all(channel.get(key) == value for key, value in where.items())
        ]

    async def archived_threads(self, call: Call) -> Json:
        found = self._threads(True, parent_id=self._channel(call)["id"])
        return {"threads": found, "members": [], "has_more": False}

    async def active_threads(self, call: Call) -> Json:
        return {"threads": self._threads(False, guild_id=self._guild(call)["id"]), "members": []}

    # -- guilds --------------------------------------------------------------------------------------

    def _guild(self, call: Call) -> Json:
        guild = self._state.guilds.get(call["guild"])
        if guild is None or call.user_id not in guild["members"]:
            raise errors.unknown("Guild", 10004)
        return guild

    async def get_guild(self, call: Call) -> Json:
        shown = self._state.guild_json(self._guild(call)["id"], call.user_id)
        hidden = ("members", "channels", "threads", "presences", "voice_states")
        return {key: value for key, value in shown.items() if key not in hidden}

    async def guild_channels(self, call: Call) -> list[Json]:
        return list(self._state.guild_json(self._guild(call)["id"], call.user_id)["channels"])

    async def create_channel(self, call: Call) -> Json:
        guild = self._guild(call)
        self._require(call, guild["id"], _MANAGE_CHANNELS)
        kind = int(call.body.get("type") or TEXT)
        extra = {"parent_id": call.body["parent_id"]} if call.body.get("parent_id") else {}
        channel = self._state.add_channel(guild["id"], str(call.body.get("name", "channel")), kind, **extra)
        shown = self._state.channel_json(channel, call.user_id)
        await self._gateway.to_guild(guild["id"], "CHANNEL_CREATE", shown)
        return shown

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
