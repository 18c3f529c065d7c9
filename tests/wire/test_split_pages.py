"""Any paper can be taken from a person who has many: a page of the menu has it, or it is typed."""

import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from index.identity.passes import identify
from tests.helpers.lab import fill, settings_for
from tests.helpers.records import record

PAPERS = 60


@pytest.fixture(scope="module")
async def prolific(tmp_path_factory):
    """The owner of a server, who may correct, and a person with sixty papers."""
    async with (
        LocalDiscord() as discord,
        running_bot(settings_for(discord, tmp_path_factory.mktemp("split"), fresh=True)) as (bot, _),
        UserClient(discord.url, discord.user_token) as user,
    ):
        bot.services.model_settled.set()
        written = [
            record(n, title=f"Gossip in switches, part {n}", authors=["Zofia Quillfeather", "Ada Lovelace"])
            for n in range(1, PAPERS + 1)
        ]
        other = record(99, title="Something else entirely", authors=["Ludwig van Beethoven"])
        await fill(bot, [*written, other])
        with bot.services.corpus.writing():
            await identify(bot.services.corpus, full=True)
        await bot.services.insight.refresh()
        yield user


def titles(reply):
    return [option["label"] for option in reply.selects[0]["options"]]


async def test_every_paper_is_on_some_page_and_can_be_taken_away(prolific):
    page = await prolific.slash("/person split name:Zofia Quillfeather")
    assert "1 to 25 of 60" in page.text
    seen = titles(page)
    while any(button["label"] == "Next" for button in page.buttons):
        page = await page.press("Next")
        assert page.is_private
        seen += titles(page)
    assert sorted(seen) == sorted(f"Gossip in switches, part {n}" for n in range(1, PAPERS + 1))
    assert "51 to 60 of 60" in page.text
    last = page.selects[0]["options"][-1]
    done = await page.choose(last["value"])
    assert f"“{last['label']}” now counts as the work of a different Zofia Quillfeather" in done.text
    assert "Undone" in (await done.press("Undo")).text
    assert "26 to 50 of 60" in (await page.press("Back")).text


async def test_a_typed_paper_is_taken_away_at_once_and_several_are_offered(prolific):
    name = "/person split name:Zofia Quillfeather paper:"
    done = await prolific.slash(f"{name}gossip in switches, part 60")
    assert (
        "“Gossip in switches, part 60” now counts as the work of a different Zofia Quillfeather" in done.text
    )
    assert "Undone" in (await done.press("Undo")).text
    offered = await prolific.slash(f"{name}part 4")
    assert titles(offered)[0] == "Gossip in switches, part 4"
    assert len(titles(offered)) == 11
    assert (
        "Undone"
        in (await (await offered.choose(offered.selects[0]["options"][0]["value"])).press("Undo")).text
    )
    many = await prolific.slash(f"{name}gossip")
    assert len(titles(many)) == 25
    assert "35 more" in many.text


async def test_a_typed_paper_that_is_not_theirs_is_refused(prolific):
    for typed in ("Something else entirely", "2601.00099", "nothing like it", "@everyone"):
        refused = await prolific.slash(f"/person split name:Zofia Quillfeather paper:{typed}")
        assert "Zofia Quillfeather has no paper like" in refused.text
        assert refused.is_private
