"""The local Discord behaves, and misbehaves, as Discord does."""

from __future__ import annotations

import asyncio
import io
import json
import zlib

import aiohttp
import discord
import pytest
import zstandard
from discord import app_commands, ui
from discord.ext import commands

from bot.client import pointed_at
from bot.local_discord.client import CommandRefusedError, NoReplyError, UserClient
from bot.local_discord.server import LocalDiscord
from tests.helpers.lab import settings_for


class Probe(commands.AutoShardedBot):
    """A bot of somebody else: plain discord.py with one of everything."""

    def __init__(self) -> None:
        super().__init__(
            "!",
            intents=discord.Intents(guilds=True, guild_messages=True, dm_messages=True),
            guild_ready_timeout=0.05,
        )
        self.seen: list[discord.Message] = []
        self.interactions = 0

    async def on_message(self, message: discord.Message) -> None:
        self.seen.append(message)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        self.interactions += 1

    async def setup_hook(self) -> None:
        @self.tree.command()
        @app_commands.describe(text="x")
        async def echo(
            interaction: discord.Interaction, text: str, number: int = 0, who: discord.User | None = None
        ) -> None:
            """Say it back"""
            await interaction.response.send_message(f"{text} {number}", ephemeral=number == 7)

        @self.tree.command()
        async def late(interaction: discord.Interaction) -> None:
            """Defer, then follow up, edit and delete"""
            await interaction.response.defer()
            first = await interaction.followup.send("first", wait=True)
            second = await interaction.followup.send("second", wait=True)
            await second.edit(content="second, edited")
            await first.edit(content="first, edited")

        @self.tree.command()
        async def silent(interaction: discord.Interaction) -> None:
            """Never answer"""

        @self.tree.command()
        async def form(interaction: discord.Interaction) -> None:
            """Ask with a modal"""
            await interaction.response.send_modal(Form())

        group = app_commands.Group(name="group", description="sub")

        @group.command()
        async def inner(interaction: discord.Interaction, choice: app_commands.Range[int, 1, 3]) -> None:
            """Inside"""
            await interaction.response.send_message(f"inner {choice}")

        self.tree.add_command(group)

        @self.tree.context_menu(name="Greet")
        async def greet(interaction: discord.Interaction, user: discord.User) -> None:
            await interaction.response.send_message(f"hello {user.name}")

        @self.tree.context_menu(name="Count")
        async def count(interaction: discord.Interaction, message: discord.Message) -> None:
            await interaction.response.send_message(f"{len(message.content)} characters")

        await self.tree.sync()


class Form(ui.Modal, title="A form"):
    name = ui.TextInput(label="Name")

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(f"you are {self.name.value}")


@pytest.fixture
async def place(tmp_path):
    async with LocalDiscord() as server:
        bot = Probe()
        with pointed_at(settings_for(server, tmp_path, discord_gateway_url=server.gateway_url)):
            running = asyncio.create_task(bot.start(server.bot_token))
            await _until(lambda: not running.done() and _ready(bot))
            async with UserClient(server.url, server.user_token) as user:
                yield server, bot, user
            await bot.close()
            await asyncio.gather(running, return_exceptions=True)


def _ready(bot):
    try:
        return bot.is_ready()
    except AttributeError:
        return False


async def _until(check, seconds=10.0):
    for _ in range(int(seconds * 50)):
        if check():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen")


async def test_an_unmodified_client_answers_every_kind_of_interaction(place):
    _server, _bot, user = place
    assert (await user.slash("/echo text:hello there number:3")).text == "hello there 3"
    assert (await user.slash("/echo hi number:7")).is_private
    assert (await user.slash("/group inner choice:2")).text == "inner 2"
    assert (await user.context_menu("Greet", user.user["id"])).text == "hello you"
    said = await user.say("four")
    assert (await user.context_menu("Count", said["id"], kind=3)).text == "4 characters"
    form = await user.slash("/form")
    custom_id = next(c["custom_id"] for c in form.components if c["type"] == 4)
    assert (await user.submit(form.message["modal"], {custom_id: "Ada"})).text == "you are Ada"
    first = await user.slash("/late")
    await _until(lambda: any(m["content"] == "second, edited" for m in user.messages.values()))
    assert user.messages[first.message["id"]]["content"].startswith("first")


async def test_silence_is_told_after_three_seconds(place):
    _, _, user = place
    with pytest.raises(NoReplyError, match="did not respond"):
        await user.slash("/silent")


