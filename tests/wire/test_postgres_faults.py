"""A bot whose database server stops, cuts it off or takes no changes: it says so, and goes on by itself."""

import asyncio
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest

import bot.health
from bot.cli.command_line import perform
from bot.http_server import serving
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from commands.digests.posting import Poster
from commands.kit.replies import OUTAGES
from data.calendar import clock
from data.database.unavailable import Why
from data.stores.store import Store
from tests.helpers.digests import MONDAY, Scene, active, papers
from tests.helpers.lab import fill, settings_for, started
from tests.helpers.members import joins
from tests.helpers.own_postgres import own_server
from tests.helpers.process import run

AWAY, READ_ONLY = OUTAGES[Why.AWAY], OUTAGES[Why.READ_ONLY]


@pytest.fixture(scope="module")
def server():
    with own_server() as running:
        yield running


@pytest.fixture(scope="module")
async def lab(server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    more = {"fresh": True, "database_url": server.url(), "labmate_pictures": False}
    async with LocalDiscord() as discord, started(discord, folder, **more) as running:
        stop_looking(running.bot)  # it would post the digests of the tests below, which share its server
        yield running


def stop_looking(bot):
    """Let a bot post no digest by itself."""
    [cog] = [cog for cog in bot.cogs.values() if hasattr(cog, "_poster")]
    cog._looking.cancel()


async def test_every_way_to_ask_says_that_the_database_is_away(lab, server):
    before = await lab.user.slash("/papers ChonLam Lao")
    assert "PrismLLM" in before.text
    server.stop()
    try:
        assert (await lab.user.slash("/papers ChonLam Lao")).text == AWAY
        assert (await lab.user.slash("/save PrismLLM")).text == AWAY
        assert (await before.press(next(iter(before.buttons)))).text == AWAY
        assert (await lab.user.mention("papers by ChonLam Lao")).text == AWAY
        assert await lab.user.complete("/papers author:ChonL") == []
    finally:
        server.start()
    assert (await lab.user.slash("/papers ChonLam Lao")).text == before.text
    assert "# to read" in (await lab.user.slash("/save PrismLLM")).text
    assert (await lab.user.mention("papers by ChonLam Lao")).text != AWAY
    assert await lab.user.complete("/papers author:ChonL")


async def test_health_says_it_and_is_well_again(lab, server, monkeypatch):
    monkeypatch.setattr(bot.health, "KEPT", 0.0)
    settings = lab.settings.model_copy(update={"http_listen": "127.0.0.1:0"})
    async with serving(lab.bot, lab.scheduler, settings) as url, aiohttp.ClientSession() as session:

        async def health():
            async with session.get(url + "/healthz") as answer:
                return answer.status, (await answer.json())["wrong"]

        assert await health() == (200, [])
        server.stop()
        try:
            assert await health() == (503, ["the database can't be read (it is away)"])
        finally:
            server.start()
        assert await health() == (200, [])


async def test_replies_whose_connections_are_cut_are_right_or_say_so_and_the_next_is_right(lab, server):
    right = (await lab.user.slash("/papers ChonLam Lao")).text
    for _ in range(5):
        asked = [asyncio.create_task(lab.user.slash("/papers ChonLam Lao")) for _ in range(4)]
        await asyncio.to_thread(server.cut)
        assert {reply.text for reply in await asyncio.gather(*asked)} <= {right, AWAY}
    assert (await lab.user.slash("/papers ChonLam Lao")).text == right


async def test_what_only_looks_up_works_where_nothing_can_be_changed(lab, server):
    new = joins(lab.discord, "new")
    server.set(default_transaction_read_only="on")
    server.cut()
    try:
        async with UserClient(lab.discord.url, lab.discord.state.token_of(new["id"])) as user:
            assert "PrismLLM" in (await user.slash("/papers ChonLam Lao")).text
            assert "PrismLLM" in (await user.slash("/similar PrismLLM")).text
            long = "how do large clusters of GPUs bear the failure of one of their machines " * 3
            found = await user.slash(f"/search {long}")
            assert "How to read this" in found.text or found.buttons
            answer = await user.slash(f"/ask {long}?")
            assert READ_ONLY not in (found.text, answer.text)
            assert (await user.slash("/save PrismLLM")).text == READ_ONLY
            assert (await user.slash("/follow topic:gossip")).text == READ_ONLY
    finally:
        server.set(default_transaction_read_only="off")
    assert "# to read" in (await lab.user.slash("/save PrismLLM")).text


def test_a_command_whose_server_is_gone_says_so_in_a_line(server, tmp_path):
    url = server.url().replace("postgres@", "postgres:hunter22@")
    server.stop()
    try:
        done = run("ask", "/about", folder=tmp_path, fresh=True, DATABASE_URL=url)
    finally:
        server.start()
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("DATABASE_URL: ")
    assert line.endswith("Is the server running?")
    assert "hunter22" not in line


def test_a_command_whose_server_stops_meanwhile_says_so_in_a_line(server, capsys):
    async def work():
        store = await Store.open(server.url())
        try:
            await asyncio.to_thread(server.stop)
            await store.count()
        finally:
            await asyncio.to_thread(server.start)
            await store.close()

    with pytest.raises(SystemExit) as left:
        perform(work())
    assert left.value.code == 1
    assert capsys.readouterr().err == (
        "The database doesn't answer. What was done so far is kept; run the command again later.\n"
    )


# -- digests ---------------------------------------------------------------------------------------

_AHEAD: ContextVar[timedelta] = ContextVar("ahead", default=timedelta())


@pytest.fixture
def time(monkeypatch):
    """Every machine's own clock, which stands; the server's goes on."""
    now = [datetime(2026, 11, 16, 8, tzinfo=UTC)]

    class Standing(datetime):
        @classmethod
        def now(cls, zone=None):
            return (now[0] + _AHEAD.get()).astimezone(zone)

    monkeypatch.setattr(clock, "datetime", Standing)
    return now


@pytest.fixture
async def scene(server, tmp_path, time):
    server.ask("DROP SCHEMA public CASCADE")
    server.ask("CREATE SCHEMA public")
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path, fresh=True, database_url=server.url())
        async with (
            running_bot(settings) as (running, _),
            UserClient(discord.url, discord.user_token) as user,
        ):
            running.services.model_settled.set()
            stop_looking(running)
            await fill(running, papers(MONDAY, 1))
            yield Scene(
                discord, running, user, Poster(running, running.services, running.services.leader), None
            )


