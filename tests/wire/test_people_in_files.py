"""Large libraries keep people and names in files: members meet the same answers as in a small one."""

import pytest

from bot.local_discord.server import LocalDiscord
from bot.worker import RunOutcome
from index.identity.passes import identify
from index.people import people_files
from index.search import corpus, names_file
from tests.helpers.lab import fill, let_workers_use, started
from tests.helpers.records import record

QUESTIONS = (
    "/author name:ChonLam Lao",
    "/author name:Jiamin Cao",
    "/similar-people ChonLam Lao",
    "/graph person:ChonLam Lao",
    "/collaborators who:ChonLam Lao new_only:False",
    "/collaborators topic:in-network aggregation",
    "/who-knows topic:in-network aggregation for distributed training",
    "/compare first:ChonLam Lao second:Minlan Yu",
    "/trending days:365",
    "/author name:Chonlam Loa",
)


def as_if_large(monkeypatch):
    """The sample lives in files, too."""
    monkeypatch.setattr(people_files, "SMALL", 0)
    monkeypatch.setattr(names_file, "SMALL", 0)
    monkeypatch.setattr(corpus, "_KEEP_FROM", 1)


async def answers(folder):
    """What a Labmate over a folder says to all questions, and what it offers while somebody types."""
    async with LocalDiscord() as discord, started(discord, folder) as lab:
        await lab.bot.services.insight.refresh()  # people are compared once their papers are embedded
        said = {question: (await lab.user.slash(question)).text for question in QUESTIONS}
        for typed in ("", "c", "jiamin", "lao", "chonlan"):
            offered = await lab.user.complete(f"/author name:{typed}")
            said[typed] = sorted(choice["name"] for choice in offered)
        return said


async def test_answers_from_files_are_those_from_memory(tmp_path, monkeypatch):
    in_memory = await answers(tmp_path)
    assert not list(tmp_path.glob("people.map"))
    as_if_large(monkeypatch)
    assert await answers(tmp_path) == in_memory
    made = {path.name for path in tmp_path.glob("*.map")}
    assert {"people.map", "names.map", "facets.map", "closest.map", "network.map"} <= made
    assert {"topics.map", "phrases.map"} <= made
    assert await answers(tmp_path) == in_memory, "a start that finds the files answers alike"


@pytest.mark.parametrize("damage", [b"", b"torn", b"\0" * 4096])
async def test_a_start_with_damaged_files_answers_all_the_same(tmp_path, monkeypatch, damage):
    as_if_large(monkeypatch)
    async with LocalDiscord() as discord:
        async with started(discord, tmp_path):
            pass
        for path in [*tmp_path.glob("*.map"), *tmp_path.glob("*.faiss")]:
            path.write_bytes(damage)
        async with started(discord, tmp_path) as again:
            reply = await again.user.slash("/author name:ChonLam Lao")
            assert "5 papers in this library, 2022–2026" in reply.text
            assert await again.user.complete("/author name:chonlam")
            found = await again.user.slash("/collaborators who:ChonLam Lao new_only:False")
            assert "Jiamin Cao" in found.text


async def test_after_a_pass_that_made_no_files_a_start_answers_and_the_worker_makes_them(
    tmp_path, monkeypatch
):
    """As when `identify --full` is stopped after it has matched everybody."""
    let_workers_use(tmp_path, monkeypatch)
    monkeypatch.setenv("LABMATE_FETCH", "false")
    crowds = [[f"Given{n} Family{m}" for m in range(250)] for n in range(85)]
    papers = [record(n, authors=crowd) for n, crowd in enumerate(crowds)]
    async with LocalDiscord() as discord:
        async with started(discord, tmp_path) as lab:
            await fill(lab.bot, papers)
            corpus = lab.bot.services.corpus
            assert await lab.scheduler._run("identify", "--full")
            file = tmp_path / "people.map"
            assert file.exists(), "so many authorships live in files"
            before = file.stat().st_mtime_ns
            with corpus.writing():
                await identify(corpus, full=True)
        async with started(discord, tmp_path) as again:
            insight = again.bot.services.insight
            await again.bot.services.wait_for_people()
            assert insight.waits_for_files
            assert "1 paper in this library" in (await again.user.slash("/author name:Given3 Family7")).text
            assert file.stat().st_mtime_ns == before, "the bot leaves this work to its worker"
            await again.scheduler._tell_apart()
            assert again.scheduler.worker.outcomes == {("derive", RunOutcome.DONE): 1}
            assert file.stat().st_mtime_ns != before
            assert not insight.waits_for_files
            assert insight.people.number == (await corpus.store.people.last_pass()).id
            assert "1 paper in this library" in (await again.user.slash("/author name:Given3 Family7")).text


async def in_common(user):
    """The lines of a reply that say what similar papers have in common."""
    reply = await user.slash("/similar PrismLLM")
    return [line for line in reply.text.splitlines() if "in common: " in line]


async def test_after_an_update_the_worker_makes_the_file_of_phrases(tmp_path, monkeypatch):
    let_workers_use(tmp_path, monkeypatch)
    monkeypatch.setenv("LABMATE_FETCH", "false")
    async with LocalDiscord() as discord:
        async with started(discord, tmp_path) as lab:
            before = await in_common(lab.user)
            assert before
        (tmp_path / "phrases.map").unlink()
        async with started(discord, tmp_path) as again:
            insight = again.bot.services.insight
            await again.bot.services.wait_for_people()
            assert insight.lacks_phrases
            assert await in_common(again.user) == before
            await again.scheduler._tell_apart()
            assert again.scheduler.worker.outcomes == {("derive", RunOutcome.DONE): 1}
            assert not insight.lacks_phrases
            assert await in_common(again.user) == before
            await again.scheduler._tell_apart()
            assert again.scheduler.worker.outcomes == {("derive", RunOutcome.DONE): 1}, "once is enough"
