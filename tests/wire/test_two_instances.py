"""A second Labmate with the same token, in a forgotten terminal or on another machine, is found out."""

import asyncio
import logging
import os
import signal
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert

from bot import rivals
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from commands.digests.posting import Poster
from data.database import backups
from data.tables.digests import DeliveryRow
from tests.helpers import databases
from tests.helpers.digests import MONDAY, active
from tests.helpers.lab import settings_for
from tests.helpers.process import awaited, environment
from tests.helpers.sample import lay_sample
from tests.helpers.several import Running, several


@asynccontextmanager
async def bots():
    """A Discord, and a function that starts a bot over a folder."""
    started = []
    async with LocalDiscord() as discord:
        discord.gateway.starts.max_concurrency = 16

        def begin(folder, **more):
            lay_sample(folder)
            started.append(Running(awaited("run", env=environment(discord, folder) | more)))
            return started[-1]

        try:
            yield discord, begin
        finally:
            for one in started:
                if one.process.returncode is None:
                    await one.kill()


@contextmanager
def nobody_writes(folder):
    """Hold what every process has to hold that renews its lease."""
    lock = "LOCK TABLE leases IN EXCLUSIVE MODE" if databases.IN_POSTGRES else "BEGIN IMMEDIATE"
    engine = databases.engine_in(folder)
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(lock)
            yield
            connection.rollback()
    finally:
        engine.dispose()


async def stopped(process):
    """Suspend a process: on a busy machine, its threads stop one by one, as they come to run."""
    process.send_signal(signal.SIGSTOP)
    while any(state(thread) != "T" for thread in Path(f"/proc/{process.pid}/task").glob("*/stat")):  # noqa: ASYNC110
        await asyncio.sleep(0.01)


def state(thread):
    """The letter of a thread's state, of Linux's; one that has ended is as good as stopped."""
    try:
        return thread.read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "T"


async def in_discord(bot):
    await bot.says(b"Logged in as labmate")
    return bot


async def test_a_second_one_over_the_same_folder_is_refused_before_it_logs_in(tmp_path):
    async with bots() as (discord, begin):
        first = await in_discord(begin(tmp_path))
        connections = discord.gateway.connections
        second = begin(tmp_path)
        assert await second._ended() == 78
        [line] = second.said.decode().splitlines()
        assert line.startswith(f"Another Labmate already uses {tmp_path} (process {first.process.pid}).")
        assert "Stop it, then start this one again" in line
        assert discord.gateway.connections == connections
        async with UserClient(discord.url, discord.user_token) as user:
            assert "Labmate" in (await user.slash("/help")).text
        assert b"answered already" not in first.said


async def test_after_a_kill_the_next_one_over_the_folder_waits_for_nobody(tmp_path):
    async with bots() as (_, begin):
        await (await in_discord(begin(tmp_path))).kill()
        next_one = await in_discord(begin(tmp_path))
        assert b"in case it is gone" not in next_one.said