async def test_a_server_that_stops_after_a_posting_posts_nothing_twice(scene, server, time, monkeypatch):
    await active(scene)
    time[0] += timedelta(hours=2)
    store = scene.bot.services.store.digests
    mark = store.posted

    async def stops_first(*posted):
        await asyncio.to_thread(server.stop)
        await mark(*posted)

    with monkeypatch.context() as patched:
        patched.setattr(store, "posted", stops_first)
        with pytest.raises(Exception, match="the database is away"):
            await scene.poster.tick()
    assert len(scene.posts()) == 1
    await asyncio.to_thread(server.start)
    time[0] += timedelta(minutes=1)
    await scene.poster.tick()
    assert len(scene.posts()) == 1, "it was found in the channel"
    assert await store.unposted() == []


async def test_a_server_that_stops_before_a_posting_loses_none(scene, server, time):
    await active(scene)
    time[0] += timedelta(hours=2)
    await asyncio.to_thread(server.stop)
    with pytest.raises(Exception, match="the database is away"):
        await scene.poster.tick()
    await asyncio.to_thread(server.start)
    assert await scene.poster.tick() == 1
    assert await scene.poster.tick() == 0
    assert len(scene.posts()) == 1


async def test_two_machines_whose_clocks_differ_by_90_seconds_post_once(scene, time):
    async def tick(poster, seconds):
        _AHEAD.set(timedelta(seconds=seconds))  # of this task alone
        return await poster.tick()

    await active(scene)
    right, ahead = scene.poster, Poster(scene.bot, scene.bot.services)
    time[0] += timedelta(hours=2)
    assert sum(await asyncio.gather(tick(right, 0), tick(ahead, 90))) == 1
    assert sum(await asyncio.gather(tick(ahead, 90), tick(right, 0))) == 0
    leases = scene.bot.services.store.leases
    had = await leases.holder("digests")
    assert had in (right._leader.holder, ahead._leader.holder)
    for seconds in (90, 3600, 0):
        other = ahead if had == right._leader.holder else right
        assert await asyncio.create_task(tick(other, seconds)) == 0
        assert await leases.holder("digests") == had, "a living lease is not taken"
    await (right if had == right._leader.holder else ahead).close()
    tuesday = MONDAY + timedelta(days=1)
    await fill(scene.bot, papers(tuesday, 101))
    time[0] += timedelta(days=1)
    assert await asyncio.create_task(tick(ahead, 90)) == 1
    await ahead.close()
    assert await asyncio.create_task(tick(right, 0)) == 0
    assert len(scene.posts()) == 2
