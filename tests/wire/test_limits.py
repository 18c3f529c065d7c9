"""Over the wire: sixty requests at once are answered or refused privately, in time; files queue up."""

import asyncio
import contextlib
import gc

import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.local_discord.typed import parse
from bot.run import running_bot
from commands.kit.limits import EXPORT, IMPORT, SEARCH
from index.documents import cv_file
from index.documents.cv_file import UnreadableError, read_cv
from index.documents.sandboxes import SANDBOXES
from tests.helpers.lab import settings_for
from tests.helpers.members import joins

pytestmark = pytest.mark.hostile

REFUSED = ("You've asked for", "are waiting already")
BIB = "@misc{{a, title={{A work that nobody knows {n}}}, author={{Lovelace, Ada}}, year={{2026}}}}"


@pytest.fixture(scope="module")
async def world(tmp_path_factory):
    """A bot that counts, and four members; the imports of dee, and of eve, are those of one test."""
    folder = tmp_path_factory.mktemp("limits")
    async with LocalDiscord() as discord, contextlib.AsyncExitStack() as stack:
        members = [joins(discord, name) for name in ("bee", "cee", "dee", "eve")]
        settings = settings_for(discord, folder, labmate_limits=True)
        bot, _ = await stack.enter_async_context(running_bot(settings))
        bot.services.model_settled.set()
        users = [
            await stack.enter_async_context(UserClient(discord.url, discord.state.token_of(m["id"])))
            for m in members
        ]
        yield discord, users, folder


async def test_sixty_searches_at_once_are_answered_or_refused_privately(world):
    _, (_, hasty, calm, _), _ = world
    question = parse("/search query:fault tolerance", await hasty.commands())
    flood = [asyncio.create_task(hasty.run(question, within=60)) for _ in range(60)]
    other = await calm.slash("/search fault tolerance")
    assert not any(said in other.text for said in REFUSED), "what one member asked is nobody else's"
    replies = await asyncio.gather(*flood)  # Discord gives up after three seconds: none was too late
    refused = [reply for reply in replies if any(said in reply.text for said in REFUSED)]
    assert all(reply.is_private for reply in refused)
    assert len(replies) - len(refused) <= SEARCH.member
    assert len(refused) >= 60 - SEARCH.member
    assert len(replies) > len(refused)


async def test_exports_have_a_limit_and_say_when_to_come_again(world):
    _, (bee, *_), _ = world
    for _ in range(EXPORT.member):
        assert "This file holds everything" in (await bee.slash("/me data")).text
    refused = await bee.slash("/me data")
    assert f"You've asked for {EXPORT.member} files in the last 10 minutes; try again <t:" in refused.text
    assert refused.is_private


async def test_a_file_waits_in_line_with_a_word_and_is_read_in_the_end(world):
    _, (bee, *_), folder = world
    path = folder / "a.bib"
    path.write_text(BIB.format(n=1))
    async with SANDBOXES.taken(), SANDBOXES.taken():
        told = asyncio.create_task(
            bee.wait_for("MESSAGE_UPDATE", lambda m: "yours is next" in str(m["components"]), within=60)
        )
        done = asyncio.create_task(
            bee.wait_for("MESSAGE_UPDATE", lambda m: "Imported" in str(m["components"]), within=60)
        )
        word = await bee.slash(f"/library import file:{path}")
        await told
        assert "I'm reading other members' files first" in word.text
        assert word.is_private
        assert not done.done()
    await done


async def test_two_sandboxes_at_most_run_at_once_and_a_full_line_is_said(monkeypatch):
    """The real processes, counted as they start."""
    made, most = [], 0
    start = asyncio.create_subprocess_exec

    async def counted(*arguments, **more):
        nonlocal most
        process = await start(*arguments, **more)
        made.append(process)
        most = max(most, sum(one.returncode is None for one in made))
        return process

    monkeypatch.setattr(cv_file.asyncio, "create_subprocess_exec", counted)
    text = b"# Publications\n\nA. Lovelace. A Work That Nobody Knows At All. 2024.\n"
    asked = [asyncio.create_task(read_cv(text, "cv.md")) for _ in range(14)]
    found = await asyncio.gather(*asked, return_exceptions=True)
    read = [cv for cv in found if not isinstance(cv, BaseException)]
    late = [str(error) for error in found if isinstance(error, UnreadableError)]
    assert len(read) + len(late) == 14
    assert len(late) == 4
    assert all("Try again in a minute" in text for text in late)
    assert all(cv.publications for cv in read)
    assert (len(made), most) == (10, 2)
    assert IMPORT.member > 1


async def test_ids_and_titles_that_a_digest_learns_from_are_no_imports(world):
    _, (*_, eve), _ = world
    await eve.slash("/digest mine")
    for _ in range(IMPORT.member + 1):
        told = (await eve.slash("/digest learn papers:2605.15617")).text
        assert "imports" not in told
        assert "learn" in told
    bib = BIB.format(n=3)
    for _ in range(IMPORT.member):
        assert "You've asked for" not in (await eve.slash(f"/digest learn papers:{bib}")).text
    assert "imports in the last hour" in (await eve.slash(f"/digest learn papers:{bib}")).text


async def test_an_import_too_many_is_refused_without_a_warning_in_the_log(world, recwarn):
    _, (_, _, dee, _), folder = world
    for _ in range(IMPORT.member):
        assert "You've asked for" not in (await dee.slash("/profile import")).text
    path = folder / "b.bib"
    path.write_text(BIB.format(n=2))
    refused = await dee.slash(f"/library import file:{path}")
    assert f"You've asked for {IMPORT.member} imports in the last hour" in refused.text
    gc.collect()
    assert not [one for one in recwarn if "never awaited" in str(one.message)]
