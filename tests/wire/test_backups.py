"""Backups as an operator makes them: by the clock of a running bot, by hand beside it, and back again."""

from __future__ import annotations

import asyncio
import os
import signal
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from bot.app import load_sample, open_corpus
from bot.local_discord.server import LocalDiscord
from bot.settings import Settings
from data.calendar import clock
from data.database import backups
from data.sources.files import PaperFile
from index.people.insight import derive
from index.people.novelty import Novelty
from index.people.topics import Topics
from index.search import origin
from index.search.corpus import Corpus
from index.search.intake import Intake
from tests.helpers.postgres import new_database
from tests.helpers.process import logged_in, run, start
from tests.helpers.records import papers_file

pytestmark = pytest.mark.sqlite("Labmate backs up files; a server is backed up with its own tools")

BEGIN = datetime(2026, 1, 5, 6, 0, tzinfo=UTC)
DAY = timedelta(days=1)


async def _until(lab: Path, names: list[str], bot) -> None:
    """Wait until these and no other backups are there, and the log says so of the last."""
    folder, said = lab / "backups", f"{names[-1]} is intact and has every row"
    while sorted(os.listdir(folder) if folder.exists() else []) != names or said not in _log(lab):
        assert bot.poll() is None, bot.stdout.read()
        await asyncio.sleep(0.02)


def _log(lab: Path) -> str:
    return (lab / "labmate.log").read_text()


async def test_backups_by_the_clock_by_hand_and_back(tmp_path, monkeypatch):
    lab, by_hand, time = tmp_path / "lab", tmp_path / "by-hand.db", tmp_path / "time"
    clock.show(time, BEGIN)
    for name, value in {"BACKUP_EVERY": "24", "BACKUP_KEEP": "1", "LABMATE_CLOCK": str(time)}.items():
        monkeypatch.setenv(name, value)
    days = [BEGIN + DAY * number for number in range(2)]
    names = [backups.folder_name(day) for day in days]
    async with LocalDiscord() as discord:
        bot = start(discord, lab)
        try:
            await logged_in(bot)
            await _until(lab, names[:1], bot)
            made = await asyncio.to_thread(run, "backup", str(by_hand), folder=lab)
            assert made.returncode == 0, made.stderr
            assert "is intact and has every row" in made.stdout
            refused = await asyncio.to_thread(run, "restore", str(by_hand), folder=lab)
            assert refused.returncode == 1
            assert "is in use. Stop Labmate" in refused.stderr
            clock.show(time, days[1])
            await _until(lab, names[1:], bot)
        finally:
            bot.send_signal(signal.SIGTERM)
            await asyncio.to_thread(bot.wait)
    assert _log(lab).count(" INFO labmate: backup: ") == 2
    assert backups.verify(lab / "backups" / names[1]).rows["papers"] == 7

    more = run("ingest", "file", str(papers_file(tmp_path / "p.jsonl")), "--no-embed", folder=lab)
    assert "15 added" in more.stderr
    back = run("restore", str(by_hand), folder=lab)
    assert back.returncode == 0, back.stderr
    assert "The indexes are up to date." in back.stdout
    assert len(list(lab.glob("labmate.replaced-*.db"))) == 1
    doctor = run("doctor", folder=lab).stdout
    assert "database and indexes agree on 7 papers" in doctor
    assert "1 backup, newest from 2026-01-06 06:00 UTC" in doctor
    [kept] = (lab / "backups").iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"PrismLLM", b"PrysmLLM"))
    assert (
        f"✗ Backups   the newest backup, {kept}, was altered or damaged" in run("doctor", folder=lab).stdout
    )
    refused = run("restore", str(kept), folder=lab)
    assert refused.returncode == 1
    assert "its checksum does not match. Use another backup." in refused.stderr
    assert "Traceback" not in refused.stderr
    clock.show(time, days[1] + DAY)
    assert run("restore", "--altered", str(kept), folder=lab).returncode == 0


