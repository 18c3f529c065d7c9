"""Searches for papers by several people, and by somebody whom nobody knows, over real sockets."""

import pytest
import pytest_asyncio

from bot.local_discord.server import LocalDiscord
from tests.helpers.lab import fill, started
from tests.helpers.records import record

LISKOV, DIJKSTRA, HOARE = "Barbara Liskov", "Edsger Dijkstra", "Tony Hoare"
WORKS = (
    ("Guards and Clusters", LISKOV, DIJKSTRA),
    ("Clusters of Types", LISKOV),
    ("Goto in Types", DIJKSTRA),
    ("Monitors for Types", HOARE),
)


@pytest_asyncio.fixture(scope="module")
async def user(tmp_path_factory):
    async with LocalDiscord() as discord, started(discord, tmp_path_factory.mktemp("people")) as lab:
        works = [
            record(800 + n, title=title, abstract=f"We study {title}.", authors=list(authors))
            for n, (title, *authors) in enumerate(WORKS)
        ]
        await fill(lab.bot, works)
        yield lab.user


def labels(reply):
    return [button["label"] for button in reply.buttons]


@pytest.mark.parametrize("asked", ["/search query:{}", "@{}", "/papers author:{}"])
async def test_papers_by_one_person_and_another_are_those_that_both_wrote(user, asked):
    said = f"papers by {LISKOV} and {DIJKSTRA}"
    reply = await (user.mention(said) if asked[0] == "@" else user.slash(asked.format(said)))
    assert f"Papers by {LISKOV} and {DIJKSTRA}" in reply.text
    assert "1. **[Guards and Clusters" in reply.text
    assert "2. " not in reply.text
    either = await reply.press("By either")
    assert f"Papers by {LISKOV} or {DIJKSTRA}" in either.text
    assert "3. " in either.text
    assert "By either" not in labels(either)


async def test_papers_by_one_person_or_another_are_those_of_either(user):
    reply = await user.slash(f"/search papers by {LISKOV} or {DIJKSTRA}")
    assert f"Papers by {LISKOV} or {DIJKSTRA}" in reply.text
    assert "3. " in reply.text


async def test_where_people_wrote_nothing_together_it_is_said_and_the_papers_of_each_are_offered(user):
    reply = await user.slash(f"/search papers by {LISKOV} and {HOARE}")
    assert f"I know no paper by both {LISKOV} and {HOARE}.\n-# Press **By either**" in reply.text
    either = await reply.press("By either")
    assert "Monitors for Types" in either.text
    assert "Clusters of Types" in either.text
    three = await user.slash(f"/search papers by {LISKOV}, {DIJKSTRA} and {HOARE}")
    assert f"I know no paper by all of {LISKOV}, {DIJKSTRA} and {HOARE}." in three.text
    assert "4. " in (await three.press("By any of them")).text


async def test_a_family_name_of_somebody_who_wrote_with_another_stays_as_typed(user):
    reply = await user.slash("/search papers by Liskov and Dijkstra")
    assert "1. **[Guards and Clusters" in reply.text
    assert "2. " not in reply.text


async def test_a_name_that_nobody_has_is_said(user):
    reply = await user.mention("papers by Xyz Qwert on types")
    assert "Nobody here publishes as “Xyz Qwert”.\n-# Check the spelling" in reply.text
    assert "another language" not in reply.text
    assert "Types" in (await reply.press("By anyone")).text
    beside = await user.mention(f"papers by {LISKOV} and Xyz Qwert")
    assert f"Nobody here publishes as “Xyz Qwert” · papers by {LISKOV}" in beside.text
    assert "2. " in beside.text


async def test_a_name_near_to_one_that_nobody_has_is_offered(user):
    reply = await user.slash("/search papers by Edsgar Dykstra on types")
    assert "Nobody here publishes as “Edsgar Dykstra”. Did you mean Edsger Dijkstra?" in reply.text
    assert "Goto in Types" in (await reply.press(f"By {DIJKSTRA}")).text


async def test_a_name_that_nobody_has_beside_all_that_can_be_understood_fits_the_buttons(user):
    said = "papers by Edsgar Dykstra on types since 2020 at NeurIPS without robots before ICLR, most cited"
    reply = await user.slash(f"/search {said}")
    assert "Did you mean Edsger Dijkstra?" in reply.text
    assert "By Edsger Dijkstra" in labels(reply)
    listed = await user.slash(f"/search {said.replace(' by', f' by {LISKOV}, {HOARE} and')}")
    assert "Did you mean Edsger Dijkstra?" in listed.text


