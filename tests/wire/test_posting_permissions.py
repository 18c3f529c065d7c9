"""What a digest needs in its place: asked for at set-up and before each post, by kind of place and form."""

from datetime import timedelta

import pytest

from bot.local_discord.state import FORUM, PUBLIC_THREAD
from commands.digests.posting import Poster
from tests.helpers.digests import MONDAY, active, in_zone, papers, re_titles
from tests.helpers.lab import fill
from tests.helpers.members import of_kind, said
from tests.helpers.places import forbid, place_of, seen_anew, tag, thread_in

REQUIRE_TAG = 1 << 4


def channel(scene):
    return scene.discord.channel


async def is_stopped(scene, digest, *names):
    """Whether a digest stopped before anything was sent, and its owner was told what is missing."""
    found = await scene.bot.services.store.digests.find(digest.id)
    assert found.state == "broken"
    for name in names:
        assert name in found.why
        assert name in scene.dms()[-1].text
    sent = [one for one in scene.discord.requests if one["method"] == "POST" and one["status"] == 403]
    assert not sent, "Discord was not asked for what it would refuse"
    return True


async def tried(scene):
    scene.at += timedelta(hours=2)
    return await scene.poster.tick()


@pytest.mark.parametrize(
    ("permission", "name"), [("send_messages", "Send Messages"), ("view_channel", "View Channel")]
)
async def test_a_channel_that_was_closed_stops_the_digest_with_what_is_missing(scene, permission, name):
    digest = await active(scene)
    await forbid(scene, channel(scene), permission)
    assert await tried(scene) == 0
    assert await is_stopped(scene, digest, name)
    assert "can't" in (refused := await scene.user.slash("/digest resume")).text or name in refused.text
    await forbid(scene, channel(scene))
    assert "Resumed" in (await scene.user.slash("/digest resume")).text
    assert await scene.poster.tick() == 1


@pytest.mark.parametrize(
    ("permission", "name"),
    [
        ("create_public_threads", "Create Public Threads"),
        ("send_messages_in_threads", "Send Messages in Threads"),
    ],
)
async def test_a_thread_a_day_needs_what_threads_need_before_anything_is_posted(scene, permission, name):
    digest = await active(scene, form="thread")
    plain = await active(scene)
    await forbid(scene, channel(scene), permission)
    assert await tried(scene) == 1, "the digest of one message needs no threads"
    assert await is_stopped(scene, digest, name)
    assert (await scene.bot.services.store.digests.find(plain.id)).state == "active"
    assert of_kind(scene.discord, PUBLIC_THREAD) == []
    refused = await scene.user.slash(f"/digest resume digest:#{digest.id}")
    assert name in refused.text
    assert "Give me the permission" in refused.text


async def test_in_a_thread_only_its_own_permission_counts(scene):
    thread = await thread_in(scene, channel(scene))
    digest = await active(scene, channel=int(thread["id"]))
    await forbid(scene, channel(scene), "send_messages")
    assert await tried(scene) == 1, "Send Messages has no effect in threads"
    assert len(said(scene.discord, thread)) == 1
    await forbid(scene, channel(scene), "send_messages_in_threads")
    await fill(scene.bot, papers(MONDAY + timedelta(days=1), 101))
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 0
    assert await is_stopped(scene, digest, "Send Messages in Threads")


async def test_without_attach_files_it_posts_without_the_picture(scene):
    await fill(scene.bot, papers(MONDAY, 401, 30))
    digest = await active(scene)
    await forbid(scene, channel(scene), "attach_files")
    assert await tried(scene) == 1
    [post] = scene.posts()
    assert post.message["attachments"] == []
    assert len(re_titles(post.text)) == 5
    await scene.user.slash("/digest pause")
    assert "Pictures are left out" in (await scene.user.slash("/digest resume")).text
    assert (await scene.bot.services.store.digests.find(digest.id)).state == "active"


async def test_without_the_history_nothing_is_posted_a_second_time(scene):
    digest = await active(scene)
    await forbid(scene, channel(scene), "read_message_history")
    scene.at += timedelta(hours=2)
    route = rf"POST /channels/{channel(scene)['id']}/messages$"
    scene.discord.faults.add(route=route, status=503, after=True, times=9)
    assert await scene.poster.tick() == 0
    scene.discord.faults.clear()
    scene.discord.state.nonces.clear()
    await scene.poster.close()
    scene.at += timedelta(minutes=2)
    restarted = Poster(scene.bot, scene.bot.services, scene.bot.services.leader)
    assert await restarted.tick() == 0
    assert await is_stopped(scene, digest, "Read Message History")
    standing = len(scene.posts())
    await forbid(scene, channel(scene))
    assert "Resumed" in (await scene.user.slash("/digest resume")).text
    assert await restarted.tick() == 1
    assert len(scene.posts()) == standing, "it was found where it stands"


async def test_a_first_post_needs_no_history(scene):
    await active(scene)
    await forbid(scene, channel(scene), "read_message_history")
    assert await tried(scene) == 1


