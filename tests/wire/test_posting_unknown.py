"""A posting whose answer was lost: until it is known, what it held counts as shown in its channel."""

from datetime import timedelta

import pytest

from commands.digests.posting import Poster
from tests.helpers.digests import MONDAY, active, papers
from tests.helpers.lab import fill
from tests.helpers.places import forbid

SENDS = r"POST /channels/\d+/messages$"
DAY = timedelta(days=1)


@pytest.fixture
async def two(scene):
    """One shows five of Monday's nine papers, and Two, which shows all that is left, has only begun."""
    one = await active(scene, name="One")
    scene.at += timedelta(minutes=1)
    two = await active(scene, name="Two", most=20)
    scene.at += timedelta(hours=2)
    return one, two


async def _timed_out(scene, monkeypatch):
    """Discord posts it and never says so."""
    scene.discord.faults.add(route=SENDS, status=507, after=True)
    await scene.poster.tick()


async def _refused_later(scene, monkeypatch):
    """Discord takes it, answers with an error, and refuses what discord.py then sends again."""
    scene.discord.faults.add(route=SENDS, status=502, after=True)
    scene.discord.faults.add(route=SENDS, status=503)
    await scene.poster.tick()


async def _killed(scene, monkeypatch):
    """The process dies before it notes that it has posted."""
    store = scene.bot.services.store.digests

    async def dies(*_):
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(store, "posted", dies)
        await scene.poster.tick()


async def _paused(scene):
    await scene.user.slash("/digest pause digest:One")


async def _deleted(scene):
    asked = await scene.user.slash("/digest delete digest:One")
    await asked.press("Delete")


async def _stopped(scene):
    await forbid(scene, scene.discord.channel, "send_messages")
    scene.at += timedelta(minutes=20)
    await scene.poster.tick()
    await forbid(scene, scene.discord.channel)
    await scene.user.slash("/digest resume digest:Two")


async def _shown_by(scene, digest):
    history = await scene.bot.services.store.digests.history(digest.id)
    return [entry.paper for delivery in history if delivery.state == "posted" for entry in delivery.papers]


async def _tuesday(scene):
    await scene.poster.close()
    scene.discord.state.nonces.clear()  # Discord forgets them after minutes
    scene.poster = Poster(scene.bot, scene.bot.services, scene.bot.services.leader)
    await fill(scene.bot, papers(MONDAY + DAY, 101))
    scene.at += DAY
    await scene.poster.tick()
    await scene.poster.tick()


@pytest.mark.parametrize("lost", [_timed_out, _refused_later, _killed])
@pytest.mark.parametrize("ends", [_paused, _deleted, _stopped])
async def test_no_other_digest_of_the_channel_shows_its_papers(scene, two, monkeypatch, lost, ends):
    await lost(scene, monkeypatch)
    one, other = two
    [delivery] = await scene.bot.services.store.digests.history(one.id)
    assert delivery.state == "written"
    sent = {entry.paper for entry in delivery.papers}
    assert len(sent) == 5
    await ends(scene)
    await _tuesday(scene)
    shown = await _shown_by(scene, other)
    assert len(shown) == len({*shown}) >= 9
    assert sent.isdisjoint(shown)


@pytest.mark.parametrize("lost", [_timed_out, _refused_later, _killed])
async def test_once_its_digest_goes_on_it_is_found_and_stands_once(scene, two, monkeypatch, lost):
    await lost(scene, monkeypatch)
    await _paused(scene)
    await _tuesday(scene)
    await scene.user.slash("/digest resume digest:One")
    scene.at += timedelta(minutes=20)
    await scene.poster.tick()
    one, other = two
    shown = [*await _shown_by(scene, one), *await _shown_by(scene, other)]
    assert len(shown) == len({*shown}) >= 14


@pytest.mark.parametrize("ends", [_paused, _deleted])
async def test_what_a_second_try_finds_was_never_sent_is_free_for_others(scene, two, ends):
    """The first answer is lost, and nothing stands there; the second try is refused."""
    scene.discord.faults.add(route=SENDS, status=507)
    await scene.poster.tick()
    scene.discord.faults.add(route=SENDS, status=503)
    scene.at += timedelta(minutes=20)
    await scene.poster.tick()
    one, other = two
    [delivery] = await scene.bot.services.store.digests.history(one.id)
    assert delivery.state == "written"
    await ends(scene)
    await _tuesday(scene)
    assert {entry.paper for entry in delivery.papers} <= {*await _shown_by(scene, other)}


@pytest.mark.parametrize("lost", [_timed_out, _refused_later, _killed])
async def test_a_digest_that_goes_on_weeks_later_does_not_show_it_again(scene, two, monkeypatch, lost):
    """By then, the posting is too old to be sent, and the next one covers its days."""
    await lost(scene, monkeypatch)
    one, other = two
    [delivery] = await scene.bot.services.store.digests.history(one.id)
    await _paused(scene)
    await _tuesday(scene)
    scene.at += 9 * DAY
    await scene.user.slash("/digest resume digest:One")
    scene.at += timedelta(minutes=20)
    await scene.poster.tick()
    await fill(scene.bot, papers(MONDAY + 11 * DAY, 201))
    for _ in range(3):
        scene.at += DAY
        await scene.poster.tick()
    found = await scene.bot.services.store.digests.delivery(delivery.id)
    assert found.state == "missed"
    sent = {entry.paper for entry in delivery.papers}
    assert sent.isdisjoint([*await _shown_by(scene, one), *await _shown_by(scene, other)])
