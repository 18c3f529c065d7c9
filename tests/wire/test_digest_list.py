"""`/digest list` shows a server's digests and one's own: what each posts, where, when, and the next time."""

from datetime import datetime

from bot.local_discord.client import UserClient
from tests.helpers.digests import active
from tests.helpers.members import joins


async def own(scene, user, **more):
    """A member's own digest by direct message."""
    member = int(user.user["id"])
    return await active(scene, guild=0, channel=member, owner=member, **more)


async def test_the_server_s_digests_and_one_s_own_stand_in_one_list(scene):
    await active(scene, name="Gossip", query="gossip in switches", categories="cs.NI", at="10:30")
    await own(scene, scene.user, name="Mine", days="1111111", changed=datetime(2026, 11, 16))
    listed = await scene.user.slash("/digest list")
    assert listed.is_private
    where = scene.discord.channel["id"]
    assert f"**Gossip** · <#{where}> · Mon to Fri at 10:30 UTC" in listed.text
    assert "“gossip in switches”" in listed.text
    assert "**Mine** · by direct message · every day at" in listed.text
    assert listed.text.count("next <t:") == 2
    bee = scene.discord.state.token_of(joins(scene.discord, "bee")["id"])
    async with UserClient(scene.discord.url, bee) as other:
        theirs = await other.slash("/digest list")
    assert "**Gossip**" in theirs.text
    assert "**Mine**" not in theirs.text, "a member's own digest is theirs to see"


async def test_each_of_many_digests_is_on_some_page(scene):
    for number in range(23):
        await active(scene, name=f"Digest {number:02d}.")
    await own(scene, scene.user, name="Digest 23.")
    page = await scene.user.slash("/digest list")
    assert "1 to 5 of 24" in page.text
    text = page.text
    while any(button["label"] == "Next" for button in page.buttons):
        page = await page.press("Next")
        assert page.is_private
        text += page.text
    assert [number for number in range(24) if text.count(f"**Digest {number:02d}.**") != 1] == []
    assert "16 to 20 of 24" in (await page.press("Back")).text


async def test_digests_with_the_longest_words_are_listed(scene):
    for number in range(6):
        await active(
            scene,
            name=f"{number}" + "_" * 79,
            query="gossip in _switches_ " * 20,
            categories=",".join(f"cs.{one}L" for one in "ABCDEF"),
        )
    page = await scene.user.slash("/digest list")
    assert "1 to 5 of 6" in page.text


async def test_a_direct_message_lists_one_s_own(scene):
    await active(scene, name="Gossip")
    await own(scene, scene.user, name="Mine")
    bot = scene.discord.state.application["bot"]["id"]
    scene.user.guild_id = None
    scene.user.channel_id = scene.discord.state.dm_between(bot, scene.user.user["id"])["id"]
    listed = await scene.user.slash("/digest list")
    assert "**Mine** · by direct message" in listed.text
    assert "Gossip" not in listed.text
