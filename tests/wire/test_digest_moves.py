"""A digest whose channel is gone goes on in another one, with its settings and what it had to post."""

from datetime import timedelta

import pytest

from tests.helpers.digests import active, re_titles
from tests.helpers.members import heard_by
from tests.helpers.places import lose


async def channel(scene, name):
    """A new channel that the bot has seen come."""
    made = scene.discord.state.add_channel(scene.discord.guild["id"], name)
    async with heard_by(scene.bot, "guild_channel_create"):
        await scene.discord.gateway.to_channel(made, "CHANNEL_CREATE", made)
    return made


@pytest.fixture
async def stopped(scene):
    """A digest that found its channel gone when it wanted to post; and another channel."""
    old, new = await channel(scene, "old"), await channel(scene, "new")
    digest = await active(scene, channel=int(old["id"]), query="gossip in switches", most=3, name="Gossip")
    await lose(scene, old)
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 0
    return digest, new


async def found(scene, digest):
    return await scene.bot.services.store.digests.find(digest.id)


def menu(reply, start):
    return next(select for select in reply.selects if select["custom_id"].startswith(start))


async def goes_on(scene, digest, new):
    """It posts in the new channel what it could not post, and nothing else of it has changed."""
    after = await found(scene, digest)
    assert (after.channel, after.state, after.why) == (int(new["id"]), "active", "")
    assert (after.query, after.most, after.days, after.at, after.zone, after.name) == (
        digest.query, digest.most, digest.days, digest.at, digest.zone, digest.name,
    )  # fmt: skip
    assert await scene.poster.tick() == 1
    [post] = scene.posts(new)
    assert len(re_titles(post.text)) == 3


async def test_its_owner_is_told_and_chooses_another_channel_in_the_direct_message(scene, stopped):
    digest, new = stopped
    hidden = await channel(scene, "hidden")
    hidden["permission_overwrites"] = [
        {"id": scene.discord.guild["id"], "type": 0, "allow": "0", "deny": str(1 << 10)}
    ]
    [told] = scene.dms()
    assert "**Gossip**" in told.text
    assert "the channel is gone, so the digest has stopped" in told.text
    assert "Its settings are kept" in told.text
    asked = await told.press("Choose another channel")
    assert "the channel is gone" in asked.text
    moved = await asked.choose(new["id"], menu(asked, "dgk:"))
    assert f"**Gossip** posts in <#{new['id']}> from now on" in moved.text
    assert "Next post: <t:" in moved.text
    assert "The post that I couldn't send comes in the next few minutes" in moved.text
    await goes_on(scene, digest, new)


async def test_resume_asks_for_another_channel_and_choosing_one_starts_it_again(scene, stopped):
    digest, new = stopped
    asked = await scene.user.slash("/digest resume")
    assert "The channel is gone, so choose another one" in asked.text
    asked = await asked.press("Choose another channel")
    moved = await asked.choose(new["id"], menu(asked, "dgc:"))
    assert f"posts in <#{new['id']}> from now on" in moved.text
    await goes_on(scene, digest, new)


async def test_its_settings_say_why_it_stopped_and_another_channel_there_starts_it_again(scene, stopped):
    digest, new = stopped
    panel = await scene.user.slash("/digest edit")
    assert "stopped: the channel is gone" in panel.text
    assert "choose another channel under *When and where*" in panel.text
    panel = await panel.choose(new["id"], menu(panel, "dgc:"))
    assert "stopped" not in panel.text
    assert f"<#{new['id']}>" in panel.text
    await goes_on(scene, digest, new)


async def test_a_paused_digest_is_moved_and_stays_paused(scene):
    old, new = await channel(scene, "old"), await channel(scene, "new")
    digest = await active(scene, channel=int(old["id"]))
    await scene.user.slash("/digest pause")
    await lose(scene, old)
    panel = await scene.user.slash("/digest edit")
    await panel.choose(new["id"], menu(panel, "dgc:"))
    after = await found(scene, digest)
    assert (after.channel, after.state) == (int(new["id"]), "paused")


async def test_a_stopped_digest_stays_stopped_where_it_may_not_post_either(scene, stopped):
    digest, new = stopped
    bot = scene.discord.state.application["bot"]["id"]
    new["permission_overwrites"] = [{"id": bot, "type": 1, "allow": "0", "deny": str(1 << 11)}]
    async with heard_by(scene.bot, "guild_channel_update"):
        await scene.discord.gateway.to_channel(new, "CHANNEL_UPDATE", new)
    panel = await scene.user.slash("/digest edit")
    refused = await panel.choose(new["id"], menu(panel, "dgc:"))
    assert "Give me the permission Send Messages there, or choose another channel" in refused.text
    after = await found(scene, digest)
    assert (after.channel, after.state) == (digest.channel, "broken")
