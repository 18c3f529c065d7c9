"""A digest that runs, and its managers: what they change or ask for, and what is then posted, and when."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from bot.local_discord.state import TEXT
from tests.helpers.digests import MONDAY, active, papers
from tests.helpers.lab import fill
from tests.helpers.places import lose, place_of

DAY = timedelta(days=1)


async def _settings_on_papers(scene):
    return await (await scene.user.slash("/digest edit")).press("Papers")


async def _fewer_papers(scene):
    page = await _settings_on_papers(scene)
    await page.choose("3", next(s for s in page.selects if s["custom_id"].startswith("dgs:n")))


async def _another_description(scene):
    form = await (await _settings_on_papers(scene)).press("Words and people")
    values = {"query": "speech recognition", "people": "", "require": "", "exclude": ""}
    await scene.user.submit(form.message["modal"], values)


async def _same_name_and_time(scene):
    form = await (await scene.user.slash("/digest edit")).press("Name, time, zone")
    await scene.user.submit(form.message["modal"], {"name": "Papers", "at": "9 am", "zone": "UTC"})


async def _resumed(scene):
    assert "running already" in (await scene.user.slash("/digest resume")).text


@pytest.mark.parametrize("change", [_fewer_papers, _another_description, _same_name_and_time, _resumed])
async def test_what_a_manager_changes_while_a_posting_is_due_does_not_cancel_it(scene, change):
    await active(scene)
    scene.at += DAY + timedelta(hours=2)
    assert await scene.poster.tick() == 0, "Tuesday's listing is late"
    await change(scene)
    await fill(scene.bot, papers(MONDAY + DAY, 101))
    assert await scene.poster.tick() == 1


async def test_a_new_time_holds_from_then_on(scene):
    await active(scene)
    await fill(scene.bot, papers(MONDAY + DAY, 101))
    scene.at += DAY + timedelta(minutes=59)
    panel = await scene.user.slash("/digest edit")
    time = next(s for s in panel.selects if s["custom_id"].startswith("dgs:h"))
    await panel.choose("08:00", time)
    scene.at += timedelta(minutes=2)
    assert await scene.poster.tick() == 0, "eight was over when it was chosen"
    await fill(scene.bot, papers(MONDAY + 2 * DAY, 201))
    scene.at += DAY
    assert await scene.poster.tick() == 1


async def test_a_posting_at_once_says_where_discord_does_not_take_it(scene):
    await active(scene)
    route = rf"POST /channels/{scene.discord.channel['id']}/messages$"
    scene.discord.faults.add(route=route, status=503, times=99)
    told = await scene.user.slash("/digest now")
    assert "I couldn't post it yet: Discord has problems (503). I'll keep trying." in told.text
    scene.discord.faults.clear()
    assert "Posted." in (await scene.user.slash("/digest now")).text
    assert len(scene.posts()) == 1


async def test_a_posting_at_once_into_a_channel_that_is_gone_leads_to_another(scene):
    await active(scene)
    await lose(scene, scene.discord.channel)
    other = await place_of(scene, TEXT)
    scene.user.channel_id = other["id"]
    told = await scene.user.slash("/digest now")
    assert "I couldn't post: the channel is gone, so the digest has stopped." in told.text
    place = await told.press("Choose another channel")
    moved = await place.choose(other["id"], place.selects[0])
    assert f"posts in <#{other['id']}> from now on" in moved.text
    assert await scene.poster.tick() == 1


async def test_a_posting_at_once_says_that_nothing_matched_where_the_digest_stays_silent(scene):
    await active(scene, exclude="gossip\nmolecules\nspeech", quiet=True)
    told = await scene.user.slash("/digest now")
    assert "I posted nothing. I read 9 new papers in all my fields. Your words ruled all of" in told.text
    assert "loosen the words (/digest edit)" in told.text
    assert "Nothing was announced" in (await scene.user.slash("/digest now")).text


def _next(reply):
    """The instant that a reply names as the next."""
    [named] = re.findall(r"next <t:(\d+):F>", reply.text)
    return datetime.fromtimestamp(int(named), UTC)


async def test_after_a_posting_at_once_the_next_is_tomorrow_s(scene):
    await active(scene)
    assert _next(await scene.user.slash("/digest list")) == scene.at + timedelta(hours=1)
    assert "Posted." in (await scene.user.slash("/digest now")).text
    assert _next(await scene.user.slash("/digest list")) == scene.at + timedelta(days=1, hours=1)
    assert _next(await scene.user.slash("/digest resume")) == scene.at + timedelta(days=1, hours=1)
    assert _next(await scene.user.slash("/setup")) == scene.at + timedelta(days=1, hours=1)


async def test_a_weekly_digest_that_has_posted_is_next_due_in_a_week_whatever_time_is_chosen(scene):
    digest = await active(scene, days="1000000")
    assert "Posted." in (await scene.user.slash("/digest now")).text
    await scene.bot.services.store.digests.change(digest.id, at="23:00")
    assert _next(await scene.user.slash("/digest list")) == scene.at + timedelta(days=7, hours=15)


async def test_a_digest_that_waits_for_a_listing_says_so(scene):
    await active(scene)
    scene.at += DAY + timedelta(hours=2)
    assert await scene.poster.tick() == 0
    due = int((scene.at - timedelta(hours=1)).timestamp())
    for command in ("list", "resume"):
        listed = (await scene.user.slash(f"/digest {command}")).text
        assert f"was due <t:{due}:f>; it comes as soon as its papers are ready" in listed
    first = (await scene.user.slash("/digest history")).text
    assert f"The first post was due <t:{due}:F>; it comes as soon as its papers are ready." in first


async def test_a_preview_names_the_local_day_as_the_post_does(scene):
    await active(scene, zone="Pacific/Auckland")
    await fill(scene.bot, papers(MONDAY + DAY, 101))
    scene.at = datetime(2026, 11, 17, 20, 0, 5, tzinfo=UTC)  # Wednesday, five seconds after nine
    heading = (await scene.user.slash("/digest preview")).text.split("\n")[0]
    assert "Wednesday, 18 Nov 2026" in heading
    assert await scene.poster.tick() == 1
    assert scene.posts()[0].text.split("\n")[0] == heading
