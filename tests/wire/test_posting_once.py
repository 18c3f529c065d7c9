"""A posting stands once, wherever it was sent before: in a busy channel, before a move, in another form."""

import errno
from datetime import UTC, datetime, timedelta

import pytest
from discord import Guild
from sqlalchemy import update

from bot.local_discord.state import FORUM, PUBLIC_THREAD, TEXT
from commands.digests.posting import Poster
from commands.kit.send_once import LOOKED_BACK
from data.stores.merged_papers import follow
from data.tables.papers import PaperRow
from tests.helpers.digests import active, re_titles
from tests.helpers.members import of_kind, said
from tests.helpers.places import forbid, place_of

SENDS = r"POST /channels/\d+/messages$"
THREADS = r"POST /channels/\d+/messages/\d+/threads"


def one_clock(scene):
    """Let Discord's clock show the scene's time."""
    scene.discord.state.clock_offset = (scene.at - datetime.now(UTC)).total_seconds()


def labels(scene):
    return [button["label"] for post in scene.posts() for button in post.buttons]


async def _moved(scene, new):
    panel = await scene.user.slash("/digest edit")
    await panel.choose(new["id"], panel.selects[-1])
    scene.discord.state.nonces.clear()  # Discord forgets them after minutes
    scene.at += timedelta(minutes=10)


async def _in_form(scene, form):
    panel = await scene.user.slash("/digest edit")
    await panel.choose(form, next(one for one in panel.selects if one["custom_id"].startswith("dgs:f")))
    scene.at += timedelta(minutes=10)


async def test_a_busy_channel_hides_no_posting_that_a_crash_left_unmarked(scene, monkeypatch):
    await active(scene)
    scene.at += timedelta(hours=2)
    one_clock(scene)

    async def dies(*_):
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(scene.bot.services.store.digests, "posted", dies)
        assert await scene.poster.tick() == 0
    for number in range(LOOKED_BACK + 1):
        await scene.user.say(f"hello {number}")
    await scene.poster.close()
    scene.discord.state.nonces.clear()
    scene.at += timedelta(minutes=30)
    assert await Poster(scene.bot, scene.bot.services, scene.bot.services.leader).tick() == 1
    assert len(scene.posts()) == 1


@pytest.mark.parametrize("kind", [TEXT, FORUM])
async def test_what_stands_where_a_digest_posted_before_is_not_posted_where_it_moved(scene, kind):
    old, new = await place_of(scene, kind), await place_of(scene, TEXT)
    digest = await active(scene, channel=int(old["id"]))
    scene.at += timedelta(hours=2)
    route = r"POST /channels/\d+/threads" if kind == FORUM else SENDS
    scene.discord.faults.add(route=route, status=500, times=5, after=True)
    assert await scene.poster.tick() == 0
    await _moved(scene, new)
    assert await scene.poster.tick() == 1
    assert scene.posts(new) == []
    [delivery] = await scene.bot.services.store.digests.history(digest.id)
    assert (delivery.state, delivery.channel) == ("posted", int(old["id"]))


async def test_nor_is_it_after_a_second_move(scene):
    second, third = await place_of(scene, TEXT), await place_of(scene, TEXT)
    await active(scene)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=SENDS, status=503)
    assert await scene.poster.tick() == 0
    await _moved(scene, second)
    scene.discord.faults.add(route=SENDS, status=500, times=5, after=True)
    assert await scene.poster.tick() == 0
    await _moved(scene, third)
    assert await scene.poster.tick() == 1
    standing = len(scene.posts(second))
    assert standing >= 1, "Discord took it there"
    assert (scene.posts(), scene.posts(third)) == ([], [])


async def test_a_place_that_it_no_longer_sees_keeps_no_posting_from_the_next(scene):
    new = await place_of(scene, TEXT)
    await active(scene)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=SENDS, status=503)
    assert await scene.poster.tick() == 0
    await forbid(scene, scene.discord.channel, "view_channel")
    await _moved(scene, new)
    assert await scene.poster.tick() == 1
    assert len(scene.posts(new)) == 1


async def test_a_heading_whose_thread_can_t_be_made_is_not_taken_for_the_papers(scene):
    await active(scene, form="thread")
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=THREADS, status=400, code=160006, times=9)
    assert await scene.poster.tick() == 0
    assert "Save" not in labels(scene)
    await _in_form(scene, "message")
    assert await scene.poster.tick() == 1
    assert "Save" in labels(scene)


