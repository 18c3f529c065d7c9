"""New papers that a digest learns from are not shown, and it never says that they don't match."""

from datetime import timedelta

import pytest

from tests.helpers.digests import MONDAY, active, know_people, number_of
from tests.helpers.lab import fill
from tests.helpers.records import record

TUESDAY = MONDAY + timedelta(days=1)
KITES = record(701, title="Kites in a gale", authors=["Ada Lovelace"], announced=TUESDAY,
               listings=[("cs.CL", TUESDAY)])  # fmt: skip
TIDES = record(702, title="Tides at noon", authors=["Bob Bell"], announced=TUESDAY,
               listings=[("cs.CL", TUESDAY)])  # fmt: skip


async def on_tuesday(scene, *records, **settings):
    """A digest that watches Ada and has posted Monday's papers."""
    await fill(scene.bot, records)
    await know_people(scene)
    ada = await number_of(scene, "Ada Lovelace")
    scene.at += timedelta(days=1, hours=2)
    return await active(scene, people=str(ada), categories="cs.CL", upto=MONDAY, **settings)


@pytest.mark.parametrize("quiet", [False, True])
async def test_a_new_paper_that_was_given_is_said_to_be_given(scene, quiet):
    await on_tuesday(scene, KITES, quiet=quiet)
    assert "Kites in a gale" in (await scene.user.slash("/digest preview")).text
    await scene.user.slash("/digest learn papers:Kites in a gale")
    preview = await scene.user.slash("/digest preview")
    told = "1 new paper is left out because this digest already learns from it"
    assert told in preview.text
    assert "match" not in preview.text
    if quiet:
        assert "Nothing would be posted" in preview.text
    else:
        why = (await preview.press("Why nothing is shown")).text
        assert told in why
        assert "None is" not in why
        assert "For more papers" not in why
    now = await scene.user.slash("/digest now")
    assert told in (now.text if quiet else scene.posts()[-1].text)


async def test_given_papers_do_not_count_among_those_that_do_not_match(scene):
    await on_tuesday(scene, KITES, TIDES, require="zebrafish")
    await scene.user.slash("/digest learn papers:Kites in a gale")
    await scene.user.slash("/digest now")
    [post] = scene.posts()
    assert "the 1 new paper does not match" in post.text
    why = (await post.press("Why nothing matched")).text
    assert "I read 1 new paper in" in why
    assert "1 more is left out because this digest already learns from it." in why
    assert "No paper is close enough to" in why


async def test_own_digest_says_that_it_leaves_out_what_its_owner_keeps(scene):
    await fill(scene.bot, [KITES])
    await know_people(scene)
    await scene.user.slash("/follow person:Ada Lovelace")
    panel = await scene.user.slash("/digest mine")
    assert "Kites in a gale" in (await panel.press("Preview")).text
    await scene.user.slash("/save paper:Kites in a gale")
    preview = await panel.press("Preview")
    assert "1 new paper is left out because you follow it or have already saved, liked" in preview.text


async def _not_wanted(scene):
    guild, you = int(scene.discord.guild["id"]), int(scene.discord.owner["id"])
    [kites] = await scene.bot.services.store.find_title("Kites in a gale")
    await scene.bot.services.store.digests.think(guild, you, kites, "dislike")


async def _shown_before(scene):
    digest = await active(scene, upto=MONDAY, categories="cs.CL", require="kites", name="First")
    await scene.user.slash("/digest now digest:First")
    assert "Kites in a gale" in scene.posts()[-1].text
    await scene.bot.services.store.digests.change(digest.id, state="deleted")


LEFT = "left out because it was shown here before or marked *Not for us*"


@pytest.mark.parametrize("passed", [_not_wanted, _shown_before])
async def test_a_watched_person_s_paper_that_is_known_is_not_said_not_to_match(scene, passed):
    await on_tuesday(scene, KITES, name="Ada")
    await passed(scene)
    assert f"1 new paper is {LEFT}" in (await scene.user.slash("/digest preview digest:Ada")).text
    await scene.user.slash("/digest now digest:Ada")
    post = scene.posts()[-1]
    assert f"1 new paper is {LEFT}" in post.text
    assert "match" not in post.text
    assert "None is by" not in (await post.press("Why nothing is shown")).text


@pytest.mark.parametrize("passed", [_not_wanted, _shown_before])
async def test_beside_such_a_paper_the_others_are_said_not_to_match(scene, passed):
    await on_tuesday(scene, KITES, TIDES, name="Ada")
    await passed(scene)
    await scene.user.slash("/digest now digest:Ada")
    post = scene.posts()[-1]
    assert "the 1 new paper does not match" in post.text
    why = (await post.press("Why nothing matched")).text
    assert f"1 more is {LEFT}." in why
    assert "is by people this digest watches" in why
