"""In a library without papers of arXiv, hints and examples name what it has."""

import pytest

from bot.local_discord.server import LocalDiscord
from data.sources.forms import record_of
from tests.helpers.lab import fill, started


def filed(number):
    item = {
        "id": f"2030.acl-long.{number}",
        "title": f"Parsing Tree {number} of the Wood",
        "abstract": "We parse.",
    }
    item |= {"authors": ["Ada Lovelace"], "lists": ["acl"], "announced": "2030-08-15"}
    return record_of(item, "line 1", "", own_ids=True)


@pytest.fixture
async def anthology(tmp_path):
    async with LocalDiscord() as discord, started(discord, tmp_path) as lab:
        facets = lab.bot.services.corpus.facets
        sample = facets.held().tolist()
        await fill(lab.bot, [filed(number) for number in range(1, 9)])
        facets.drop(sample)
        yield lab


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("/paper zxqv wvut", "Give an id or link of the ACL Anthology, a DOI"),
        ("/follow paper:2030.acl-long.99", "its id or link at the ACL Anthology"),
        ("/follow category:cs.CL", "Those with the most papers: acl."),
        ("/new category:q-bio", "No paper here is in q-bio. Categories with the most papers: acl."),
        ("/trending category:econ", "No paper here is in econ. Categories with the most papers: acl."),
        ("/search parsing category:econ", "No paper here is in econ. Categories with the most papers"),
        ("/about", "Categories: acl"),
    ],
)
async def test_replies_name_no_arxiv(anthology, command, told):
    text = (await anthology.user.slash(command)).text.replace("*", "")
    assert told in text
    assert "arXiv" not in text


async def test_the_set_up_offers_the_fields_that_there_are(anthology):
    fields = await (await anthology.user.slash("/setup")).press("Next")
    assert "Now: all papers that come in." in fields.text
    form = await fields.press("In your own words")
    kept = await anthology.user.submit(form.message["modal"], {"query": "", "fields": "ACL"})
    assert "Now: acl." in kept.text
    form = await fields.press("In your own words")
    wrong = await anthology.user.submit(form.message["modal"], {"query": "", "fields": "Chess"})
    assert "No paper is in the field “Chess”. The largest: acl." in wrong.text


async def test_help_gives_no_example_of_another_library(anthology):
    assert "in-network" not in (await anthology.user.slash("/help")).text
