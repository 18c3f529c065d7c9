"""Two digests of one channel: what one leaves out for the other comes all the same, and once."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.local_discord.state import TEXT
from tests.helpers.digests import MONDAY, active, papers, re_titles
from tests.helpers.lab import fill
from tests.helpers.places import forbid, place_of

SENDS = r"POST /channels/\d+/messages$"
DAY = timedelta(days=1)


MONDAYS = {f"part {n}" for n in range(1, 10)}


def titles(scene):
    return [title for post in scene.posts() for title in re_titles(post.text)]


async def parts(scene):
    """Which part each posted paper is, also of those on later pages; each posting stands once."""
    store = scene.bot.services.store
    digests = await store.digests.of_guild(int(scene.discord.guild["id"]))
    posted = [one for digest in digests for one in await store.digests.history(digest.id)]
    here = int(scene.discord.channel["id"])
    posted = [one for one in posted if (one.state, one.channel) == ("posted", here)]
    assert len({one.message for one in posted}) == len(posted)
    assert {str(one.message) for one in posted} >= {post.message["id"] for post in scene.posts()}
    shown = await store.papers([entry.paper for one in posted for entry in one.papers])
    return [paper.title.rpartition(", ")[2] for paper in shown]


async def each_once(scene):
    """Whether all of Monday's papers were posted, and nothing twice."""
    shown = await parts(scene)
    assert len(shown) == len({*shown})
    return {*shown} >= MONDAYS


async def _both(scene):
    """One shows five papers a day, and Two, which comes after it, all others; both are due."""
    one = await active(scene, name="One")
    scene.at += timedelta(minutes=1)
    two = await active(scene, name="Two", most=20)
    scene.at += timedelta(hours=2)
    return one, two


async def _left_out(scene):
    """One has five papers of nine to post, which Discord does not take; Two has posted the other four."""
    one, two = await _both(scene)
    scene.discord.faults.add(route=SENDS, status=503)
    assert await scene.poster.tick() == 1
    assert len(titles(scene)) == 4
    return one, two


async def _tuesday(scene):
    await fill(scene.bot, papers(MONDAY + DAY, 101))
    scene.at = datetime(2026, 11, 17, 10, 30, tzinfo=UTC)
    await scene.poster.tick()
    await scene.poster.tick()


async def _deleted(scene):
    await _left_out(scene)
    asked = await scene.user.slash("/digest delete digest:One")
    await asked.press("Delete")


async def _paused(scene):
    await _left_out(scene)
    await scene.user.slash("/digest pause digest:One")


async def _moved_away(scene):
    one, _ = await _left_out(scene)
    place = await place_of(scene, TEXT)
    await scene.bot.services.store.digests.change(one.id, channel=int(place["id"]))


@pytest.mark.parametrize("ends", [_deleted, _paused, _moved_away])
async def test_what_a_digest_left_out_comes_with_it_where_the_other_posts_no_more(scene, ends):
    await ends(scene)
    await _tuesday(scene)
    assert await each_once(scene)
    assert any("14 of 14 new papers" in post.text for post in scene.posts()), "what is read again counts"


async def test_what_moderation_refuses_in_one_digest_comes_with_the_other(scene):
    await _both(scene)
    for _ in range(6):
        scene.discord.faults.add(route=SENDS, status=400, code=200000)
        assert await scene.poster.tick() <= 1
        scene.discord.faults.clear()
        scene.at += timedelta(hours=4)
    assert len(titles(scene)) == 4
    [told] = scene.dms()
    assert "automatic moderation" in told.text
    await _tuesday(scene)
    assert await each_once(scene)


