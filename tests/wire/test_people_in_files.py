"""Large libraries keep people and names in files: members meet the same answers as in a small one."""

import pytest

from bot.local_discord.server import LocalDiscord
from index.people import people_files
from index.search import corpus, names_file
from tests.helpers.lab import started

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
    assert {"people.map", "names.map", "facets.map", "closest.map", "network.map", "topics.map"} <= made
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
