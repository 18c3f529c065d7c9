"""Places of digests: threads, forums, messages to members; and places that Discord refuses or removes."""

import asyncio
import subprocess
from datetime import timedelta

import pytest
from sqlalchemy import select

from bot.local_discord.client import UserClient
from bot.local_discord.state import FORUM, PUBLIC_THREAD
from commands.digests.posting import GIVEN_UP, Poster
from data.stores.digest_record import Digest
from data.tables.digests import LeaseRow
from index.search.embedding_model import ModelError
from tests.helpers.digests import MONDAY, active, papers, re_titles
from tests.helpers.lab import fill
from tests.helpers.members import heard_by, joins, said
from tests.helpers.process import PATIENCE, begin, environment
from tests.helpers.records import record


async def own(scene, **more):
    """A member's own digest by direct message."""
    owner = int(scene.discord.owner["id"])
    return await active(scene, guild=0, channel=owner, owner=owner, **more)


async def in_place(scene, kind, **more):
    """A digest of a new channel, forum or thread, which the bot has seen come."""
    place = scene.discord.state.add_channel(scene.discord.guild["id"], "place", kind)
    async with heard_by(scene.bot, "guild_channel_create"):
        await scene.discord.gateway.to_channel(place, "CHANNEL_CREATE", place)
    return place, await active(scene, channel=int(place["id"]), **more)


def threads(scene, kind=PUBLIC_THREAD):
    return [channel for channel in scene.discord.state.channels.values() if channel["type"] == kind]


async def test_a_thread_a_day_holds_the_papers_and_the_channel_their_titles(scene):
    await active(scene, form="thread")
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    [post] = scene.posts()
    assert len(re_titles(post.text)) == 5
    assert "Save" not in [button["label"] for button in post.buttons]
    [thread] = threads(scene)
    assert thread["name"] == "New papers · 16 Nov 2026"
    [inside] = said(scene.discord, thread)
    assert len([b for b in _buttons(inside["components"]) if b["label"] == "Save"]) == 5


def _buttons(components):
    found = [component for component in components if component["type"] == 2]
    for component in components:
        found += _buttons(component.get("components", []))
    return found


@pytest.mark.parametrize("step", ["heading", "thread", "papers"])
async def test_a_thread_whose_making_was_cut_short_is_completed_once(scene, step):
    await active(scene, form="thread")
    scene.at += timedelta(hours=2)
    route = {
        "heading": r"POST /channels/\d+/messages$",
        "thread": r"POST /channels/\d+/messages/\d+/threads",
        "papers": r"POST /channels/\d+/messages$",
    }[step]
    if step == "papers":  # the second message
        scene.discord.faults.add(route=route)
    scene.discord.faults.add(route=route, status=503, after=True)
    assert await scene.poster.tick() == 0
    scene.discord.faults.clear()
    scene.discord.state.nonces.clear()
    await scene.poster.close()
    scene.at += timedelta(minutes=2)
    assert await Poster(scene.bot, scene.bot.services, scene.bot.services.leader).tick() == 1
    assert len(scene.posts()) == 1
    [thread] = threads(scene)
    assert len(said(scene.discord, thread)) == 1


async def test_a_forum_gets_one_post_a_day_though_discord_loses_its_answer(scene):
    forum, _ = await in_place(scene, FORUM, form="forum")
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=r"POST /channels/\d+/threads", status=500, after=True)
    assert await scene.poster.tick() == 1
    posts = [thread for thread in threads(scene) if not thread["thread_metadata"]["archived"]]
    assert {post["parent_id"] for post in posts} == {forum["id"]}
    assert [post["name"] for post in posts] == ["New papers · 16 Nov 2026"], (
        "discord.py asked twice; one was closed"
    )
    [opening] = said(scene.discord, posts[0])
    assert opening["id"] == posts[0]["id"]


