"""What Discord's error codes do to a digest: only those of a place that is gone or forbidden stop it."""

from datetime import timedelta

from bot.local_discord.state import DM
from commands.kit.refusals import FINAL, PASSING
from tests.helpers.digests import MONDAY, active, papers
from tests.helpers.lab import fill
from tests.helpers.members import of_kind

SENDS = r"POST /channels/\d+/messages$"
STATUS = {40005: 413, 40001: 401, 40004: 400, 50035: 400, 50006: 400, 130000: 503, 160006: 400}
"""Others come as 403, or 404 from 10000 to 10999."""
STOPS = {10003, 10004, 10013, 40066, 50001, 50007, 50008, 50009, 50013, 50024, 50033, 50083, 50278, 160005}


def status(code):
    return STATUS.get(code, 404 if 10_000 <= code < 11_000 else 403)


async def state_of(scene, digest):
    found = await scene.bot.services.store.digests.find(digest.id)
    return found.state, found.why


async def test_each_code_of_a_place_that_is_gone_or_forbidden_stops_a_digest_in_its_words(scene):
    assert set(FINAL) == STOPS
    digest = await active(scene, picture=False)
    scene.at += timedelta(hours=2)
    route = rf"POST /channels/{scene.discord.channel['id']}/messages$"
    for told, (code, words) in enumerate(FINAL.items(), 1):
        scene.discord.faults.add(route=route, status=status(code), code=code)
        assert await scene.poster.tick() == 0
        assert await state_of(scene, digest) == ("broken", words), code
        assert len(scene.dms()) == told
        assert words in scene.dms()[-1].text
        assert "Resumed" in (await scene.user.slash("/digest resume")).text
        scene.at += timedelta(minutes=1)
    assert await scene.poster.tick() == 1, "what was written is posted after all"
    assert len(scene.posts()) == 1


async def test_every_other_403_and_404_is_tried_again_and_stops_nothing(scene):
    digest = await active(scene, picture=False)
    scene.at += timedelta(hours=2)
    for code in [*PASSING, 0, 99_999]:
        scene.discord.faults.add(route=SENDS, status=status(code), code=code)
        assert await scene.poster.tick() == 0
        assert await scene.poster.tick() == 0, "not again at once"
        assert await state_of(scene, digest) == ("active", ""), code
        [delivery] = await scene.bot.services.store.digests.unposted()
        assert delivery.why == PASSING.get(code, f"Discord refuses it (403, code {code})")
        scene.discord.faults.clear()
        for state in ("paused", "active"):  # or the posting would be given up after a day
            await scene.bot.services.store.digests.change(digest.id, state=state)
    assert scene.dms() == [], "the owner hears nothing of it"
    assert await scene.poster.tick() == 1
    assert len(scene.posts()) == 1


async def test_cloudflare_stops_no_digest_and_a_day_of_it_is_told_in_words(scene):
    digest = await active(scene)
    scene.at += timedelta(hours=2)
    route = rf"POST /channels/{scene.discord.channel['id']}/messages$"
    scene.discord.faults.add(route=route, status=403, code=40333, times=99)
    assert await scene.poster.tick() == 0
    scene.at += timedelta(hours=21)
    assert await scene.poster.tick() == 0
    assert await state_of(scene, digest) == ("active", "")
    [told] = scene.dms()
    assert "Cloudflare, in front of Discord, blocks my requests" in told.text


async def test_no_mutual_server_stops_an_own_digest_in_words(scene):
    owner = int(scene.discord.owner["id"])
    digest = await active(scene, guild=0, channel=owner, owner=owner)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=SENDS, status=403, code=50278, times=2)
    assert await scene.poster.tick() == 0
    assert (await state_of(scene, digest))[0] == "broken"
    assert "we share no server any more" in (await scene.user.slash("/digest mine")).text


async def test_a_post_deleted_under_its_thread_is_made_anew(scene):
    await active(scene, form="thread")
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=r"POST /channels/\d+/messages/\d+/threads", status=404, code=10008)
    assert await scene.poster.tick() == 0
    [post] = scene.posts()
    await scene.discord.messages.delete(post.message)
    scene.discord.state.nonces.clear()  # Discord forgets them after minutes
    scene.at += timedelta(minutes=1)
    assert await scene.poster.tick() == 1
    assert len(scene.posts()) == 1


async def test_a_picture_that_discord_does_not_take_is_left_out(scene):
    await active(scene)
    await fill(scene.bot, papers(MONDAY, 401, 30))
    scene.at += timedelta(hours=2)
    for code in (400001, 40005, 50045, 50046):
        scene.discord.faults.add(route=SENDS, status=status(code), code=code)
        assert await scene.poster.tick() == 1, code
        assert scene.posts()[-1].message["attachments"] == []
        scene.at += timedelta(days=1)
        await fill(scene.bot, papers(scene.at.date(), 500 + 40 * code % 997, 30))


async def test_automatic_moderation_is_not_alarmed_every_quarter_of_an_hour(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=SENDS, status=400, code=200000, times=99)
    for _ in range(8):
        assert await scene.poster.tick() == 0
        scene.at += timedelta(minutes=15)
    tried = [one for one in scene.discord.faults.requests if one.code == 200000]
    assert 99 - tried[0].times == 1


async def test_a_remembered_channel_is_opened_once_and_again_where_it_is_gone(scene):
    owner = int(scene.discord.owner["id"])
    await active(scene, guild=0, channel=owner, owner=owner)
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    store = scene.bot.services.store.direct_channels
    [channel] = of_kind(scene.discord, DM)
    assert await store.of(owner) == int(channel["id"])
    opened = _opened(scene)
    await store.keep(owner, 1234)
    await fill(scene.bot, papers(MONDAY + timedelta(days=1), 101))
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 1
    assert len(scene.dms()) == 2
    assert await store.of(owner) == int(channel["id"])
    await fill(scene.bot, papers(MONDAY + timedelta(days=2), 201))
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 1
    assert _opened(scene) <= opened + 1


def _opened(scene):
    return sum(one["path"] == "/users/@me/channels" for one in scene.discord.requests)
