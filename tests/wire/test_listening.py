"""An HTTP_LISTEN that can't be used is told at the start, by the doctor and in /admin."""

import asyncio
import socket

import aiohttp
import pytest

from bot import http_server
from bot.doctor.services import http
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from tests.helpers.lab import settings_for


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening, f"127.0.0.1:{listening.getsockname()[1]}"


async def status(discord, user):
    place, bot = (user.guild_id, user.channel_id), discord.state.application["bot"]["id"]
    user.guild_id, user.channel_id = None, discord.state.dm_between(user.user["id"], bot)["id"]
    try:
        return (await user.slash("/admin status")).text
    finally:
        user.guild_id, user.channel_id = place


async def test_a_port_in_use_is_told_everywhere_and_used_once_it_is_free(tmp_path, taken, monkeypatch):
    monkeypatch.setattr(http_server, "AGAIN", 0.05)
    listening, where = taken
    said = []
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path, http_listen=where)
        async with (
            running_bot(settings, said.append) as (bot, _),
            UserClient(discord.url, discord.user_token) as user,
        ):
            told = f"HTTP_LISTEN={where} can't be used: another program listens there already."
            assert [line for line in said if line.startswith(told)]
            assert "another program listens there already" in await status(discord, user)
            [found] = await http(settings)
            assert found.state == "bad"
            assert found.text.startswith(told)
            assert bot.services.feed_url is None, "no card offers a feed that nobody serves"
            assert "PrismLLM" in (await user.slash("/papers ChonLam Lao")).text
            listening.close()
            while bot.services.troubles:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.02)
            async with aiohttp.ClientSession() as session, session.get(f"http://{where}/healthz") as answer:
                assert answer.status == 200
            assert "nothing is wrong" in await status(discord, user)
            assert bot.services.feed_url == f"http://{where}"
            [found] = await http(settings)
            assert found.text == f"a running Labmate answers on {where}"


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("203.0.113.7:8090", "this machine has no address 203.0.113.7. Write 127.0.0.1:8090, 0.0.0.0:8090"),
        ("labmate.invalid:8090", "this machine can't resolve labmate.invalid. Use one of its own addresses"),
        ("a..b:8090", "this machine can't resolve a..b."),
    ],
)
async def test_an_impossible_address_is_told_with_what_helps(tmp_path, where, words):
    said = []
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path, http_listen=where)
        async with running_bot(settings, said.append):
            assert [line for line in said if words in line]
        [found] = await http(settings)
        assert found.state == "bad"
        assert words in found.text


async def test_the_doctor_says_of_a_free_address_that_it_is_free(tmp_path, taken):
    listening, where = taken
    listening.close()
    async with LocalDiscord() as discord:
        [found] = await http(settings_for(discord, tmp_path, http_listen=where))
        assert found.state == "good"
        [off] = await http(settings_for(discord, tmp_path))
        assert off.state == "note"
