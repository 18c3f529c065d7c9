"""Several processes: each has its shards, one follows another without a gap, and they count together."""

import asyncio
import re

import pytest

from bot.terminal.interim import until_answered
from tests.helpers.process import run
from tests.helpers.several import several, user_in

WITH_BUTTONS = (
    "/papers author:ChonLam Lao",
    "/search query:network",
    "/paper paper:PrismLLM",
    "/author name:ChonLam Lao",
    "/ask question:how can large GPU clusters be emulated?",
)


@pytest.fixture
async def them(tmp_path):
    async with several(tmp_path) as started:
        yield started


async def complete(user, command):
    """The reply once this machine knows everybody and had time to draw; until then, it says what it lacks."""
    for _ in range(40):
        reply = await user.slash(command, within=120)
        if "may be incomplete" not in reply.text and "couldn't draw" not in reply.text:
            return reply
        await asyncio.sleep(5)  # a member may ask only so often
    raise AssertionError(f"{command} stays incomplete: {reply.text}")


async def the_same(users, command):
    """Each machine comes to know the same people; what it learns meanwhile may be missing once."""
    for _ in range(20):
        replies = [(await complete(user, command)).text for user in users]
        if len(set(replies)) == 1:
            return
        await asyncio.sleep(5)
    raise AssertionError(f"{command} differs: {replies}")


async def test_each_process_answers_its_servers_and_they_count_together(them):
    guilds = [them.server_on(shard, 2) for shard in range(2)]
    first, second = await asyncio.gather(them.start("0", 2), them.start("1", 2))
    assert b"in 1 servers" in first.said or b"in 2 servers" in first.said
    async with user_in(them, guilds[0]) as here, user_in(them, guilds[1]) as there:
        for user in (here, there):
            assert (
                "A Few GPUs, A Whole Lotta Scale"
                in (await user.slash("/papers author:ChonLam Lao", within=120)).text
            )
        for command in ("/author name:ChonLam Lao", "/graph person:ChonLam Lao"):
            await the_same((here, there), command)
        shown = [await user.slash("/search query:network", within=120) for user in (here, there) * 10]
        assert not any("asked for" in reply.text for reply in shown)
        for user in (here, there):
            assert "You've asked for 20 searches" in (await user.slash("/search query:network")).text
        state = them.discord.state
        here.guild_id, bot = None, state.application["bot"]["id"]
        here.channel_id = state.dm_between(here.user["id"], bot)["id"]
        servers = await here.slash("/admin servers")
        assert "Lab on shard 0" in servers.text
        assert "Lab on shard 1" in servers.text
    await second.kill()
    async with user_in(them, guilds[0]) as here:
        assert "Labmate" in (await here.slash("/help")).text, "one that ends takes nobody with it"


async def test_a_rolling_update_misses_no_interaction_and_answers_none_twice(them):
    guild = them.discord.guild["id"]
    old = await them.start("0-1", 2)
    answered, enough = [], asyncio.Event()
    async with user_in(them, guild) as user, user_in(them, guild) as other:
        kept = [await user.slash(text, within=120) for text in WITH_BUTTONS]

        async def asks(who):
            while not enough.is_set():
                replies = until_answered(who, await who.slash("/help"))
                *_, text = [reply.text async for reply in replies]
                answered.append(text)

        asking = [asyncio.create_task(asks(who)) for who in (user, other)]
        new = await them.start("0-1", 2)
        await old.says(b"Another process has taken over shards 0, 1 of 2")
        before = len(answered)
        while len(answered) < before + 10:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)
        assert await old.stop() == 0
        while len(answered) < before + 20:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        enough.set()
        await asyncio.gather(*asking)
        assert not [text for text in answered if "Labmate" not in text]
        assert all(reply.buttons for reply in kept)
        for reply in kept:
            for button in reply.buttons:
                pressed = await reply.press(button)
                assert pressed.text or pressed.message["modal"], (
                    "buttons of the old process work on the new one"
                )
                assert "no longer works" not in pressed.text
                assert "went wrong" not in pressed.text
    for one in (old, new):
        assert b"ERROR" not in one.said, one.said.decode()
        assert b"already been acknowledged" not in one.said


async def test_who_is_in_the_way_is_told_in_one_line(them):
    await them.start("0-1", 2)
    wrong = them.begin("0-3", 4)
    assert await wrong._ended() == 78
    assert b"runs with 2 shards, not 4" in wrong.said
    assert b"Traceback" not in wrong.said


@pytest.mark.parametrize(
    ("shards", "of", "words"),
    [
        ("0-3", None, "belong together"),
        (None, "4", "belong together"),
        ("0-4", "4", "of 4 shards, the last one is 3; 4 is beyond it"),
        ("3-0", "4", "ends before it begins"),
        ("0,0", "4", "names a shard twice"),
        ("x", "4", "must look like 0-3"),
        ("0-99999", "99999", "there must be 1 to 16,384 shards"),
        ("0" * 5_000, "4", "must look like 0-3"),
        ("0", "-4", "must be a whole number of 0 or more"),
        ("0", "4", "DISCORD_TOKEN is needed"),
    ],
)
def test_wrong_shards_are_refused_at_the_start(tmp_path, shards, of, words):
    options = [*(["--shards", shards] if shards else []), *(["--of", of] if of else [])]
    ended = run("run", *options, folder=tmp_path)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert len(re.findall(r"\n", ended.stderr)) == 1
    assert len(ended.stderr) < 300
