"""What goes wrong in a worker is told as what it is."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator

import numpy as np
import pytest
from filelock import FileLock
from sqlalchemy import create_engine, text

from bot.cli.command_line import perform
from bot.cli.ingest import people_wait
from bot.scheduler import BUSY_AGAIN, Scheduler
from bot.worker import RunOutcome
from commands.kit.leader import Leader
from commands.kit.supervise import ended
from data.calendar.announcements import LOOK_AGAIN
from data.stores.store import Store
from index.people.insight import Insight
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Intake
from index.search.vector_log import VectorLog
from tests.helpers import databases
from tests.helpers.lab import Lab, let_workers_use, settings_for
from tests.helpers.process import run
from tests.helpers.records import record


@pytest.fixture
def scheduler(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Scheduler, list[str]]]:
    """One whose workers, real processes, work on the lab's folder; with what it says to people."""
    let_workers_use(lab.settings.labmate_data, monkeypatch)
    monkeypatch.setenv("ARXIV_INTERVAL_SECONDS", "0")
    said: list[str] = []
    yield Scheduler(lab.settings, lab.bot.services, said.append), said
    lab.bot.services.progress.over()


async def test_a_write_lock_is_not_told_as_a_fault_of_arxiv(lab, scheduler):
    ours, said = scheduler
    with lab.bot.services.corpus.writing():
        assert not await ours._run("ingest", "recent")
    assert ours.worker.outcomes == {("ingest", RunOutcome.BUSY): 1}
    assert said == []


async def test_an_arxiv_that_is_down_is_told_once(scheduler, monkeypatch):
    ours, said = scheduler
    monkeypatch.setenv("ARXIV_OAI_URL", "http://127.0.0.1:9/oai")
    assert not await ours._run("ingest", "recent")
    assert ours.worker.outcomes == {("ingest", RunOutcome.UNREACHABLE): 1}
    assert len(said) == 1
    assert said[0].startswith("arXiv can't be read right now")


async def test_a_worker_that_is_stopped_is_no_failure(scheduler, monkeypatch):
    ours, said = scheduler
    running = asyncio.create_task(ours._run("identify"))
    while ours.worker._process is None:  # noqa: ASYNC110 - nobody tells that a process has begun
        await asyncio.sleep(0.01)
    await ours.stop()
    await running
    assert not ours.worker.outcomes
    assert said == []


async def test_vectors_are_tended_by_the_worker_though_no_paper_waits(lab, scheduler):
    ours, _ = scheduler
    corpus = lab.bot.services.corpus
    await ours._embed()
    papers, hashes = corpus.vectors.known()
    rows = corpus.vectors.rows(papers)
    writer = VectorLog.open(corpus.vectors.folder, corpus.vectors.fingerprint)
    writer.append(papers, hashes, rows)
    await corpus.refresh()
    assert (corpus.waiting(), corpus.vectors.is_due()) == (0, True)
    await ours._embed()
    assert ours.worker.outcomes["index", RunOutcome.DONE] == 1
    assert (corpus.vectors.dead_share, corpus.vectors.is_due()) == (0, False)
    assert corpus.vectors.rows(papers).tobytes() == rows.tobytes()
    assert corpus.vectors.search(rows[0].astype(np.float32), 1)[0].tolist() == [papers[0]]


@pytest.mark.parametrize(
    ("waits", "lags", "derives", "again"),
    [
        (True, True, 1, BUSY_AGAIN),  # else a machine that is behind would never make its files
        (True, False, 1, LOOK_AGAIN),  # another process was in the way
        (False, True, 0, BUSY_AGAIN),
        (False, False, 0, None),
    ],
)
async def test_a_machine_that_follows_makes_its_own_files(
    lab, scheduler, monkeypatch, waits, lags, derives, again
):
    async def follows(_self):
        return False

    ours, _ = scheduler
    monkeypatch.setattr(Leader, "lead", follows)
    for name, value in (("waits_for_files", waits), ("people_lag", lags), ("topics_lag", False)):
        monkeypatch.setattr(Insight, name, value)
    await ours._tell_apart()
    assert ours.worker.outcomes["derive", RunOutcome.DONE] == derives
    assert ours._again == again


async def test_files_that_are_out_of_date_are_seen_to_at_once(lab, scheduler, monkeypatch):
    ours, _ = scheduler
    monkeypatch.setattr("bot.scheduler.LOOK_EVERY", 0.05)
    monkeypatch.setattr("bot.scheduler.NAMES_EVERY", 0.1)
    insight, states = lab.bot.services.insight, iter([False, True])
    refresh = insight.refresh

    async def after_a_pass():
        monkeypatch.setattr(Insight, "waits_for_files", next(states, True))
        return await refresh()

    monkeypatch.setattr(Insight, "waits_for_files", False)
    monkeypatch.setattr(insight, "refresh", after_a_pass)
    following = asyncio.create_task(ours._follow())
    await asyncio.wait_for(ours._new.wait(), 60)
    await ended(following)