async def test_an_archived_thread_is_woken_and_a_locked_one_stops_the_digest(scene):
    thread = scene.discord.state.add_thread(scene.discord.channel, "papers", scene.discord.owner["id"])
    await scene.discord.gateway.to_channel(
        thread, "THREAD_CREATE", scene.discord.state.channel_json(thread, "0")
    )
    digest = await active(scene, channel=int(thread["id"]))
    thread["thread_metadata"]["archived"] = True
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    thread["thread_metadata"] |= {"archived": True, "locked": True}
    await fill(scene.bot, papers(MONDAY + timedelta(days=1), 101))
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 0
    assert await scene.poster.tick() == 0
    assert (await scene.bot.services.store.digests.find(digest.id)).state == "broken"
    [told] = scene.dms()
    assert "archived and locked" in told.text
    thread["thread_metadata"]["locked"] = False
    assert "Resumed" in (await scene.user.slash("/digest resume")).text
    assert await scene.poster.tick() == 1, "what was written is posted after all"


async def test_closed_direct_messages_pause_the_digest_and_its_owner_sees_it_in_the_list(scene):
    await own(scene)
    scene.discord.state.closed_dms.add(scene.discord.owner["id"])
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 0
    assert "direct messages are closed" in (await scene.user.slash("/digest mine")).text


async def test_429_is_waited_for(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=r"POST /channels/\d+/messages$", status=429, retry_after=0.2, times=2)
    assert await scene.poster.tick() == 1
    assert len(scene.posts()) == 1


