"""Papers that do without something come first, over real sockets."""

import pytest

from tests.helpers.lab import fill
from tests.helpers.records import record

WORKS = (
    ("Songs of Wombats by Sheet Music", "We sing wombat songs. Sheet music is the key: sheet music helps."),
    ("Sheet Music for Wombat Songs", "We write sheet music for wombat songs, and print sheet music."),
    ("Songs of Wombats by Ear", "We sing wombat songs without any sheet music."),
    ("Songs of Wombats in Sheets", "How sheet music changes wombat songs. We print sheet music."),
)


@pytest.mark.parametrize("asked", ["that don't need sheet music", "which require no sheet music"])
async def test_what_names_a_thing_that_it_does_without_comes_before_what_is_about_it(place, asked):
    _, bot, user = place
    await fill(bot, [record(800 + n, title=title, abstract=text) for n, (title, text) in enumerate(WORKS)])
    reply = await user.mention(f"wombat songs {asked}")
    assert "Papers that say they do without sheet music come first" in reply.text
    assert "1. **[Songs of Wombats by Ear" in reply.text
    as_words = await reply.press("Search for the words")
    assert "do without" not in as_words.text


async def test_where_no_paper_does_without_it_the_reply_says_so_and_the_nearest_come(place):
    _, bot, user = place
    about = [record(800 + n, title=WORKS[n][0], abstract=WORKS[n][1]) for n in (0, 1, 3)]
    await fill(bot, [*about, record(820, title="Wombat Songs at Night", abstract="We sing wombat songs.")])
    reply = await user.slash("/search wombat songs that don't need sheet music")
    assert "I found no paper that says it does without sheet music" in reply.text
    assert "1. **[Wombat Songs at Night" in reply.text


async def test_what_only_names_it_comes_last(place):
    _, bot, user = place
    await fill(bot, [record(800 + n, title=title, abstract=text) for n, (title, text) in enumerate(WORKS)])
    reply = await user.slash("/search wombat songs that don't use sheet music")
    assert "1. **[Songs of Wombats by Ear" in reply.text
    other = record(820, title="Wombat Songs at Night", abstract="We sing wombat songs at night.")
    await fill(bot, [other])
    reply = await user.slash("/search wombat songs that don't use sheet music")
    assert "1. **[Songs of Wombats by Ear" in reply.text
    assert "2. **[Wombat Songs at Night" in reply.text
    assert "Sheet Music for" not in reply.text


async def test_the_newest_are_of_those_that_say_so(place):
    _, bot, user = place
    await fill(bot, [record(800 + n, title=title, abstract=text) for n, (title, text) in enumerate(WORKS)])
    reply = await user.slash("/search newest papers on wombat songs that don't need the sheet music")
    assert "Papers that say they do without the sheet music · newest first" in reply.text
    assert "1. **[Songs of Wombats by Ear" in reply.text
    assert "2. **" not in reply.text


async def test_of_a_venue_those_that_appeared_there_count(place):
    _, bot, user = place
    works = [
        record(800 + n, title=title, abstract=text, comment="" if n == 2 else "Accepted at ICLR 2025")
        for n, (title, text) in enumerate(WORKS)
    ]
    await fill(bot, works)
    reply = await user.slash("/search ICLR 2025 papers on wombat songs that don't need sheet music")
    assert "I found no paper that says it does without sheet music" in reply.text


async def test_a_subject_that_one_paper_has_for_a_name_is_no_likeness(place):
    _, bot, user = place
    titles = ("Songs: From Ear to Sheet", "Old Songs", "New Songs", "Songs at Night", "Songs by Ear")
    await fill(bot, [record(800 + n, title=title, abstract="We sing.") for n, title in enumerate(titles)])
    reply = await user.slash("/search songs without sheet music")
    assert "Like" not in reply.text
    assert "I found no paper that says it does without sheet music" in reply.text


async def test_no_says_without_where_papers_do_without_it_and_leaves_out_where_they_do_not(place):
    _, bot, user = place
    await fill(bot, [record(800 + n, title=title, abstract=text) for n, (title, text) in enumerate(WORKS)])
    reply = await user.slash("/search wombat songs, no sheet music")
    assert "Without sheet music" in reply.text, "one paper that does without it is not enough"
    by_heart = record(820, title="Wombat Songs by Heart", abstract="We sing without sheet music.")
    await fill(bot, [by_heart])
    reply = await user.slash("/search wombat songs, no sheet music")
    assert "Papers that say they do without sheet music come first" in reply.text
    first = reply.text.split("3. ")[0]
    assert "Songs of Wombats by Ear" in first
    assert "Wombat Songs by Heart" in first


async def test_a_comparison_leaves_nothing_out(place):
    _, bot, user = place
    await fill(bot, [record(800 + n, title=title, abstract=text) for n, (title, text) in enumerate(WORKS)])
    reply = await user.slash("/search wombat songs with vs without sheet music")
    assert "without sheet music" not in reply.text.split("\n", 1)[1].split("1. ")[0]
    assert "**[Sheet Music for Wombat Songs" in reply.text