async def test_a_clock_that_was_ahead_costs_no_backup(tmp_path):
    lab = tmp_path / "lab"
    await load_sample(Settings(_env_file=None, labmate_data=lab))
    folder = lab / "backups"
    for year in (2091, 2092):
        backups.back_up(lab / "labmate.db", folder / backups.folder_name(BEGIN.replace(year=year)))
    set_so = {"BACKUP_KEEP": "2", "BACKUP_EVERY": "24"}
    assert "although one is due every 24 hours" in run("doctor", folder=lab, **set_so).stdout
    made = run("backup", folder=lab, **set_so)
    assert made.returncode == 0
    assert Path(made.stdout.split(" is intact")[0]).exists()
    assert [path.name[8:12] for path in folder.iterdir() if "2091" in path.name] == []
    assert f"2 backups, newest from {datetime.now(UTC):%Y}" in run("doctor", folder=lab, **set_so).stdout


async def test_doctor_says_if_backups_can_not_be_written(tmp_path):
    await load_sample(Settings(_env_file=None, labmate_data=tmp_path))
    (tmp_path / "backups").write_text("in the way")
    said = run("doctor", folder=tmp_path, BACKUP_EVERY="24").stdout
    assert f"✗ Backups   {tmp_path / 'backups'} is a file" in said


def test_doctor_says_that_labmate_backs_up_no_server(tmp_path):
    said = run("doctor", folder=tmp_path, BACKUP_EVERY="24", DATABASE_URL=new_database()).stdout
    assert "• Backups   BACKUP_EVERY is set, but Labmate makes no backups of PostgreSQL" in said
    assert "pg_dump" in said


def test_what_can_not_be_backed_up_is_said_in_one_line(tmp_path):
    absent = run("backup", folder=tmp_path / "lab", fresh=True)
    assert (absent.returncode, absent.stderr.count("\n")) == (1, 1)
    assert "There is no database" in absent.stderr
    assert "LABMATE_DATA" in absent.stderr
    elsewhere = run("backup", folder=tmp_path, DATABASE_URL="postgresql+asyncpg://labmate@localhost/labmate")
    assert (elsewhere.returncode, elsewhere.stderr.count("\n")) in ((1, 1), (2, 1))
    assert ("pg_dump" if find_spec("asyncpg") else "asyncpg") in elsewhere.stderr
    damaged = tmp_path / "damaged.db"
    damaged.write_text("This is no database.")
    looked = run("backup", "--verify", str(damaged), folder=tmp_path)
    assert looked.returncode == 1
    assert f"{damaged} is not a database" in looked.stderr
    assert "Traceback" not in looked.stderr
    unnamed = run("backup", "--verify", folder=tmp_path)
    assert unnamed.returncode == 2
    assert "Which backup?" in unnamed.stderr


async def test_nothing_derived_of_later_papers_outlives_a_restore(tmp_path):
    """Other papers get their numbers, and would be found under the earlier papers' words and topics."""
    lab, kept = tmp_path / "lab", tmp_path / "kept.db"
    settings = Settings(_env_file=None, labmate_data=lab)
    await load_sample(settings)
    backups.back_up(lab / "labmate.db", kept)
    async with open_corpus(settings, writable=True) as corpus:
        with corpus.writing():
            await Intake(corpus, "file", "p.jsonl").run(iter(PaperFile(papers_file(tmp_path / "p.jsonl"))))
            await corpus.embed_backlog()
        await derive(corpus)
        later = _ids(corpus)
    (lab / origin.FILE).unlink()  # as in an installation of before there were such notes
    assert (await asyncio.to_thread(run, "restore", str(kept), folder=lab)).returncode == 0
    async with open_corpus(settings) as corpus:
        assert len(corpus.words) == 7
        assert corpus.orphans() == []
        gone = later - _ids(corpus)
        assert len(gone) == 15
        topics, novelty = Topics.load(lab / "topics.map"), Novelty.load(lab / "novelty.map")
        assert topics.upto == await corpus.store.last_change()
        assert not gone & set(topics.papers.tolist())
        assert novelty is None or not any(novelty.has(paper) for paper in gone)


def _ids(corpus: Corpus) -> set[int]:
    return set(np.flatnonzero(corpus.facets.codes >= 0).tolist())
