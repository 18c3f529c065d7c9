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
