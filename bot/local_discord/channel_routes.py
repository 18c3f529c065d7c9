"""Channels, messages and threads."""

from __future__ import annotations

from bot.local_discord import errors
from bot.local_discord.limits import Problems
from bot.local_discord.routes import Call, Routes
from bot.local_discord.state import (
    CREATE_PRIVATE_THREADS,
    CREATE_PUBLIC_THREADS,
    DM,
    FORUM,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    Json,
)

_MANAGE_MESSAGES, _SEND = 1 << 13, 1 << 11


class ChannelRoutes(Routes):
    """Routes under ``/channels``."""

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
        deleted = self._state.channel_json(channel, call.user_id)
        await self._gateway.to_channel(channel, "CHANNEL_DELETE", deleted)
        del self._state.channels[channel["id"]]
        self._state.messages.pop(channel["id"], None)
        return deleted

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
        if channel["type"] == DM and self._state.closed_dms & set(channel["_users"]) - {call.user_id}:
            raise errors.ApiError(403, 50007, "Cannot send messages to this user")
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

    async def start_thread(self, call: Call) -> Json:
        parent = self._channel(call)
        if parent["type"] == DM:
            raise errors.ApiError(400, 50024, "Cannot execute action on this channel type")
        kind = PUBLIC_THREAD if parent["type"] == FORUM else int(call.body.get("type") or PRIVATE_THREAD)
        needed = CREATE_PRIVATE_THREADS if kind == PRIVATE_THREAD else CREATE_PUBLIC_THREADS
        self._require(call, parent["guild_id"], needed)
        thread = await self._new_thread(call, parent, kind)
        if parent["type"] == FORUM:
            thread["applied_tags"] = call.body.get("applied_tags", [])
            opening = call.body.get("message") or {}
            message = await self._messages.create(
                thread, call.user_id, opening, uploads=call.uploads, id=thread["id"]
            )
            return {**self._state.channel_json(thread, call.user_id), "message": message}
        return self._state.channel_json(thread, call.user_id)

    async def thread_from_message(self, call: Call) -> Json:
        parent = self._channel(call)
        self._messages.get(parent["id"], call["message"])
        self._require(call, parent["guild_id"], CREATE_PUBLIC_THREADS)
        if call["message"] in self._state.channels:
            raise errors.ApiError(400, 160004, "A thread has already been created for this message")
        thread = await self._new_thread(call, parent, PUBLIC_THREAD, call["message"])
        return self._state.channel_json(thread, call.user_id)

    async def _new_thread(self, call: Call, parent: Json, kind: int, thread_id: str | None = None) -> Json:
        problems = Problems()
        problems.too_long("name", call.body.get("name") or "", 100, 1)
        if problems.tree:
            raise errors.invalid_form(problems)
        thread = self._state.add_thread(parent, call.body["name"], call.user_id, kind, thread_id)
        created = {**self._state.channel_json(thread, call.user_id), "newly_created": True}
        await self._gateway.to_channel(thread, "THREAD_CREATE", created)
        return thread

    async def thread_members(self, call: Call) -> list[Json]:
        thread = self._channel(call)
        return [self._thread_member(thread, user) for user in sorted(thread.get("_members", ()))]

    async def add_thread_member(self, call: Call) -> None:
        thread, user = self._channel(call), call["user"]
        if user not in self._state.guilds[thread["guild_id"]]["members"]:
            raise errors.unknown("Member", 10007)
        if user in thread["_members"]:
            return
        thread["_members"].add(user)
        thread["member_count"] = len(thread["_members"])
        joined = {**self._state.channel_json(thread, user), "newly_created": False}
        await self._gateway.to_users([user], "THREAD_CREATE", joined)
        await self._thread_update(thread, {"added_members": [self._thread_member(thread, user)]})

    async def remove_thread_member(self, call: Call) -> None:
        thread, user = self._channel(call), call["user"]
        thread["_members"].discard(user)
        thread["member_count"] = len(thread["_members"])
        await self._thread_update(thread, {"removed_member_ids": [user]})

    def _thread_member(self, thread: Json, user: str) -> Json:
        return {"id": thread["id"], "user_id": user, "join_timestamp": self._state.timestamp(), "flags": 0}

    async def _thread_update(self, thread: Json, what: Json) -> None:
        where = {"id": thread["id"], "guild_id": thread["guild_id"], "member_count": thread["member_count"]}
        await self._gateway.to_channel(thread, "THREAD_MEMBERS_UPDATE", {**where, **what})

    def _threads(self, call: Call, archived: bool, **where: str) -> list[Json]:
        return [
            self._state.channel_json(channel, call.user_id)
            for channel in self._state.channels.values()
            if channel.get("thread_metadata", {}).get("archived") is archived
            and all(channel.get(key) == value for key, value in where.items())
            and self._state.sees(call.user_id, channel)
        ]

    async def archived_threads(self, call: Call) -> Json:
        threads = self._threads(call, True, parent_id=self._channel(call)["id"])
        return {"threads": threads, "members": [], "has_more": False}

    async def active_threads(self, call: Call) -> Json:
        return {"threads": self._threads(call, False, guild_id=self._guild(call)["id"]), "members": []}
