"""What the owner of a digest is told comes once after a crash, whether its server can be read then or not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from commands.digests.posting import Poster
from commands.kit import servers
from tests.helpers.digests import active
from tests.helpers.places import forbid

OPENS, SERVER = r"POST /users/@me/channels", r"GET /guilds/\d+$"


@pytest.fixture
async def stopped(scene, monkeypatch):
    """A digest has stopped, and its owner is not told yet; other processes serve its server."""
    await active(scene)
    scene.at += timedelta(hours=2)
    await forbid(scene, scene.discord.channel, "send_messages")
    scene.discord.faults.add(route=OPENS, status=403, code=40333)
    assert await scene.poster.tick() == 0
    assert scene.dms() == []
    monkeypatch.setattr(servers, "FRESH_FOR", 0.0)
    monkeypatch.setattr(scene.bot.services.servers, "is_ours", lambda server: False)
    monkeypatch.setattr(scene.bot, "get_guild", lambda server: None)
    scene.at += timedelta(hours=1)
    return scene


async def _told_and_killed(scene, monkeypatch):
    """The process dies after the notice was sent, before it notes that."""

    async def dies(*_):
        raise SystemError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(scene.bot.services.store.digests, "told", dies)
        with pytest.raises(SystemError):
            await scene.poster.tick()
    await scene.poster.close()
    scene.discord.state.nonces.clear()  # Discord forgets them after minutes
    scene.poster = Poster(scene.bot, scene.bot.services, scene.bot.services.leader)
    scene.at += timedelta(hours=1)


@pytest.mark.parametrize("known_first", [True, False])
async def test_it_is_told_once_with_or_without_the_servers_name(stopped, monkeypatch, known_first):
    scene, name = stopped, stopped.discord.guild["name"]
    if not known_first:
        scene.discord.faults.add(route=SERVER, status=400, times=99)
    await _told_and_killed(scene, monkeypatch)
    [told] = scene.dms()
    assert (f"({name})" in told.text) is known_first
    scene.discord.faults.clear()
    if known_first:
        scene.discord.faults.add(route=SERVER, status=400, times=99)
    await scene.poster.tick()
    assert len(scene.dms()) == 1
    assert await scene.bot.services.store.digests.notices() == []


async def test_a_server_that_was_renamed_meanwhile_is_the_same(stopped, monkeypatch):
    await _told_and_killed(stopped, monkeypatch)
    stopped.discord.guild["name"] = "Another name"
    await stopped.poster.tick()
    assert len(stopped.dms()) == 1
