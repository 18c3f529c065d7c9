"""What is left of a digest that was deleted, or paused, while a posting waited."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from bot.health import Health
from tests.helpers.digests import active


@pytest.mark.parametrize("command", ["pause", "delete"])
async def test_a_posting_that_will_not_come_is_not_late(scene, command):
    owner = int(scene.discord.owner["id"])
    await active(scene, guild=0, channel=owner, owner=owner, query="my secret subject")
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=r"POST /channels/\d+/messages$", status=503)
    await scene.poster.tick()
    asked = await scene.user.slash(f"/digest {command}")
    if command == "delete":
        assert "Deleted" in (await asked.press("Delete")).text
        assert (await scene.bot.services.store.digests.held(owner))["own_digests"] == []
    scene.at += timedelta(days=100)
    await scene.poster.tick()
    idle = SimpleNamespace(outcomes=())
    health = Health(scene.bot, SimpleNamespace(worker=idle, backups=idle))
    look = await health.look()
    health.close()
    assert (look.digests["due"], look.digests["late"]) == (0, 0)
    assert scene.dms() == []
