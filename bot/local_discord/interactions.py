"""Interactions: users start them, and the bot answers each once, within three seconds."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from bot.local_discord import errors
from bot.local_discord.completion import number
from bot.local_discord.gateway import Gateway
from bot.local_discord.limits import check_choices, check_modal, walk
from bot.local_discord.messages import Messages, Upload
from bot.local_discord.patience import Patience
from bot.local_discord.permissions import permissions_in
from bot.local_discord.resolved import add_user, resolve
from bot.local_discord.state import COMPONENTS_V2, EPHEMERAL, LOADING, Interaction, Json, State

ANSWER_WITHIN = 3.0
TOKEN_LIVES = 15 * 60.0
FOLLOW_UPS = 5
"""Follow-ups to an interaction of an app that only its user has installed."""
IN_GUILD, IN_BOT_DM, IN_PRIVATE_CHANNEL = 0, 1, 2
GUILD_INSTALL, USER_INSTALL = 0, 1
COMMAND, COMPONENT, AUTOCOMPLETE, MODAL_SUBMIT = 2, 3, 4, 5
_BROUGHT_ALONG = 1 << 14 | 1 << 15 | 1 << 17 | 1 << 18
"""Embed Links, Attach Files, Mention Everyone, Use External Emojis."""
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
            self._check_command(data, channel, user_id)
        if kind == MODAL_SUBMIT and str(data.get("id")) not in self._state.interactions:
            raise errors.unknown("interaction", 10062)
        message = None
        opener = self._state.interactions.get(str(data.get("id"))) if kind == MODAL_SUBMIT else None
        if opener is not None and opener.source_message_id:  # the modal came from a component
            message = self._state.messages[channel["id"]].get(opener.source_message_id)
        elif body.get("message_id"):
            message = self._messages.get(channel["id"], str(body["message_id"]))
        elif kind == COMPONENT:
            raise errors.unknown("Message", 10008)
        forged = bool(data.get("forged"))
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
        if not forged:
            data["resolved"] = (data.get("resolved") or {}) | resolve(self._state, channel, user_id, data)
        if not data.get("resolved"):
            data.pop("resolved", None)
        interaction.payload = self._payload(interaction, kind, data, channel, message)
        self._state.interactions[interaction.id] = interaction
        self._state.webhooks[interaction.token] = interaction
        created = {"id": interaction.id, "nonce": interaction.nonce}
        await self._gateway.to_users([user_id], "INTERACTION_CREATE", created)
        await self._gateway.to_users([self._bot_id], "INTERACTION_CREATE", interaction.payload)
        timer = self._timers[interaction.id] = asyncio.create_task(self._give_up_later(interaction))
        timer.add_done_callback(lambda _: self._timers.pop(interaction.id))
        return interaction

    def _check_command(self, data: Json, channel: Json, user_id: str) -> None:
        guild = channel.get("guild_id")
        commands = {**self._state.commands.get(None, {}), **self._state.commands.get(guild, {})}
        command = commands.get(str(data.get("id")))
        if command is None or not self._is_offered(command, channel, user_id):
            raise errors.unknown("application command", 10063)

    def _is_offered(self, command: Json, channel: Json, user_id: str) -> bool:
        """Whether clients show a command there: by where it works, and by who has installed the app."""
        contexts, installs = command.get("contexts"), command.get("integration_types") or [GUILD_INSTALL]
        if contexts is not None and self._context(channel) not in contexts:
            return False
        return any(int(kind) in installs for kind in self._owners(channel, user_id))

    def _context(self, channel: Json) -> int:
        if channel.get("guild_id"):
            return IN_GUILD
        return IN_BOT_DM if self._bot_id in channel["_users"] else IN_PRIVATE_CHANNEL

    def _owners(self, channel: Json, user_id: str) -> Json:
        """Who installed the app, as far as it counts here: the guild (0: direct messages), the user."""
        owners, guild = {}, channel.get("guild_id")
        if guild and self._bot_id in self._state.guilds[guild]["members"]:
            owners[str(GUILD_INSTALL)] = guild
        elif self._context(channel) == IN_BOT_DM:
            owners[str(GUILD_INSTALL)] = "0"
        if user_id in self._state.user_installs:
            owners[str(USER_INSTALL)] = user_id
        return owners

    def _check_component(self, data: Json, message: Json, user_id: str) -> None:
        if self._state.hidden.get(message["id"], user_id) != user_id:
            raise errors.unknown("Message", 10008)
        if data.pop("forged", False):  # a tampered client may send anything; the bot must cope
            return
        ids = {c.get("custom_id"): c for _, c in walk(message["components"])}
        component = ids.get(data.get("custom_id"))
        if component is None or component.get("disabled"):
            raise errors.ApiError(400, 50035, "Invalid Form Body")
        data |= {"id": component["id"], "component_type": component["type"]}

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
            "locale": state.locales.get(interaction.user_id, "en-US"),
            "entitlements": [],
            "attachment_size_limit": state.upload_limit,
            "authorizing_integration_owners": self._owners(channel, interaction.user_id),
            "context": self._context(channel),
        }
        if guild_id:
            payload |= {
                "guild_id": guild_id,
                "guild": {"id": guild_id, "locale": "en-US", "features": []},
                "guild_locale": "en-US",
                "member": state.member_json(guild_id, interaction.user_id, permissions=True),
                "app_permissions": str(self._app_permissions(channel)),
            }
        else:
            payload |= {"user": state.users[interaction.user_id], "app_permissions": "0"}
        if message is not None:
            payload["message"] = message
        return payload

    def _app_permissions(self, channel: Json) -> int:
        """What the bot may do in a channel; where it isn't, what apps get that a user brings along."""
        if self._bot_id in self._state.guilds[channel["guild_id"]]["members"]:
            return permissions_in(self._state, channel, self._bot_id)
        return _BROUGHT_ALONG

    def _resolve_target(self, target: str, channel: Json) -> Json:
        if target in self._state.users:
            resolved: Json = {}
            add_user(self._state, channel, target, resolved)
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
            parts = number(data.get("components") or [])
            event = {**data, "components": parts, "id": interaction.id, "nonce": interaction.nonce}
            event["channel_id"] = channel["id"]
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
        metadata = self._metadata(interaction)
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

    def _metadata(self, interaction: Interaction) -> Json:
        """What a message tells about the interaction that it answers, and about the one before a modal."""
        kind = interaction.payload["type"]
        metadata: Json = {
            "id": interaction.id,
            "type": kind,
            "user": self._state.users[interaction.user_id],
            "authorizing_integration_owners": interaction.payload["authorizing_integration_owners"],
        }
        if kind == COMPONENT:
            metadata["interacted_message_id"] = interaction.source_message_id
        if kind == MODAL_SUBMIT:
            trigger = self._state.interactions[interaction.payload["data"]["id"]]
            metadata["triggering_interaction_metadata"] = self._metadata(trigger)
        return metadata

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
        if str(GUILD_INSTALL) not in interaction.payload["authorizing_integration_owners"]:
            if interaction.follow_ups >= FOLLOW_UPS:
                text = "This interaction has hit the maximum number of follow up messages"
                raise errors.ApiError(400, 40094, text)
            interaction.follow_ups += 1
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
            if kind in (REPLY, UPDATE):
                result["resource"] = {"type": kind, "message": message}
        return result

    async def close(self) -> None:
        """Stop all timers."""
        for timer in list(self._timers.values()):
            timer.cancel()


def _v2(body: Json) -> Json:
    flags: Any = body.get("flags") or 0
    return {"flags": flags & COMPONENTS_V2} if flags & COMPONENTS_V2 else {}