async def test_messages_threads_forums_and_dms(place):
    server, bot, user = place
    channel = bot.get_channel(int(server.channel["id"]))
    one = await channel.send("hello", nonce=5)
    again = await channel._state.http.request(
        discord.http.Route("POST", "/channels/{channel_id}/messages", channel_id=channel.id),
        json={"content": "x", "nonce": "n1", "enforce_nonce": True},
    )
    same = await channel._state.http.request(
        discord.http.Route("POST", "/channels/{channel_id}/messages", channel_id=channel.id),
        json={"content": "x", "nonce": "n1", "enforce_nonce": True},
    )
    assert again["id"] == same["id"]
    assert [m.content async for m in channel.history(limit=10)] == ["x", "hello"]
    thread = await one.create_thread(name="a thread")
    await thread.send("inside")
    await _until(lambda: bot.get_channel(thread.id) or thread)
    await thread.edit(archived=True)
    forum = server.state.add_channel(server.guild["id"], "papers", kind=15)
    await server.gateway.to_guild(server.guild["id"], "CHANNEL_CREATE", server.state.channel_json(forum, ""))
    await _until(lambda: bot.get_channel(int(forum["id"])))
    made = await bot.get_channel(int(forum["id"])).create_thread(name="post", content="first")
    assert made.message.content == "first"
    member = await bot.fetch_user(int(user.user["id"]))
    direct = await member.send("psst")
    assert direct.guild is None
    await one.add_reaction("👍")
    await one.delete()
    with pytest.raises(discord.NotFound):
        await channel.fetch_message(one.id)
    guild = bot.guilds[0]
    role = await guild.fetch_roles()
    assert role[0].name == "@everyone"
    assert (await guild.fetch_member(int(user.user["id"]))).name == "you"
    with pytest.raises(discord.Forbidden):
        await guild.create_text_channel("mine")


async def test_files_arrive_whole(place):
    server, bot, _user = place
    channel = bot.get_channel(int(server.channel["id"]))
    message = await channel.send(file=discord.File(io.BytesIO(b"\x00\x01pdf"), "a.bin", description="alt"))
    assert message.attachments[0].description == "alt"
    assert await message.attachments[0].read() == b"\x00\x01pdf"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"content": "x" * 2_001}, "content"),
        ({}, None),
        ({"content": "x", "components": [{"type": 10, "content": "y"}]}, "components"),
        (
            {
                "flags": 1 << 15,
                "components": [{"type": 10, "content": "x" * 2_100}, {"type": 10, "content": "x" * 2_100}],
            },
            "components",
        ),
        ({"flags": 1 << 15, "components": [{"type": 10, "content": "x"} for _ in range(41)]}, "components"),
        ({"flags": 1 << 15, "content": "no", "components": [{"type": 10, "content": "x"}]}, "content"),
        (
            {
                "components": [
                    {"type": 1, "components": [{"type": 2, "style": 1, "label": "x", "custom_id": "c" * 101}]}
                ]
            },
            "components",
        ),
        (
            {
                "components": [
                    {"type": 1, "components": [{"type": 2, "style": 1, "label": "x", "custom_id": "c"}] * 2}
                ]
            },
            "components",
        ),
        (
            {
                "components": [
                    {"type": 1, "components": [{"type": 2, "style": 1, "label": "l" * 81, "custom_id": "c"}]}
                ]
            },
            "components",
        ),
    ],
)
async def test_what_discord_refuses_is_refused_with_the_tree_of_errors(place, body, path):
    server, bot, _ = place
    with pytest.raises(discord.HTTPException) as caught:
        await bot.http.request(
            discord.http.Route("POST", "/channels/{channel_id}/messages", channel_id=server.channel["id"]),
            json=body,
        )
    assert caught.value.status == 400
    answer = server.requests[-1]["answer"]
    assert path is None or path in answer["errors"] or path in json.dumps(answer["errors"])


async def test_a_second_callback_and_an_old_token_are_refused(place):
    server, _bot, user = place
    await user.slash("/echo hi")
    interaction = next(iter(server.state.interactions.values()))
    url = f"{server.api_url}/interactions/{interaction.id}/{interaction.token}/callback"
    hook = f"{server.api_url}/webhooks/{server.state.application['id']}/{interaction.token}"
    async with aiohttp.ClientSession() as session:
        async with session.post(url, json={"type": 4, "data": {"content": "again"}}) as answer:
            assert (answer.status, (await answer.json(content_type=None))["code"]) == (400, 40060)
        async with session.post(hook, json={"content": "follow-up"}) as answer:
            assert answer.status == 200
        server.state.clock_offset = 15 * 60 + 1
        async with session.post(hook, json={"content": "too late"}) as answer:
            assert (answer.status, (await answer.json(content_type=None))["code"]) == (401, 50027)
        async with session.get(
            server.api_url + "/users/@me", headers={"Authorization": "Bot wrong"}
        ) as answer:
            assert answer.status == 401


async def test_rate_limits_errors_and_slowness_are_borne(place):
    server, _, user = place
    server.faults.add(route="callback", status=429, retry_after=0.2)
    assert (await user.slash("/echo one")).text == "one 0"
    server.faults.add(route="webhooks", status=502, times=1)
    assert (await user.slash("/late")).text.startswith("first")
    server.faults.add(route="callback", status=429, retry_after=0.2, everywhere=True)
    assert (await user.slash("/echo two")).text == "two 0"
    server.faults.add(route="callback", delay=0.5)
    assert (await user.slash("/echo three")).text == "three 0"


