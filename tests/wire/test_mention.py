"""`@Labmate ...` over real sockets: in a channel, a thread, a direct message; and what never triggers it."""

import asyncio

import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import DM, PUBLIC_THREAD
from bot.run import running_bot
from commands.kit.limits import RateLimits
from tests.helpers.lab import settings_for, started
from tests.helpers.members import heard_by, joins, of_kind, said, until

EMULATED = "how can large GPU clusters be emulated for training?"


@pytest.fixture
async def place(tmp_path):
    async with LocalDiscord() as discord, started(discord, tmp_path, labmate_pictures=False) as lab:
        await lab.bot.services.wait_for_people()
        yield discord, lab.bot, lab.user


def me(discord):
    return f"<@{discord.state.application['bot']['id']}>"


def by_labmate(discord, channel=None):
    bot = discord.state.application["bot"]["id"]
    return [m for m in said(discord, channel or discord.channel) if m["author"]["id"] == bot]


def sent(discord):
    """How often the bot asked Discord to post a message or to show it typing."""
    return [r for r in discord.requests if r["method"] == "POST" and "/channels/" in r["path"]]


async def heard(discord, bot, content, author=None, channel=None, **more):
    """Post a message and return once the bot has heard of it, and of one more."""
    channel = channel or discord.channel
    async with heard_by(bot, "message"):
        message = await discord.messages.create(
            channel, author or discord.owner["id"], {"content": content}, **more
        )
    await asyncio.sleep(0)
    return message


@pytest.mark.parametrize(
    ("words", "typed", "shows"),
    [
        ("papers by ChonLam Lao", "/papers author:ChonLam Lao", "5 papers"),
        ("who is C. Lao?", "/author name:C. Lao", "Did you mean ChonLam Lao?"),
        ("E. Coli", "/search query:E. Coli", "fits"),
        (
            "I'm tired, just tell me what PrismLLM measures",
            "/ask question:what PrismLLM measures",
            "PrismLLM",
        ),
        ("show my library", "", "/library show"),
        (
            "what did ChonLam Lao publish since 2025?",
            "/papers author:ChonLam Lao since:2025-01-01",
            "2 papers",
        ),
        (
            "what did Minlan Yu publish in 2024?",
            "/search query:what did Minlan Yu publish in 2024?",
            "1 Jan 2024 to 31 Dec 2024 · papers by Minlan Yu",
        ),
        ("thanks, that helps", "", "You're welcome."),
        ("who is Minlan Yu?", "/author name:Minlan Yu", "Minlan Yu"),
        ("compare ChonLam Lao and Minlan Yu", "/compare first:ChonLam Lao second:Minlan Yu", "Minlan Yu"),
        (
            "compare 2605.15617 and https://arxiv.org/abs/2412.12636v2 please",
            "/compare first:2605.15617 second:2412.12636",
            "**Both by** ChonLam Lao",
        ),
        (
            "what's the difference between 2605.15617 and 2412.12636?",
            "/compare first:2605.15617 second:2412.12636",
            "Two papers side by side",
        ),
        (
            "did ChonLam Lao and Minlan Yu ever write a paper together?",
            "/compare first:ChonLam Lao second:Minlan Yu",
            "2 papers together",
        ),
        (
            "most influential papers by ChonLam Lao",
            "/search query:most influential papers by ChonLam Lao",
            "Not ranked by citations",
        ),
        ("oldest papers by ChonLam Lao", "/papers author:ChonLam Lao sort:oldest", "oldest first"),
        ("what is the most cited paper of 2026?", "/search query:what is the most", "Newest first"),
        ("arXiv:2605.15617 similar papers", "/similar paper:2605.15617", "Similar to"),
        (
            "what has Anthropic published lately?",
            "/search query:what has Anthropic published lately?",
            "I don't know where authors work",
        ),
        (
            "are there clusters for training that don't need GPUs?",
            "/search query:are there clusters for training that don't need GPUs?",
            "do without GPUs come first",
        ),
        ("compare PrismLLM with TrainMover", "/compare first:PrismLLM second:TrainMover", "Both by"),
        ("2605.15617 vs 9901.00001", "/compare first:2605.15617", "is not among the"),
        ("what is ChonLam Lao working on?", "/papers author:ChonLam Lao", "5 papers"),
        ("papers like PrismLLM", "/similar paper:PrismLLM", "Similar to"),
        ("PrismLLM", "/paper paper:PrismLLM", "Details on a few"),
        ("GPU training emulation", "/search query:GPU training emulation", "PrismLLM"),
        (EMULATED, f"/ask question:{EMULATED}", "Show in context"),
        ("/papers ChonLam Lao sort:oldest", "/papers author:ChonLam Lao sort:oldest", "oldest first"),
        ("what is new today?", "/new", "any listing yet"),
        ("people like Minlan Yu", "/similar-people name:Minlan Yu", "Minlan Yu"),
        ("what's trending?", "/trending", "opic"),
        ("when was PrismLLM published?", "/paper paper:PrismLLM", "Details on a few"),
        ("are you a bot?", "", "I'm Labmate"),
        ("help", "", "What I can do"),
        ("", "", "What I can do"),
    ],
)
async def test_a_mention_is_led_to_the_command_that_answers_and_says_which(lab, words, typed, shows):
    reply = await lab.user.mention(words)
    assert reply.text.startswith(f"-# {typed}") if typed else not reply.text.startswith("-# /")
    if shows != "Details on a few":
        assert shows in reply.text + str([button["label"] for button in reply.buttons])
    assert reply.message["mentions"] == []


