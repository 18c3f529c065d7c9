"""Which messages a bot hears of, and which with their text: by intents and mentions, as in Discord."""

import aiohttp
import pytest

from bot.local_discord.client import CommandRefusedError, UserClient
from bot.local_discord.server import LocalDiscord

GUILDS, GUILD_MESSAGES, DM_MESSAGES = 1, 1 << 9, 1 << 12


async def listening(server, session, intents):
    """A bot's socket, identified, past its first events."""
    ws = await session.ws_connect(server.gateway_url)
    await ws.receive_json()
    await ws.send_json({"op": 2, "d": {"token": server.bot_token, "intents": intents, "properties": {}}})
    while (await ws.receive_json())["t"] != "GUILD_CREATE":
        pass
    return ws


async def heard(ws, until):
    """The texts of the messages that a bot hears of, up to one."""
    texts = []
    while True:
        payload = await ws.receive_json(timeout=10)
        if payload["t"] == "MESSAGE_CREATE":
            texts.append(payload["d"]["content"])
            if until in texts[-1]:
                return texts


@pytest.fixture
async def place():
    async with (
        LocalDiscord() as server,
        aiohttp.ClientSession() as session,
        UserClient(server.url, server.user_token) as user,
    ):
        yield server, session, user


async def test_text_comes_only_with_a_mention_or_directly(place):
    server, session, user = place
    bot = server.state.application["bot"]["id"]
    role = server.state.add_role(server.guild["id"], "bots")
    ws = await listening(server, session, GUILDS | GUILD_MESSAGES | DM_MESSAGES)
    await user.say("between us")
    await user.say(f"@everyone <@&{role['id']}>")
    await user.say(f"<@{bot}> one")
    ours = await server.messages.create(server.channel, bot, {"content": "mine"})
    await user.say("a reply that pings", message_reference={"message_id": ours["id"]})
    await user.say(
        "a quiet reply",
        message_reference={"message_id": ours["id"]},
        allowed_mentions={"parse": [], "replied_user": False},
    )
    user.channel_id = server.state.dm_between(user.user["id"], bot)["id"]
    await user.say("directly")
    expected = ["", "", f"<@{bot}> one", "mine", "a reply that pings", "", "directly"]
    assert await heard(ws, "directly") == expected


async def test_without_the_intent_a_bot_hears_of_no_message(place):
    server, session, user = place
    bot = server.state.application["bot"]["id"]
    ws = await listening(server, session, GUILDS | DM_MESSAGES)
    await user.say(f"<@{bot}> in the server")
    user.channel_id = server.state.dm_between(user.user["id"], bot)["id"]
    await user.say("directly")
    assert await heard(ws, "directly") == ["directly"]


async def test_a_reply_carries_what_it_answers_and_must_answer_something(place):
    _, _, user = place
    said = await user.say("a question")
    reply = await user.say("an answer", message_reference={"message_id": said["id"]})
    assert (reply["type"], reply["referenced_message"]["content"]) == (19, "a question")
    with pytest.raises(CommandRefusedError, match="MESSAGE_REFERENCE_UNKNOWN_MESSAGE"):
        await user.say("to nothing", message_reference={"message_id": "1"})
    late = await user.say("x", message_reference={"message_id": "1", "fail_if_not_exists": False})
    assert late["referenced_message"] is None
