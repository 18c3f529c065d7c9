"""Owners of digests are told also where their server, which another process serves, can't be read."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.local_discord.state import DM
from commands.kit import servers
from tests.helpers.digests import active
from tests.helpers.members import heard_by, joins, of_kind, said
from tests.helpers.places import forbid

OPENS, SERVER = r"POST /users/@me/channels", r"GET /guilds/\d+$"


@pytest.fixture
async def stopped(scene, monkeypatch):
    """A function that stops a digest; who owns it is not told yet, and its server is another process' now."""

    async def stop(**more):
        await active(scene, **more)
        scene.at += timedelta(hours=2)
        await forbid(scene, scene.discord.channel, "send_messages")
        scene.discord.faults.add(route=OPENS, status=403, code=40333)
        assert await scene.poster.tick() == 0
        assert scene.dms() == []
        monkeypatch.setattr(servers, "FRESH_FOR", 0.0)
        monkeypatch.setattr(scene.bot.services.servers, "is_ours", lambda server: False)
        me, guild = scene.discord.state.application["bot"]["id"], scene.discord.guild["id"]
        async with heard_by(scene.bot, "guild_remove"):
            gone = {"id": guild, "unavailable": False}
            await scene.discord.gateway.to_users([me], "GUILD_DELETE", gone)
        scene.at += timedelta(hours=1)

    return stop


def _told(scene, member):
    """What was written to a member directly."""
    channels = [channel for channel in of_kind(scene.discord, DM) if member["id"] in channel["_users"]]
    return [message for channel in channels for message in said(scene.discord, channel)]


async def test_the_owner_is_told_although_the_server_can_t_be_read(scene, stopped):
    await stopped()
    scene.discord.faults.add(route=SERVER, status=400, times=99)
    assert await scene.poster.tick() == 0
    [told] = scene.dms()
    assert "Send Messages" in told.text


@pytest.mark.parametrize("fault", [{"status": 400}, {"status": 403, "code": 40333}, {"status": 404}])
async def test_the_server_s_owner_is_told_instead_once_the_server_can_be_read(scene, stopped, fault):
    bee = joins(scene.discord, "bee")
    scene.discord.state.closed_dms.add(bee["id"])
    await stopped(owner=int(bee["id"]))
    scene.discord.faults.add(route=SERVER, times=99, **fault)
    assert await scene.poster.tick() == 0
    assert _told(scene, scene.discord.owner) == []
    scene.discord.faults.clear()
    scene.at += timedelta(hours=1)
    assert await scene.poster.tick() == 0
    [told] = _told(scene, scene.discord.owner)
    assert "I couldn't reach the person who set it up" in str(told)


async def test_where_labmate_is_in_the_server_no_more_nobody_else_is_tried(scene, stopped):
    bee = joins(scene.discord, "bee")
    scene.discord.state.closed_dms.add(bee["id"])
    await stopped(owner=int(bee["id"]))
    scene.discord.faults.add(route=SERVER, status=404, code=10004, times=99)
    assert await scene.poster.tick() == 0
    assert await scene.bot.services.store.digests.notices() == []