@pytest.mark.parametrize(
    ("permission", "name"),
    [
        ("send_messages", "Send Messages"),
        ("read_message_history", "Read Message History"),
        ("view_channel", "View Channel"),
    ],
)
async def test_set_up_asks_for_what_is_missing(scene, permission, name):
    await forbid(scene, channel(scene), permission)
    refused = await scene.user.slash("/digest create")
    assert name in refused.text
    assert "Give me the permission" in refused.text
    assert await scene.bot.services.store.digests.of_guild(int(scene.discord.guild["id"]), drafts=True) == []


async def test_set_up_asks_for_threads_where_threads_are_chosen_and_again_at_the_start(scene):
    panel = await in_zone(await scene.user.slash("/digest create"))
    form = next(one for one in panel.selects if one["custom_id"].startswith("dgs:f"))
    await forbid(scene, channel(scene), "create_public_threads")
    assert "Create Public Threads" in (await panel.choose("thread", form)).text
    await forbid(scene, channel(scene))
    panel = await panel.choose("thread", form)
    await forbid(scene, channel(scene), "send_messages_in_threads")
    assert "Send Messages in Threads" in (await panel.press("Start")).text
    await forbid(scene, channel(scene))
    assert "Started" in (await panel.press("Start")).text


async def test_a_place_is_refused_or_taken_with_what_will_be_missing(scene):
    closed, plain = await place_of(scene, 0), await place_of(scene, 0)
    await forbid(scene, closed, "send_messages")
    await forbid(scene, plain, "attach_files")
    panel = await scene.user.slash("/digest create")
    assert "Send Messages" in (await panel.choose(closed["id"], panel.selects[-1])).text
    moved = await panel.choose(plain["id"], panel.selects[-1])
    assert f"<#{plain['id']}>" in moved.text
    assert "Pictures are left out" in moved.text


async def test_a_forum_post_needs_no_thread_permission(scene):
    forum = await place_of(scene, FORUM)
    await active(scene, channel=int(forum["id"]), form="forum")
    await forbid(scene, forum, "create_public_threads", "manage_threads")
    assert await tried(scene) == 1


async def test_a_forum_post_takes_the_first_tag_that_isn_t_moderated(scene):
    tags = [tag(1, "official", moderated=True), tag(2, "papers"), tag(3, "other")]
    forum = await place_of(scene, FORUM, available_tags=tags)
    forum["flags"] = REQUIRE_TAG
    await seen_anew(scene, forum)
    await active(scene, channel=int(forum["id"]), form="forum")
    assert await tried(scene) == 1
    [post] = of_kind(scene.discord, PUBLIC_THREAD)
    assert [str(one) for one in post["applied_tags"]] == ["2"]


async def test_where_only_moderators_set_the_required_tag_set_up_says_so(scene):
    forum = await place_of(scene, FORUM, available_tags=[tag(1, "official", moderated=True)])
    forum["flags"] = REQUIRE_TAG
    await seen_anew(scene, forum)
    panel = await scene.user.slash("/digest create")
    refused = await panel.choose(forum["id"], panel.selects[-1])
    assert "requires a tag" in refused.text
    digest = await active(scene, channel=int(forum["id"]), form="forum")
    assert await tried(scene) == 0
    assert "requires a tag" in scene.dms()[-1].text
    forum["permission_overwrites"] = [
        {"id": forum["guild_id"], "type": 0, "allow": str(1 << 34), "deny": "0"}
    ]
    await seen_anew(scene, forum)
    assert "Resumed" in (await scene.user.slash(f"/digest resume digest:#{digest.id}")).text
    assert await scene.poster.tick() == 1, "Manage Threads lets it set a moderated tag"
    [post] = of_kind(scene.discord, PUBLIC_THREAD)
    assert [str(one) for one in post["applied_tags"]] == ["1"]


@pytest.mark.parametrize("moderates", [True, False])
async def test_a_double_in_a_forum_is_deleted_or_closed_and_never_stops_the_digest(scene, moderates):
    forum = await place_of(scene, FORUM)
    if moderates:
        allowed = {"id": forum["guild_id"], "type": 0, "allow": str(1 << 34), "deny": "0"}
        forum["permission_overwrites"] = [allowed]
        await seen_anew(scene, forum)
    digest = await active(scene, channel=int(forum["id"]), form="forum")
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=r"POST /channels/\d+/threads", status=500, after=True)
    assert await scene.poster.tick() == 1
    posts = sorted(of_kind(scene.discord, PUBLIC_THREAD), key=lambda post: int(post["id"]))
    if moderates:
        assert len(posts) == 1
    else:
        assert [post["thread_metadata"]["archived"] for post in posts] == [False, True]
    assert (await scene.bot.services.store.digests.find(digest.id)).state == "active"


@pytest.mark.parametrize("route", [r"GET /guilds/\d+/threads/active", r"PATCH /channels/\d+"])
async def test_what_fails_after_a_forum_post_stands_is_no_failure(scene, route):
    forum = await place_of(scene, FORUM)
    digest = await active(scene, channel=int(forum["id"]), form="forum")
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=r"POST /channels/\d+/threads", status=500, after=True)
    scene.discord.faults.add(route=route, status=403, code=50013)
    assert await scene.poster.tick() == 1
    assert (await scene.bot.services.store.digests.find(digest.id)).state == "active"
    assert await scene.bot.services.store.digests.unposted() == []