async def test_what_is_refused_in_both_digests_is_not_handed_to_and_fro(scene):
    _, two = await _left_out(scene)
    store = scene.bot.services.store.digests
    [refused] = await store.unposted()
    assert not await store.give_up(refused, "blocked", back=False)
    await fill(scene.bot, papers(MONDAY + DAY, 101))
    scene.at += DAY
    scene.discord.faults.add(route=SENDS, status=400, code=200000, times=9)
    await scene.poster.tick()
    scene.discord.faults.clear()
    for delivery in await store.unposted():
        if delivery.digest_id == two.id:
            assert len(delivery.papers) >= 5
            await store.give_up(delivery, "blocked", back=False)
    for day in (2, 3):
        await fill(scene.bot, papers(MONDAY + day * DAY, 100 * day + 1))
        scene.at += DAY
        await scene.poster.tick()
    assert len(MONDAYS & {*await parts(scene)}) == 4


@pytest.mark.parametrize("resumed", [True, False])
async def test_a_posting_that_is_resumed_leaves_out_what_another_digest_has_posted(scene, resumed):
    await _paused(scene)
    if resumed:
        await scene.user.slash("/digest resume digest:One")
        scene.at += timedelta(minutes=20)
        assert await scene.poster.tick() == 1
        await _tuesday(scene)
    else:
        await _tuesday(scene)
        await scene.user.slash("/digest resume digest:One")
        await scene.poster.tick()
    assert await each_once(scene)


async def test_what_is_left_of_a_resumed_posting_is_posted_and_listed(scene):
    one, two = await _left_out(scene)
    await scene.user.slash("/digest pause digest:One")
    await scene.bot.services.store.digests.change(two.id, most=2)
    before = {*await parts(scene)}
    await _tuesday(scene)
    taken = {*await parts(scene)} - before
    await scene.user.slash("/digest resume digest:One")
    await scene.poster.tick()
    assert await each_once(scene)
    resumed = next(d for d in await scene.bot.services.store.digests.history(one.id) if d.slot == MONDAY)
    assert (resumed.state, len(resumed.papers)) == ("posted", 5 - len(taken & MONDAYS))


async def test_a_channel_that_a_digest_may_not_write_in_frees_its_papers_for_none(scene):
    """Both stop, and both go on; nothing comes twice."""
    await _both(scene)
    await forbid(scene, scene.discord.channel, "send_messages")
    await scene.poster.tick()
    await forbid(scene, scene.discord.channel)
    for name in ("One", "Two"):
        await scene.user.slash(f"/digest resume digest:{name}")
    await scene.poster.tick()
    await _tuesday(scene)
    assert await each_once(scene)


async def test_what_was_taken_over_and_given_up_in_an_outage_comes_with_the_next(scene):
    _, two = await _left_out(scene)
    store = scene.bot.services.store.digests
    await store.change(two.id, most=40)
    await scene.user.slash("/digest pause digest:One")
    scene.discord.faults.add(route=SENDS, status=503, times=999)
    await _tuesday(scene)
    scene.at += timedelta(hours=25)
    await scene.poster.tick()
    scene.discord.faults.clear()
    assert (await store.history(two.id))[0].state == "failed"
    await fill(scene.bot, papers(MONDAY + 2 * DAY, 201))
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    assert await each_once(scene)


async def test_what_a_resumed_digest_leaves_to_another_comes_with_it_if_that_one_is_moved_away(scene):
    one, two = await _left_out(scene)
    store = scene.bot.services.store.digests
    await store.change(two.id, most=40)
    await scene.user.slash("/digest pause digest:One")
    scene.discord.faults.add(route=SENDS, status=503, times=999)
    await _tuesday(scene)
    await scene.user.slash("/digest resume digest:One")
    await scene.poster.tick()
    scene.discord.faults.clear()
    place = await place_of(scene, TEXT)
    await store.change(two.id, channel=int(place["id"]))
    await store.change(one.id, most=40)
    await fill(scene.bot, papers(MONDAY + 2 * DAY, 201))
    scene.at += DAY
    await scene.poster.tick()
    await scene.poster.tick()
    assert await each_once(scene)