async def test_a_dropped_gateway_is_resumed_and_an_invalid_session_made_anew(place):
    server, bot, user = place
    me = server.state.application["bot"]["id"]
    before = len(server.gateway.sessions)
    await server.gateway.drop(user_id=me)
    await user.say("while away")
    await _until(lambda: any(s.user_id == me and s.socket for s in server.gateway.sessions.values()))
    assert len(server.gateway.sessions) == before  # resumed, not new
    await _until(lambda: bot.seen)
    await server.gateway.invalidate(user_id=me)
    await _until(lambda: any(s.user_id == me and s.socket for s in server.gateway.sessions.values()), 15)
    await _until(lambda: _ready(bot))
    await asyncio.sleep(0.2)
    assert (await user.slash("/echo back")).text == "back 0"


async def test_a_duplicate_dispatch_reaches_the_client_twice(place):
    server, bot, user = place
    server.faults.duplicate_dispatches = 2  # the user's own notice, then the bot's interaction
    before = bot.interactions
    assert (await user.slash("/echo twice")).text == "twice 0"
    await _until(lambda: bot.interactions == before + 2)


@pytest.mark.parametrize("compress", [None, "zlib-stream", "zstd-stream"])
async def test_the_gateway_speaks_every_compression(compress):
    async with LocalDiscord() as server, aiohttp.ClientSession() as session:
        query = f"?v=10&encoding=json&compress={compress}" if compress else ""
        async with session.ws_connect(server.gateway_url + query) as ws:
            inflate = (
                zlib.decompressobj()
                if compress == "zlib-stream"
                else zstandard.ZstdDecompressor().decompressobj()
            )

            async def read():
                message = await ws.receive(5)
                data = message.data if compress is None else inflate.decompress(message.data)
                return json.loads(data)

            assert (await read())["op"] == 10
            await ws.send_json({"op": 1, "d": None})
            assert (await read())["op"] == 11
            server.state.application["_privileged_intents"] = 1 << 1
            await ws.send_json({"op": 2, "d": {"token": server.bot_token, "intents": 3, "properties": {}}})
            assert (await read())["t"] == "READY"
            assert (await read())["t"] == "GUILD_CREATE"
            await ws.send_json({"op": 8, "d": {"guild_id": server.guild["id"], "query": "", "limit": 0}})
            assert len((await read())["d"]["members"]) == 2


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("not json", 4002),
        ({"op": 3}, 4003),
        ({"op": 2, "d": {"token": "wrong"}}, 4004),
        ({"op": 2, "d": {"token": "T", "intents": 2}}, 4014),
    ],
)
async def test_the_gateway_closes_with_discords_codes(sent, code):
    async with (
        LocalDiscord() as server,
        aiohttp.ClientSession() as session,
        session.ws_connect(server.gateway_url) as ws,
    ):
        await ws.receive(5)
        if isinstance(sent, dict) and sent.get("d", {}).get("token") == "T":
            sent["d"]["token"] = server.bot_token
        await ws.send_str(sent if isinstance(sent, str) else json.dumps(sent))
        message = await ws.receive(5)
        assert (message.type, ws.close_code) == (aiohttp.WSMsgType.CLOSE, code)


async def test_a_resume_of_nothing_is_invalid():
    async with (
        LocalDiscord() as server,
        aiohttp.ClientSession() as session,
        session.ws_connect(server.gateway_url) as ws,
    ):
        await ws.receive(5)
        await ws.send_json({"op": 6, "d": {"token": server.bot_token, "session_id": "x", "seq": 3}})
        assert json.loads((await ws.receive(5)).data) == {"op": 9, "d": False, "s": None, "t": None}


async def test_a_user_can_press_only_what_is_there(place):
    _, _, user = place
    reply = await user.slash("/echo hi")
    with pytest.raises(CommandRefusedError):
        await user.component(reply.message, {"component_type": 2, "custom_id": "absent"})
    with pytest.raises(CommandRefusedError):
        await user.component({"id": "1"}, {"component_type": 2, "custom_id": "absent"})


async def test_faults_can_be_set_from_outside():
    async with LocalDiscord() as server, aiohttp.ClientSession() as session:
        fault = [{"status": 500, "route": "gateway"}]
        async with session.post(server.url + "/local/faults", json=fault) as answer:
            assert answer.status == 204
        async with session.get(server.api_url + "/gateway") as answer:
            assert answer.status == 500
        async with session.get(server.api_url + "/gateway") as answer:
            assert (await answer.json(content_type=None))["url"] == server.gateway_url
        async with session.post(server.url + "/local/faults", json=[{"nonsense": 1}]) as answer:
            assert answer.status == 400
