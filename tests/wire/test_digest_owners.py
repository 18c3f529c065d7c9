"""Who is told that a digest has stopped, and what they are told."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.local_discord.state import DM
from commands.digests.posting import GIVEN_UP, Poster
from index.digest.due import PATIENCE
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


@pytest.mark.parametrize("when", ["before it stops", "before it can be told"])
async def test_of_a_digest_whose_maker_is_forgotten_the_server_s_owner_is_told(scene, when):
    bee = joins(scene.discord, "bee")
    digests = scene.bot.services.store.digests
    if when == "before it can be told":
        scene.discord.faults.add(route=OPENS, status=503)
        await _stops(scene, owner=int(bee["id"]))
        await digests.forget(int(bee["id"]))
        scene.at += timedelta(hours=1)
        assert await scene.poster.tick() == 0
    else:
        digest = await active(scene, owner=int(bee["id"]))
        await digests.forget(int(bee["id"]))
        assert (await digests.find(digest.id)).owner == 0
        scene.at += timedelta(hours=2)
        await forbid(scene, scene.discord.channel, "send_messages")
        assert await scene.poster.tick() == 0
    assert _told(scene, bee) == []
    [told] = _told(scene, scene.discord.owner)
    assert "Send Messages" in str(told)


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


SENDS = r"POST /channels/\d+/messages$"


async def _no_listing(scene):
    """A posting is missed since no listing came."""
    await active(scene)
    scene.at += timedelta(days=1, hours=2) + PATIENCE


async def _not_taken(scene):
    """A posting is given up after a day; its papers come with the next."""
    await active(scene)
    scene.at += timedelta(hours=2)
    route = rf"POST /channels/{scene.discord.channel['id']}/messages$"
    scene.discord.faults.add(route=route, status=400, times=2)
    await scene.poster.tick()
    scene.at += GIVEN_UP


async def _own_closed(scene):
    """A digest by direct message stops."""
    owner = int(scene.discord.owner["id"])
    await active(scene, guild=0, channel=owner, owner=owner)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=SENDS, status=403, code=50007)


ENDS = [(_no_listing, "could not be read in time"), (_not_taken, "tried to post for a day"),
        (_own_closed, "/digest resume starts it again")]  # fmt: skip
each_end = pytest.mark.parametrize(("ends", "words"), ENDS)


@each_end
async def test_what_could_not_be_told_before_a_restart_is_told_once_after_it(scene, ends, words):
    await ends(scene)
    later = {"status": 503} if ends is not _own_closed else {"status": 503, "times": 1}
    scene.discord.faults.add(route=SENDS if ends is _own_closed else OPENS, **later)
    assert await scene.poster.tick() == 0
    assert scene.dms() == []
    for _ in range(3):
        scene.poster = await _restarted(scene)
        scene.at += timedelta(minutes=5)
        assert await scene.poster.tick() <= 1
        assert [words in told.text for told in scene.dms()] == [True]


@each_end
@pytest.mark.parametrize("sent", [True, False])
async def test_a_crash_just_before_or_after_telling_neither_loses_nor_repeats_it(
    scene, ends, words, sent, monkeypatch
):
    scene.discord.state.clock_offset = (scene.at - datetime.now(UTC)).total_seconds() + 36 * 3_600
    await ends(scene)
    store = scene.bot.services.store.digests

    async def dies(*_):
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(store, "told" if sent else "telling", dies)
        assert await scene.poster.tick() == 0
    assert len(scene.dms()) == sent
    scene.discord.state.nonces.clear()  # Discord forgets them after minutes
    for _ in range(2):
        scene.poster = await _restarted(scene)
        scene.at += timedelta(minutes=5)
        assert await scene.poster.tick() <= 1
        assert [words in told.text for told in scene.dms()] == [True]


async def test_who_is_told_while_discord_s_answer_is_lost_is_told_once(scene):
    scene.discord.faults.add(route=SENDS, status=500, times=5, after=True)
    await _stops(scene)
    scene.at += timedelta(hours=1)
    assert await scene.poster.tick() == 0
    assert len(scene.dms()) == 1


async def test_what_is_to_be_told_of_a_deleted_digest_goes_with_it(scene):
    await _no_listing(scene)
    scene.discord.faults.add(route=OPENS, status=503)
    await scene.poster.tick()
    owner = int(scene.discord.owner["id"])
    assert len((await scene.bot.services.store.digests.held(owner))["untold"]) == 1
    await (await scene.user.slash("/digest delete")).press("Delete")
    assert (await scene.bot.services.store.digests.held(owner))["untold"] == []
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    assert scene.dms() == []


async def test_what_was_missed_is_posted_by_the_button_of_the_message(scene):
    await _no_listing(scene)
    await scene.poster.tick()
    [told] = scene.dms()
    assert "5 of 9" in str(scene.posts()) or scene.posts() == []
    await told.press("Post now")
    assert [post.text for post in scene.posts()] != []