async def test_the_buttons_of_a_reply_to_a_mention_work(lab):
    reply = await lab.user.mention("papers by ChonLam Lao")
    assert "PrismLLM" in (await reply.press("Details")).text


async def test_a_direct_message_needs_no_mention(place):
    discord, _, user = place
    bot = discord.state.application["bot"]["id"]
    user.guild_id, user.channel_id = None, discord.state.dm_between(user.user["id"], bot)["id"]
    assert "5 papers" in (await user.tell("papers by ChonLam Lao")).text
    assert "PrismLLM" in (await user.tell(EMULATED)).text
    asked = await user.slash(f"/ask {EMULATED}")
    await asked.press("Ask on")
    assert "taken as" in (await user.tell("how exact is it?")).text
    assert len(of_kind(discord, DM)) == 1


async def test_a_question_about_another_member_is_told_where_members_show_their_papers(place):
    _, _, user = place
    for asked in ("who is {}", "papers by {}"):
        reply = await user.mention(asked.format(f"<@{user.user['id']}>"))
        assert reply.text.startswith("To see a member's papers, right-click the member")


async def test_what_takes_long_is_said_and_then_answered_in_its_place(tmp_path):
    async with (
        LocalDiscord() as discord,
        running_bot(settings_for(discord, tmp_path, labmate_pictures=False)) as (bot, scheduler),
        UserClient(discord.url, discord.user_token) as user,
    ):
        bot.services.interim_after = 0.05
        reply = await user.mention(EMULATED)
        assert reply.text.startswith("This takes longer than usual. I've just started and am still loading.")
        asked = asyncio.create_task(user.slash(f"/ask {EMULATED}", within=60))
        await scheduler.load_model()
        assert "PrismLLM" in (await user.next_answer(reply, within=60)).text
        first = await asked
        answered = first if "PrismLLM" in first.text else await user.next_answer(first, within=60)
        assert "Show in context" in [button["label"] for button in answered.buttons]


async def test_a_thread_goes_on_by_mention_and_by_reply_after_a_restart(tmp_path):
    async with LocalDiscord() as discord:
        async with started(discord, tmp_path) as lab:
            await (await lab.user.slash(f"/ask {EMULATED}")).press("Ask on")
        [thread] = of_kind(discord, PUBLIC_THREAD)
        async with started(discord, tmp_path) as lab:
            user = lab.user
            user.channel_id = thread["id"]
            answer = await user.mention("what error does that paper report?")
            assert "asked of the paper quoted before" in answer.text
            assert "0.58" in answer.text
            assert "Ask a follow-up" in [button["label"] for button in answer.buttons]
            answering = {"message_reference": {"message_id": answer.message["id"]}}
            assert "taken as" in (await user.tell("and for memory?", **answering)).text
            assert "5 papers" in (await user.mention("papers by ChonLam Lao")).text


async def test_nobody_elses_messages_are_read_and_no_bot_webhook_role_or_everybody_triggers(place):
    discord, bot, user = place
    role = discord.state.add_role(discord.guild["id"], "labmate")
    other = discord.state.add_user("robot", bot=True)
    discord.state.add_member(discord.guild["id"], other["id"])
    contents = []

    async def look(message):
        contents.append(message.content)

    bot.add_listener(look, "on_message")
    await heard(discord, bot, "papers by ChonLam Lao")
    await heard(discord, bot, f"@everyone @here <@&{role['id']}> papers by ChonLam Lao")
    await heard(discord, bot, f"@Labmate papers, `{me(discord)}`"[:28])
    assert contents == ["", "", ""], "Discord gives the text of none of these"
    await heard(discord, bot, f"{me(discord)} papers by ChonLam Lao", other["id"])
    await heard(discord, bot, f"{me(discord)} papers by ChonLam Lao", webhook_id="1")
    await heard(discord, bot, f"{me(discord)} joined", type=7)
    message = await heard(discord, bot, "nothing yet")
    await discord.messages.edit(message, {"content": f"{me(discord)} papers by ChonLam Lao"})
    asked = await user.mention("help")
    assert "What I can do" in asked.text
    assert [m["id"] for m in by_labmate(discord)] == [asked.message["id"]]


