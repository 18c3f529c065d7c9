"""Interactions: users start them, and the bot answers each once, within three seconds."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from bot.local_discord import errors
from bot.local_discord.gateway import Gateway
from bot.local_discord.limits import check_choices, check_modal, walk
from bot.local_discord.messages import Messages, Upload
from bot.local_discord.patience import Patience
from bot.local_discord.state import COMPONENTS_V2, DM, EPHEMERAL, LOADING, Interaction, Json, State

ANSWER_WITHIN = 3.0
TOKEN_LIVES = 15 * 60.0
COMMAND, COMPONENT, AUTOCOMPLETE, MODAL_SUBMIT = 2, 3, 4, 5
PONG, REPLY, DEFER_REPLY, DEFER_UPDATE, UPDATE, CHOICES, MODAL = 1, 4, 5, 6, 7, 8, 9


class Interactions:
    """Carries interactions to the bot, and its answers back."""

    def __init__(self, state: State, gateway: Gateway, messages: Messages) -> None:
        self._state = state
        self._gateway = gateway
        self._messages = messages
        self._timers: dict[str, asyncio.Task[None]] = {}

    @property
    def _bot_id(self) -> str:
        return str(self._state.application["bot"]["id"])

    # -- from the user -------------------------------------------------------------------------

    async def create(self, user_id: str, body: Json) -> Interaction:
        """Start an interaction, as a client does when its user types a command or presses a button."""
        kind, channel = int(body.get("type") or 0), self._state.channels.get(str(body.get("channel_id")))
        if channel is None or not self._state.sees(user_id, channel):
            raise errors.unknown("Channel", 10003)
        if kind not in (COMMAND, COMPONENT, AUTOCOMPLETE, MODAL_SUBMIT):
            raise errors.ApiError(400, 50035, "Invalid Form Body")
        data = dict(body.get("data") or {})
        if body.get("uploads"):
            data["resolved"] = {
                "attachments": self._messages.attach_uploads(channel["id"], data, body["uploads"])
            }
        if kind in (COMMAND, AUTOCOMPLETE):
            self._check_command(data, channel)
        message = None
        if body.get("message_id"):
            message = self._messages.get(channel["id"], str(body["message_id"]))
        elif kind == COMPONENT:
            raise errors.unknown("Message", 10008)
        if kind == COMPONENT and message is not None:
            self._check_component(data, message, user_id)
        interaction = Interaction(
            id=self._state.snowflake(),
            token=secrets.token_urlsafe(60),
            payload={},
            user_id=user_id,
            made_at=self._state.now(),
            patience=Patience(ANSWER_WITHIN),
            nonce=body.get("nonce"),
            source_message_id=message["id"] if message else None,
        )
        interaction.payload = self._payload(interaction, kind, data, channel, message)
        self._state.interactions[interaction.id] = interaction
        self._state.webhooks[interaction.token] = interaction
        created = {"id": interaction.id, "nonce": interaction.nonce}
        await self._gateway.to_users([user_id], "INTERACTION_CREATE", created)
        await self._gateway.to_users([self._bot_id], "INTERACTION_CREATE", interaction.payload)
        timer = self._timers[interaction.id] = asyncio.create_task(self._give_up_later(interaction))
        timer.add_done_callback(lambda _: self._timers.pop(interaction.id))
        return interaction

    def _check_command(self, data: Json, channel: Json) -> None:
        guild = channel.get("guild_id")
        commands = {**self._state.commands.get(None, {}), **self._state.commands.get(guild, {})}
        if str(data.get("id")) not in commands:
            raise errors.unknown("application command", 10063)

    def _check_component(self, data: Json, message: Json, user_id: str) -> None:
        if self._state.hidden.get(message["id"], user_id) != user_id:
            raise errors.unknown("Message", 10008)
        if data.pop("forged", False):  # a tampered client may send anything; the bot must cope
            return
        ids = {c.get("custom_id"): c for _, c in walk(message["components"])}
        component = ids.get(data.get("custom_id"))
        if component is None or component.get("disabled"):
            raise errors.ApiError(400, 50035, "Invalid Form Body")

    def _payload(
        self, interaction: Interaction, kind: int, data: Json, channel: Json, message: Json | None
    ) -> Json:
        state, guild_id = self._state, channel.get("guild_id")
        if kind == COMMAND and data.get("target_id"):
            data["resolved"] = (data.get("resolved") or {}) | self._resolve_target(
                str(data["target_id"]), channel
            )
        payload: Json = {
            "id": interaction.id,
            "application_id": state.application["id"],
            "type": kind,
            "data": data,
            "token": interaction.token,
            "version": 1,
            "channel_id": channel["id"],
            "channel": state.channel_json(channel, self._bot_id),
            "locale": "en-US",
            "entitlements": [],
            "attachment_size_limit": state.upload_limit,
            "authorizing_integration_owners": {"0": guild_id or "0"},
            "context": 0 if guild_id else 1,
        }
        if guild_id:
            payload |= {
                "guild_id": guild_id,
                "guild": {"id": guild_id, "locale": "en-US", "features": []},
                "guild_locale": "en-US",
                "member": state.member_json(guild_id, interaction.user_id, permissions=True),
                "app_permissions": str(state.permissions(guild_id, self._bot_id)),
            }
        else:
            payload |= {"user": state.users[interaction.user_id], "app_permissions": "0"}
        if message is not None:
            payload["message"] = message
        return payload

    def _resolve_target(self, target: str, channel: Json) -> Json:
        if target in self._state.users:
            resolved: Json = {"users": {target: self._state.users[target]}}
            if channel["type"] != DM:
                member = self._state.member_json(channel["guild_id"], target, permissions=True)
                resolved["members"] = {target: {k: v for k, v in member.items() if k != "user"}}
            return resolved
        return {"messages": {target: self._messages.get(channel["id"], target)}}

    async def _give_up_later(self, interaction: Interaction) -> None:
        await interaction.patience.until_over()
        if not interaction.answered:
            interaction.given_up = True
            failure = {"id": interaction.id, "nonce": interaction.nonce, "reason_code": 2}
            await self._gateway.to_users([interaction.user_id], "INTERACTION_FAILURE", failure)

    # -- from the bot --------------------------------------------------------------------------

    async def answer(self, interaction_id: str, token: str, body: Json, uploads: list[Upload]) -> Interaction:
        """Take the bot's first answer, which must come within three seconds."""
        interaction = self._state.interactions.get(interaction_id)
        if interaction is None or interaction.token != token:
            raise errors.unknown("interaction", 10062)
        if interaction.answered:
            raise errors.ApiError(400, 40060, "Interaction has already been acknowledged.")
        if interaction.given_up or interaction.patience.left() <= 0:
            raise errors.unknown("interaction", 10062)
        await self._answer(interaction, int(body.get("type") or 0), body.get("data") or {}, uploads)
        interaction.answered = True
        if timer := self._timers.get(interaction.id):
            timer.cancel()
        if body.get("type") not in (CHOICES,):
            success = {"id": interaction.id, "nonce": interaction.nonce}
            await self._gateway.to_users([interaction.user_id], "INTERACTION_SUCCESS", success)
        return interaction

    async def _answer(self, interaction: Interaction, kind: int, data: Json, uploads: list[Upload]) -> None:
        payload, channel = interaction.payload, self._state.channels[interaction.payload["channel_id"]]
        if kind == CHOICES and payload["type"] == AUTOCOMPLETE:
            problems = check_choices(data.get("choices") or [])
            if problems.tree:
                raise errors.invalid_form(problems)
            event = {"choices": data.get("choices") or [], "nonce": interaction.nonce}
            await self._gateway.to_users(
                [interaction.user_id], "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE", event
            )
        elif payload["type"] == AUTOCOMPLETE:
            raise errors.ApiError(400, 50035, "Invalid Form Body")
        elif kind == MODAL and payload["type"] != MODAL_SUBMIT:
            problems = check_modal(data)
            if problems.tree:
                raise errors.invalid_form(problems)
            event = {**data, "id": interaction.id, "nonce": interaction.nonce, "channel_id": channel["id"]}
            await self._gateway.to_users([interaction.user_id], "INTERACTION_MODAL_CREATE", event)
        elif kind in (REPLY, DEFER_REPLY):
            interaction.deferred = kind if kind == DEFER_REPLY else None
            body = data if kind == REPLY else {"flags": int(data.get("flags") or 0) & EPHEMERAL | LOADING}
            message = await self._say(interaction, channel, body, uploads)
            interaction.message_id = message["id"]
        elif kind in (DEFER_UPDATE, UPDATE) and interaction.source_message_id:
            interaction.message_id = interaction.source_message_id
            if kind == UPDATE:
                await self._messages.edit(
                    self._messages.get(channel["id"], interaction.source_message_id), data, uploads
                )
        else:
            raise errors.ApiError(400, 50035, "Invalid Form Body")

    async def _say(self, interaction: Interaction, channel: Json, body: Json, uploads: list[Upload]) -> Json:
        ephemeral = int(body.get("flags") or 0) & EPHEMERAL
        data = interaction.payload["data"]
        metadata: Json = {
            "id": interaction.id,
            "type": interaction.payload["type"],
            "user": self._state.users[interaction.user_id],
            "authorizing_integration_owners": interaction.payload["authorizing_integration_owners"],
        }
        extra: Json = {"interaction_metadata": metadata, "webhook_id": self._state.application["id"]}
        if interaction.payload["type"] == COMMAND:
            extra["interaction"] = {
                "id": interaction.id,
                "type": COMMAND,
                "name": data.get("name", ""),
                "user": self._state.users[interaction.user_id],
            }
        visible_to = interaction.user_id if ephemeral else None
        return await self._messages.create(
            channel, self._bot_id, body, uploads=uploads, visible_to=visible_to, type=20, **extra
        )

    def by_token(self, token: str) -> Interaction:
        """The interaction of a webhook token.

        Raises
        ------
        ApiError
            50027 if the token has expired after fifteen minutes, 10015 if it is unknown.
        """
        interaction = self._state.webhooks.get(token)
        if interaction is None:
            raise errors.unknown("Webhook", 10015)
        if self._state.now() - interaction.made_at > TOKEN_LIVES:
            raise errors.ApiError(401, 50027, "Invalid Webhook Token")
        return interaction

    def message(self, interaction: Interaction, which: str) -> Json:
        """``@original`` or a follow-up message of an interaction."""
        message_id = interaction.message_id if which == "@original" else which
        if message_id is None:
            raise errors.unknown("Message", 10008)
        return self._messages.get(interaction.payload["channel_id"], message_id)

    async def follow_up(self, interaction: Interaction, body: Json, uploads: list[Upload]) -> Json:
        """Post a further message; the first one after a deferred reply becomes that reply."""
        if not interaction.answered:
            raise errors.unknown("Webhook", 10015)
        channel = self._state.channels[interaction.payload["channel_id"]]
        if interaction.deferred and interaction.message_id:
            interaction.deferred = None
            original = self._messages.get(channel["id"], interaction.message_id)
            return await self._messages.edit(
                original, {k: v for k, v in body.items() if k != "flags"} | _v2(body), uploads
            )
        return await self._say(interaction, channel, body, uploads)

    async def edit(self, interaction: Interaction, which: str, body: Json, uploads: list[Upload]) -> Json:
        """Edit ``@original`` or a follow-up message."""
        message = self.message(interaction, which)
        if which == "@original":
            interaction.deferred = None
        return await self._messages.edit(message, body, uploads)

    def callback_answer(self, interaction: Interaction, kind: int) -> Json:
        """The answer to ``with_response=true``."""
        callback: Json = {"id": interaction.id, "type": interaction.payload["type"]}
        result: Json = {"interaction": callback}
        if interaction.message_id and kind in (REPLY, DEFER_REPLY, UPDATE, DEFER_UPDATE):
            message = self.message(interaction, "@original")
            callback |= {
                "response_message_id": message["id"],
                "response_message_loading": bool(message["flags"] & LOADING),
                "response_message_ephemeral": bool(message["flags"] & EPHEMERAL),
            }
            result["resource"] = {"type": kind, "message": message}
        return result

    async def close(self) -> None:
        """Stop all timers."""
        for timer in list(self._timers.values()):
            timer.cancel()


def _v2(body: Json) -> Json:
    flags: Any = body.get("flags") or 0
    return {"flags": flags & COMPONENTS_V2} if flags & COMPONENTS_V2 else {}
