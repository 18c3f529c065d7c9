"""Drafts of digests: several channels set up side by side, a panel that was closed, and deleting."""

from datetime import timedelta

from bot.local_discord.state import TEXT
from tests.helpers.digests import NOWHERE, active, in_zone
from tests.helpers.places import place_of


async def _described(scene, panel, query):
    form = await (await panel.press("Papers")).press("Words and people")
    return await scene.user.submit(form.message["modal"], NOWHERE | {"query": query})


async def test_digests_of_two_channels_are_set_up_side_by_side(scene):
    first = await in_zone(await scene.user.slash("/digest create"))
    await _described(scene, first, "gossip in programmable switches")
    scene.user.channel_id = (await place_of(scene, TEXT))["id"]
    second = await in_zone(await scene.user.slash("/digest create"))
    assert "Started." in (await second.press("Start")).text
    started = await first.press("Start")
    assert "Started." in started.text
    assert "“gossip in programmable switches”" in started.text


async def test_a_draft_of_the_channel_is_gone_on_with(scene):
    await _described(scene, await scene.user.slash("/digest create"), "gossip in programmable switches")
    again = await scene.user.slash("/digest create")
    assert "“gossip in programmable switches”" in again.text
    assert "You began this digest earlier." in again.text
    await again.press("Delete")
    assert "gossip" not in (await scene.user.slash("/digest create")).text


async def test_of_many_drafts_the_oldest_go(scene):
    for _ in range(7):
        scene.user.channel_id = (await place_of(scene, TEXT))["id"]
        scene.at += timedelta(minutes=1)
        await scene.user.slash("/digest create")
    drafts = await scene.bot.services.store.digests.of_guild(int(scene.discord.guild["id"]), drafts=True)
    assert len(drafts) == 5
    assert drafts[-1].channel == int(scene.user.channel_id)


async def test_a_digest_that_was_started_is_deleted_only_after_a_question(scene):
    digest = await active(scene)
    panel = await scene.user.slash("/digest edit")
    asked = await panel.press("Delete")
    assert "Delete **New papers** and its history? To stop it for a while, use /digest pause." in asked.text
    assert (await scene.bot.services.store.digests.find(digest.id)).state == "active"
    assert "Deleted: **New papers**." in (await asked.press("Delete")).text
    assert "This digest was deleted." in (await panel.press("Delete")).text
