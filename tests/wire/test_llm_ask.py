"""`/ask` with a language model: quotes first, reworded sentences later, limits that outlive forgetting."""

from __future__ import annotations

import asyncio

import pytest

from bot.local_discord.server import LocalDiscord
from data.sources.llm import Llm
from index.answers.rephraser import UNREACHED, UNSUPPORTED, USED_UP
from tests.helpers.lab import started
from tests.helpers.llm_server import LlmServer, says, sends
from tests.helpers.members import until

pytestmark = pytest.mark.hostile

KEY = "sk-very-secret-7f3a9c2b"
EMULATED = "how can large GPU clusters be emulated for training?"
PATIENCE = 60


@pytest.fixture
async def place(tmp_path):
    """A lab with a language model, and a member to ask it."""
    async with LlmServer() as server, LocalDiscord() as discord:
        model = {"llm_url": server.url, "llm_model": "small", "llm_api_key": KEY}
        async with started(discord, tmp_path, llm_member_tokens=3_000, **model) as lab:
            lab.bot.services.rephraser.llm = Llm(server.url, "small", KEY, rest=0)
            yield server, lab, lab.user


async def asked(user):
    """The first reply and the one that replaces it."""
    first = await user.slash(f"/ask {EMULATED}")
    return first, await user.next_answer(first, within=PATIENCE)


async def test_quotes_come_first_and_what_stands_of_the_wording_later(place):
    server, _, user = place
    server.behave = sends(b"", "text/html", 500)
    quoted, _ = await asked(user)
    sentence = quoted.text.split("“")[1].split("”")[0]
    server.behave = says(f"{sentence} The moon is made of 17 cheeses [9].")
    _, reworded = await asked(user)
    assert f"{sentence} [1]" in reworded.text.replace("\\", "").replace("**", "")
    assert "cheeses" not in reworded.text
    assert "small" in reworded.text
    assert all(KEY not in str(body) for body in server.asked)


async def test_without_a_supported_word_or_a_server_the_quotes_stay(place):
    server, _, user = place
    for behave, note in (
        (says("The moon is made of 17 cheeses."), UNSUPPORTED),
        (sends(b"", "text/html", 401), UNREACHED),
    ):
        server.behave = behave
        quoted, later = await asked(user)
        assert quoted.text.count("“") == later.text.count("“") > 0
        assert note.partition(",")[0] in later.text.replace("\\", "")


async def test_a_member_s_limit_outlives_forgetting(place):
    server, _, user = place
    server.behave = says("Nothing.", usage={"prompt_tokens": 2_000, "completion_tokens": 400})
    await asked(user)
    await (await user.slash("/me forget")).press("Delete it")
    _, later = await asked(user)
    assert USED_UP["member"].partition(",")[0] in later.text.replace("\\", "")
    assert len(server.asked) == 1


async def test_a_reply_that_was_deleted_before_the_wording_came_is_let_go(place):
    server, lab, user = place
    go, failed = asyncio.Event(), []

    async def late(request, body):
        await go.wait()
        return await says("Nothing.")(request, body)

    async def on_labmate_failure(interaction):
        failed.append(interaction)

    server.behave = late
    lab.bot.add_listener(on_labmate_failure)
    quoted = await user.slash(f"/ask {EMULATED}")
    await server.until_asked(1)
    await user.request("DELETE", f"/channels/{user.channel_id}/messages/{quoted.message['id']}")
    go.set()
    await until(lambda: any(r["method"] == "PATCH" and r["status"] == 404 for r in lab.discord.requests))
    assert "What I can do" in (await user.slash("/help")).text
    assert failed == []
