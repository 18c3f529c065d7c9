"""A library whose papers come from files: digests post what is new, wait for no listing, and tell of none."""

from datetime import timedelta

import pytest

from index.digest.due import PATIENCE_FOR_PEOPLE
from tests.helpers.digests import MONDAY, active, in_zone, know_people, papers, re_titles
from tests.helpers.lab import fill


@pytest.fixture(params=["arXiv is not read", "another category than arXiv's"])
async def from_files(scene, request):
    """The scene, in a library that reads no listing of a digest's papers; and the digest's fields."""
    if request.param == "arXiv is not read":
        scene.bot.services.reads_arxiv = False
        return scene, {}
    await fill(scene.bot, of_anthology(MONDAY, 601))
    return scene, {"categories": "acl"}


def of_anthology(day, first):
    return [
        record.model_copy(update={"categories": ["acl"], "listings": [("acl", day)]})
        for record in papers(day, first)
    ]


async def test_new_papers_are_posted_and_a_day_without_any_is_silent(from_files):
    scene, fields = from_files
    await active(scene, **fields)
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 0
    scene.at += timedelta(hours=7)
    assert await scene.poster.tick() == 0
    assert scene.dms() == [], "nobody is told of a listing that nobody expects"
    await fill(scene.bot, (of_anthology if fields else papers)(MONDAY + timedelta(days=1), 101))
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 1
    assert "of 9 new papers" in scene.posts()[1].text


async def test_a_category_that_comes_by_cross_listings_waits_for_them(scene):
    scene.bot.services.categories = ("cs.CL",)
    await active(scene, categories="cs.NI")
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 0
    await fill(scene.bot, papers(MONDAY + timedelta(days=1), 101))
    assert await scene.poster.tick() == 1, "as soon as the listing is there"


async def test_a_digest_that_looks_for_people_waits_until_new_papers_have_theirs(scene):
    await know_people(scene)
    await active(scene, followed=True)
    await fill(scene.bot, papers(MONDAY, 301))
    scene.at += timedelta(hours=1, minutes=1)
    assert await scene.poster.tick() == 0
    await know_people(scene)
    assert await scene.poster.tick() == 1
    await fill(scene.bot, papers(MONDAY + timedelta(days=1), 401))
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 0
    scene.at += PATIENCE_FOR_PEOPLE
    assert await scene.poster.tick() == 1, "but not for long: something may keep them from being told apart"


async def test_nothing_is_said_of_arxiv_that_is_not_read(scene):
    scene.bot.services.reads_arxiv = False
    scene.bot.services.categories = ("cs.RO",)
    about = await scene.user.slash("/about")
    assert "**Categories:** cs." in about.text
    assert "cs.RO" not in about.text
    assert "Papers come from files." in about.text
    field = await (await scene.user.slash("/setup")).press("Next")
    assert "cs.RO" not in str(field.selects)
    assert "arXiv announces" not in (await field.press("Next")).text
    scene.bot.services.reads_arxiv = True
    field = await (await scene.user.slash("/setup")).press("Next")
    assert "arXiv announces" in (await field.press("Next")).text
    assert "**Categories:** cs.RO" in (await scene.user.slash("/about")).text


async def test_one_paper_without_people_delays_nothing(scene):
    await fill(scene.bot, papers(MONDAY, 301))
    await know_people(scene)
    await active(scene, followed=True)
    await fill(scene.bot, [papers(MONDAY, 401, 1)[0].model_copy(update={"authors": []})])
    scene.at += timedelta(hours=1, minutes=1)
    assert await scene.poster.tick() == 1


async def test_what_the_preview_shows_can_be_posted_at_once_however_old_it_is(scene):
    scene.bot.services.reads_arxiv = False
    scene.at += timedelta(days=300)
    panel = await in_zone(await scene.user.slash("/digest create"))
    shown = re_titles((await panel.press("Preview")).text)
    await panel.press("Start")
    assert "Posted." in (await scene.user.slash("/digest now")).text
    assert re_titles(scene.posts()[0].text) == shown
