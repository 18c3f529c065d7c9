"""Invitations between two members over the wire: told once, answered once, a private thread for two."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text

from bot.client import Labmate
from bot.local_discord.client import CommandRefusedError, ShownReply, UserClient
from bot.local_discord.completion import files_of
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import DM, PRIVATE_THREAD
from bot.run import running_bot
from commands.kit.replies import UserError
from commands.members.invitation_answers import (
    accept,
    block,
    decline,
    read,
    unblock_sender,
    why_again,
    withdraw,
)
from commands.members.invitation_delivery import resume
from data.stores.invitation_limits import InvitationRefused
from tests.helpers.lab import settings_for
from tests.helpers.members import hold, joins, of_kind, said

SENDER, RECIPIENT = "ChonLam Lao", "Minlan Yu"


@dataclass
class Two:
    discord: LocalDiscord
    bot: Labmate
    a: UserClient
    b: UserClient
    c: UserClient

    @property
    def dms(self):
        """What B has in direct messages."""
        return self.dms_of(self.b)

    def dms_of(self, user):
        return [
            ShownReply(user, message)
            for channel in of_kind(self.discord, DM)
            if user.user["id"] in channel["_users"]
            for message in said(self.discord, channel)
        ]


@pytest.fixture
async def two(tmp_path):
    """Two members who have claimed their papers, and one who has not."""
    async with LocalDiscord() as discord:
        others = [joins(discord, name) for name in ("bee", "cee")]
        tokens = [discord.user_token, *(discord.state.token_of(user["id"]) for user in others)]
        async with (
            running_bot(settings_for(discord, tmp_path)) as (bot, _),
            UserClient(discord.url, tokens[0]) as a,
            UserClient(discord.url, tokens[1]) as b,
            UserClient(discord.url, tokens[2]) as c,
        ):
            await hold(bot.services.store, a.user["id"], SENDER, discord.guild["id"])
            await hold(bot.services.store, b.user["id"], RECIPIENT, discord.guild["id"])
            yield Two(discord, bot, a, b, c)


async def test_from_why_to_a_thread_for_two(two):
    await hold(two.bot.services.store, two.c.user["id"], "Jiamin Cao", two.discord.guild["id"])
    why = await (await two.a.slash("/collaborators new_only:False")).choose("Jiamin Cao")
    asked = await why.press("Invite")
    assert "They can accept, answer “not now”, or block" in asked.text
    assert not two.dms_of(two.c), "nothing is sent before it is confirmed"
    sent = await asked.press("Send the invitation")
    assert "on its way" in sent.text
    assert sent.is_private
    [dm] = two.dms_of(two.c)
    assert "ChonLam Lao would like to work with you" in dm.text
    assert "Why ChonLam Lao for Jiamin Cao" in dm.text
    assert "Local lab" in dm.text
    assert dm.message["mentions"] == []
    accepted = await dm.press("Accept")
    assert "is for the two of you" in accepted.text
    [thread] = of_kind(two.discord, PRIVATE_THREAD)
    bot = two.discord.state.application["bot"]["id"]
    assert thread["_members"] == {two.a.user["id"], two.c.user["id"], bot}
    [opening] = said(two.discord, thread)
    shown = ShownReply(two.a, opening)
    assert "first half hour" in shown.text
    assert "ChonLam Lao and Jiamin Cao" in shown.text
    assert opening["mentions"] == []
    assert not two.dms_of(two.c)[0].buttons, "an answered one can't be answered"
    assert "accepted · <#" in (await two.a.slash("/invitations")).text
    assert "Why Jiamin Cao for ChonLam Lao" in (await shown.press("Everything")).text
    again = await why.press("Invite")
    assert "you can send the next on" in (await again.press("Send")).text


async def test_not_now_is_all_that_is_told(two):
    await two.a.slash(f"/invite person:{RECIPIENT} about:@everyone **switches** <@1>")
    [dm] = two.dms
    assert "@everyone" not in dm.text
    assert "**switches**" not in dm.text
    assert "“not now”" in (await dm.press("Not now")).text
    mine = await two.a.slash("/invitations")
    assert "not now" in mine.text
    assert not of_kind(two.discord, PRIVATE_THREAD)
    assert not two.dms[0].buttons


async def test_a_block_is_silent_and_can_be_undone(two):
    await two.a.slash(f"/invite person:{RECIPIENT}")
    blocked = await two.dms[0].press("Block")
    assert "I don't tell them" in blocked.text
    assert "not now" in (await two.a.slash("/invitations")).text
    await age(two, 31)
    before = len(two.dms)
    sent = await two.a.slash(f"/invite person:{RECIPIENT}")
    assert "on its way" in sent.text, "a blocked sender sees no difference"
    assert len(two.dms) == before
    assert "waiting for an answer" in (await two.a.slash("/invitations")).text
    theirs = await two.b.slash("/invitations")
    assert "waiting for an answer" not in theirs.text
    held = await two.a.slash("/me data")
    [file] = files_of(held.message)
    body = two.discord.state.files[file["id"]][2].decode()
    assert "silent" not in body
    assert '"waiting"' in body
    assert "reach you again" in (await theirs.choose(theirs.selects[0]["options"][0]["value"])).text
    await two.bot.services.store.invitations.forget(int(two.a.user["id"]))
    again = await two.a.slash(f"/invite person:{RECIPIENT}")
    assert "within the last month" in again.text, "being forgotten resets no limit"
    await age(two, 31)
    await two.a.slash(f"/invite person:{RECIPIENT}")
    assert len(two.dms) == before + 1


async def age(two, days):
    """Let everything have been made some days earlier."""
    async with two.bot.services.store._writer.begin() as connection:
        rows = await connection.execute(text("select id, made from invitations"))
        for number, made in rows.all():
            earlier = datetime.fromisoformat(str(made)) - timedelta(days=days)
            await connection.execute(
                text("update invitations set made = :made where id = :id"), {"made": earlier, "id": number}
            )
        counted = await connection.execute(text("select id, until from counters"))
        for number, until in counted.all():
            earlier = datetime.fromisoformat(str(until)) - timedelta(days=days)
            await connection.execute(
                text("update counters set until = :until where id = :id"), {"until": earlier, "id": number}
            )


async def test_closed_dms_lead_to_a_thread_of_one_s_own(two):
    two.discord.state.closed_dms.add(two.b.user["id"])
    assert "on its way" in (await two.a.slash(f"/invite person:{RECIPIENT}")).text
    [thread] = of_kind(two.discord, PRIVATE_THREAD)
    assert two.a.user["id"] not in thread["_members"]
    [message] = said(two.discord, thread)
    accepted = await ShownReply(two.b, message | {"guild_id": two.discord.guild["id"]}).press("Accept")
    assert "is for the two of you" in accepted.text
    assert {len(t["_members"]) for t in of_kind(two.discord, PRIVATE_THREAD)} == {2, 3}


async def test_who_is_not_here_or_not_claimed_gets_no_message(two):
    found = await two.a.slash("/invite person:Jiaqi Gao about:switches `and` ```more```")
    assert "I can't write to them" in found.text
    assert "Dear Jiaqi Gao," in found.text
    assert found.text.count("```") == 2, "nothing ends the block"
    two.discord.state.guilds[two.discord.guild["id"]]["members"].pop(two.b.user["id"])
    left = await two.a.slash(f"/invite person:{RECIPIENT}")
    assert "is not in this server" in left.text
    assert not two.dms
    assert await two.bot.services.store.invitations.of(int(two.a.user["id"])) == []


async def test_it_says_what_it_needs(two):
    assert "Claim yours first: /claim" in (await two.c.slash(f"/invite person:{RECIPIENT}")).text
    assert "That is you" in (await two.a.slash(f"/invite person:{SENDER}")).text
    assert "not sent or received any invitations" in (await two.c.slash("/invitations")).text
    everyone = two.discord.state.guilds[two.discord.guild["id"]]["roles"][0]
    everyone["permissions"] = str(int(everyone["permissions"]) & ~(1 << 36))
    refused = await two.a.slash(f"/invite person:{RECIPIENT}")
    assert "Create Private Threads" in refused.text
    assert not two.dms


async def test_an_accepted_one_waits_for_the_right_to_make_threads(two):
    await two.a.slash(f"/invite person:{RECIPIENT}")
    everyone = two.discord.state.guilds[two.discord.guild["id"]]["roles"][0]
    before = everyone["permissions"]
    everyone["permissions"] = str(int(before) & ~(1 << 36))
    waiting = await two.dms[0].press("Accept")
    assert "not allowed to create private threads" in waiting.text
    everyone["permissions"] = before
    assert "is for the two of you" in (await waiting.press("Try again")).text
    assert len(of_kind(two.discord, PRIVATE_THREAD)) == 1


async def test_what_discord_fails_at_is_completed_later(two):
    two.discord.faults.add(route="POST /users/@me/channels", status=503, times=20)
    assert "on its way" in (await two.a.slash(f"/invite person:{RECIPIENT}", within=60)).text
    assert not two.dms
    two.discord.faults.clear()
    await resume(two.bot, two.bot.services)
    await resume(two.bot, two.bot.services)
    assert len(two.dms) == 1


async def test_withdrawing_takes_the_message_back(two):
    sent = await two.a.slash(f"/invite person:{RECIPIENT}")
    assert "is withdrawn" in (await sent.press("Withdraw")).text
    assert "was withdrawn" in two.dms[0].text
    assert not two.dms[0].buttons
    assert "It was withdrawn" in (await sent.press("Withdraw")).text


async def test_a_month_without_an_answer_ends_it(two):
    await two.a.slash(f"/invite person:{RECIPIENT}")
    await age(two, 31)
    await resume(two.bot, two.bot.services)
    assert "no answer for a month" in two.dms[0].text
    assert "ended without an answer" in (await two.a.slash("/invitations")).text


async def test_limits(two):
    store = two.bot.services.store
    people = [person async for person, _ in store.people.all_names()]

    def wish(sender, recipient, guild=1):
        return {
            "sender": sender, "recipient": recipient, "sender_person": people[0],
            "recipient_person": people[1], "guild": guild, "channel": 1, "about": "",
        }  # fmt: skip

    send = store.invitations.send
    for number in range(5):
        await send(wish(1, 100 + number))
    with pytest.raises(InvitationRefused, match="wait for an answer"):
        await send(wish(1, 200))
    for number in range(5):
        await send(wish(300 + number, 7, guild=2))
    with pytest.raises(InvitationRefused, match="many invitations"):
        await send(wish(400, 7, guild=2))
    for number in range(15):
        await send(wish(500 + number, 600 + number))
    with pytest.raises(InvitationRefused, match="within a day"):
        await send(wish(700, 701))
    await send(wish(700, 701, guild=3))
    with pytest.raises(InvitationRefused, match="already invited you"):
        await send(wish(701, 700, guild=4))
    done = await asyncio.gather(
        *(send(wish(800 + n % 2, 801 - n % 2, guild=5)) for n in range(8)), return_exceptions=True
    )
    assert sum(not isinstance(result, Exception) for result in done) == 1


async def test_nobody_acts_on_an_invitation_of_others(two):
    """A table of tries: somebody else, and the wrong one of the two."""
    await two.a.slash(f"/invite person:{RECIPIENT}")
    services = two.bot.services
    [invitation] = await services.store.invitations.of(int(two.a.user["id"]))
    number, a, b, c = invitation.id, *(int(user.user["id"]) for user in (two.a, two.b, two.c))
    await hold(services.store, c, "Jiaqi Gao", two.discord.guild["id"])
    tries = [
        (member, work)
        for member, works in (
            (a, (accept, read)), (b, (withdraw,)), (c, (accept, read, withdraw)),
        )
        for work in works
    ]  # fmt: skip
    for member, work in tries:
        with pytest.raises(UserError, match="not yours"):
            await work(two.bot, services, number, member)
    for member in (a, c):
        for work in (decline, block, unblock_sender):
            with pytest.raises(UserError, match="not yours"):
                await work(services, number, member)
    with pytest.raises(UserError, match="somebody else"):
        await why_again(services, number, c)
    assert (await services.store.invitations.find(number)).state == "waiting"
    assert await services.store.invitations.blocked(c) == []
    # A client that forges the button on a message of another place gets no further, either.
    message = (await two.c.slash("/help")).message
    forged = {"component_type": 2, "custom_id": f"in:a:{number}", "forged": True}
    assert "button no longer works" in (await two.c.component(message, forged)).text
    with pytest.raises(CommandRefusedError, match="Unknown Channel"):
        await two.c.component(two.dms[0].message, forged | {"forged": True})
    assert (await services.store.invitations.find(number)).state == "waiting"


async def test_cloudflare_is_not_taken_for_closed_direct_messages(two):
    two.discord.faults.add(route=r"POST /channels/\d+/messages", status=403, code=40333)
    assert "on its way" in (await two.a.slash(f"/invite person:{RECIPIENT}")).text
    assert of_kind(two.discord, PRIVATE_THREAD) == []
    assert not two.dms
    await resume(two.bot, two.bot.services)
    assert len(two.dms) == 1, "it was sent later"


@pytest.mark.parametrize("code", [50007, 50278])
async def test_direct_messages_that_can_t_come_lead_to_a_thread(two, code):
    two.discord.faults.add(route=r"POST /channels/\d+/messages", status=403, code=code)
    assert "on its way" in (await two.a.slash(f"/invite person:{RECIPIENT}")).text
    assert len(of_kind(two.discord, PRIVATE_THREAD)) == 1


@pytest.mark.parametrize(
    ("code", "status"), [(10007, 404), (30033, 400), (40007, 403), (50001, 403), (50013, 403)]
)
async def test_who_can_t_be_added_to_the_thread_is_named_and_not_tried_for_ever(two, code, status):
    await two.a.slash(f"/invite person:{RECIPIENT}")
    adds = r"PUT /channels/\d+/thread-members/\d+"
    two.discord.faults.add(route=adds, status=status, code=code)
    assert "is for the two of you" in (await two.dms[0].press("Accept")).text
    [thread] = of_kind(two.discord, PRIVATE_THREAD)
    [opening] = said(two.discord, thread)
    assert f"I could not add {SENDER}" in ShownReply(two.b, opening).text
    assert await two.bot.services.store.invitations.unfinished() == []


async def test_adding_that_fails_for_a_moment_is_done_later(two):
    await two.a.slash(f"/invite person:{RECIPIENT}")
    two.discord.faults.add(route=r"PUT /channels/\d+/thread-members/\d+", status=403, code=40333)
    assert "in a few minutes" in (await two.dms[0].press("Accept")).text
    await resume(two.bot, two.bot.services)
    [thread] = of_kind(two.discord, PRIVATE_THREAD)
    assert {two.a.user["id"], two.b.user["id"]} <= thread["_members"]


async def test_a_thread_that_can_t_be_opened_is_tried_for_a_month(two):
    await two.a.slash(f"/invite person:{RECIPIENT}")
    two.discord.faults.add(route=r"POST /channels/\d+/threads", status=403, code=50013, times=9)
    assert "not allowed to create private threads" in (await two.dms[0].press("Accept")).text
    store = two.bot.services.store.invitations
    assert len(await store.unfinished()) == 1
    async with store._writer.begin() as connection:
        earlier = datetime.now() - timedelta(days=31)
        await connection.execute(text("UPDATE invitations SET answered = :then"), {"then": earlier})
    assert await store.unfinished() == []
