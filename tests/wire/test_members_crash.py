"""kill -9 after and during every step from a claim to a thread for two: nothing lost or repeated."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack

import pytest

from bot.app import load_sample
from bot.local_discord.client import ShownReply, UserClient
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import DM, PRIVATE_THREAD
from data.stores.store import Store
from tests.helpers.lab import settings_for
from tests.helpers.members import hold, joins, of_kind, said
from tests.helpers.process import PATIENCE, logged_in, start

NAMES = ("Minlan Yu", "Jiaqi Gao", "Jiamin Cao")
"""Members who hold their claims from the beginning; the last is the one to be invited."""


class Killed:
    """A bot that is killed after each step and started again."""

    def __init__(self, discord, folder):
        self.discord, self.folder, self.process, self.kills = discord, folder, None, 0

    async def begin(self):
        self.process = start(self.discord, self.folder)
        await logged_in(self.process)

    async def kill(self):
        self.process.kill()
        await asyncio.to_thread(self.process.wait)
        self.process.stdout.close()
        self.kills += 1
        # Discord remembers a nonce for some minutes only: what is sent again must be seen without.
        self.discord.state.nonces.clear()
        await self.begin()

    async def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(self.process.wait, PATIENCE) == 0
        self.process.stdout.close()


@pytest.fixture
async def scene(tmp_path):
    async with LocalDiscord() as discord, AsyncExitStack() as stack:
        users = [joins(discord, name.split()[0].lower()) for name in NAMES]
        settings = settings_for(discord, tmp_path)
        await load_sample(settings)
        store = await Store.open(settings.database)
        for user, name in zip(users, NAMES, strict=True):
            await hold(store, user["id"], name, discord.guild["id"])
        await store.close()
        bot = Killed(discord, tmp_path)
        await bot.begin()
        tokens = [discord.user_token, *(discord.state.token_of(user["id"]) for user in users)]
        clients = [await stack.enter_async_context(UserClient(discord.url, token)) for token in tokens]
        yield discord, bot, clients, settings
        await bot.end()


def direct(discord, user):
    return [
        ShownReply(user, message)
        for channel in of_kind(discord, DM)
        if user.user["id"] in channel["_users"]
        for message in said(discord, channel)
    ]


async def until(found):
    """Wait for something that the bot does by itself after a start."""
    async with asyncio.timeout(PATIENCE):
        while not (value := found()):  # noqa: ASYNC110 - the local Discord tells nobody
            await asyncio.sleep(0.02)
    return value


async def completed(settings):
    """Wait until the bot, another process, has finished what it was killed in."""
    store = await Store.open(settings.database)
    async with asyncio.timeout(PATIENCE):
        while await store.invitations.unfinished():  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.02)
    await store.close()


def stays_unanswered(pressing):
    """What was pressed gets no reply of a bot that was killed, nor of the next."""
    assert not pressing.done()
    pressing.cancel()


def seen_by(user, reply):
    """A public reply as another member sees it."""
    return ShownReply(user, reply.message)


async def test_from_claim_to_thread_killed_after_every_step(scene):
    discord, bot, (a, one, two, b), _ = scene
    asked = await a.slash("/claim person:ChonLam Lao")
    await bot.kill()
    public = await asked.press("Ask members to vouch")
    await bot.kill()
    assert "1 more to settle" in (await seen_by(one, public).press("I vouch")).text
    await bot.kill()
    assert "1 more to settle" in (await seen_by(one, public).press("I vouch")).text, "one voice counts once"
    assert "is claimed now" in (await seen_by(two, public).press("I vouch")).text
    await bot.kill()
    await a.slash("/profile edit status:open seeking:a testbed")
    await bot.kill()
    assert "a testbed" in (await a.slash("/profile show")).text
    suggested = await a.slash("/collaborators new_only:False")
    await bot.kill()
    why = await suggested.choose("Jiamin Cao")
    await bot.kill()
    asked = await why.press("Invite")
    await bot.kill()
    sent = await asked.press("Send the invitation")
    await bot.kill()
    [dm] = direct(discord, b)
    assert "It is" not in sent.text
    accepted = await dm.press("Accept")
    assert "is for the two of you" in accepted.text
    await bot.kill()
    assert "accepted" in (await a.slash("/invitations")).text
    assert "accepted" in (await b.slash("/invitations")).text
    [thread] = of_kind(discord, PRIVATE_THREAD)
    assert len(said(discord, thread)) == 1
    assert len(direct(discord, b)) == 1
    assert bot.kills == 10


async def test_killed_in_the_middle_of_telling_and_of_opening(scene):
    discord, bot, (_, sender, __, b), settings = scene
    asked = await sender.slash("/invite person:Jiamin Cao")
    asked = await asked.choose(asked.selects[0]["options"][0]["value"])
    press = asked.press("Send the invitation")
    discord.faults.add(route=r"POST /channels/\d+/messages", hold=3.0)
    pressing = asyncio.create_task(press)
    await until(lambda: direct(discord, b))  # it stands in Discord, and the bot does not know
    await bot.kill()
    await completed(settings)
    stays_unanswered(pressing)
    [dm] = direct(discord, b)

    discord.faults.clear()
    discord.faults.add(route=r"POST /channels/\d+/threads", hold=3.0)
    pressing = asyncio.create_task(dm.press("Accept"))
    await until(lambda: of_kind(discord, PRIVATE_THREAD))
    await bot.kill()
    thread = await until(
        lambda: next((t for t in of_kind(discord, PRIVATE_THREAD) if said(discord, t)), None)
    )
    stays_unanswered(pressing)
    assert of_kind(discord, PRIVATE_THREAD) == [thread], "the one that stood there is used"
    assert len(said(discord, thread)) == 1
    assert "is for the two of you" in (await dm.press("Accept")).text, "the button leads to it"
    assert "accepted · <#" in (await sender.slash("/invitations")).text


async def test_killed_while_the_first_message_of_a_thread_is_on_its_way(scene):
    discord, bot, (_, sender, __, b), settings = scene
    asked = await sender.slash("/invite person:Jiamin Cao")
    asked = await asked.choose(asked.selects[0]["options"][0]["value"])
    await asked.press("Send the invitation")
    [dm] = direct(discord, b)
    discord.faults.add(route=r"POST /channels/\d+/messages", hold=3.0)
    pressing = asyncio.create_task(dm.press("Accept"))
    [thread] = await until(lambda: [t for t in of_kind(discord, PRIVATE_THREAD) if said(discord, t)])
    await bot.kill()
    await completed(settings)
    stays_unanswered(pressing)
    assert len(said(discord, thread)) == 1
    assert len(of_kind(discord, PRIVATE_THREAD)) == 1
