"""Many own digests at one hour: direct messages are spread, and slower still where Discord complains."""

from datetime import timedelta

from commands.digests.pace import AT_ONCE, OPENED_AT_ONCE
from data.stores.notices import leave_notice
from tests.helpers.digests import active, in_zone
from tests.helpers.members import joins

OPENS = r"POST /users/@me/channels"


async def own_digests(scene, count, *, known):
    """Own digests of some members; ``known`` where they had direct messages before."""
    members = [joins(scene.discord, f"member-{number}") for number in range(count)]
    bot = scene.discord.state.application["bot"]["id"]
    for member in members:
        number = int(member["id"])
        await active(scene, guild=0, channel=number, owner=number, picture=False, most=3)
        if known:
            channel = scene.discord.state.dm_between(bot, member["id"])
            await scene.bot.services.store.direct_channels.keep(number, int(channel["id"]))
    return members


async def rounds(scene, count):
    """How many are posted in each look, one each twenty seconds."""
    posted = []
    while sum(posted) < count and len(posted) < 60:
        posted.append(await scene.poster.tick())
        scene.at += timedelta(seconds=20)
    return posted


async def test_known_channels_are_written_to_over_minutes_and_a_server_does_not_wait(scene):
    await own_digests(scene, 25, known=True)
    await active(scene, picture=False)
    scene.at += timedelta(hours=2)
    posted = await rounds(scene, 26)
    assert posted[0] == AT_ONCE + 1
    assert len(scene.posts()) == 1
    assert sum(posted) == 26
    assert all(10 <= count <= 11 for count in posted[1:-1])
    assert len(scene.dms()) == 25


async def test_channels_that_have_to_be_opened_take_longer(scene):
    await own_digests(scene, 8, known=False)
    scene.at += timedelta(hours=2)
    posted = await rounds(scene, 8)
    assert posted[0] == OPENED_AT_ONCE
    assert posted[1:] == [2, 2]


async def test_40003_slows_the_sending_down_and_stops_no_digest(scene):
    members = await own_digests(scene, 6, known=False)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=OPENS, status=403, code=40003)
    assert await scene.poster.tick() == 0
    asked = _opened(scene)
    scene.at += timedelta(seconds=60)
    assert await scene.poster.tick() == 0, "it rests"
    assert _opened(scene) == asked
    scene.at += timedelta(minutes=2)
    posted = await rounds(scene, 6)
    assert sum(posted) == 6
    assert max(posted) < OPENED_AT_ONCE, "and then it is slower than before"
    for member in members:
        [digest] = await scene.bot.services.store.digests.of_owner(int(member["id"]))
        assert digest.state == "active"


async def test_owners_are_told_at_the_same_pace(scene):
    members = await own_digests(scene, 12, known=True)
    scene.at += timedelta(days=1, hours=10)  # no listing came
    await scene.poster.tick()
    told = len(scene.dms())
    assert 0 < told <= AT_ONCE
    scene.at += timedelta(minutes=1)
    await scene.poster.tick()
    assert len(scene.dms()) >= len(members)


async def test_starting_an_own_digest_opens_the_direct_message_while_the_member_is_there(scene):
    panel = await in_zone(await scene.user.slash("/digest mine"))
    await panel.press("Start")
    owner = int(scene.discord.owner["id"])
    assert await scene.bot.services.store.direct_channels.of(owner)
    await scene.user.slash("/digest pause")
    await scene.bot.services.store.direct_channels.forget(owner)
    scene.discord.faults.add(route=OPENS, status=403, code=50278)
    scene.bot._connection._private_channels.clear()
    scene.bot._connection._private_channels_by_user.clear()
    refused = await scene.user.slash("/digest resume")
    assert "I can't write to you: we share no server any more" in refused.text


async def test_an_own_digest_that_stopped_at_closed_messages_says_what_to_do_when_it_is_resumed(scene):
    await active(scene, guild=0, channel=int(scene.discord.owner["id"]), picture=False, most=3)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=r"POST /channels/\d+/messages$", status=403, code=50007, times=2)
    assert await scene.poster.tick() == 0
    resumed = await scene.user.slash("/digest resume")
    assert "Resumed" in resumed.text
    assert "comes in the next few minutes" in resumed.text
    assert "Open them in the privacy settings of a server that we share" in resumed.text
    assert await scene.poster.tick() == 1
    assert len(scene.dms()) == 1
    await scene.user.slash("/digest pause")
    assert "privacy" not in (await scene.user.slash("/digest resume")).text


def _opened(scene):
    return len([one for one in scene.discord.requests if one["path"] == "/users/@me/channels"])


async def test_a_notice_is_not_taken_for_another_of_the_same_digest(scene):
    digest = await active(scene)
    store = scene.bot.services.store.digests
    async with store._writer.begin() as connection:
        for why in ("first", "second"):
            await leave_notice(connection, digest.id, "missed", why)
    scene.discord.faults.add(route=r"POST /channels/\d+/messages$", status=503, times=99)
    await scene.poster.tick()
    scene.discord.faults.clear()
    scene.at += timedelta(minutes=10)
    await scene.poster.tick()
    assert await store.notices() == []
    told = " ".join(message.text for message in scene.dms())
    assert "first" in told
    assert "second" in told
