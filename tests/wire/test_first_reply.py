"""The first reply to a new member, `/help`, Labmate's status, and pictures in words."""

import asyncio
import re
from datetime import timedelta

import pytest

import commands.kit.services
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.local_discord.shown_reply import ShownReply
from bot.local_discord.state import EPHEMERAL
from bot.run import running_bot
from commands.cards.about import MOST, reading
from tests.helpers.digests import MONDAY, active, papers
from tests.helpers.lab import fill, settings_for
from tests.helpers.members import joins
from tests.helpers.process import PATIENCE

TRY = re.compile(r"- (/[\w-]+) `([^`]+)`")


@pytest.fixture
async def newcomer(lab):
    """A member about whom Labmate keeps nothing, a new one each time."""
    user = joins(lab.discord, "newcomer")
    async with UserClient(lab.discord.url, lab.discord.state.token_of(user["id"])) as client:
        yield client


def welcomes(user):
    return [
        ShownReply(user, message)
        for message in user.messages.values()
        if "New here?" in str(message["components"])
    ]


async def welcomed(user):
    async with asyncio.timeout(PATIENCE):
        while not welcomes(user):  # noqa: ASYNC110 - it follows the reply, and tells nobody
            await asyncio.sleep(0.02)
    return welcomes(user)


async def test_the_first_reply_brings_three_examples_that_work_here(newcomer):
    await newcomer.slash("/papers ChonLam Lao")
    [told] = await welcomed(newcomer)
    assert told.is_private
    tries = TRY.findall(told.text)
    assert [command for command, _ in tries] == ["/search", "/similar", "/papers"]
    for command, name in tries:
        reply = await newcomer.slash(f"{command} {name}")
        assert not re.search("I know no|Nobody|No paper matches|went wrong|Several", reply.text), name
    assert len(welcomes(newcomer)) == 1, "once a member"


async def test_help_does_not_wait_long_for_its_examples(lab, monkeypatch):
    services, made, read = lab.bot.services, asyncio.Event(), commands.kit.services.examples

    async def as_on_a_slow_disk(*given):
        await made.wait()
        return await read(*given)

    with monkeypatch.context() as patched:
        patched.setattr(commands.kit.services, "examples", as_on_a_slow_disk)
        patched.setattr(services, "examples_patience", 0.05)
        patched.setattr(services, "_examples", None)
        first = await lab.user.slash("/help")
        made.set()
        await services.examples()
        then = await lab.user.slash("/help")
    assert "\n/search · /similar · /papers\n" in first.text
    assert re.search(r"\n/search `.+` · /similar `.+` · /papers `.+`\n", then.text)


async def test_who_has_used_it_gets_no_examples(lab, newcomer):
    store = lab.bot.services.store
    [paper] = (await store.find_title("PrismLLM"))[:1] or [1]
    await store.library.keep(int(newcomer.user["id"]), paper)
    await newcomer.slash("/papers ChonLam Lao")
    await newcomer.slash("/papers Minlan Yu")
    assert welcomes(newcomer) == []


async def test_the_examples_come_once_also_after_a_restart_and_after_forgetting(tmp_path):
    async with LocalDiscord() as discord, UserClient(discord.url, discord.user_token) as user:
        async with running_bot(settings_for(discord, tmp_path)):
            await user.slash("/papers ChonLam Lao")
            await welcomed(user)
            await (await user.slash("/me forget")).press("Delete")
        async with running_bot(settings_for(discord, tmp_path)):
            await user.slash("/papers ChonLam Lao")
            await user.slash("/papers Minlan Yu")
    assert len(welcomes(user)) == 1


async def test_help_comes_before_examples_and_is_by_what_one_wants_to_do(newcomer):
    reply = await newcomer.slash("/help")
    assert "Find people to talk to" in reply.text
    assert "/similar `" in reply.text
    how = await reply.choose("keep")
    assert how.message["flags"] & EPHEMERAL
    assert "tags and notes" in how.text
    forged = {"component_type": 3, "custom_id": "help:g", "values": ["@everyone"], "forged": True}
    assert "no longer offer" in (await newcomer.component(reply.message, forged)).text
    assert welcomes(newcomer) == []


async def test_a_database_that_can_t_be_written_takes_nothing_from_the_reply(lab, newcomer, monkeypatch):
    async def full(*_):
        raise OSError("database or disk is full")

    monkeypatch.setattr(lab.bot.services.everywhere.store.limits, "spend", full)
    replies = [await newcomer.slash("/papers ChonLam Lao"), await newcomer.slash("/papers Minlan Yu")]
    assert "ChonLam Lao" in replies[0].text
    assert not [m for m in newcomer.messages.values() if "went wrong" in str(m["components"])]


async def test_an_empty_library_gives_no_examples(tmp_path):
    async with (
        LocalDiscord() as discord,
        UserClient(discord.url, discord.user_token) as user,
        running_bot(settings_for(discord, tmp_path)) as (bot, _),
    ):
        bot.services.corpus.facets.drop(bot.services.corpus.facets.held().tolist())
        assert not await bot.services.examples()
        await user.slash("/papers ChonLam Lao")
        assert "What I can do" in (await user.slash("/help")).text
    assert welcomes(user) == []


async def test_its_presence_says_what_it_reads(lab):
    [presence] = lab.discord.gateway.presences.values()
    [activity] = presence["activities"]
    assert activity["state"].startswith("Reading arXiv: Artificial Intelligence, ")
    assert "7 papers up to" in activity["state"]


def test_a_presence_names_no_field_of_arxiv_where_there_is_none():
    assert reading((), 8, MONDAY, "month") == f"8 papers up to {MONDAY:%b %Y}"


def test_a_presence_fits_however_many_fields_there_are():
    for codes in ((), ("cs.AI",), ("cs.CE", "eess.SY", "physics.ao-ph") * 40, ("x" * 200,)):
        assert 0 < len(reading(codes, 10**9, MONDAY)) <= MOST


async def test_a_graph_says_in_words_what_it_shows(lab):
    reply = await lab.user.slash("/graph ChonLam Lao", within=PATIENCE)
    [gallery] = [c for c in reply.components if c["type"] == 12]
    alt = gallery["items"][0]["description"]
    assert alt.startswith("Network of ChonLam Lao: ")
    assert re.search(r"\d+ people", alt)
    people = re.search(r"People: [^.]+", alt)[0]
    assert people in reply.text, "who sees no pictures reads the same"


async def test_the_history_tells_when_in_everybody_s_own_time(scene):
    await fill(scene.bot, papers(MONDAY, 401, 3))
    await active(scene)
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    shown = await scene.user.slash("/digest history")
    assert f"16 Nov 2026: posted <t:{int(scene.at.timestamp())}:f>" in shown.text
