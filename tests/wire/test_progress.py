"""Replies say what they still lack, while papers and people are being worked on, and never afterwards."""

import asyncio
import signal
from contextlib import contextmanager

import pytest

from bot.cli.ingest_commands import read_in_file
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from commands.kit.progress import Need, Progress, duration
from commands.kit.services import Services
from index.people.people import PeopleIndex
from tests.helpers import databases
from tests.helpers.lab import settings_for
from tests.helpers.slices import papers_by

STILL, INCOMPLETE = "I'm still", "so this may be incomplete"
ABOUT_MEANING = ("/search query:language models", "/similar paper:PrismLLM")
ABOUT_PEOPLE = (
    "/papers author:Minlan Yu",
    "/author name:Minlan Yu",
    "/similar-people name:Minlan Yu",
    "/collaborators who:Minlan Yu",
    "/who-knows topic:network infrastructure",
    "/compare first:ChonLam Lao second:Minlan Yu",
    "/graph person:Minlan Yu",
)
ALL = (*ABOUT_MEANING, *ABOUT_PEOPLE, "/trending", "/new")


@pytest.fixture(scope="module")
async def loaded(shared, tmp_path_factory):
    """A folder with the sample and real papers: some are not embedded, and nobody new is told apart."""
    folder = tmp_path_factory.mktemp("loaded")
    papers, vectors = papers_by(shared, folder, "Yang Liu", 20, 180)
    lines = papers.read_text().splitlines(keepends=True)
    papers.write_text("".join(lines[:100]))
    (folder / "rest.jsonl").write_text("".join(lines[100:]))
    async with LocalDiscord() as discord:
        patched = pytest.MonkeyPatch()
        settings = settings_for(discord, folder, labmate_pictures=False)
        # the worker, a process of its own, reads them there
        for name, value in ({"LABMATE_DATA": str(folder)} | databases.environment(folder)).items():
            patched.setenv(name, value)
        await read_in_file(settings, papers, vectors, embed_too=False, events=True)
        await read_in_file(settings, folder / "rest.jsonl", None, embed_too=False, events=True)
        yield discord, settings
        patched.undo()


@contextmanager
def held(scheduler):
    """Let the worker, a real process, be stopped by a signal as soon as it says that it is at a step."""
    heard, reached = scheduler.worker._heard, {}

    def hear(event):
        heard(event)
        wanted = reached.get(event.get("step"))
        if wanted is not None and not wanted.is_set():
            scheduler.worker._process.send_signal(signal.SIGSTOP)
            wanted.set()

    scheduler.worker._heard = hear

    async def at(step):
        reached[step] = asyncio.Event()
        await reached[step].wait()

    def go_on():
        scheduler.worker._process.send_signal(signal.SIGCONT)

    try:
        yield at, go_on
    finally:
        if scheduler.worker._process is not None and scheduler.worker._process.returncode is None:
            go_on()


async def test_replies_say_what_they_lack_while_it_is_made_and_not_when_it_is(loaded):
    discord, settings = loaded
    async with running_bot(settings) as (_, scheduler), UserClient(discord.url, discord.user_token) as user:
        with held(scheduler) as (at, go_on):
            embedding, gathering, topics, phrases = (
                asyncio.ensure_future(at(step))
                for step in ("embedding", "gathering authorships", "finding topics", "finding phrases")
            )
            await asyncio.sleep(0)
            scheduler.start()
            await embedding
            for command in ABOUT_MEANING:
                assert f"{STILL} comparing papers by meaning" in (await user.slash(command)).text, command
            for command in ("/papers author:Minlan Yu", "/who-knows topic:networks"):
                reply = await user.slash(command)
                assert STILL in reply.text, command
                assert INCOMPLETE in reply.text, command
            go_on()
            await gathering
            for command in ABOUT_PEOPLE:
                assert f"{STILL} matching authors to papers" in (await user.slash(command)).text, command
            card = await user.slash("/author name:Minlan Yu")
            assert STILL in (await card.press("Similar people")).text, "a button says it, too"
            for command in (*ABOUT_MEANING, "/new"):
                assert INCOMPLETE not in (await user.slash(command)).text, command
            assert f"{STILL} finding topics" in (await user.slash("/trending")).text
            go_on()
            await topics
            assert f"{STILL} finding topics" in (await user.slash("/trending")).text
            go_on()
            await phrases
            for command in (*ABOUT_MEANING, "/new"):
                assert INCOMPLETE not in (await user.slash(command)).text, command
            go_on()
            await scheduler.settled.wait()
        for command in ALL:
            reply = await user.slash(command)
            assert STILL not in reply.text, command
            assert INCOMPLETE not in reply.text, command
            assert "haven't matched" not in reply.text, command


async def test_right_after_a_start_people_are_waited_for(loaded, monkeypatch):
    discord, settings = loaded
    waiting, real_of, real_wait = asyncio.Event(), PeopleIndex.of.__func__, Services.wait_for_people

    async def of(cls, *args):
        await waiting.wait()
        return await real_of(cls, *args)

    async def wait_for_people(services):
        assert waiting.is_set() or services.is_starting
        waiting.set()
        await real_wait(services)

    monkeypatch.setattr(PeopleIndex, "of", classmethod(of))
    async with running_bot(settings), UserClient(discord.url, discord.user_token) as user:
        monkeypatch.setattr(Services, "wait_for_people", wait_for_people)
        reply = await user.slash("/graph person:Minlan Yu")
        assert "haven't matched" not in reply.text
        assert "Minlan Yu" in reply.text
        assert "I've just started" not in reply.text


def test_the_time_left_follows_the_rate_of_the_step():
    progress = Progress()
    progress.heard("embedding", 0, 1_000, at=100.0)
    assert progress.left(at=100.0) is None, "nothing is known of the rate yet"
    progress.heard("embedding", 100, 1_000, at=110.0)
    assert progress.left(at=110.0) == 90.0
    assert progress.left(at=130.0) == 70.0
    assert progress.rate == 10.0
    assert progress.text.startswith("embedding: 100 of 1,000, 10 a second")
    assert progress.makes is Need.MEANING
    progress.heard("telling people apart", 10, 20, at=131.0)
    assert (progress.left(at=131.0), progress.rate) == (None, None)
    progress.heard("telling people apart", 11, 20, at=141.0)
    assert progress.text.endswith("11 of 20, 6 a minute")
    assert progress.makes is Need.PEOPLE
    progress.heard("writing who wrote what", 0, 0, at=142.0)
    assert (progress.text, progress.makes) == ("writing who wrote what", Need.PEOPLE)
    progress.over()
    assert (progress.text, progress.makes) == ("", None)


@pytest.mark.parametrize(
    ("seconds", "said"), [(2, "5 s"), (62, "60 s"), (95, "2 min"), (4_000, "67 min"), (7_300, "2 h")]
)
def test_a_time_left_is_told_roughly(seconds, said):
    assert duration(seconds) == said
