"""The part of Discord's HTTP API v10 that bots use: all routes, and handlers for users and interactions."""

from __future__ import annotations

from bot.local_discord import errors
from bot.local_discord.channel_routes import ChannelRoutes
from bot.local_discord.command_routes import CommandRoutes
from bot.local_discord.guild_routes import GuildRoutes
from bot.local_discord.intents import MESSAGE_CONTENT
from bot.local_discord.overwrite_routes import OverwriteRoutes
from bot.local_discord.pin_routes import PinRoutes
from bot.local_discord.poll_routes import PollRoutes
from bot.local_discord.reaction_routes import ReactionRoutes
from bot.local_discord.role_routes import RoleRoutes
from bot.local_discord.routes import Call, Handler
from bot.local_discord.state import Json
from bot.local_discord.thread_list_routes import ThreadListRoutes
from bot.local_discord.webhook_routes import WebhookRoutes

_MAY_READ_MESSAGES = 1 << 19
"""An application's flag: it may have the Message Content Intent while it is in few servers."""


class Rest(
    CommandRoutes,
    ChannelRoutes,
    GuildRoutes,
    OverwriteRoutes,
    PinRoutes,
    PollRoutes,
    ReactionRoutes,
    RoleRoutes,
    ThreadListRoutes,
    WebhookRoutes,
):
    """The handlers of all routes."""

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
            ("DELETE", "/users/@me/guilds/{guild}", self.leave_guild, True),
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
            # Before the routes of one message, whose id could be "pins".
            *self.pin_routes(),
            ("GET", message, self.get_message, True),
            ("PATCH", message, self.patch_message, True),
            ("DELETE", message, self.delete_message, True),
            *self.reaction_routes(),
            *self.poll_routes(),
            *self.overwrite_routes(),
            *self.thread_list_routes(),
            *self.role_routes(),
            *self.webhook_routes(),
            ("POST", message + "/threads", self.thread_from_message, True),
            ("POST", channel + "/threads", self.start_thread, True),
            ("PUT", channel + "/thread-members/@me", self.join_thread, True),
            ("DELETE", channel + "/thread-members/@me", self.leave_thread, True),
            ("GET", channel + "/thread-members", self.thread_members, True),
            ("GET", channel + "/thread-members/{user}", self.get_thread_member, True),
            ("PUT", channel + "/thread-members/{user}", self.add_thread_member, True),
            ("DELETE", channel + "/thread-members/{user}", self.remove_thread_member, True),
            ("POST", channel + "/typing", self.no_content, True),
            ("GET", "/guilds/{guild}", self.get_guild, True),
            ("GET", "/guilds/{guild}/channels", self.guild_channels, True),
            ("POST", "/guilds/{guild}/channels", self.create_channel, True),
            ("GET", "/guilds/{guild}/members", self.guild_members, True),
            ("GET", "/guilds/{guild}/members/search", self.search_members, True),
            ("GET", "/guilds/{guild}/members/{user}", self.get_member, True),
            ("GET", "/guilds/{guild}/roles", self.guild_roles, True),
            ("POST", "/guilds/{guild}/roles", self.create_role, True),
            ("PUT", "/guilds/{guild}/members/{user}/roles/{role}", self.add_member_role, True),
            ("DELETE", "/guilds/{guild}/members/{user}/roles/{role}", self.remove_member_role, True),
        ]

    async def no_content(self, call: Call) -> None:
        """Do nothing; the answer is 204."""

    async def get_gateway(self, call: Call) -> Json:
        return {"url": self.gateway_url}

    async def get_gateway_bot(self, call: Call) -> Json:
        limit = self._gateway.starts.limit()
        return {"url": self.gateway_url, "shards": self._state.shards, "session_start_limit": limit}

    async def get_me(self, call: Call) -> Json:
        return {**self._state.users[call.user_id], "verified": True, "mfa_enabled": False, "locale": "en-US"}

    async def get_user(self, call: Call) -> Json:
        if call["user"] not in self._state.users:
            raise errors.unknown("User", 10013)
        return self._state.users[call["user"]]

    async def get_application(self, call: Call) -> Json:
        shown = {key: value for key, value in self._state.application.items() if not key.startswith("_")}
        guilds = self._state.guilds.values()
        count = sum(shown["bot"]["id"] in guild["members"] for guild in guilds)
        reads = self._state.application.get("_privileged_intents", 0) & MESSAGE_CONTENT
        flags = int(shown.get("flags") or 0) | (_MAY_READ_MESSAGES if reads else 0)
        return {**shown, "flags": flags, "approximate_guild_count": count}

    async def open_dm(self, call: Call) -> Json:
        other = str(call.body.get("recipient_id"))
        if other not in self._state.users:
            raise errors.unknown("User", 10013)
        return self._state.channel_json(self._state.dm_between(call.user_id, other), call.user_id)

    async def create_interaction(self, call: Call) -> None:
        await self._interactions.create(call.user_id, call.body)

    async def callback(self, call: Call) -> Json | None:
        kind = int(call.body.get("type") or 0)
        interaction = await self._interactions.answer(call["id"], call["token"], call.body, call.uploads)
        if call.request.query.get("with_response", "").lower() in ("true", "1"):
            return self._interactions.callback_answer(interaction, kind)
        return None

    async def follow_up(self, call: Call) -> Json | None:
        if call["app"] in self._state.hooks:
            return await self.execute_webhook(call)
        interaction = self._interactions.by_token(call["token"])
        return await self._interactions.follow_up(interaction, call.body, call.uploads)

    async def get_reply(self, call: Call) -> Json:
        if call["app"] in self._state.hooks:
            return await self.get_webhook_message(call)
        return self._interactions.message(self._interactions.by_token(call["token"]), call["message"])

    async def edit_reply(self, call: Call) -> Json:
        if call["app"] in self._state.hooks:
            return await self.edit_webhook_message(call)
        interaction = self._interactions.by_token(call["token"])
        return await self._interactions.edit(interaction, call["message"], call.body, call.uploads)

    async def delete_reply(self, call: Call) -> None:
        if call["app"] in self._state.hooks:
            return await self.delete_webhook_message(call)
        interaction = self._interactions.by_token(call["token"])
        await self._messages.delete(self._interactions.message(interaction, call["message"]))
        if call["message"] == "@original":
            interaction.deferred = None
