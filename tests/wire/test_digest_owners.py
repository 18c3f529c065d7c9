"""Who is told that a digest has stopped, and what they are told."""

from datetime import UTC, datetime, timedelta

from bot.local_discord.state import DM
from commands.digests.posting import Poster
from tests.helpers.digests import active
from tests.helpers.members import joins, of_kind, said
from tests.helpers.places import forbid

OPENS = r"POST /users/@me/channels"


async def _stops(scene, **more):
    await active(scene, **more)
    scene.at += timedelta(hours=2)
    await forbid(scene, scene.discord.channel, "send_messages")
    assert await scene.poster.tick() == 0


def _told(scene, member):
    """What was written to a member directly."""
    channels = [channel for channel in of_kind(scene.discord, DM) if member["id"] in channel["_users"]]
    return [message for channel in channels for message in said(scene.discord, channel)]


async def test_an_owner_is_told_in_which_server_it_is_and_what_is_missing(scene):
    await _stops(scene)
    [told] = scene.dms()
    where = f"**New papers** in <#{scene.discord.channel['id']}> ({scene.discord.guild['name']}): "
    assert f"{where}I'm missing the permission Send Messages there, so the digest has stopped." in told.text


async def test_where_who_set_it_up_can_t_be_reached_the_server_s_owner_is_told(scene):
    bee = joins(scene.discord, "bee")
    scene.discord.state.closed_dms.add(bee["id"])
    await _stops(scene, owner=int(bee["id"]))
    assert _told(scene, bee) == []
    [told] = _told(scene, scene.discord.owner)
    assert "Send Messages" in str(told)
    assert "I couldn't reach the person who set it up" in str(told)


async def test_who_was_not_told_because_discord_had_a_fault_is_told_later_and_once(scene):
    for fault in ({"status": 503}, {"status": 403, "code": 40003}, {"status": 403, "code": 40333}):
        scene.discord.faults.add(route=OPENS, **fault)
    await _stops(scene)
    assert scene.dms() == []
    for _ in range(24):
        scene.at += timedelta(hours=1)
        assert await scene.poster.tick() == 0
    [told] = scene.dms()
    assert "Send Messages" in told.text


async def test_telling_is_given_up_after_a_day(scene):
    scene.discord.faults.add(route=OPENS, status=503, times=99)
    await _stops(scene)
    for _ in range(25):
        scene.at += timedelta(hours=1)
        assert await scene.poster.tick() == 0
    scene.discord.faults.clear()
    scene.at += timedelta(hours=1)
    assert await scene.poster.tick() == 0
    assert scene.dms() == []


async def test_a_digest_that_goes_on_meanwhile_is_not_said_to_have_stopped(scene):
    scene.discord.faults.add(route=OPENS, status=503)
    await _stops(scene)
    await forbid(scene, scene.discord.channel)
    assert "Resumed" in (await scene.user.slash("/digest resume")).text
    scene.at += timedelta(hours=1)
    assert await scene.poster.tick() == 1
    assert scene.dms() == []


async def _restarted(scene):
    await scene.poster.close()
    return Poster(scene.bot, scene.bot.services, scene.bot.services.leader)


def _one_clock(scene):
    """Let Discord's clock show the time at which a digest of the scene stops."""
    stops = scene.at + timedelta(hours=2)
    scene.discord.state.clock_offset = (stops - datetime.now(UTC)).total_seconds()


async def test_who_was_not_told_before_a_restart_is_told_after_it(scene):
    scene.discord.faults.add(route=OPENS, status=503)
    await _stops(scene)
    after = await _restarted(scene)
    scene.at += timedelta(hours=1)
    assert await after.tick() == 0
    [told] = scene.dms()
    assert "Send Messages" in told.text
    assert "Choose another channel" in [button["label"] for button in told.buttons]


async def test_who_was_told_is_not_told_again_after_a_restart(scene):
    _one_clock(scene)
    bee = joins(scene.discord, "bee")
    scene.discord.state.closed_dms.add(bee["id"])
    await _stops(scene, owner=int(bee["id"]))
    assert len(scene.dms()) == 1, "the server's owner was told"
    for _ in range(2):
        after = await _restarted(scene)
        scene.at += timedelta(minutes=1)
        assert await after.tick() == 0
        assert len(scene.dms()) == 1
        scene.poster = after


async def test_a_digest_that_stopped_a_second_time_is_told_of_again_after_a_restart(scene):
    _one_clock(scene)
    await _stops(scene)
    await forbid(scene, scene.discord.channel)
    await scene.user.slash("/digest resume")
    await forbid(scene, scene.discord.channel, "send_messages")
    scene.discord.faults.add(route=r"POST /channels/\d+/messages$", status=503)
    scene.at += timedelta(hours=1)
    assert await scene.poster.tick() == 0
    assert len(scene.dms()) == 1, "of the second stop nobody was told"
    after = await _restarted(scene)
    assert await after.tick() == 0
    assert len(scene.dms()) == 2
