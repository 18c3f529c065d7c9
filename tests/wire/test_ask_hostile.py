"""`/ask` under attack, over real sockets: hostile questions, papers and buttons, and pressing at once."""

import asyncio
import re

import pytest

from bot.local_discord.client import ShownReply, UserClient
from bot.local_discord.state import PUBLIC_THREAD
from tests.helpers.lab import fill
from tests.helpers.members import joins, of_kind, pressed, said
from tests.helpers.records import record

pytestmark = pytest.mark.hostile

EMULATED = "how can large GPU clusters be emulated for training?"


@pytest.mark.parametrize(
    "question",
    [
        "@everyone <@1> <@&2> **bold** [x](https://evil.example) ||spoiler|| `code` # head?",
        "why " * 1_000,
        "$\\frac{a}{b}$ \\emph{what} \\input{/etc/passwd} {{{ $unbalanced?",
        "'; DROP TABLE asked_questions; --",
        "\u202ewhat\u200b is\x00 emulated?",
        "?" * 4_000,
        "&&&&%26%00&1&2&3",
        "🙂" * 900,
        "\u200b\u2066\u202e\u034f",
        "\u3164\u115f why?",
        "_*`~|" * 300,
        "why " + "( " * 700,
        "\\frac{" * 250,
        "\\frac{" * 40,
        "why \\sqrt[",
    ],
    ids=range(15),
)
async def test_a_hostile_question_is_answered_harmlessly(place, question):
    discord, bot, user = place
    reply = await user.slash(f"/ask question:{question}")
    message = discord.state.messages[user.channel_id][reply.message["id"]]
    assert (message["mentions"], message["mention_roles"], message["mention_everyone"]) == ([], [], False)
    for piece in ("@everyone", "<@1>", "<@&2>", "](https://evil", "**bold**", "||spoiler||"):
        assert piece not in reply.text.replace("\\" + piece, "")
    labels = [button["label"] for button in reply.buttons]
    for label in ("Ask on", "More"):
        if label in labels:
            await reply.press(label)
    assert all(request["status"] < 400 for request in discord.requests)
    for thread in of_kind(discord, PUBLIC_THREAD):
        assert 1 <= len(thread["name"]) <= 100
        assert await bot.services.store.asked_questions.last(int(thread["id"]))


async def test_hostile_abstracts_are_quoted_harmlessly(place):
    discord, bot, user = place
    bad = "@everyone <@1> **zebrafish** [x](https://evil.example) ||spoiler|| \\input{x} $\\frac$ `code"
    long = "Zebrafish swim " + "very " * 2_000 + "far."
    await fill(
        bot,
        [
            record(1, title=f"Zebrafish {bad}", abstract=f"Zebrafish learn to swim with {bad}. {bad}"),
            record(2, title="Zebrafish at length", abstract=f"{long} {long}"),
        ],
    )
    reply = await user.slash("/ask how do zebrafish learn to swim?")
    shown = [reply]
    if "Show in context" in [button["label"] for button in reply.buttons]:
        shown.append(await reply.press("Show in context"))
    for one in shown:
        for piece in ("@everyone", "<@1>", "](https://evil", "||spoiler||"):
            assert piece not in one.text.replace("\\" + piece, "")
    assert all(request["status"] < 400 for request in discord.requests)


@pytest.mark.parametrize(
    "custom_id",
    [
        "ac:999999999999:0:0:5:ffffff",
        "ac:1:9:0:5:ffffff",
        "ac:1:0:99999:99999:000000",
        "aq:m:i:",
        "aq:m:i:&x&&&&",
        "aq:m:i:why%3F&99999999&!!&99999999999999999999999&&1,2,x",
        "aq:m:k:999999999999",
        "aq:o:i:",
        "aq:o:k:999999999999",
        "aq:f",
    ],
)
async def test_a_tampered_button_is_answered(place, custom_id):
    discord, _, user = place
    reply = await pressed(discord, user, custom_id)
    assert "modal" in reply.message or reply.text
    assert not re.search("went wrong|no longer works", reply.text)


async def test_two_who_ask_on_at_once_share_one_thread_with_one_opening(place):
    discord, bot, user = place
    reply = await user.slash(f"/ask {EMULATED}")
    bee = joins(discord, "bee")
    async with UserClient(discord.url, discord.state.token_of(bee["id"])) as other:
        both = await asyncio.gather(
            reply.press("Ask on"), ShownReply(other, reply.message).press("Ask on"), reply.press("Ask on")
        )
    [thread] = of_kind(discord, PUBLIC_THREAD)
    assert all(f"<#{thread['id']}>" in opened.text for opened in both)
    assert sum("Mention" in str(message) for message in said(discord, thread)) == 1
    assert await bot.services.store.asked_questions.last(int(thread["id"]))
