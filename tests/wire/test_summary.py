"""`/summary` as a member types it: four quoted sentences with their places, and what is missing."""

from __future__ import annotations

import pytest
import pytest_asyncio

from bot.local_discord.server import LocalDiscord
from tests.helpers.lab import fill, started
from tests.helpers.paper_pdfs import encrypted_pdf, loss_spikes
from tests.helpers.paper_server import PaperServer
from tests.helpers.records import record

ABSTRACT = (
    "Training of large models is interrupted by loss spikes. We trace 41 spikes to single batches and "
    "propose a filter. The filter removes 38 of 41 spikes and does not slow training down."
)


@pytest_asyncio.fixture(scope="module")
async def world(tmp_path_factory):
    async with PaperServer() as arxiv, LocalDiscord() as discord:
        folder = tmp_path_factory.mktemp("summary")
        fetching = {"labmate_fetch": True, "arxiv_url": arxiv.url, "arxiv_interval_seconds": 0}
        async with started(discord, folder, **fetching) as lab:
            papers = [
                record(1, title="On Loss Spikes in Large Models", abstract=ABSTRACT),
                record(2, title="On Locked Doors", abstract=ABSTRACT),
                record(
                    3,
                    title="On Hostile Titles",
                    abstract="@everyone **loss** [spikes](https://evil.test) are bad.",
                ),
                record(4, title="On Nothing", abstract=""),
            ]
            await fill(lab.bot, papers)
            yield lab.bot, lab.user, arxiv


async def test_each_part_is_a_sentence_of_the_paper_with_its_place(world):
    _, user, arxiv = world
    arxiv.pages["/pdf/2601.00001"] = loss_spikes()
    reply = await user.slash("/summary paper:2601.00001", within=60)
    for part in ("Problem", "Method", "Result", "Limits"):
        assert f"**{part}**" in reply.text
    assert "“However, we could not study models above 70 billion parameters" in reply.text
    assert "[§ 4 Limitations, p. 2](https://arxiv.org/pdf/2601.00001#page=2)" in reply.text
    assert "I read all 3 pages." in reply.text
    assert "2601.00001" in reply.text
    again = await (await user.slash("/paper 2601.00001")).press("Summary")
    assert again.text == reply.text
    assert arxiv.asked.count("/pdf/2601.00001") == 1


async def test_without_the_full_text_it_says_so_and_what_the_abstract_lacks(world):
    _, user, arxiv = world
    arxiv.pages["/pdf/2601.00002"] = encrypted_pdf()
    reply = await user.slash("/summary paper:On Locked Doors", within=60)
    assert "(it is encrypted and asks for a password), so I only have the abstract." in reply.text
    assert "**Limits**\n-# The abstract doesn't say." in reply.text
    assert "“" in reply.text


@pytest.mark.hostile
async def test_a_hostile_abstract_stays_text(world):
    _, user, _ = world
    reply = await user.slash("/summary paper:On Hostile Titles", within=60)
    assert "@everyone" not in reply.text
    assert "](https://evil.test)" not in reply.text


async def test_a_paper_of_which_nothing_is_known_is_told(world):
    _, user, _ = world
    reply = await user.slash("/summary paper:On Nothing", within=60)
    assert reply.text.count("The abstract doesn't say.") == 4
    assert "arXiv has no PDF of this paper" in reply.text


async def test_an_unknown_paper_and_a_switched_off_labmate_are_told(world):
    bot, user, _ = world
    assert "No paper matches" in (await user.slash("/summary paper:zxqv wvut")).text
    texts, bot.services.full_texts = bot.services.full_texts, None
    try:
        reply = await user.slash("/summary paper:2601.00001")
    finally:
        bot.services.full_texts = texts
    assert "Full texts are switched off here, so I only have the abstract." in reply.text


async def test_a_question_about_one_paper_is_answered_from_its_full_text(world):
    _, user, arxiv = world
    arxiv.pages["/pdf/2601.00001"] = loss_spikes()
    asked = "/ask paper:2601.00001 question:How long does replaying a spike take?"
    reply = await user.slash(asked, within=60)
    assert "Replaying takes 3.5 hours a spike." in reply.text
    assert "[§ 2.1 Tracing, p. 1](https://arxiv.org/pdf/2601.00001#page=1)" in reply.text
