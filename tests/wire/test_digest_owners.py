"""Who is told that a digest has stopped, and what they are told."""

from datetime import timedelta

from bot.local_discord.state import DM
from tests.helpers.digests import active
from tests.helpers.members import joins, of_kind, said
from tests.helpers.places import forbid


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