async def test_a_reply_that_pings_outside_of_a_thread_of_questions_is_left_alone(place):
    discord, bot, user = place
    answer = await user.mention("papers by ChonLam Lao")
    answering = {"message_reference": {"message_id": answer.message["id"]}}
    async with heard_by(bot, "message"):
        pinged = await user.say("haha, nice", **answering)
    assert [one["id"] for one in pinged["mentions"]] == [answer.message["author"]["id"]]
    assert "What I can do" in (await user.mention("help")).text
    assert len(by_labmate(discord)) == 2


async def test_one_message_is_answered_once_however_often_it_comes(place):
    discord, bot, user = place
    discord.faults.duplicate_dispatches = 1
    first = await user.mention("papers by ChonLam Lao")
    assert "5 papers" in first.text
    await discord.gateway.drop(user_id=discord.state.application["bot"]["id"])
    await until(lambda: discord.gateway.connections >= 3 and not bot.is_closed())
    assert "What I can do" in (await user.mention("help")).text
    assert len(by_labmate(discord)) == 2


async def test_two_processes_that_hear_one_message_answer_it_once(tmp_path):
    """While one takes over from the other, both are connected."""
    async with (
        LocalDiscord() as discord,
        running_bot(settings_for(discord, tmp_path / "one")) as (one, _),
        running_bot(settings_for(discord, tmp_path / "two")) as (two, _),
        UserClient(discord.url, discord.user_token) as user,
    ):
        done = []
        for bot in (one, two):
            bot.add_listener(_append(done), "on_labmate_mention")
        await user.mention("help")
        await until(lambda: len(done) == 2)
        await until(lambda: len([r for r in sent(discord) if r["path"].endswith("/messages")]) >= 3)
        assert len(by_labmate(discord)) == 1


def _append(done):
    async def on_labmate_mention(outcome):
        done.append(outcome)

    return on_labmate_mention


async def test_where_it_may_not_write_it_does_not_try(place):
    discord, bot, user = place
    quiet = discord.state.add_channel(discord.guild["id"], "quiet")
    quiet["permission_overwrites"] = [
        {"id": discord.guild["id"], "type": 0, "allow": "0", "deny": str(1 << 11)}
    ]
    async with heard_by(bot, "guild_channel_create"):
        await discord.gateway.to_channel(quiet, "CHANNEL_CREATE", quiet)
    before = len(sent(discord))
    await heard(discord, bot, f"{me(discord)} papers by ChonLam Lao", channel=quiet)
    assert "What I can do" in (await user.mention("help")).text
    assert len(sent(discord)) == before + 2, "the mention and its answer, in the other channel"
    assert by_labmate(discord, quiet) == []


async def test_limits_hold_as_for_commands_and_are_told_once(place):
    discord, bot, user = place
    bot.services.limits = RateLimits()
    for _ in range(20):
        assert "5 papers" in (await user.mention("papers by ChonLam Lao")).text
    assert "20 answers to mentions in the last minute" in (await user.mention("help")).text
    await heard(discord, bot, f"{me(discord)} help")
    bee = joins(discord, "bee")
    async with UserClient(discord.url, discord.state.token_of(bee["id"])) as other:
        assert "What I can do" in (await other.mention("help")).text
    assert len(by_labmate(discord)) == 22


async def test_the_banned_get_no_answer(place):
    discord, bot, user = place
    bee = joins(discord, "bee")
    await bot.services.store.bans.ban("member", int(bee["id"]), by=0, reason="a test")
    await heard(discord, bot, f"{me(discord)} help", bee["id"])
    assert "What I can do" in (await user.mention("help")).text
    assert len(by_labmate(discord)) == 1


async def test_a_mistake_is_told_and_a_failure_gets_a_number(place):
    _, bot, user = place
    assert "as a day" in (await user.mention("/papers ChonLam Lao since:yesteryear")).text
    bot.services.store.listings.around = None
    assert "I logged it as" in (await user.mention("what's new?")).text


@pytest.mark.hostile
@pytest.mark.parametrize(
    "words",
    [
        "@everyone <@&2> **bold** [x](https://evil.example) ||spoiler||",
        "papers by <@1> @here",
        "x" * 1_900,
        "'; DROP TABLE papers; --",
        "/papers",
        "/papers author:",
        '/search query:" author:""" year:99999',
        "/ask question:? paper:???",
        "\u202e\u200b\x00",
        "$\\input{/etc/passwd}$ ```",
    ],
    ids=range(10),
)
async def test_hostile_words_are_answered_harmlessly(lab, words):
    reply = await lab.user.mention(words)
    message = lab.discord.state.messages[lab.user.channel_id][reply.message["id"]]
    assert (message["mentions"], message["mention_roles"], message["mention_everyone"]) == ([], [], False)
    for piece in ("@everyone", "@here", "<@1>", "<@&2>", "](https://evil", "**bold**", "||spoiler||"):
        assert piece not in reply.text.replace("\\" + piece, "")
    assert "went wrong" not in reply.text
