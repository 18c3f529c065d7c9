"""Discord closes for good: the process says why and what to do, and ends."""

from __future__ import annotations

import asyncio
import inspect
import re
import subprocess

import aiohttp
import discord as discord_py
import pytest
from discord.gateway import DiscordWebSocket

from bot.closes import ACT, WORDS, LoginError, closed
from bot.local_discord.faults import Close
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from tests.helpers.lab import settings_for
from tests.helpers.process import PATIENCE, logged_in, start


async def _ended(process: subprocess.Popen) -> tuple[int, str]:
    said, _ = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    return process.returncode, said.decode()


@pytest.mark.parametrize("code", [4004, 4014])
async def test_a_connection_closed_for_good_ends_the_process_with_the_reason(tmp_path, code):
    async with LocalDiscord() as discord:
        process = start(discord, tmp_path)
        try:
            await logged_in(process)
            async with (
                aiohttp.ClientSession() as session,
                session.post(f"{discord.url}/local/faults", json=[{"close": code}]) as answer,
            ):
                assert answer.status == 204
            status, said = await _ended(process)
        finally:
            process.kill()
    assert status == ACT
    assert f"(code {code}): {WORDS[code]}" in said
    assert "Traceback" not in said


async def test_a_shard_that_is_refused_while_it_identifies_ends_the_process(tmp_path):
    async with LocalDiscord() as discord:
        discord.faults.identifies.append(Close(4013))
        process = start(discord, tmp_path)
        try:
            status, said = await _ended(process)
        finally:
            process.kill()
    assert status == ACT
    assert WORDS[4013] in said
    assert "Logged in" not in said


async def test_a_token_that_was_revoked_is_noticed_by_the_next_request(tmp_path):
    """The gateway stays open: only what the bot asks of Discord is refused."""
    async with LocalDiscord() as discord, running_bot(settings_for(discord, tmp_path)) as (bot, _):
        token, discord.state.bot_token = discord.state.bot_token, "local.another"
        with pytest.raises(discord_py.HTTPException):
            await bot.fetch_user(int(discord.owner["id"]))
        with pytest.raises(LoginError, match="4004") as told:
            await asyncio.wait_for(bot.until_closed(), PATIENCE)
        discord.state.bot_token = token
    assert told.value.status == ACT


async def test_a_connection_that_ends_by_itself_is_not_taken_for_health(tmp_path):
    async with LocalDiscord() as discord, running_bot(settings_for(discord, tmp_path)) as (bot, _):
        assert bot.running is not None
        bot.running.cancel()
        with pytest.raises(LoginError, match="Start Labmate again"):
            await asyncio.wait_for(bot.until_closed(), PATIENCE)


@pytest.mark.parametrize("code", sorted(WORDS))
def test_each_code_says_what_to_do(code: int):
    error = closed(code)
    assert error.status != 0
    assert str(error).endswith(".")
    assert any(verb in str(error) for verb in ("Copy", "Update", "Start", "Switch", "check"))


def test_every_code_that_the_library_gives_up_on_has_words():
    """discord.py's own list is in its source, so the words are compared with that."""
    source = inspect.getsource(DiscordWebSocket._can_handle_close)
    assert {int(code) for code in re.findall(r"\b4\d{3}\b", source)} == set(WORDS)