async def test_papers_in_a_thread_are_not_posted_again_as_a_message(scene):
    await active(scene, form="thread")
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=SENDS)  # the heading goes well
    scene.discord.faults.add(route=SENDS, status=500, times=5, after=True)
    assert await scene.poster.tick() == 0
    await _in_form(scene, "message")
    assert await scene.poster.tick() == 1
    [heading] = scene.posts()
    assert "Save" not in labels(scene)
    [thread] = of_kind(scene.discord, PUBLIC_THREAD)
    assert len(said(scene.discord, thread)) == 1
    assert len(re_titles(heading.text)) == 5


async def test_papers_in_a_message_are_not_posted_again_in_a_thread(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=SENDS, status=500, times=5, after=True)
    assert await scene.poster.tick() == 0
    await _in_form(scene, "thread")
    assert await scene.poster.tick() == 1
    assert len(scene.posts()) == 1
    assert of_kind(scene.discord, PUBLIC_THREAD) == []


async def test_a_second_digest_of_a_channel_leaves_out_what_the_first_has_yet_to_post(scene):
    await active(scene, name="One")
    await active(scene, name="Two", most=3)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=SENDS, status=503)
    await scene.poster.tick()
    scene.at += timedelta(minutes=2)
    await scene.poster.tick()
    one, two = (set(re_titles(post.text)) for post in scene.posts())
    assert one
    assert two
    assert not one & two


async def _merged(scene, old, new):
    """One of the day's papers turns out to be another."""
    async with scene.bot.services.store.digests._writer.begin() as connection:
        await connection.execute(update(PaperRow).where(PaperRow.id == old).values(merged_into=new))
        await follow(connection, {old: new})


@pytest.mark.parametrize("form", ["message", "thread", "forum"])
async def test_a_posting_whose_paper_is_merged_after_it_was_sent_is_recognised(scene, form):
    place = await place_of(scene, FORUM) if form == "forum" else scene.discord.channel
    digest = await active(scene, form=form, most=1, channel=int(place["id"]))
    scene.at += timedelta(hours=2)
    if form == "thread":
        scene.discord.faults.add(route=SENDS)  # the heading goes well
    route = r"POST /channels/\d+/threads" if form == "forum" else SENDS
    scene.discord.faults.add(route=route, status=500, times=5, after=True)
    assert await scene.poster.tick() == 0
    [delivery] = await scene.bot.services.store.digests.unposted()
    [entry] = delivery.papers
    other = (await scene.bot.services.store.find_id("arxiv", "2601.00001")) or 0
    other = other if other != entry.paper else other + 1
    await _merged(scene, entry.paper, other)
    scene.discord.state.nonces.clear()  # Discord forgets them after minutes
    scene.at += timedelta(minutes=10)
    before = len(_all(scene))
    assert await scene.poster.tick() == 1
    assert len(_all(scene)) <= before
    [delivery] = await scene.bot.services.store.digests.history(digest.id)
    assert delivery.state == "posted"


def _all(scene):
    """All messages of the bot, wherever they stand."""
    return [
        message
        for channel in scene.discord.state.channels.values()
        for message in said(scene.discord, channel)
        if "components" in message and message["author"]["id"] == scene.discord.state.application["bot"]["id"]
    ]


async def test_two_papers_of_a_posting_that_turn_out_to_be_one_are_shown_once(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=SENDS, status=503)
    assert await scene.poster.tick() == 0
    [delivery] = await scene.bot.services.store.digests.unposted()
    first, second, *_ = (entry.paper for entry in delivery.papers)
    await _merged(scene, first, second)
    scene.at += timedelta(minutes=10)
    assert await scene.poster.tick() == 1
    [post] = scene.posts()
    titles = re_titles(post.text)
    assert len(titles) == len({*titles}) == 4


async def test_a_forum_post_is_noted_though_its_forum_can_not_be_reached_afterwards(scene, monkeypatch):
    """The forum is looked through for a double, and the connection is refused at that moment."""
    forum = await place_of(scene, FORUM)
    digest = await active(scene, form="forum", channel=int(forum["id"]))
    scene.at += timedelta(hours=2)

    async def refused(_):
        raise ConnectionRefusedError(errno.ECONNREFUSED, "refused")

    monkeypatch.setattr(Guild, "active_threads", refused)
    await scene.poster.tick()
    assert len(_all(scene)) == 1
    [delivery] = await scene.bot.services.store.digests.history(digest.id)
    assert delivery.state == "posted"
