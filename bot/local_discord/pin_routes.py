"""Pinned messages: the routes of 2025 with times and pages, and the older ones."""

from __future__ import annotations

from bot.local_discord import errors
from bot.local_discord.routes import Call, Handler, Routes
from bot.local_discord.state import Json

PIN_MESSAGES = 1 << 51
_MOST = 250
_PINNED_MESSAGE = 6


class PinRoutes(Routes):
    """Routes under ``/channels/{channel}/messages/pins`` and ``/channels/{channel}/pins``."""

    def pin_routes(self) -> list[tuple[str, str, Handler, bool]]:
        """(method, path, handler, needs authorization)."""
        new, old = "/channels/{channel}/messages/pins", "/channels/{channel}/pins"
        return [
            ("GET", new, self.list_pins, True),
            ("GET", old, self.list_pinned_messages, True),
            *(("PUT", path + "/{message}", self.pin, True) for path in (new, old)),
            *(("DELETE", path + "/{message}", self.unpin, True) for path in (new, old)),
        ]

    def _pinned(self, call: Call) -> list[tuple[str, Json]]:
        """(when, message), last pinned first."""
        channel = self._channel(call)["id"]
        pins, messages = self._state.pins.get(channel, {}), self._state.messages[channel]
        there = [(when, messages[message]) for message, when in pins.items() if message in messages]
        return there[::-1]

    async def list_pins(self, call: Call) -> Json:
        """A page of pins, each with when it was pinned."""
        limit = self._limit(call, 50, 50)
        before = call.request.query.get("before")
        until = self._moment(before) if before else None
        pins = [pin for pin in self._pinned(call) if until is None or self._moment(pin[0]) < until]
        items = [
            {"pinned_at": when, "message": self._messages.seen_by(call.user_id, message)}
            for when, message in pins[:limit]
        ]
        return {"items": items, "has_more": len(pins) > limit}

    async def list_pinned_messages(self, call: Call) -> list[Json]:
        """The older route: at most fifty messages."""
        return [self._messages.seen_by(call.user_id, message) for _, message in self._pinned(call)[:50]]

    async def pin(self, call: Call) -> None:
        """Pin a message; the channel says who did."""
        channel = self._channel(call)
        self._require(call, channel.get("guild_id"), PIN_MESSAGES)
        message = self._messages.get(channel["id"], call["message"])
        pins = self._state.pins.setdefault(channel["id"], {})
        if message["pinned"]:
            return
        if len(self._pinned(call)) >= _MOST:
            raise errors.ApiError(400, 30003, f"Maximum number of pins reached for the channel ({_MOST})")
        pins[message["id"]] = channel["last_pin_timestamp"] = self._state.timestamp()
        await self._pinned_is(channel, message, True)
        where = {"message_id": message["id"], "channel_id": channel["id"], "type": 0}
        if channel.get("guild_id"):
            where["guild_id"] = channel["guild_id"]
        await self._messages.announce(channel, call.user_id, _PINNED_MESSAGE, message_reference=where)

    async def unpin(self, call: Call) -> None:
        """Take a pin away."""
        channel = self._channel(call)
        self._require(call, channel.get("guild_id"), PIN_MESSAGES)
        message = self._messages.get(channel["id"], call["message"])
        if self._state.pins.get(channel["id"], {}).pop(message["id"], None):
            await self._pinned_is(channel, message, False)

    async def _pinned_is(self, channel: Json, message: Json, pinned: bool) -> None:
        message["pinned"] = pinned
        await self._messages.tell(channel, "MESSAGE_UPDATE", message)
        update = {"channel_id": channel["id"], "last_pin_timestamp": channel.get("last_pin_timestamp")}
        if channel.get("guild_id"):
            update["guild_id"] = channel["guild_id"]
        await self._gateway.to_channel(channel, "CHANNEL_PINS_UPDATE", update)