@pytest.mark.sqlite("locks the database's file")
def test_a_locked_database_is_told_in_one_line(tmp_path, capsys):
    path = tmp_path / "labmate.db"
    with sqlite3.connect(path) as held:
        held.execute("CREATE TABLE x (y)")
        held.commit()
        held.execute("BEGIN IMMEDIATE")

        async def write() -> None:
            engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 0})
            with engine.begin() as connection:
                connection.execute(text("INSERT INTO x VALUES (1)"))

        with pytest.raises(SystemExit) as left:
            perform(write())
    held.close()
    assert left.value.code == 1
    assert "Another process kept the database locked" in capsys.readouterr().err


async def test_papers_of_another_process_are_embedded_and_placed_soon_not_with_the_next_listing(
    place, tmp_path, monkeypatch
):
    monkeypatch.setattr("bot.scheduler.LOOK_EVERY", 0.2)
    _, bot, user = place
    settings = settings_for(place[0], tmp_path)
    let_workers_use(tmp_path, monkeypatch)
    monkeypatch.setenv("LABMATE_FETCH", "false")
    scheduler, corpus = Scheduler(settings, bot.services), bot.services.corpus
    scheduler.start()
    try:
        await asyncio.wait_for(scheduler.settled.wait(), 240)
        before = len(corpus.facets)
        file = tmp_path / "new.json"
        paper = {"id": "2611.00001", "title": "Teleporting llamas", "category": "cs.CL", "date": "2026-11-02"}
        file.write_text(json.dumps([paper | {"abstract": "On llamas.", "authors": ["Ada Y"]}]))
        read = await asyncio.to_thread(run, "ingest", "file", str(file), "--no-embed", folder=tmp_path)
        assert "1 added" in read.stdout + read.stderr
        async with asyncio.timeout(240):
            while len(corpus.facets) == before or corpus.waiting() or await people_wait(corpus.store):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    finally:
        await scheduler.stop()
    assert "Teleporting llamas" in (await user.slash("/papers author:Ada Y")).text


async def test_papers_that_come_at_the_end_of_a_round_are_embedded_in_another(place, tmp_path, monkeypatch):
    monkeypatch.setattr("bot.scheduler.LOOK_EVERY", 0.2)
    let_workers_use(tmp_path, monkeypatch)
    monkeypatch.setenv("LABMATE_FETCH", "false")
    discord, bot, _ = place
    scheduler, corpus = Scheduler(settings_for(discord, tmp_path), bot.services), bot.services.corpus
    tell_apart, rounds = scheduler._tell_apart, iter([True])

    async def while_papers_come():
        await tell_apart()
        if next(rounds, False):
            await corpus.store.upsert([record(9_002, title="Latecomers", abstract="On coming late.")])

    monkeypatch.setattr(scheduler, "_tell_apart", while_papers_come)
    scheduler.start()
    try:
        await asyncio.wait_for(scheduler.settled.wait(), 240)
        latest = await corpus.store.listings.newest_paper()
        async with asyncio.timeout(60):
            while not corpus.has_vector(latest):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    finally:
        await scheduler.stop()


async def test_a_few_papers_that_another_process_keeps_from_being_embedded_are_soon(place, tmp_path):
    discord, bot, _ = place
    scheduler, corpus = Scheduler(settings_for(discord, tmp_path), bot.services), bot.services.corpus
    await corpus.store.upsert([record(9_003, title="Obstacles", abstract="On what is in the way.")])
    await corpus.refresh()
    with FileLock(tmp_path / "write.lock"):
        await scheduler._embed()
    assert (corpus.waiting(), scheduler._again) == (1, BUSY_AGAIN)
    await scheduler._embed()
    assert corpus.waiting() == 0


async def test_papers_that_another_machine_read_in_are_found_by_their_words(place, tmp_path, monkeypatch):
    """Words are a copy on each machine; it follows the database."""
    monkeypatch.setattr("bot.scheduler.LOOK_EVERY", 0.2)
    discord, bot, user = place
    let_workers_use(tmp_path, monkeypatch)
    monkeypatch.setenv("LABMATE_FETCH", "false")
    scheduler, corpus = Scheduler(settings_for(discord, tmp_path), bot.services), bot.services.corpus
    scheduler.start()
    try:
        await asyncio.wait_for(scheduler.settled.wait(), 240)
        store = await Store.open(databases.url_of(tmp_path / "labmate.db"))
        elsewhere = await Corpus.open(store, tmp_path / "other machine", Embedder(), writable=True)
        with elsewhere.writing():
            new = [record(9_001, title="Xylotropes in switches", abstract="On the xylotrope.")]
            await Intake(elsewhere, "test", "test").run(iter(enumerate(new)))
        await store.close()
        async with asyncio.timeout(240):
            while corpus.words.upto < await corpus.store.last_change():
                await asyncio.sleep(0.1)
                corpus.words.refresh()
    finally:
        await scheduler.stop()
    assert "Xylotropes in switches" in (await user.slash("/search query:xylotrope")).text
