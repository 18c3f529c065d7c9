"""A server that removes Labmate and adds it again, though a posting met the removal first."""

from datetime import timedelta

import pytest

from commands.digests.removals import GONE
from tests.helpers.digests import active
from tests.helpers.members import heard_by

SENDS = r"POST /channels/\d+/messages$"
HOUR = timedelta(hours=1)


async def _stops(scene, code=50001):
    """A digest whose posting is refused as it is where Labmate was removed, a moment before that is told."""
    digest = await active(scene)
    scene.at += 2 * HOUR
    scene.discord.faults.add(route=SENDS, status=403, code=code)
    assert await scene.poster.tick() == 0
    assert (await _now(scene, digest)).state == "broken"
    return digest


async def _now(scene, digest):
    return await scene.bot.services.store.digests.find(digest.id)


def _me(scene):
    return scene.discord.state.application["bot"]["id"]


async def _removed(scene):
    gone = {"id": scene.discord.guild["id"], "unavailable": False}
    async with heard_by(scene.bot, "guild_remove"):
        await scene.discord.gateway.to_users([_me(scene)], "GUILD_DELETE", gone)


async def _added(scene, when="2026-11-16T10:05:00+00:00"):
    guild = scene.discord.guild["id"]
    scene.discord.state.guilds[guild]["members"][_me(scene)]["joined_at"] = when
    joined = scene.discord.state.guild_json(guild, _me(scene))
    async with heard_by(scene.bot, "guild_available"):
        await scene.discord.gateway.to_users([_me(scene)], "GUILD_CREATE", joined)


@pytest.mark.parametrize("code", [50001, 10004])
async def test_a_digest_that_met_the_removal_first_goes_on_at_the_return(scene, code):
    digest = await _stops(scene, code)
    await _removed(scene)
    assert await scene.poster.tick() == 0
    assert (await _now(scene, digest)).why == GONE
    scene.at += timedelta(days=3)
    await _added(scene)
    await scene.poster.tick()
    found = await _now(scene, digest)
    assert (found.state, found.why, len(scene.posts())) == ("active", "", 1)


async def test_it_does_so_where_the_removal_was_over_before_the_next_look(scene):
    digest = await _stops(scene)
    await _removed(scene)
    await _added(scene)
    assert await scene.poster.tick() == 1
    assert (await _now(scene, digest)).state == "active"


async def test_a_digest_that_stopped_long_before_stays_stopped(scene):
    digest = await _stops(scene)
    scene.at += timedelta(days=2)
    assert await scene.poster.tick() == 0
    await _removed(scene)
    assert await scene.poster.tick() == 0
    await _added(scene)
    assert await scene.poster.tick() == 0
    assert (await _now(scene, digest)).state == "broken"


async def test_so_does_one_that_stopped_for_another_reason_and_one_of_a_server_that_never_left(scene):
    digest = await _stops(scene, 50008)
    other = await active(scene)
    scene.discord.faults.add(route=SENDS, status=403, code=50001)
    assert await scene.poster.tick() == 0
    assert await scene.poster.tick() == 0
    assert (await _now(scene, other)).why == "I can't see the channel"
    await _removed(scene)
    await scene.poster.tick()
    await _added(scene)
    await scene.poster.tick()
    assert (await _now(scene, digest)).why == "nothing can be written in this kind of channel"
    assert (await _now(scene, other)).state == "active"