async def test_a_posting_that_fails_for_a_day_is_given_up_and_told(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(
        route=rf"POST /channels/{scene.discord.channel['id']}/messages$", status=400, times=99
    )
    assert await scene.poster.tick() == 0
    scene.at += GIVEN_UP
    assert await scene.poster.tick() == 0
    [told] = scene.dms()
    assert "tried to post for a day" in told.text
    assert "failed" in (await scene.user.slash("/digest history")).text


async def test_a_removed_bot_keeps_the_digests_for_its_return(scene):
    digest = await active(scene)
    guild = scene.discord.guild
    bot = scene.discord.state.application["bot"]["id"]
    async with heard_by(scene.bot, "guild_remove"):
        await scene.discord.gateway.to_users([bot], "GUILD_DELETE", {"id": guild["id"], "unavailable": False})
    store = scene.bot.services.store.digests
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 0
    found = await store.find(digest.id)
    assert (found.state, found.why) == ("broken", "I was removed from this server")
    joined = scene.discord.state.guild_json(guild["id"], bot)
    async with heard_by(scene.bot, "guild_available"):
        await scene.discord.gateway.to_users([bot], "GUILD_CREATE", joined)
    assert await scene.poster.tick() == 1
    assert (await store.find(digest.id)).state == "active"


async def test_news_is_of_followed_people_and_close_follow_ups_alone(scene):
    await own(scene, news=True, most=10)
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 0
    assert scene.dms() == [], "no news is no message"
    [kept] = [p for p in papers(MONDAY, 1) if p.title == "Gossip in programmable switches, part 3"]
    await scene.user.slash(f"/save paper:{kept.title}")
    await fill(scene.bot, papers(MONDAY + timedelta(days=1), 101))
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 1
    [news] = scene.dms()
    titles = re_titles(news.text)
    assert titles
    assert all("switches" in title for title in titles)
    assert "saved or liked" in news.text


async def test_cross_listings_say_so_and_withdrawn_papers_are_not_shown(scene):
    tuesday = MONDAY + timedelta(days=1)
    await active(scene, categories="cs.IR", upto=MONDAY)
    old = record(1, title="Graph neural networks for molecules, part 1", authors=["Author 1", "Other 1"],
                 announced=tuesday, listings=[("cs.NI", tuesday), ("cs.IR", tuesday)])  # fmt: skip
    gone = record(
        77, title="A withdrawn matter", announced=tuesday, listings=[("cs.IR", tuesday)], withdrawn=True
    )
    await fill(scene.bot, [old, gone])
    scene.at += timedelta(days=1, hours=2)
    assert await scene.poster.tick() == 1
    [post] = scene.posts()
    assert re_titles(post.text) == [old.title]
    assert "cross-listed, first 16 Nov 2026" in post.text


async def test_a_paper_that_came_in_late_is_shown_and_one_that_was_shown_is_not_under_another_id(scene):
    await active(scene, most=20, seen=1)
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    late = record(50, title="Held in moderation until now", announced=MONDAY, listings=[("cs.NI", MONDAY)])
    tuesday = MONDAY + timedelta(days=1)
    again = record(1, title="Graph neural networks for molecules, part 1", version=2, announced=tuesday,
                   authors=["Author 1", "Other 1"], listings=[("cs.AI", tuesday)])  # fmt: skip
    await fill(scene.bot, [late, again])
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 1
    assert re_titles(scene.posts()[1].text) == [late.title]


async def test_two_processes_on_one_database_post_once(scene, tmp_path):
    """They share the shards: one posts, and when it dies the other goes on."""
    await active(scene)
    await fill(scene.bot, papers(MONDAY + timedelta(days=1), 101))
    where = environment(scene.discord, tmp_path) | {"LABMATE_CLOCK": str(scene.file)}
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    before = len(scene.discord.gateway.sessions)
    started = [begin("run", "--shards", number, "--of", "2", env=where, **quiet) for number in "01"]
    try:
        async with asyncio.timeout(PATIENCE):
            while len(scene.discord.gateway.sessions) < before + 2:  # noqa: ASYNC110 - other processes tell nobody
                await asyncio.sleep(0.05)
        scene.at += timedelta(hours=2)
        await _until(scene, lambda: scene.posts())
        await _looks_again(scene)
        assert len(scene.posts()) == 1
        assert await scene.bot.services.store.leases.holder("digests")
        started[0].kill()
        scene.at += timedelta(days=1)
        await _until(scene, lambda: len(scene.posts()) > 1)
        await _looks_again(scene)
        assert len(scene.posts()) == 2
    finally:
        for process in started:
            process.kill()
            await asyncio.to_thread(process.wait)


async def _until(scene, done):
    """Let time pass until something is done."""
    async with asyncio.timeout(PATIENCE):
        while not done():
            scene.at += timedelta(seconds=2)
            await asyncio.sleep(0.1)


async def _looks_again(scene, times=4):
    """Let time pass until who has the lease has renewed it some times: the other has looked as often."""
    leases, renewed = scene.bot.services.store.leases, set()
    async with asyncio.timeout(PATIENCE):
        while len(renewed) <= times:
            scene.at += timedelta(seconds=2)
            renewed.add(await _until_when(leases))
            await asyncio.sleep(0.1)


async def _until_when(leases):
    async with leases._read() as connection:
        return await connection.scalar(select(LeaseRow.until).where(LeaseRow.name == "digests"))


async def test_a_member_s_own_digest_is_nobody_else_s(scene):
    digest = await own(scene)
    member = joins(scene.discord, "bee")
    async with UserClient(scene.discord.url, scene.discord.state.token_of(member["id"])) as bee:
        for command in ("edit", "pause", "preview", "taste", "feed", "history", "now"):
            assert "no such digest" in (await bee.slash(f"/digest {command} digest:#{digest.id}")).text
    assert isinstance(digest, Digest)


async def test_a_digest_in_words_waits_for_the_model_and_does_without_where_there_is_none(scene, monkeypatch):
    def missing(_):
        raise ModelError("the model is missing")

    monkeypatch.setattr("index.search.embedding.Embedder._load", missing)
    settled = scene.bot.services.model_settled
    settled.clear()
    await active(scene, query="gossip in programmable switches")
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 0
    settled.set()
    assert await scene.poster.tick() == 1
    assert "switches" in re_titles(scene.posts()[0].text)[0]


async def test_a_digest_that_can_t_be_made_keeps_no_other_from_being_posted(scene, monkeypatch):
    broken = await active(scene)
    await active(scene, most=3)
    scene.at += timedelta(hours=2)
    made = Poster.prepare

    async def fails(self, digest, *rest, **more):
        if digest.id == broken.id:
            raise RuntimeError("broken")
        return await made(self, digest, *rest, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Poster, "prepare", fails)
        assert await scene.poster.tick() == 1
    assert await scene.poster.tick() == 1


async def test_in_a_direct_message_a_server_s_digest_is_not_set_up(scene):
    scene.user.channel_id, scene.user.guild_id = await scene.user.direct_messages(), None
    reply = await scene.user.slash("/digest create")
    assert reply.text == "Set up a server's digest in the server. For one of your own: /digest mine."
