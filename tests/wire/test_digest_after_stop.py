"""A digest that had stopped or paused and goes on: what it posts then, who can read on, when it gives up."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.state import TEXT
from commands.digests.posting import GIVEN_UP, Poster
from tests.helpers.digests import MONDAY, active, papers
from tests.helpers.lab import fill
from tests.helpers.members import joins
from tests.helpers.places import forbid, lose, place_of

DAY = timedelta(days=1)


async def _stopped(scene):
    """A digest without the permission to post, which it is given back after two days."""
    await active(scene)
    scene.at += timedelta(hours=2)
    await forbid(scene, scene.discord.channel, "send_messages")
    assert await scene.poster.tick() == 0
    scene.at += 2 * DAY
    await forbid(scene, scene.discord.channel)


async def test_all_members_read_on_in_a_posting_that_was_moved_to_another_channel(scene):
    gone = await place_of(scene, TEXT)
    await active(scene, channel=int(gone["id"]), most=8)
    scene.at += timedelta(hours=2)
    await lose(scene, gone)
    assert await scene.poster.tick() == 0
    place = await (await scene.user.slash("/digest resume")).press("Choose another channel")
    await place.choose(scene.discord.channel["id"], place.selects[0])
    assert await scene.poster.tick() == 1
    [post] = scene.posts()
    bee = joins(scene.discord, "bee")
    async with UserClient(scene.discord.url, scene.discord.state.token_of(bee["id"])) as member:
        for label, told in (("3 more", "8."), ("How these were chosen", "I read 9 new papers")):
            pressed = {"component_type": 2, "custom_id": post.button(label)["custom_id"]}
            assert told in (await member.component(post.message, pressed)).text


async def test_what_is_posted_days_after_it_was_due_says_that_it_is_late(scene):
    await _stopped(scene)
    await scene.user.slash("/digest resume")
    assert await scene.poster.tick() == 1
    assert "Monday, 16 Nov 2026\n-# 5 of 9 new papers · posted late" in scene.posts()[0].text
    assert ", late, 5 of 9 papers" in (await scene.user.slash("/digest history")).text


async def test_a_posting_that_is_resumed_after_days_is_tried_for_a_day_again(scene):
    await _stopped(scene)
    await scene.user.slash("/digest resume")
    route = rf"POST /channels/{scene.discord.channel['id']}/messages$"
    scene.discord.faults.add(route=route, status=400, times=99)
    assert await scene.poster.tick() == 0
    assert "failed" not in (await scene.user.slash("/digest history")).text
    scene.at += GIVEN_UP
    assert await scene.poster.tick() == 0
    assert "failed" in (await scene.user.slash("/digest history")).text


async def test_what_was_tried_before_a_digest_was_paused_does_not_count_once_it_is_resumed(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    route = rf"POST /channels/{scene.discord.channel['id']}/messages$"
    scene.discord.faults.add(route=route, status=400, times=99)
    assert await scene.poster.tick() == 0
    await scene.user.slash("/digest pause")
    scene.at += DAY
    assert await scene.poster.tick() == 0
    await scene.user.slash("/digest resume")
    assert await scene.poster.tick() == 0
    assert "failed" not in (await scene.user.slash("/digest history")).text
    scene.discord.faults.clear()
    scene.at += timedelta(minutes=20)
    assert await scene.poster.tick() == 1


async def _refused_by_moderation(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=r"POST /channels/\d+/messages$", status=400, code=200000)
    assert await scene.poster.tick() == 0


async def test_what_moderation_refused_comes_within_minutes_of_a_resume(scene):
    await _refused_by_moderation(scene)
    await scene.user.slash("/digest pause")
    assert COMES in (await scene.user.slash("/digest resume")).text
    scene.at += timedelta(minutes=1)
    assert await scene.poster.tick() == 1


async def test_what_moderation_refused_is_tried_at_once_where_its_digest_moves(scene):
    await _refused_by_moderation(scene)
    new = await place_of(scene, TEXT)
    panel = await scene.user.slash("/digest edit")
    await panel.choose(new["id"], panel.selects[-1])
    assert await scene.poster.tick() == 1


def _restarted(scene):
    return Poster(scene.bot, scene.bot.services, scene.bot.services.leader)


async def test_a_restart_does_not_alarm_the_moderators_before_it_is_time(scene):
    await _refused_by_moderation(scene)
    after = _restarted(scene)
    scene.at += timedelta(hours=3)
    assert await after.tick() == 0
    scene.at += timedelta(hours=1)
    assert await after.tick() == 1


async def test_a_day_of_tries_ends_when_it_is_over_whatever_restarts(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    route = rf"POST /channels/{scene.discord.channel['id']}/messages$"
    scene.discord.faults.add(route=route, status=400, times=99)
    for _ in range(4):
        assert await _restarted(scene).tick() == 0
        assert "failed" not in (await scene.user.slash("/digest history")).text
        scene.at += GIVEN_UP / 4
    assert await _restarted(scene).tick() == 0
    assert "failed" in (await scene.user.slash("/digest history")).text


async def test_a_clock_that_ran_ahead_puts_no_try_off(scene):
    right = scene.at + timedelta(hours=2)
    await active(scene)
    scene.at = right + timedelta(hours=5)
    scene.discord.faults.add(route=r"POST /channels/\d+/messages$", status=503)
    assert await scene.poster.tick() == 0
    scene.at = right
    assert await scene.poster.tick() == 1


async def test_a_missed_posting_counts_no_papers(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    scene.at += DAY + timedelta(hours=6)
    assert await scene.poster.tick() == 0
    assert "- 17 Nov 2026: missed\n-# arXiv's listing" in (await scene.user.slash("/digest history")).text


async def test_the_settings_of_a_digest_pause_it_and_let_it_go_on(scene):
    digest = await active(scene)
    assert "Paused" in (await (await scene.user.slash("/digest edit")).press("Pause")).text
    settings = await scene.user.slash("/digest edit")
    assert "Pause" not in [button["label"] for button in settings.buttons]
    assert "Resumed" in (await settings.press("Resume")).text
    assert (await scene.bot.services.store.digests.find(digest.id)).state == "active"


async def test_what_a_stopped_digest_did_not_post_is_not_said_to_be_on_its_way(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    await forbid(scene, scene.discord.channel, "send_messages")
    assert await scene.poster.tick() == 0
    assert "- 16 Nov 2026: not posted yet, 5 of 9 papers" in (await scene.user.slash("/digest history")).text


COMES = "The post that I couldn't send comes in the next few minutes."


async def _paused_unsent(scene):
    """A digest that is paused with a posting that Discord did not take."""
    await active(scene)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=r"POST /channels/\d+/messages$", status=503)
    assert await scene.poster.tick() == 0
    assert "at most the last week" in (await scene.user.slash("/digest pause")).text


async def _stopped_and_paused(scene):
    """A digest that is paused after it stopped, with a posting that it could not send."""
    await _stopped(scene)
    await scene.user.slash("/digest pause")


@pytest.mark.parametrize("left_unsent", [_paused_unsent, _stopped_and_paused])
async def test_a_digest_that_goes_on_says_that_what_it_did_not_send_comes(scene, left_unsent):
    await left_unsent(scene)
    scene.at += 4 * DAY
    assert await scene.poster.tick() == 0
    assert COMES in (await scene.user.slash("/digest resume")).text
    assert await scene.poster.tick() == 1
    assert "Monday, 16 Nov 2026" in scene.posts()[0].text


@pytest.mark.parametrize("left_unsent", [_paused_unsent, _stopped_and_paused, _stopped])
async def test_what_was_not_sent_for_over_a_week_is_covered_by_the_next_as_far_as_that_goes(
    scene, left_unsent
):
    await left_unsent(scene)
    for n in (*range(8, 12), *range(15, 19), 21, 22):
        await fill(scene.bot, papers(MONDAY + n * DAY, 100 * n))
    scene.at = datetime(2026, 12, 7, 10, 0, tzinfo=UTC)
    resumed = (await scene.user.slash("/digest resume")).text
    assert COMES not in resumed
    assert f"next <t:{int(datetime(2026, 12, 8, 9, 0, tzinfo=UTC).timestamp())}:F>" in resumed
    assert await scene.poster.tick() == 0
    assert (
        "- 16 Nov 2026: missed\n-# This posting waited for more"
        in (await scene.user.slash("/digest history")).text
    )
    scene.at += DAY
    assert await scene.poster.tick() == 1
    assert "of 63 new papers" in scene.posts()[0].text


async def test_a_digest_that_is_moved_while_it_is_paused_announces_nothing(scene):
    new = await place_of(scene, TEXT)
    digest = await active(scene)
    scene.at += timedelta(hours=2)
    await lose(scene, scene.discord.channel)
    assert await scene.poster.tick() == 0
    [told] = scene.dms()
    await scene.bot.services.store.digests.change(digest.id, state="paused", why="")
    place = await told.press("Choose another channel")
    moved = await place.choose(new["id"], place.selects[0])
    assert "It is still paused." in moved.text
    assert COMES not in moved.text
