"""Reactions: add, remove, clear and list them."""

from __future__ import annotations

from bot.local_discord import errors
from bot.local_discord.routes import Call, Handler, Routes
from bot.local_discord.state import Json

_ADD_REACTIONS, _MANAGE_MESSAGES = 1 << 6, 1 << 13


class ReactionRoutes(Routes):
    """Routes under ``/channels/{channel}/messages/{message}/reactions``."""

    def reaction_routes(self) -> list[tuple[str, str, Handler, bool]]:
        """(method, path, handler, needs authorization)."""
        all_of_them = "/channels/{channel}/messages/{message}/reactions"
        one = all_of_them + "/{emoji}"
        return [
            ("DELETE", all_of_them, self.clear_reactions, True),
            ("GET", one, self.list_reactions, True),
            ("DELETE", one, self.clear_emoji, True),
            ("PUT", one + "/@me", self.react, True),
            ("DELETE", one + "/@me", self.unreact, True),
            ("DELETE", one + "/{user}", self.remove_reaction, True),
        ]

    def _reacted(self, call: Call) -> tuple[Json, Json, dict[str, list[str]]]:
        """The channel, the message, and who reacted with what."""
        channel = self._channel(call)
        message = self._messages.get(channel["id"], call["message"])
        return channel, message, self._state.reactions.setdefault(message["id"], {})

    async def react(self, call: Call) -> None:
        """React to a message. The first with an emoji needs Add Reactions; others may join in."""
        channel, message, reactions = self._reacted(call)
        emoji = call["emoji"]
        if emoji not in reactions:
            self._require(call, channel.get("guild_id"), _ADD_REACTIONS)
            # Here are no custom emoji; of the others, none is ASCII alone.
            if emoji.isascii():
                raise errors.unknown("Emoji", 10014)
            if len(reactions) >= 20:
                raise errors.ApiError(400, 30010, "Maximum number of reactions reached (20)")
        users = reactions.setdefault(emoji, [])
        if call.user_id in users:
            return
        users.append(call.user_id)
        more: Json = {"message_author_id": message["author"]["id"]}
        if channel.get("guild_id"):
            more["member"] = self._state.member_json(channel["guild_id"], call.user_id)
        await self._tell(channel, message, "MESSAGE_REACTION_ADD", call.user_id, emoji, **more)

    async def unreact(self, call: Call) -> None:
        """Take one's own reaction back."""
        await self._remove(call, call.user_id)

    async def remove_reaction(self, call: Call) -> None:
        """Take somebody's reaction away."""
        if call["user"] != call.user_id:
            self._require(call, self._channel(call).get("guild_id"), _MANAGE_MESSAGES)
        await self._remove(call, call["user"])

    async def _remove(self, call: Call, user_id: str) -> None:
        channel, message, reactions = self._reacted(call)
        users = reactions.get(call["emoji"], [])
        if user_id not in users:
            raise errors.unknown("Emoji", 10014)
        users.remove(user_id)
        if not users:
            del reactions[call["emoji"]]
        await self._tell(channel, message, "MESSAGE_REACTION_REMOVE", user_id, call["emoji"])

    async def _tell(
        self, channel: Json, message: Json, event: str, user_id: str, emoji: str, **more: object
    ) -> None:
        data = {**_place(channel, message), "user_id": user_id, "emoji": {"id": None, "name": emoji}}
        await self._gateway.to_channel(channel, event, {**data, "burst": False, "type": 0, **more})

    async def clear_reactions(self, call: Call) -> None:
        """Take all reactions away."""
        channel, message, reactions = self._reacted(call)
        self._require(call, channel.get("guild_id"), _MANAGE_MESSAGES)
        reactions.clear()
        await self._gateway.to_channel(channel, "MESSAGE_REACTION_REMOVE_ALL", _place(channel, message))

    async def clear_emoji(self, call: Call) -> None:
        """Take all reactions with an emoji away."""
        channel, message, reactions = self._reacted(call)
        self._require(call, channel.get("guild_id"), _MANAGE_MESSAGES)
        if reactions.pop(call["emoji"], None) is None:
            raise errors.unknown("Emoji", 10014)
        data = {**_place(channel, message), "emoji": {"id": None, "name": call["emoji"]}}
        await self._gateway.to_channel(channel, "MESSAGE_REACTION_REMOVE_EMOJI", data)

    async def list_reactions(self, call: Call) -> list[Json]:
        """Who reacted with an emoji."""
        _, _, reactions = self._reacted(call)
        limit, after = self._limit(call, 100, 25), self._snowflake(call, "after")
        users = sorted((u for u in reactions.get(call["emoji"], []) if int(u) > after), key=int)
        return [self._state.users[user] for user in users[:limit]]


def _place(channel: Json, message: Json) -> Json:
    guild = {"guild_id": channel["guild_id"]} if channel.get("guild_id") else {}
    return {"channel_id": channel["id"], "message_id": message["id"], **guild}
