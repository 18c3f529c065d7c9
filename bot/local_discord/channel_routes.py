"""Channels, messages and threads."""

from __future__ import annotations

from bot.local_discord import errors
from bot.local_discord.channel_fields import THREAD_FIELDS, THREAD_METADATA, channel_fields, tag_ids
from bot.local_discord.limits import Problems
from bot.local_discord.permissions import (
    ATTACH_FILES,
    READ_MESSAGE_HISTORY,
    SEND_IN_THREADS,
    SEND_MESSAGES,
    writes_with,
)
from bot.local_discord.routes import Call, Routes
from bot.local_discord.state import (
    CREATE_PRIVATE_THREADS,
    CREATE_PUBLIC_THREADS,
    DM,
    FORUM,
    MANAGE_THREADS,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    SUPPRESS_EMBEDS,
    Json,
)

_MANAGE_CHANNELS, _MANAGE_MESSAGES = 1 << 4, 1 << 13
_MODERATED_TAGS_ONLY = "There are no tags available that can be set by non-moderators"
"""Discord's own words for code 40066."""
_REQUIRE_TAG = 1 << 4


class ChannelRoutes(Routes):
    """Routes under ``/channels``."""

    async def get_channel(self, call: Call) -> Json:
        return self._state.channel_json(self._channel(call), call.user_id)

    async def patch_channel(self, call: Call) -> Json:
        channel = self._channel(call)
        changes = {name: value for name, value in call.body.items() if value is not None}
        if "thread_metadata" in channel:
            channel |= {name: changes[name] for name in THREAD_FIELDS if name in changes}
            if "applied_tags" in changes:
                channel["applied_tags"] = tag_ids(changes["applied_tags"])
            metadata = {name: changes[name] for name in THREAD_METADATA if name in changes}
            if "archived" in metadata and metadata["archived"] != channel["thread_metadata"]["archived"]:
                metadata["archive_timestamp"] = self._state.timestamp()
            channel["thread_metadata"] |= metadata
        else:
            self._require_in(call, channel, _MANAGE_CHANNELS)
            channel |= channel_fields(self._state, channel["type"], call.body)
        event = "THREAD_UPDATE" if "thread_metadata" in channel else "CHANNEL_UPDATE"
        await self._gateway.to_channel(channel, event, self._state.channel_json(channel, call.user_id))
        return self._state.channel_json(channel, call.user_id)

    async def delete_channel(self, call: Call) -> Json:
        channel = self._channel(call)
        manages = MANAGE_THREADS if "thread_metadata" in channel else _MANAGE_CHANNELS
        self._require_in(call, channel, manages)
        deleted = self._state.channel_json(channel, call.user_id)
        if "thread_metadata" in channel:
            gone = {name: deleted[name] for name in ("id", "guild_id", "parent_id", "type")}
            await self._gateway.to_channel(channel, "THREAD_DELETE", gone)
        else:
            await self._gateway.to_channel(channel, "CHANNEL_DELETE", deleted)
        del self._state.channels[channel["id"]]
        self._state.messages.pop(channel["id"], None)
        return deleted

    async def list_messages(self, call: Call) -> list[Json]:
        channel, limit = self._channel(call), self._limit(call, 100, 50)
        around, before, after = (self._snowflake(call, name) for name in ("around", "before", "after"))
        if not self._may(call, channel, READ_MESSAGE_HISTORY):
            return []  # as documented: no error, and no messages
        visible = [
            m for m in self._state.messages[channel["id"]].values() if m["id"] not in self._state.hidden
        ]
        if around:
            older = [m for m in visible if int(m["id"]) < around]
            newer = [m for m in visible if int(m["id"]) >= around]
            half = min(limit // 2, len(older))
            part = older[len(older) - half :] + newer[: limit - half]
        elif after:
            part = [m for m in visible if int(m["id"]) > after][:limit]
        else:
            part = [m for m in visible if not before or int(m["id"]) < before][-limit:]
        return [self._messages.seen_by(call.user_id, message) for message in reversed(part)]

    async def post_message(self, call: Call) -> Json:
        channel = self._channel(call)
        self._may_write(call, channel, writes_with(channel))
        if channel["type"] == FORUM:
            raise errors.ApiError(400, 50008, "Cannot send messages in a non-text channel")
        if channel["type"] == DM and self._state.closed_dms & set(channel["_users"]) - {call.user_id}:
            raise errors.ApiError(403, 50007, "Cannot send messages to this user")
        made = await self._messages.create(channel, call.user_id, call.body, uploads=call.uploads)
        return self._messages.seen_by(call.user_id, made)

    def _may_write(self, call: Call, channel: Json, permission: int) -> None:
        self._require_in(call, channel, permission)
        if call.uploads:
            self._require_in(call, channel, ATTACH_FILES)

    async def get_message(self, call: Call) -> Json:
        message = self._messages.get(self._channel(call)["id"], call["message"])
        return self._messages.seen_by(call.user_id, message)

    async def patch_message(self, call: Call) -> Json:
        message = self._messages.get(self._channel(call)["id"], call["message"])
        if message["author"]["id"] != call.user_id:
            return await self._hide_previews(call, message)
        edited = await self._messages.edit(message, call.body, call.uploads)
        return self._messages.seen_by(call.user_id, edited)

    async def _hide_previews(self, call: Call, message: Json) -> Json:
        """Show or hide the previews of somebody else's message, the only change that others may make."""
        flags = call.body.get("flags")
        others = ~SUPPRESS_EMBEDS
        if set(call.body) != {"flags"} or not isinstance(flags, int) or (flags ^ message["flags"]) & others:
            raise errors.ApiError(403, 50005, "Cannot edit a message authored by another user")
        self._require_in(call, self._channel(call), _MANAGE_MESSAGES)
        return self._messages.seen_by(call.user_id, await self._messages.hide_previews(message, flags))

    async def delete_message(self, call: Call) -> None:
        channel = self._channel(call)
        message = self._messages.get(channel["id"], call["message"])
        if message["author"]["id"] != call.user_id:
            self._require_in(call, channel, _MANAGE_MESSAGES)
        await self._messages.delete(message)

    async def bulk_delete(self, call: Call) -> None:
        channel = self._channel(call)
        self._require_in(call, channel, _MANAGE_MESSAGES)
        for message_id in call.body.get("messages", []):
            if str(message_id) in self._state.messages[channel["id"]]:
                await self._messages.delete(self._messages.get(channel["id"], str(message_id)))

    async def start_thread(self, call: Call) -> Json:
        parent = self._channel(call)
        self._refuse_if_threadless(parent)
        kind = PUBLIC_THREAD if parent["type"] == FORUM else int(call.body.get("type") or PRIVATE_THREAD)
        if parent["type"] == FORUM:  # where threads are the messages, writing takes no more than that
            self._may_write(call, parent, SEND_MESSAGES)
            self._check_tags(call, parent)
        else:
            needed = CREATE_PRIVATE_THREADS if kind == PRIVATE_THREAD else CREATE_PUBLIC_THREADS
            self._require_in(call, parent, needed)
        thread = await self._new_thread(call, parent, kind)
        call.status = 201
        if parent["type"] == FORUM:
            thread["applied_tags"] = tag_ids(call.body.get("applied_tags"))
            opening = call.body.get("message") or {}
            message = await self._messages.create(
                thread, call.user_id, opening, uploads=call.uploads, id=thread["id"]
            )
            return {**self._state.channel_json(thread, call.user_id), "message": message}
        return self._state.channel_json(thread, call.user_id)

    def _check_tags(self, call: Call, forum: Json) -> None:
        """Refuse a post without a tag where one is required, and moderated tags from others."""
        chosen = {str(tag) for tag in call.body.get("applied_tags") or []}
        moderates = self._may(call, forum, MANAGE_THREADS)
        tags = forum.get("available_tags") or []
        if chosen & {str(tag["id"]) for tag in tags if tag.get("moderated")} and not moderates:
            raise errors.missing_permissions()
        if forum.get("flags", 0) & _REQUIRE_TAG and not chosen:
            if all(tag.get("moderated") for tag in tags) and not moderates:
                raise errors.ApiError(400, 40066, _MODERATED_TAGS_ONLY)
            raise errors.ApiError(400, 40067, "A tag is required to create a forum post in this channel")

    def _refuse_if_threadless(self, channel: Json) -> None:
        if channel["type"] == DM or "thread_metadata" in channel:
            raise errors.ApiError(400, 50024, "Cannot execute action on this channel type")

    async def thread_from_message(self, call: Call) -> Json:
        parent = self._channel(call)
        self._refuse_if_threadless(parent)
        self._messages.get(parent["id"], call["message"])
        self._require_in(call, parent, CREATE_PUBLIC_THREADS)
        if call["message"] in self._state.channels:
            raise errors.ApiError(400, 160004, "A thread has already been created for this message")
        thread = await self._new_thread(call, parent, PUBLIC_THREAD, call["message"])
        call.status = 201
        return self._state.channel_json(thread, call.user_id)

    async def _new_thread(self, call: Call, parent: Json, kind: int, thread_id: str | None = None) -> Json:
        problems = Problems()
        problems.too_long("name", call.body.get("name") or "", 100, 1)
        if problems.tree:
            raise errors.invalid_form(problems)
        thread = self._state.add_thread(parent, call.body["name"], call.user_id, kind, thread_id)
        thread["rate_limit_per_user"] = call.body.get("rate_limit_per_user") or 0
        metadata = thread["thread_metadata"]
        metadata["auto_archive_duration"] = call.body.get("auto_archive_duration") or 1440
        if kind == PRIVATE_THREAD:
            metadata["invitable"] = call.body.get("invitable") is not False
        created = {**self._state.channel_json(thread, call.user_id), "newly_created": True}
        await self._gateway.to_channel(thread, "THREAD_CREATE", created)
        return thread

    async def thread_members(self, call: Call) -> list[Json]:
        thread = self._thread(call)
        return [self._thread_member(thread, user) for user in sorted(thread["_members"])]

    async def add_thread_member(self, call: Call) -> None:
        thread, user = self._thread(call), call["user"]
        self._require_in(call, thread, SEND_IN_THREADS)
        if user not in self._state.guilds[thread["guild_id"]]["members"]:
            raise errors.unknown("Member", 10007)
        await self._join(thread, user)

    async def _join(self, thread: Json, user: str) -> None:
        if user in thread["_members"]:
            return
        thread["_members"].add(user)
        thread["member_count"] = len(thread["_members"])
        joined = {**self._state.channel_json(thread, user), "newly_created": False}
        await self._gateway.to_users([user], "THREAD_CREATE", joined)
        await self._thread_update(thread, {"added_members": [self._thread_member(thread, user)]})

    async def join_thread(self, call: Call) -> None:
        await self._join(self._thread(call), call.user_id)

    async def leave_thread(self, call: Call) -> None:
        await self._leave(self._thread(call), call.user_id)

    async def get_thread_member(self, call: Call) -> Json:
        thread = self._thread(call)
        user = call.user_id if call["user"] == "@me" else call["user"]
        if user not in thread["_members"]:
            raise errors.unknown("Member", 10007)
        return self._thread_member(thread, user)

    async def remove_thread_member(self, call: Call) -> None:
        await self._leave(self._thread(call), call["user"])

    async def _leave(self, thread: Json, user: str) -> None:
        thread["_members"].discard(user)
        thread["member_count"] = len(thread["_members"])
        await self._thread_update(thread, {"removed_member_ids": [user]})

    async def _thread_update(self, thread: Json, what: Json) -> None:
        where = {"id": thread["id"], "guild_id": thread["guild_id"], "member_count": thread["member_count"]}
        await self._gateway.to_channel(thread, "THREAD_MEMBERS_UPDATE", {**where, **what})
