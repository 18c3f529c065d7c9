"""Papers that another machine has read in: until this one has taken them in, its replies say so."""

from contextlib import asynccontextmanager

import aiohttp
import pytest

import bot.health
from bot.app import open_corpus
from bot.http_server import serving
from bot.local_discord.server import LocalDiscord
from data.records import PaperRecord
from index.search import following
from index.search.intake import Intake
from tests.helpers import databases
from tests.helpers.lab import started

TITLE = "Quokka Scheduling of Marsupial Workloads"
LATE = "I haven't taken in 1 new or changed paper yet, so this may be incomplete."
NOT_TAKEN = "I haven't taken in"
ASKED = (f"/search query:{TITLE}", "/papers author:Ada Quokkamp", "/similar paper:PrismLLM")


@pytest.fixture(scope="module")
async def machine(tmp_path_factory):
    """A machine that follows nothing by itself, since nobody has started its scheduler."""
    folder = tmp_path_factory.mktemp("behind") / "here"
    url = databases.url_of(folder / "labmate.db")
    async with (
        LocalDiscord() as discord,
        started(discord, folder, database_url=url, http_listen="127.0.0.1:0") as lab,
    ):
        yield lab


@asynccontextmanager
async def other_machine(lab):
    """Another machine's copies, over the same database."""
    elsewhere = lab.settings.labmate_data.parent / "there"
    url = lab.settings.database
    settings = lab.settings.model_copy(update={"labmate_data": elsewhere, "database_url": url})
    async with open_corpus(settings) as corpus:
        yield corpus


async def reads_in(lab, number, title=TITLE):
    """One paper, by another machine."""
    record = PaperRecord(
        source="test",
        ids={"arxiv": f"2611.{number:05}"},
        title=title,
        abstract="We schedule.",
        authors=["Ada Quokkamp"],
    )
    async with other_machine(lab) as corpus:
        with corpus.writing():
            await Intake(corpus, "test", "test").run(iter([(0, record)]))


async def figures(lab):
    """The figures of /metrics and /healthz about it."""
    async with serving(lab.bot, lab.scheduler, lab.settings) as url, aiohttp.ClientSession() as session:
        async with session.get(url + "/metrics") as answer:
            lines = (await answer.text()).splitlines()
        async with session.get(url + "/healthz") as answer:
            told = (await answer.json())["worth_knowing"]
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return [float(values[f"labmate_behind_{name}"]) for name in ("papers", "seconds")], told


async def test_replies_say_what_has_not_reached_this_machine_until_it_has(machine, monkeypatch):
    monkeypatch.setattr(bot.health, "KEPT", 0.0)
    user = machine.user
    for text in ASKED:
        assert NOT_TAKEN not in (await user.slash(text)).text
    assert (await figures(machine))[0] == [0, 0]
    await reads_in(machine, 1)
    assert NOT_TAKEN not in (await user.slash(ASKED[0])).text, "for a moment, nothing is said"
    monkeypatch.setattr(following, "MOMENT", -1.0)
    for text in ASKED:
        assert LATE in (await user.slash(text)).text, text
    unknown = await user.slash(f"/paper paper:{TITLE} of Many Kinds")
    assert LATE in unknown.text
    assert "**Behind:** 1 new or changed paper, for " in (await user.slash("/about")).text
    [papers, seconds], told = await figures(machine)
    assert (papers, seconds > 0) == (1, True)
    assert any("papers not taken in yet: 1, the oldest for " in line for line in told)
    await machine.bot.services.corpus.refresh()
    await machine.scheduler._embed()
    for text in ASKED:
        assert NOT_TAKEN not in (await user.slash(text)).text, text
    assert TITLE in (await user.slash(ASKED[0])).text
    assert "Behind" not in (await user.slash("/about")).text
    assert await figures(machine) == ([0, 0], [])


async def test_what_a_member_has_forgotten_is_forgotten_on_a_machine_that_is_behind(machine, monkeypatch):
    """Their own things are asked of the database itself, whatever the copies here hold."""
    monkeypatch.setattr(following, "MOMENT", -1.0)
    user, member = machine.user, int(machine.user.user["id"])
    assert "# to read" in (await user.slash("/save PrismLLM")).text
    assert "You follow **gossip**" in (await user.slash("/follow topic:gossip")).text
    await reads_in(machine, 2, "Wombat Queues")
    async with other_machine(machine) as corpus:
        for part in corpus.store.about_members:
            await part.forget(member)
    assert LATE in (await user.slash(ASKED[0])).text, "it is behind"
    assert "PrismLLM" not in (await user.slash("/library show")).text
    assert "gossip" not in (await user.slash("/following")).text
