"""Messages: create, edit and delete them as Discord does, with nonces, files and mentions."""

from __future__ import annotations

import base64
import mimetypes
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bot.local_discord import errors
from bot.local_discord.completion import Completion
from bot.local_discord.gateway import Gateway
from bot.local_discord.limits import FILE_UPLOAD, MAX_FILES, Problems, check_message, walk
from bot.local_discord.polls import poll_made, poll_seen_by
from bot.local_discord.reactions import reactions_seen_by
from bot.local_discord.state import (
    DM,
    EPHEMERAL,
    LOADING,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    SUPPRESS_EMBEDS,
    Json,
    State,
)

_USER_MENTION, _EVERYONE = re.compile(r"<@!?(\d+)>"), re.compile(r"@(everyone|here)")
_ROLE_MENTION = re.compile(r"<@&(\d+)>")

NONCE_LIVES = 2 * 60.0
"""Seconds for which an author's nonce is known, in whichever channel. Discord says "the past few minutes"."""


@dataclass(frozen=True)
class Upload:
    """A file in a multipart request."""

    index: int
    name: str
    content_type: str
    data: bytes


class Messages:
    """Keeps the messages of channels and sends them to everyone who may see them."""

    def __init__(self, state: State, gateway: Gateway, base_url: str = "") -> None:
        self._state = state
        self._gateway = gateway
        self.base_url = base_url

    async def create(
        self,
        channel: Json,
        author_id: str,
        body: Json,
        *,
        uploads: list[Upload] | None = None,
        visible_to: str | None = None,
        **extra: Any,
    ) -> Json:
        """Create a message; with ``visible_to``, an ephemeral one.

        Raises
        ------
        ApiError
            If Discord would refuse it.
        """
        uploads = uploads or []
        if not int(body.get("flags") or 0) & LOADING:
            problems = check_message(body, uploads=len(uploads))
            if problems.tree:
                raise errors.invalid_form(problems)
        nonce = body.get("nonce")
        if nonce is not None and body.get("enforce_nonce"):
            used, earlier = self._state.nonces.get((author_id, str(nonce)), (0.0, {}))
            if earlier and self._state.now() - used < NONCE_LIVES:
                return earlier
        thread = channel.get("thread_metadata", {})
        if thread.get("archived"):
            if thread.get("locked"):
                raise errors.ApiError(400, 50083, "Thread is archived")
            thread["archived"] = False
        message = self._new(channel, author_id, body, uploads, **extra)
        if visible_to:
            message["flags"] |= EPHEMERAL
            self._state.hidden[message["id"]] = visible_to
        self._state.messages[channel["id"]][message["id"]] = message
        channel["last_message_id"] = message["id"]
        if channel["type"] in (PUBLIC_THREAD, PRIVATE_THREAD):
            channel["message_count"] += 1
        if nonce is not None:
            self._state.nonces[author_id, str(nonce)] = self._state.now(), message
        await self.tell(channel, "MESSAGE_CREATE", message, nonce=nonce)
        return message

    def _new(self, channel: Json, author_id: str, body: Json, uploads: list[Upload], **extra: Any) -> Json:
        content = body.get("content") or ""
        message: Json = {
            "id": self._state.snowflake(),
            "channel_id": channel["id"],
            "type": 0,
            "author": extra.get("author") or self._state.users[author_id],
            "content": content,
            "timestamp": self._state.timestamp(),
            "edited_timestamp": None,
            "tts": False,
            "pinned": False,
            "flags": int(body.get("flags") or 0),
            "attachments": [],
            "embeds": [],
            "components": [],
            **self._mentions({"channel_id": channel["id"], **body}, content),
            **extra,
        }
        self._show(message, body, self._attach(channel["id"], uploads, body.get("attachments")))
        if body.get("poll"):
            message["poll"] = poll_made(body["poll"], self._state.now())
        if reference := body.get("message_reference"):
            ids = {name: str(value) for name, value in reference.items() if name.endswith("_id")}
            message |= {"type": 19, "message_reference": {"type": 0, "channel_id": channel["id"], **ids}}
            message["referenced_message"] = self._referenced(channel["id"], reference)
        if author_id == self._state.application["bot"]["id"]:
            message["application_id"] = self._state.application["id"]
        return message

    def _show(self, message: Json, body: Json, files: list[Json]) -> None:
        """Give a message its files, and the components and embeds of the body; others stay."""
        completion = Completion(files, self._state.snowflake)
        embeds, components = (
            body[name] or [] if name in body else message[name] for name in ("embeds", "components")
        )
        message["embeds"], message["components"] = (
            completion.embeds(embeds),
            completion.components(components),
        )
        message["attachments"] = [file for file in files if file["id"] not in completion.shown]
        self._state.attached[message["id"]] = files

    def _mentions(self, body: Json, content: str) -> Json:
        """Whom the message pings: the mentions in its text that ``allowed_mentions`` permits."""
        texts = [content, *(c.get("content", "") for _, c in walk(body.get("components") or []))]
        text = "\n".join(filter(None, texts))
        allowed = body.get("allowed_mentions")
        parse = {"users", "roles", "everyone"} if allowed is None else set(allowed.get("parse") or [])
        users = _USER_MENTION.findall(text) if "users" in parse else (allowed or {}).get("users") or []
        users = [*users, *self._replied_to(body, pinged=allowed is None or bool(allowed.get("replied_user")))]
        roles = _ROLE_MENTION.findall(text) if "roles" in parse else (allowed or {}).get("roles") or []
        return {
            "mentions": [
                self._state.users[u] for u in dict.fromkeys(map(str, users)) if u in self._state.users
            ],
            "mention_roles": list(dict.fromkeys(str(role) for role in roles if role is not None)),
            "mention_everyone": "everyone" in parse and bool(_EVERYONE.search(text)),
        }

    def _replied_to(self, body: Json, *, pinged: bool) -> list[str]:
        """The author of the message that this one replies to. A reply pings them unless told not to."""
        reference = body.get("message_reference") or {}
        place = self._state.messages.get(str(reference.get("channel_id") or body.get("channel_id")), {})
        answered = place.get(str(reference.get("message_id")))
        return [answered["author"]["id"]] if pinged and answered else []

    def _referenced(self, channel_id: str, reference: Json) -> Json | None:
        """The message that is answered, without what it answers itself; None where it is gone.

        Raises
        ------
        ApiError
            50035 if it is gone and ``fail_if_not_exists`` is not false.
        """
        place = self._state.messages.get(str(reference.get("channel_id") or channel_id), {})
        answered = place.get(str(reference.get("message_id")))
        if answered is None and reference.get("fail_if_not_exists", True):
            problems = Problems()
            problems.add("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
            raise errors.invalid_form(problems)
        return {k: v for k, v in answered.items() if k != "referenced_message"} if answered else None

    def _attach(self, channel_id: str, uploads: list[Upload], described: list[Json] | None) -> list[Json]:
        about = {str(entry.get("id")): entry for entry in described or []}
        attachments = []
        if len(uploads) > MAX_FILES:
            problems = Problems()
            problems.too_long("attachments", uploads, MAX_FILES)
            raise errors.invalid_form(problems)
        for upload in uploads:
            if len(upload.data) > self._state.upload_limit:
                raise errors.ApiError(413, 40005, "Request entity too large")
            attachment_id = self._state.snowflake()
            self._state.files[attachment_id] = (upload.name, upload.content_type, upload.data)
            url = f"{self.base_url}/attachments/{channel_id}/{attachment_id}/{quote(upload.name, safe='')}"
            entry = about.get(str(upload.index), {})
            attachments.append(
                {
                    "id": attachment_id,
                    "filename": upload.name,
                    "size": len(upload.data),
                    "url": url,
                    "proxy_url": url,
                    "content_type": upload.content_type,
                    **({"description": entry["description"]} if entry.get("description") else {}),
                }
            )
        return attachments

    def attach_uploads(self, channel_id: str, data: Json, uploads: list[Json]) -> Json:
        """Keep the files of a command's options or of a form, and make each file's id the value."""
        resolved: Json = {}
        for upload in uploads:
            content = base64.b64decode(upload["content"])
            kind = mimetypes.guess_type(upload["filename"])[0] or "application/octet-stream"
            [made] = self._attach(channel_id, [Upload(0, upload["filename"], kind, content)], None)
            resolved[made["id"]] = made
            _rename(data.get("options") or [], upload["id"], made["id"])
            for _, component in walk(data.get("components") or []):
                if component.get("type") == FILE_UPLOAD:
                    component["values"] = [
                        made["id"] if value == upload["id"] else value for value in component["values"]
                    ]
        return resolved

    async def edit(self, message: Json, body: Json, uploads: list[Upload] | None = None) -> Json:
        """Edit a message; fields missing from the body stay."""
        problems = check_message(body, edits=message, uploads=len(uploads or []))
        if problems.tree:
            raise errors.invalid_form(problems)
        if "content" in body:
            message["content"] = body["content"] or ""
        if "flags" in body and body["flags"] is not None:
            message["flags"] = (message["flags"] & (EPHEMERAL | LOADING)) | int(body["flags"])
        message["flags"] &= ~LOADING
        named = {str(entry.get("id")) for entry in body.get("attachments") or []}
        files = self._state.attached.get(message["id"], [])
        kept = [file for file in files if file["id"] in named or "attachments" not in body]
        new = self._attach(message["channel_id"], uploads or [], body.get("attachments"))
        self._show(message, body, kept + new)
        message.update(self._mentions(body, message["content"]))
        message["edited_timestamp"] = self._state.timestamp()
        await self.tell(self._state.channels[message["channel_id"]], "MESSAGE_UPDATE", message)
        return message

    async def hide_previews(self, message: Json, flags: int) -> Json:
        """Set a message's flags, and remove its embeds if previews are hidden. It doesn't count as edited."""
        message["flags"] = flags
        if flags & SUPPRESS_EMBEDS:
            message["embeds"] = []
        await self.tell(self._state.channels[message["channel_id"]], "MESSAGE_UPDATE", message)
        return message

    async def delete(self, message: Json) -> None:
        """Delete a message."""
        channel = self._state.channels[message["channel_id"]]
        self._state.messages[channel["id"]].pop(message["id"], None)
        deleted = {"id": message["id"], "channel_id": channel["id"], "guild_id": channel.get("guild_id")}
        await self.tell(channel, "MESSAGE_DELETE", deleted, visible_to=self._state.hidden.get(message["id"]))

    async def tell(
        self, channel: Json, event: str, message: Json, *, visible_to: str | None = None, nonce: Any = None
    ) -> None:
        """Send an event of a message to everyone who may see it."""
        payload = self.seen_by("", message) if "author" in message else dict(message)
        payload |= {"guild_id": channel["guild_id"]} if channel["type"] != DM else {}
        author = message.get("author", {}).get("id")
        if channel["type"] != DM and author in self._state.guilds[channel["guild_id"]]["members"]:
            member = self._state.member_json(channel["guild_id"], author)
            payload["member"] = {key: value for key, value in member.items() if key != "user"}
        if nonce is not None:
            payload["nonce"] = nonce
        viewer = visible_to or self._state.hidden.get(message["id"])
        if viewer:
            await self._gateway.to_users([viewer, self._state.application["bot"]["id"]], event, payload)
        else:
            await self._gateway.to_channel(channel, event, payload)

    async def announce(self, channel: Json, author_id: str, kind: int, **more: Any) -> None:
        """A message that Discord itself writes, such as "pinned a message"."""
        message = self._new(channel, author_id, {}, [], type=kind, **more)
        self._state.messages[channel["id"]][message["id"]] = message
        channel["last_message_id"] = message["id"]
        await self.tell(channel, "MESSAGE_CREATE", message)

    def seen_by(self, viewer: str, message: Json) -> Json:
        """A message with its reactions and the votes of its poll, as a viewer is sent it."""
        seen = dict(message)
        if reactions := reactions_seen_by(self._state, viewer, message["id"]):
            seen["reactions"] = reactions
        if "poll" in message:
            seen["poll"] = poll_seen_by(self._state, viewer, message)
        return seen

    def get(self, channel_id: str, message_id: str) -> Json:
        """A message by its id.

        Raises
        ------
        ApiError
            10008 if there is none.
        """
        message = self._state.messages.get(channel_id, {}).get(message_id)
        if message is None:
            raise errors.unknown("Message", 10008)
        return message


def _rename(options: list[Json], old: str, new: str) -> None:
    """Replace the typed path of a file by the file's id."""
    for option in options:
        _rename(option.get("options") or [], old, new)
        if option.get("type") == 11 and option.get("value") == old:
            option["value"] = new