async def test_a_name_that_nobody_has_is_replaced_where_it_stands(user):
    reply = await user.slash("/search Edsgar Dykstras types papers by Edsgar  Dykstra")
    again = await reply.press("By Edsger Dijkstra")
    assert "## Edsgar Dykstras types papers by Edsger Dijkstra" in again.text


@pytest.mark.parametrize("asked", ["papers by the authors of {}", "more from the authors of {}", "@{}"])
async def test_papers_by_the_authors_of_a_paper_are_their_other_papers(user, asked):
    said = asked.replace("@", "what else did the authors of ").format("Guards and Clusters")
    reply = await (user.mention(said + " write?") if asked[0] == "@" else user.slash(f"/search {said}"))
    assert f"Other papers by the authors of Guards and Clusters: {LISKOV} and {DIJKSTRA}" in reply.text
    assert "**[Clusters of Types" in reply.text
    assert "**[Goto in Types" in reply.text
    assert "3. " not in reply.text
    assert "**[Guards" not in reply.text
    as_words = await reply.press("Search for the words")
    assert "Other papers by" not in as_words.text


@pytest.mark.parametrize(
    "paper",
    [
        "https://arxiv.org/abs/2601.00800",
        "10.48550/arXiv.2601.00800",
        '"Guards and Clusters"',
        "“Guards and Clusters”",
    ],
)
@pytest.mark.parametrize("asked", ["/search query:{}", "@{}"])
async def test_the_paper_whose_authors_are_meant_may_be_a_link_or_stand_in_quotes(user, asked, paper):
    said = f"papers by the authors of {paper}, newest first"
    reply = await (user.mention(said) if asked[0] == "@" else user.slash(asked.format(said)))
    assert f": {LISKOV} and {DIJKSTRA}" in reply.text
    assert "newest first" in reply.text.partition("\n")[2]
    assert "**[Clusters of Types" in reply.text
    assert "**[Guards" not in reply.text


async def test_papers_that_are_not_by_the_authors_of_a_paper_are_not_searched_among_theirs(user):
    reply = await user.slash("/search papers on types not by the authors of Guards and Clusters")
    assert "ther papers by the authors" not in reply.text


async def test_the_authors_of_a_paper_may_have_written_on_a_subject_or_nothing_else(user):
    reply = await user.mention("papers by the authors of Guards and Clusters on goto")
    assert "1. **[Goto in Types" in reply.text
    assert "Monitors" not in reply.text
    alone = await user.slash("/search papers by the authors of Monitors for Types")
    assert "I know no other paper by the authors of Monitors for Types." in alone.text
    unknown = await user.slash("/search papers by the authors of Nothing Here")
    assert "Other papers by" not in unknown.text


@pytest.mark.parametrize("asked", ["/search the first author of {}", "@papers by {}'s first author"])
async def test_of_a_paper_s_authors_only_the_first_or_last_may_be_meant(user, asked):
    said = asked.lstrip("@").format("Guards and Clusters")
    reply = await (user.mention(said) if asked[0] == "@" else user.slash(said))
    assert f"Other papers by the first author of Guards and Clusters: {LISKOV}" in reply.text
    assert "1. **[Clusters of Types" in reply.text
    assert "2. " not in reply.text
    last = await user.mention("the last author of Guards and Clusters' other papers")
    assert f"the last author of Guards and Clusters: {DIJKSTRA}" in last.text
    assert "1. **[Goto in Types" in last.text
    alone = await user.slash("/search papers by the last author of Monitors for Types")
    assert f"I know no other paper by the last author of Monitors for Types, {HOARE}." in alone.text


async def test_whoever_is_the_first_author_stands_on_the_card(user):
    reply = await user.mention("who is the first author of Guards and Clusters?")
    assert reply.text.count(LISKOV) == 1
    assert "Other papers by" not in reply.text


async def test_the_authors_may_be_called_by_the_paper(user):
    reply = await user.slash("/search papers from the Guards and Clusters authors")
    assert f"Other papers by the authors of Guards and Clusters: {LISKOV} and {DIJKSTRA}" in reply.text
    for typed in ("papers by other authors", "papers on types by Chinese authors"):
        reply = await user.slash(f"/search {typed}")
        assert "authors of" not in reply.text
        assert "I don't know a paper" not in reply.text


async def test_a_paper_that_is_not_known_has_its_name_said_and_searched_for(user):
    reply = await user.slash("/search papers by the authors of Foobarium")
    assert "I don't know a paper called “Foobarium”, so I searched for these words." in reply.text
