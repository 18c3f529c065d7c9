"""Webhooks: make, change and delete them, and post through them without a bot's token."""

from __future__ import annotations

import re
import secrets

from bot.local_discord import blanks, errors
from bot.local_discord.limits import Problems
from bot.local_discord.routes import Call, Handler, Routes
from bot.local_discord.state import FORUM, PUBLIC_THREAD, Json

_MANAGE_WEBHOOKS = 1 << 29
_MOST = 15
_INCOMING = 1
_FORBIDDEN_NAME = re.compile("clyde|discord", re.IGNORECASE)


class WebhookRoutes(Routes):
    """Routes under ``/webhooks`` but those of interactions, and the lists of channels and guilds."""

    def webhook_routes(self) -> list[tuple[str, str, Handler, bool]]:
        """(method, path, handler, needs authorization)."""
        one, with_token = "/webhooks/{hook}", "/webhooks/{hook}/{token}"
        return [
            ("GET", "/channels/{channel}/webhooks", self.list_channel_webhooks, True),
            ("POST", "/channels/{channel}/webhooks", self.create_webhook, True),
            ("GET", "/guilds/{guild}/webhooks", self.list_guild_webhooks, True),
            ("GET", one, self.get_webhook, True),
            ("PATCH", one, self.patch_webhook, True),
            ("DELETE", one, self.delete_webhook, True),
            ("GET", with_token, self.get_webhook, False),
            ("PATCH", with_token, self.patch_webhook, False),
            ("DELETE", with_token, self.delete_webhook, False),
        ]

    async def create_webhook(self, call: Call) -> Json:
        """Make a webhook in a channel."""
        channel = self._channel(call)
        if "guild_id" not in channel or "thread_metadata" in channel:
            raise errors.ApiError(400, 50024, "Cannot execute action on this channel type")
        self._require(call, channel["guild_id"], _MANAGE_WEBHOOKS)
        name = self._hook_name(call)
        if sum(hook["channel_id"] == channel["id"] for hook in self._state.hooks.values()) >= _MOST:
            raise errors.ApiError(400, 30007, f"Maximum number of webhooks reached ({_MOST})")
        by_bot = call.user_id == self._state.application["bot"]["id"]
        hook = {
            "id": self._state.snowflake(),
            "type": _INCOMING,
            "name": name,
            "avatar": None,
            "channel_id": channel["id"],
            "guild_id": channel["guild_id"],
            "application_id": self._state.application["id"] if by_bot else None,
            "user": self._state.users[call.user_id],
            "token": secrets.token_urlsafe(51),
        }
        hook["url"] = f"{self._messages.base_url}/api/webhooks/{hook['id']}/{hook['token']}"
        self._state.hooks[hook["id"]] = hook
        await self._hooks_changed(hook)
        return hook

    def _hook_name(self, call: Call) -> str:
        name, problems = call.body.get("name"), Problems()
        if not isinstance(name, str):
            problems.add("name", "BASE_TYPE_REQUIRED", "This field is required")
        else:
            problems.too_long("name", name.strip(), 80, 1)
            if _FORBIDDEN_NAME.search(name):
                problems.add("name", "USERNAME_INVALID_CONTAINS", 'Username cannot contain "discord"')
        if problems.tree:
            raise errors.invalid_form(problems)
        return str(name).strip()

    async def _hooks_changed(self, hook: Json) -> None:
        update = {"guild_id": hook["guild_id"], "channel_id": hook["channel_id"]}
        await self._gateway.to_channel(self._state.channels[hook["channel_id"]], "WEBHOOKS_UPDATE", update)

    async def list_channel_webhooks(self, call: Call) -> list[Json]:
        """The webhooks of a channel."""
        channel = self._channel(call)
        self._require(call, channel.get("guild_id"), _MANAGE_WEBHOOKS)
        return [hook for hook in self._state.hooks.values() if hook["channel_id"] == channel["id"]]

    async def list_guild_webhooks(self, call: Call) -> list[Json]:
        """The webhooks of a guild."""
        guild = self._guild(call)
        self._require(call, guild["id"], _MANAGE_WEBHOOKS)
        return [hook for hook in self._state.hooks.values() if hook["guild_id"] == guild["id"]]

    def _hook(self, call: Call) -> Json:
        """The webhook, for who has its token or may manage it."""
        named = call.request.match_info
        hook = self._state.hooks.get(named.get("hook") or named["app"])
        if hook is None:
            raise errors.unknown("Webhook", 10015)
        token = named.get("token")
        if token is None:
            self._require(call, hook["guild_id"], _MANAGE_WEBHOOKS)
        elif not secrets.compare_digest(token.encode(), hook["token"].encode()):
            raise errors.ApiError(401, 50027, "Invalid Webhook Token")
        return hook

    def _as_asked(self, call: Call, hook: Json) -> Json:
        """The webhook; who has but its token isn't told who made it."""
        unsaid = {"user"} if "token" in call.request.match_info else set()
        return {key: value for key, value in hook.items() if key not in unsaid}

    async def get_webhook(self, call: Call) -> Json:
        """One webhook."""
        return self._as_asked(call, self._hook(call))

    async def patch_webhook(self, call: Call) -> Json:
        """Rename a webhook or, with a bot's token, move it."""
        hook = self._hook(call)
        if "name" in call.body:
            hook["name"] = self._hook_name(call)
        target = call.body.get("channel_id")
        if target is not None and "token" not in call.request.match_info:
            channel = self._state.channels.get(str(target))
            if channel is None or channel.get("guild_id") != hook["guild_id"]:
                raise errors.unknown("Channel", 10003)
            hook["channel_id"] = channel["id"]
        await self._hooks_changed(hook)
        return self._as_asked(call, hook)

    async def delete_webhook(self, call: Call) -> None:
        """Delete a webhook; its messages stay."""
        hook = self._hook(call)
        del self._state.hooks[hook["id"]]
        await self._hooks_changed(hook)

    # -- posting through one ---------------------------------------------------------------------

    async def execute_webhook(self, call: Call) -> Json | None:
        """Post a message; it is answered with only where ``wait`` is asked for."""
        hook = self._hook(call)
        place, more = await self._place_of(call, hook)
        called = str(call.body.get("username") or hook["name"])[:80]
        author = {**blanks.user(hook["id"], called, bot=True), "discriminator": "0000"}
        body = {key: value for key, value in call.body.items() if key != "message_reference"}
        if hook["application_id"]:
            more["application_id"] = hook["application_id"]
        message = await self._messages.create(
            place, hook["id"], body, uploads=call.uploads, author=author, webhook_id=hook["id"], **more
        )
        waits = call.request.query.get("wait", "").lower() in ("true", "1")
        return self._messages.seen_by("", message) if waits else None

    async def _place_of(self, call: Call, hook: Json) -> tuple[Json, Json]:
        """Where a message goes, and what is special about it: a forum takes it as a new post."""
        channel = self._state.channels.get(hook["channel_id"])
        if channel is None:
            raise errors.unknown("Channel", 10003)
        named = call.request.query.get("thread_id")
        if named:
            thread = self._state.channels.get(named)
            if thread is None or thread.get("parent_id") != channel["id"]:
                raise errors.unknown("Channel", 10003)
            return thread, {}
        title = call.body.get("thread_name")
        if channel["type"] == FORUM and not title:
            said = "Webhooks posted to forum channels must have a thread_name or thread_id"
            raise errors.ApiError(400, 220001, said)
        if title and channel["type"] != FORUM:
            said = "Webhooks can only create threads in forum channels"
            raise errors.ApiError(400, 220003, said)
        if not title:
            return channel, {}
        thread = self._state.add_thread(channel, str(title)[:100], hook["id"], PUBLIC_THREAD)
        thread["applied_tags"] = [str(tag) for tag in call.body.get("applied_tags") or []]
        created = {**self._state.channel_json(thread, ""), "newly_created": True}
        await self._gateway.to_channel(thread, "THREAD_CREATE", created)
        return thread, {"id": thread["id"]}

    def _own_message(self, call: Call) -> Json:
        """A message that this webhook posted."""
        hook = self._hook(call)
        place = call.request.query.get("thread_id") or hook["channel_id"]
        message = self._messages.get(place, call["message"])
        if message.get("webhook_id") != hook["id"]:
            raise errors.unknown("Message", 10008)
        return message

    async def get_webhook_message(self, call: Call) -> Json:
        """A message of a webhook."""
        return self._messages.seen_by("", self._own_message(call))

    async def edit_webhook_message(self, call: Call) -> Json:
        """Edit a message of a webhook."""
        edited = await self._messages.edit(self._own_message(call), call.body, call.uploads)
        return self._messages.seen_by("", edited)

    async def delete_webhook_message(self, call: Call) -> None:
        """Delete a message of a webhook."""
        await self._messages.delete(self._own_message(call))
