"""A user of the local Discord: types commands, presses buttons, reads replies. Over real sockets."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from typing import Any, Self

import aiohttp

from bot.local_discord.limits import FILE_UPLOAD, TEXT_INPUT, walk
from bot.local_discord.shown_reply import ShownReply
from bot.local_discord.state import LOADING, Json
from bot.local_discord.typed import Typed, find_command, parse, split_values, upload

REPLY_WITHIN = 30.0


class NoReplyError(RuntimeError):
    """The bot did not answer in time; Discord shows "The application did not respond"."""


class CommandRefusedError(RuntimeError):
    """The local Discord refused the user's request."""


class UserClient:
    """Connects as one user, as Discord's own client would."""

    def __init__(self, url: str, token: str) -> None:
        self._api = url.rstrip("/") + "/api/v10"
        self._gateway = url.rstrip("/").replace("http", "ws", 1) + "/gateway"
        self._token = token
        self.user: Json = {}
        self.guild_id = ""
        self.channel_id = ""
        self.messages: dict[str, Json] = {}
        self.names: dict[str, str] = {}
        """Names of people (``@<id>``), roles (``&<id>``) and channels (``#<id>``)."""
        self.listeners: list[Callable[[str, Json], None]] = []
        """Called with each event."""
        self.events: list[tuple[str, Json]] = []
        self._waiting: list[tuple[Callable[[str, Json], bool], asyncio.Future[tuple[str, Json]]]] = []

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(headers={"Authorization": self._token})
        self._ws = await self._session.ws_connect(self._gateway, max_msg_size=0)
        await self._ws.send_json({"op": 2, "d": {"token": self._token, "properties": {}, "intents": 0}})
        ready = asyncio.get_running_loop().create_future()
        self._waiting.append((lambda event, _: event == "GUILD_CREATE", ready))
        self._listener = asyncio.create_task(self._listen())
        _, guild = await asyncio.wait_for(ready, 10)
        self.guild_id = guild["id"]
        self.channel_id = next(c["id"] for c in guild["channels"] if c["type"] == 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.cancel()
        await self._ws.close()
        await self._session.close()

    async def _listen(self) -> None:
        async for message in self._ws:
            payload = json.loads(message.data)
            event, data = payload.get("t"), payload.get("d")
            if event == "READY":
                self.user = data["user"]
            elif event in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
                self.messages[data["id"]] = data
            elif event == "MESSAGE_DELETE":
                self.messages.pop(data["id"], None)
            if event:
                self._learn(event, data)
                self.events.append((event, data))
                for listener in self.listeners:
                    listener(event, data)
            for matches, future in list(self._waiting):
                if event and not future.done() and matches(event, data):
                    future.set_result((event, data))
            self._waiting = [entry for entry in self._waiting if not entry[1].done()]

    def _learn(self, event: str, data: Json) -> None:
        """Remember names, as a client does to show mentions."""
        users = [data["user"]] if event == "READY" else []
        if event == "GUILD_CREATE":
            users += [member["user"] for member in data["members"]]
            self.names |= {f"&{role['id']}": f"@{role['name'].lstrip('@')}" for role in data["roles"]}
        if event in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
            users += [data["author"], *data.get("mentions", [])]
        channels = [*data.get("channels", []), *data.get("threads", [])] if event == "GUILD_CREATE" else []
        channels += (
            [data] if event in ("CHANNEL_CREATE", "THREAD_CREATE", "CHANNEL_UPDATE", "THREAD_UPDATE") else []
        )
        self.names |= {f"@{user['id']}": f"@{user.get('global_name') or user['username']}" for user in users}
        self.names |= {
            f"#{channel['id']}": f"#{channel['name']}" for channel in channels if channel.get("name")
        }

    async def request(self, method: str, path: str, body: Any = None) -> Any:
        """A request to the API as this user.

        Raises
        ------
        CommandRefusedError
            With the API's message.
        """
        async with self._session.request(method, self._api + path, json=body) as answer:
            data = await answer.json() if answer.status != 204 else None
            if answer.status >= 400:
                raise CommandRefusedError(f"{answer.status} {data}")
            return data

    async def commands(self) -> list[Json]:
        """The bot's application commands, global ones first."""
        app = (await self.request("GET", "/applications/@me"))["id"]
        everywhere = await self.request("GET", f"/applications/{app}/commands")
        here = await self.request("GET", f"/applications/{app}/guilds/{self.guild_id}/commands")
        return [*everywhere, *here]

    async def direct_messages(self) -> str:
        """The channel of this user's direct messages with the bot."""
        bot = (await self.request("GET", "/applications/@me"))["bot"]["id"]
        return str((await self.request("POST", "/users/@me/channels", {"recipient_id": bot}))["id"])

    # -- doing things ----------------------------------------------------------------------------

    async def slash(self, text: str, *, within: float = REPLY_WITHIN) -> ShownReply:
        """Type a slash command and wait for the reply.

        Raises
        ------
        TypingError
            If the text is not a command.
        NoReplyError
            If the bot does not answer.
        """
        return await self.run(parse(text, await self.commands()), within=within)

    async def run(self, typed: Typed, *, within: float = REPLY_WITHIN) -> ShownReply:
        """Send a parsed command."""
        return await self._interact({"type": 2, "data": typed.data, "uploads": typed.uploads()}, within)

    async def raw_command(self, data: Json, *, within: float = REPLY_WITHIN) -> ShownReply:
        """Send a command's data as given, as a tampered client would."""
        return await self._interact({"type": 2, "data": data}, within)

    async def context_menu(self, name: str, target_id: str, kind: int = 2) -> ShownReply:
        """Use a user (2) or message (3) command on a target."""
        command = next(c for c in await self.commands() if c["name"] == name and c["type"] == kind)
        data = {"id": command["id"], "name": name, "type": kind, "target_id": target_id}
        return await self._interact({"type": 2, "data": data}, REPLY_WITHIN)

    async def component(self, message: Json, data: Json, *, within: float = REPLY_WITHIN) -> ShownReply:
        """Use a component of a message; with ``forged`` in the data, the message need not have it."""
        where = {
            "channel_id": message.get("channel_id", self.channel_id),
            "guild_id": message.get("guild_id"),
        }
        return await self._interact({"type": 3, "data": data, "message_id": message["id"], **where}, within)

    async def submit(self, modal: Json, values: dict[str, str]) -> ShownReply:
        """Fill in a modal and send it; the value of a file upload is the path of a file.

        Raises
        ------
        TypingError
            If there is no such file.
        """
        left = dict(values)
        rows = [_filled(part, left) for part in modal.get("components") or []]
        rows += [{"type": 1, "components": [_filled_in(name, left[name])]} for name in left]
        uploads = [
            upload(part["custom_id"], path)
            for _, part in walk(rows)
            if part["type"] == FILE_UPLOAD
            for path in part["values"]
        ]
        data = {"id": modal["id"], "custom_id": modal["custom_id"], "components": rows}
        place = {"channel_id": modal.get("channel_id") or self.channel_id}
        return await self._interact({"type": 5, "data": data, "uploads": uploads, **place}, REPLY_WITHIN)

    async def complete(self, text: str, *, within: float = REPLY_WITHIN) -> list[Json]:
        """The bot's suggestions for the option at the end of the text; the server says when they are late."""
        typed, rest = find_command(text, await self.commands())
        values = split_values(rest, [option["name"] for option in typed.options])
        focused = list(values)[-1] if values else ""
        if focused == "":
            focused = typed.options[0]["name"] if typed.options else ""
            values = {focused: values.pop("", ""), **values}
        option = next((o for o in typed.options if o["name"] == focused), None)
        if option is None or not option.get("autocomplete"):
            return list(option.get("choices") or []) if option else []
        data: Json = {"id": typed.command["id"], "name": typed.command["name"], "type": 1}
        options: list[Json] = [{"name": n, "type": 3, "value": v} for n, v in values.items() if n != focused]
        options.append({"name": focused, "type": option["type"], "value": values[focused], "focused": True})
        for level, name in reversed(list(enumerate(typed.path))):
            options = [{"name": name, "type": 2 if level < len(typed.path) - 1 else 1, "options": options}]
        data["options"] = options
        nonce = secrets.token_hex(8)
        future = self._expect(
            lambda event, d: (
                event in ("APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE", "INTERACTION_FAILURE")
                and d.get("nonce") == nonce
            )
        )
        await self._post({"type": 4, "data": data, "nonce": nonce})
        try:
            event, answer = await asyncio.wait_for(future, within)
        except TimeoutError as error:
            raise NoReplyError("the bot sent no suggestions") from error
        if event == "INTERACTION_FAILURE":
            raise NoReplyError("the bot sent no suggestions")
        return list(answer["choices"])

    async def say(self, content: str, **more: Any) -> Json:
        """Post a message."""
        return dict(
            await self.request("POST", f"/channels/{self.channel_id}/messages", {"content": content, **more})
        )

    async def mention(self, text: str, *, within: float = REPLY_WITHIN) -> ShownReply:
        """Mention the bot in the channel, with some words, and wait for its reply.

        Raises
        ------
        NoReplyError
            If the bot does not reply.
        """
        application = await self.request("GET", "/applications/@me")
        return await self.tell(f"<@{application['bot']['id']}> {text}", within=within)

    async def tell(self, content: str, *, within: float = REPLY_WITHIN, **more: Any) -> ShownReply:
        """Post a message and wait for the bot's reply to it; raises as :meth:`mention` does."""
        said = await self.say(content, **more)

        def replies(message: Json) -> bool:
            answered = (message.get("message_reference") or {}).get("message_id")
            return answered == said["id"] and bool(message["author"].get("bot"))

        come = next((message for message in self.messages.values() if replies(message)), None)
        if come is not None:  # before the answer to our request
            return ShownReply(self, come)
        future = self._expect(lambda event, data: event == "MESSAGE_CREATE" and replies(data))
        try:
            return ShownReply(self, (await asyncio.wait_for(future, within))[1])
        except TimeoutError as error:
            raise NoReplyError("the bot did not reply") from error

    async def next_answer(self, reply: ShownReply, *, within: float) -> ShownReply:
        """What comes in a reply's place: its message edited, or another message of the same interaction.

        Raises
        ------
        NoReplyError
            If nothing comes in time.
        """
        shown = reply.message
        asked = (shown.get("interaction_metadata") or {}).get("id")

        def replaces(message: Json) -> bool:
            same = message["id"] == shown["id"]
            mine = asked is not None and (message.get("interaction_metadata") or {}).get("id") == asked
            changed = message != shown if same else int(message["id"]) > int(shown["id"])
            return (same or mine) and changed and not int(message["flags"]) & LOADING

        come = next((message for message in self.messages.values() if replaces(message)), None)
        if come is not None:  # while the reply was being shown
            return ShownReply(self, come)
        future = self._expect(
            lambda event, data: event in ("MESSAGE_CREATE", "MESSAGE_UPDATE") and replaces(data)
        )
        try:
            return ShownReply(self, (await asyncio.wait_for(future, within))[1])
        except TimeoutError as error:
            raise NoReplyError("the answer has not come yet") from error

    async def wait_for(
        self, event: str, check: Callable[[Json], bool] = lambda _: True, within: float = 10
    ) -> Json:
        """The next event of this kind."""
        future = self._expect(lambda name, data: name == event and check(data))
        return (await asyncio.wait_for(future, within))[1]

    # -- waiting ---------------------------------------------------------------------------------

    def _expect(self, matches: Callable[[str, Json], bool]) -> asyncio.Future[tuple[str, Json]]:
        future: asyncio.Future[tuple[str, Json]] = asyncio.get_running_loop().create_future()
        self._waiting.append((matches, future))
        return future

    async def _post(self, body: Json) -> None:
        place = {"guild_id": self.guild_id, "channel_id": self.channel_id}
        await self.request("POST", "/interactions", {**place, **body})

    async def _interact(self, body: Json, within: float) -> ShownReply:
        """Send an interaction and wait until its answer is complete."""
        nonce = secrets.token_hex(8)
        started = self._expect(lambda event, d: event == "INTERACTION_CREATE" and d.get("nonce") == nonce)
        state: dict[str, Any] = {"id": None, "done": False, "message": None}
        source = body.get("message_id")

        def answers(event: str, data: Json) -> bool:
            if event in ("INTERACTION_FAILURE", "INTERACTION_MODAL_CREATE") and data.get("nonce") == nonce:
                return True
            if event == "INTERACTION_SUCCESS" and data.get("nonce") == nonce:
                state["done"] = True
            elif event in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
                made_by = (data.get("interaction_metadata") or {}).get("id")
                mine = made_by is not None and made_by == state["id"]
                ready = not data["flags"] & LOADING
                if (mine and ready and event in ("MESSAGE_CREATE", "MESSAGE_UPDATE")) or (
                    data["id"] == source and event == "MESSAGE_UPDATE"
                ):
                    state["message"] = data
            return bool(state["done"] and state["message"])

        def remember(event: str, data: Json) -> bool:
            if event == "INTERACTION_CREATE" and data.get("nonce") == nonce:
                state["id"] = data["id"]
            return answers(event, data)

        future = self._expect(remember)
        await self._post({**body, "nonce": nonce})
        await asyncio.wait_for(started, 10)
        try:
            event, data = await asyncio.wait_for(future, within)
        except TimeoutError as error:
            raise NoReplyError("the bot did not finish its answer") from error
        if event == "INTERACTION_FAILURE":
            raise NoReplyError("The application did not respond")
        if event == "INTERACTION_MODAL_CREATE":
            return ShownReply(
                self,
                {"flags": 0, "content": "", "embeds": [], "modal": data, "components": data["components"]},
            )
        return ShownReply(self, self.messages.get(state["message"]["id"], state["message"]))


def _filled(part: Json, values: dict[str, str]) -> Json:
    """A part of a modal with what its user typed, in the modal's own shape; takes from the values."""
    filled: Json = {name: part[name] for name in ("type", "id", "custom_id") if name in part}
    if part.get("component"):
        filled["component"] = _filled(part["component"], values)
    if part.get("components"):
        filled["components"] = [_filled(inner, values) for inner in part["components"]]
    if part["type"] == TEXT_INPUT:
        filled["value"] = values.pop(part["custom_id"], part.get("value") or "")
    if part["type"] == FILE_UPLOAD:
        path = str(values.pop(part["custom_id"], ""))
        filled["values"] = [path] if path else []
    return filled


def _filled_in(custom_id: str, value: str) -> Json:
    """A text input that the modal does not have, as a tampered client sends it."""
    return {"type": TEXT_INPUT, "custom_id": custom_id, "value": value}