async def test_a_second_machine_on_the_same_database_is_refused_and_follows_one_that_is_gone(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    lay_sample(here)
    database = databases.url_of(here / "labmate.db")
    async with bots() as (discord, begin):
        first = await in_discord(begin(here, DATABASE_URL=database))
        connections = discord.gateway.connections
        second = begin(there, DATABASE_URL=database)
        assert await second._ended() == 78
        said = second.said.decode().splitlines()[-1]
        assert f"Another Labmate (on {os.uname().nodename}) is already using this database." in said
        assert discord.gateway.connections == connections
        await first.kill()
        third = await in_discord(begin(there, DATABASE_URL=database))
        assert b"in case it is gone" in third.said


async def test_one_that_was_away_and_was_followed_ends(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    lay_sample(here)
    database = databases.url_of(here / "labmate.db")
    async with bots() as (_, begin):
        first = await in_discord(begin(here, DATABASE_URL=database))
        with nobody_writes(here):  # else it is stopped with the database locked, which nobody can follow
            await stopped(first.process)
        await in_discord(begin(there, DATABASE_URL=database))
        first.process.send_signal(signal.SIGCONT)
        assert await first._ended() == 78
        assert b"took over" in first.said


async def test_one_with_shards_and_one_without_refuse_each_other(tmp_path):
    async with several(tmp_path) as them:
        await them.start("0-1", 2)
        alone = them.begin_alone()
        assert await alone._ended() == 78
        assert b"runs with shards" in alone.said
    async with several(tmp_path / "the other way") as them:
        await in_discord(them.begin_alone())
        sharing = them.begin("0-1", 2)
        assert await sharing._ended() == 78
        assert b"is already using this database" in sharing.said


async def test_of_two_over_other_data_one_ends_after_a_few_commands_and_nobody_gets_two_answers(tmp_path):
    async with bots() as (discord, begin):
        both = [await in_discord(begin(tmp_path / name)) for name in ("here", "there")]
        async with UserClient(discord.url, discord.user_token) as user:
            asked = 2 * rivals.ENOUGH - 1  # so often that one of the two has come too late often enough
            for _ in range(asked):
                assert "PrismLLM" in (await user.slash("/papers ChonLam Lao", within=120)).text
            await asyncio.wait([one._reading for one in both], return_when=asyncio.FIRST_COMPLETED)
            [gone] = [one for one in both if one._reading.done()]
            [stays] = [one for one in both if one is not gone]
            assert await gone._ended() == 78
            why = next(line for line in gone.said.decode().splitlines() if "so it ends" in line)
            assert "Another process answers in Discord with this DISCORD_TOKEN" in why
            assert "Reset Token" in why
            assert "PrismLLM" in (await user.slash("/papers ChonLam Lao", within=120)).text
            assert stays.process.returncode is None
        written = [str(message) for message in discord.state.messages[discord.channel["id"]].values()]
        assert sum("PrismLLM" in message for message in written) == asked + 1


async def test_one_that_has_run_for_long_goes_on_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(rivals, "YOUNG", 0.0)
    said = []
    async with LocalDiscord() as discord:
        discord.gateway.starts.max_concurrency = 16
        settings = [settings_for(discord, tmp_path / name, http_listen="127.0.0.1:0") for name in "ab"]
        async with (
            running_bot(settings[0], said.append) as (first, _),
            running_bot(settings[1], said.append) as (second, _),
            UserClient(discord.url, discord.user_token) as user,
        ):
            assert "Labmate" in (await user.slash("/help")).text
            finding = [asyncio.create_task(bot.rivals.noticed.wait()) for bot in (first, second)]
            await asyncio.wait(finding, return_when=asyncio.FIRST_COMPLETED)
            for task in finding:
                task.cancel()
            assert [first.rivals.lately, second.rivals.lately].count(True) == 1
            assert first.is_ready()
            assert second.is_ready()


@pytest.mark.parametrize("twice", ["the event", "the answer"])
async def test_what_discord_does_twice_is_no_rival(tmp_path, caplog, twice):
    caplog.set_level(logging.INFO)
    async with (
        LocalDiscord() as discord,
        running_bot(settings_for(discord, tmp_path)) as (bot, _),
        UserClient(discord.url, discord.user_token) as user,
    ):
        if twice == "the event":
            discord.faults.duplicate_dispatches = 8
        else:
            discord.faults.add(route="POST /interactions/.*/callback", status=502, after=True)
        assert "Labmate" in (await user.slash("/help", within=30)).text
        discord.faults.clear()
        while "answered already" not in caplog.text:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)
        assert not bot.rivals.noticed.is_set()


@pytest.mark.sqlite("a copied folder holds its database")
async def test_a_copied_folder_posts_a_digest_no_second_time_while_the_first_still_runs(scene, tmp_path):
    digest = await active(scene)
    copied = tmp_path / "copied"
    backups.back_up(tmp_path / "labmate.db", copied / "labmate.db")
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    async with running_bot(settings_for(scene.discord, copied)) as (bot, _):
        bot.services.reads_arxiv = True
        bot.services.model_settled.set()
        digests = bot.services.store.digests
        async with digests._writer.begin() as connection:  # it has gone its own way since
            await connection.execute(
                insert(DeliveryRow).values(
                    digest_id=digest.id,
                    slot=MONDAY - timedelta(days=9),
                    due=digest.changed,
                    state="empty",
                    upto=None,
                    read=0,
                    papers="[]",
                    late=False,
                    channel=0,
                    tries=0,
                    why="",
                    made=digest.changed,
                )
            )
        poster = Poster(bot, bot.services, bot.services.leader)
        while not any(one.state == "posted" for one in await digests.history(digest.id)):
            await poster.tick()  # or the bot's own does it
    assert len(scene.posts()) == 1
