"""Vectors that can't be read: Labmate starts, finds papers by words, and says what to do."""

from __future__ import annotations

import asyncio
import logging

import aiohttp
import pytest

import bot.health
from bot.app import open_corpus
from bot.doctor import installation
from bot.http_server import serving
from bot.local_discord.server import LocalDiscord
from index.search import vector_log
from tests.helpers.lab import fill, let_workers_use, settings_for, started
from tests.helpers.process import run
from tests.helpers.records import record

MEND = "python -m bot index --rebuild"


@pytest.fixture(params=["{", None], ids=["damaged", "missing"])
def broken(request, tmp_path):
    """A folder with the sample, embedded, whose manifest is damaged or missing."""

    def make(discord):
        settings_for(discord, tmp_path)
        assert run("index", folder=tmp_path, fresh=True).returncode == 0
        manifest = tmp_path / "vectors" / "manifest.json"
        if request.param is None:
            manifest.unlink()
        else:
            manifest.write_text(request.param)
        return tmp_path

    return make


async def looked_at(url):
    """What /healthz says."""
    async with aiohttp.ClientSession() as session, session.get(f"{url}/healthz") as answer:
        return answer.status, await answer.json()


async def test_labmate_starts_without_its_vectors_and_says_so(broken, caplog, monkeypatch):
    monkeypatch.setattr(bot.health, "KEPT", 0.0)
    async with LocalDiscord() as discord:
        folder = broken(discord)
        with caplog.at_level(logging.ERROR, "labmate"):
            async with started(discord, folder, fresh=True, http_listen="127.0.0.1:0") as lab:
                found = await lab.user.slash("/search emulation of large GPU clusters")
                about = await lab.user.slash("/about")
                await fill(lab.bot, [record(1, title="Rare zebrafish of tomorrow")])
                new = await lab.user.slash("/search zebrafish")
                similar = await lab.user.slash("/similar PrismLLM")
                card = await lab.user.slash("/author ChonLam Lao")
                async with serving(lab.bot, lab.scheduler, lab.settings) as url:
                    status, health = await looked_at(url)
                    rebuilt = await asyncio.to_thread(run, "index", "--rebuild", folder=folder, fresh=True)
                    await lab.bot.services.corpus.refresh()
                    _, healed = await looked_at(url)
                meaning = await lab.user.slash("/about")
    assert "PrismLLM" in found.text
    assert "zebrafish" in new.text
    assert "PrismLLM" in similar.text
    assert "ChonLam Lao" in card.text
    assert MEND in about.text
    assert status == 200
    assert any(MEND in one for one in health["worth_knowing"])
    assert any(MEND in entry.getMessage() for entry in caplog.records)
    assert rebuilt.returncode == 0
    assert not any(MEND in one for one in healed["worth_knowing"])
    assert "8 of 8" in meaning.text
    assert MEND not in meaning.text


async def test_a_round_of_background_work_fails_at_nothing_and_reads_words(broken, monkeypatch):
    async with LocalDiscord() as discord:
        folder = broken(discord)
        let_workers_use(folder, monkeypatch)
        async with started(discord, folder, fresh=True) as lab:
            lab.scheduler.start()
            await lab.scheduler.settled.wait()
            assert not lab.scheduler.worker.outcomes


def test_doctor_says_what_to_do(broken):
    class Here:
        bot_token, api_url = "x", "http://127.0.0.1:9"

    folder = broken(Here)
    found = run("doctor", folder=folder, fresh=True)
    assert MEND in found.stdout


async def test_doctor_finds_an_embedding_that_changed_on_the_disk_and_index_makes_it_again(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(vector_log, "_CHECKED_TAIL", 1)  # the last rows are checked whenever they are opened
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path)
    assert run("index", folder=tmp_path, fresh=True).returncode == 0
    [path] = (tmp_path / "vectors").glob("rows-*.f16")
    kept = path.read_bytes()
    path.write_bytes(bytes([kept[0] ^ 1]) + kept[1:])
    [finding] = await installation.index(settings)
    assert finding.state == "bad"
    assert "1 embedding has changed on the disk. Run: python -m bot index." in finding.text
    async with open_corpus(settings, writable=True) as corpus:
        with corpus.writing():
            assert await corpus.embed_backlog() == 1
    assert (await installation.index(settings))[0].state == "good"
