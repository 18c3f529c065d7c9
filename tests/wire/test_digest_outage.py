"""Labmate was off, or arXiv or Discord could not be reached, when a posting was due: what makes up for it."""

from datetime import UTC, datetime, timedelta

from commands.digests import awake
from commands.digests.posting import GIVEN_UP, Poster
from index.digest.due import PATIENCE
from tests.helpers.digests import MONDAY, active, papers
from tests.helpers.lab import fill

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
TUESDAY = MONDAY + DAY


async def _posted_on_monday(scene):
    digest = await active(scene)
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    return digest


async def _starts(scene, at):
    """Labmate, off until then, starts."""
    await scene.poster.close()
    scene.at = at
    return Poster(scene.bot, scene.bot.services, scene.bot.services.leader)


async def _states(scene, digest):
    return [delivery.state for delivery in await scene.bot.services.store.digests.history(digest.id)]


async def test_nothing_is_given_up_before_arxiv_was_asked_after_an_outage(scene):
    digest = await _posted_on_monday(scene)
    after = await _starts(scene, datetime(2026, 11, 19, 21, 0, tzinfo=UTC))
    assert await after.tick() == 0
    assert await _states(scene, digest) == ["posted"]
    for n in range(1, 4):
        await fill(scene.bot, papers(MONDAY + n * DAY, 100 * n))
    scene.at += 2 * MINUTE
    assert await after.tick() == 1
    assert "posted late" in scene.posts()[1].text
    assert "of 27 new papers" in scene.posts()[1].text


async def test_after_an_outage_a_posting_is_given_up_where_arxiv_can_not_be_read_for_hours(scene):
    digest = await _posted_on_monday(scene)
    after = await _starts(scene, datetime(2026, 11, 17, 20, 0, tzinfo=UTC))
    scene.at += PATIENCE - MINUTE
    assert await after.tick() == 0
    assert scene.dms() == []
    scene.at += MINUTE
    assert await after.tick() == 0
    assert await _states(scene, digest) == ["missed", "posted"]
    [told] = scene.dms()
    assert "could not be read in time" in told.text


async def test_a_machine_that_slept_has_been_away_too(scene, monkeypatch):
    digest = await _posted_on_monday(scene)
    before = awake._apart()
    scene.at = datetime(2026, 11, 17, 21, 0, tzinfo=UTC)
    monkeypatch.setattr(awake, "_apart", lambda: before + 35 * 3600)
    assert await scene.poster.tick() == 0
    assert await _states(scene, digest) == ["posted"]
    await fill(scene.bot, papers(TUESDAY, 101))
    assert await scene.poster.tick() == 1


async def test_a_posting_at_once_makes_up_for_one_that_was_missed(scene):
    digest = await _posted_on_monday(scene)
    scene.at = datetime(2026, 11, 17, 15, 0, tzinfo=UTC)
    assert await scene.poster.tick() == 0
    told = (await scene.user.slash("/digest now")).text
    assert "There is nothing to post yet. arXiv's listing of 17 Nov 2026 could not be read in time" in told
    await fill(scene.bot, papers(TUESDAY, 101))
    assert "Posted." in (await scene.user.slash("/digest now")).text
    assert "of 9 new papers" in scene.posts()[1].text
    assert await _states(scene, digest) == ["posted", "posted"]
    assert await scene.poster.tick() == 0
    await fill(scene.bot, papers(MONDAY + 2 * DAY, 201))
    scene.at = datetime(2026, 11, 18, 9, 5, tzinfo=UTC)
    assert await scene.poster.tick() == 1
    assert "of 9 new papers" in scene.posts()[2].text


async def _given_up(scene, **fault):
    """A digest whose posting of Monday Discord does not take for a day; what its owner is told."""
    digest = await active(scene, most=20)
    scene.at += timedelta(hours=2)
    route = rf"POST /channels/{scene.discord.channel['id']}/messages$"
    scene.discord.faults.add(route=route, times=99, **fault)
    assert await scene.poster.tick() == 0
    scene.at += GIVEN_UP
    assert await scene.poster.tick() == 0
    scene.discord.faults.clear()
    assert await _states(scene, digest) == ["failed"]
    [told] = scene.dms()
    return told.text


COMES = "These papers come with the next posting; /digest now posts them at once."


async def test_papers_of_a_posting_that_was_given_up_come_with_the_next(scene):
    assert COMES in await _given_up(scene, status=503)
    await fill(scene.bot, papers(TUESDAY, 101))
    scene.at = datetime(2026, 11, 17, 9, 5, tzinfo=UTC)
    assert await scene.poster.tick() == 1
    [post] = scene.posts()
    assert "of 18 new papers" in post.text


async def test_or_at_once_if_somebody_asks_for_them(scene):
    assert COMES in await _given_up(scene, status=503)
    assert "Posted." in (await scene.user.slash("/digest now")).text
    [post] = scene.posts()
    assert "9 of 9 new papers" in post.text


async def test_what_automatic_moderation_refuses_does_not_come_with_the_next(scene):
    assert COMES not in await _given_up(scene, status=400, code=200000)
    await fill(scene.bot, papers(TUESDAY, 101))
    scene.at = datetime(2026, 11, 17, 9, 5, tzinfo=UTC)
    assert await scene.poster.tick() == 1
    assert "of 9 new papers" in scene.posts()[0].text
