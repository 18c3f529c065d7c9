"""`ingest snapshot` as a user types it: what it takes, what it says, and kills at any point."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
import re
import signal
import subprocess
import time

import numpy as np
import pytest
import zstandard
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from bot.cli import ingest_snapshot
from bot.settings import Settings
from data.sources.snapshot import SnapshotChoice
from data.stores.store import Store
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.embedding_model import fingerprint
from tests.helpers import databases
from tests.helpers.process import PATIENCE, begin, run
from tests.helpers.snapshots import snapshot_line, write_snapshot

KILLS = int(os.environ.get("LABMATE_CRASHES", "6"))
CATEGORIES = {"LABMATE_CATEGORIES": "cs.CL cs.IR"}


async def _papers(folder):
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    try:
        ids = await store.ids_of("arxiv")
        papers = await store.papers(ids.values())
        return {paper.arxiv_id: paper for paper in papers if paper.arxiv_id.startswith(("0704.", "math/"))}
    finally:
        await store.close()


@pytest.fixture
def snapshot(tmp_path):
    """Ten papers of cs.CL and cs.LG in turn, from 2007 on, and a bad line in between."""
    path = tmp_path / "snapshot.json.zst"
    lines = [json.dumps(snapshot_line(number)) for number in range(10)]
    lines.insert(4, '{"id": "0704')
    path.write_bytes(zstandard.compress("\n".join(lines).encode()))
    return path


async def test_a_laptop_takes_its_own_categories_and_is_told_how_to_get_all(snapshot, tmp_path):
    done = await asyncio.to_thread(run, "ingest", "snapshot", str(snapshot), folder=tmp_path, **CATEGORIES)
    assert done.returncode == 0, done.stderr
    assert "Reading cs.CL cs.IR from snapshot.json.zst" in done.stderr
    assert "`--categories all` takes all of arXiv" in done.stderr
    assert "6 read: 5 added, 0 updated, 0 unchanged, 1 refused" in done.stderr
    assert "refused 1 (line 5): not JSON" in done.stderr
    assert "5 other papers of the file were left out" in done.stderr
    assert set(await _papers(tmp_path)) == {f"0704.{number:04d}" for number in range(0, 10, 2)}


async def test_how_long_a_long_reading_took_is_told(snapshot, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ingest_snapshot, "_WORTH_TELLING", 0)
    settings = Settings(_env_file=None, labmate_data=tmp_path, database_url=databases.setting(tmp_path))
    chosen = SnapshotChoice(("cs.CL",))
    await ingest_snapshot._read_in(
        settings, snapshot, chosen, None, named=True, embed_too=False, events=False
    )
    assert re.search(r"Reading took \d+ s\.", capsys.readouterr().err)


async def test_all_of_arxiv_and_some_years_are_taken_when_asked_for(snapshot, tmp_path):
    ask = ["ingest", "snapshot", str(snapshot), "--categories"]
    some = await asyncio.to_thread(run, *ask, "all", "--years", "2009-2011", folder=tmp_path)
    assert "Reading all categories, 2009 to 2011" in some.stderr
    assert "4 read: 3 added" in some.stderr
    every = await asyncio.to_thread(run, *ask, "all", folder=tmp_path)
    assert "11 read: 7 added, 0 updated, 3 unchanged, 1 refused" in every.stderr
    again = await asyncio.to_thread(run, *ask, "all", folder=tmp_path)
    assert "11 read: 0 added, 0 updated, 10 unchanged, 1 refused" in again.stderr
    assert len(await _papers(tmp_path)) == 10


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--categories", "cs CL"], None),
        (["--categories", "../../etc"], "'../../etc' is not an arXiv category"),
        (["--categories", "cs.AI,all"], "'all' is not an arXiv category"),
        (["--categories", " , "], "--categories names none"),
        (["--years", "soon"], "'soon' names no years"),
        (["--years", "2026-2020"], "ends before it begins"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_opened(snapshot, tmp_path, options, said):
    done = run("ingest", "snapshot", str(snapshot), *options, folder=tmp_path / "new", fresh=True)
    if said is None:
        assert "'CL' is not an arXiv category" in done.stderr
    else:
        assert said in done.stderr
    assert done.returncode == 2
    assert not (tmp_path / "new" / "labmate.db").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no papers"),
        (b"<html><body>Please sign in</body></html>", "is not arXiv's metadata snapshot"),
        (gzip.compress(b"x" * 100_000, mtime=0)[:60], "is torn or not what its name says"),
        (None, "can't be read (No such file or directory). Check its name, and that you may read it."),
    ],
    ids=["empty", "a page", "torn", "missing"],
)
def test_a_wrong_file_is_named_and_nothing_is_read_in(tmp_path, content, said):
    path = tmp_path / "snapshot.json"
    if content is not None:
        path.write_bytes(content)
    done = run("ingest", "snapshot", str(path), folder=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert said in done.stderr


def test_a_choice_without_papers_is_said(snapshot, tmp_path):
    done = run("ingest", "snapshot", str(snapshot), "--categories", "q-fin", folder=tmp_path)
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert "no paper of q-fin. Nothing was read in. Choose other --categories or --years." in said


async def test_a_torn_archive_keeps_what_precedes_the_tear_and_the_whole_one_completes_it(tmp_path):
    path = tmp_path / "snapshot.json.gz"
    write_snapshot(path, 9_000)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    torn = await asyncio.to_thread(
        run, "ingest", "snapshot", str(path), "--categories", "all", folder=tmp_path
    )
    assert torn.returncode == 1
    assert "is torn or not what its name says" in torn.stderr
    assert "What was taken before the damage is kept." in torn.stdout + torn.stderr
    before = len(await _papers(tmp_path))
    assert 1_000 < before < 9_000
    path.write_bytes(whole)
    done = await asyncio.to_thread(
        run, "ingest", "snapshot", str(path), "--categories", "all", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert len(await _papers(tmp_path)) == 9_000


def _ready_vectors(folder, count):
    """Rows that say which line they belong to."""
    rows = np.zeros((count, 384), np.float16)
    rows[np.arange(count), np.arange(count) % 100] = 0.6
    rows[np.arange(count), 100 + np.arange(count) // 100] = 0.8
    np.save(folder / "v.f16.npy", rows)
    manifest = fingerprint(Embedder().name) | {"rows": count}
    (folder / "v.json").write_text(json.dumps(manifest))
    return folder / "v.f16.npy"


async def test_a_run_killed_at_any_point_goes_on_where_it_stopped_and_loses_nothing(tmp_path):
    count = 4_000
    path, folder = tmp_path / "snapshot.json.zst", tmp_path / "data"
    write_snapshot(path, count)
    vectors = _ready_vectors(tmp_path, count)
    folder.mkdir()
    places, chance = [], random.Random(18)
    for kill in range(KILLS):
        process = begin(
            *map(str, (folder, path, vectors, kill)),
            env=os.environ,
            stdout=subprocess.DEVNULL,
            module="tests.helpers.snapshots",
        )
        await _noted(folder, more_than=places[-1] if places else 0, process=process)
        await asyncio.sleep(chance.random() * 0.3)
        process.kill()
        assert await asyncio.to_thread(process.wait) == -signal.SIGKILL
        places.append(await _place(folder))
        assert places[-1] > (places[-2] if kill else 0), "a second start reads on, not everything again"
        told = folder / f"begun-{kill}"
        assert int(told.read_text()) == (places[-2] if kill else 0)
    done = await asyncio.to_thread(
        run, "ingest", "snapshot", str(path), "--categories", "all", "--vectors", str(vectors), folder=folder
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"Going on after line [\d,]+, where the last run stopped", done.stderr)
    assert f"{count:,} read: " in done.stderr
    papers = await _papers(folder)
    assert len(papers) == count
    await _complete(folder, papers)


async def _noted(folder, more_than, process):
    """Wait until the run has noted some place beyond the last one."""
    give_up = time.monotonic() + PATIENCE
    while await _place(folder) <= more_than + 100:
        assert process.poll() is None, "the run ended before it was killed"
        assert time.monotonic() < give_up
        await asyncio.sleep(0.02)


async def _place(folder):
    if not databases.is_in_use(folder):
        return 0
    engine = databases.engine_in(folder)
    query = text("SELECT read FROM ingest_runs WHERE source = 'arxiv-snapshot' ORDER BY id DESC LIMIT 1")
    try:
        with engine.connect() as connection:
            return connection.scalar(query) or 0
    except OperationalError:
        return 0
    finally:
        engine.dispose()


async def _complete(folder, papers):
    """Every paper is in the word index once, and has the vector of its own line."""
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    try:
        assert await store.integrity() == "ok"
        sample = len(await store.ids_of("arxiv")) - len(papers)
        assert len(corpus.words) == len(papers) + sample
        waiting = set(corpus.backlog())
        for paper in papers.values():
            assert paper.id not in waiting
            number = int(paper.title.split()[1])
            row = corpus.vectors.row(paper.id)
            assert (row[:100].argmax(), row[100:].argmax()) == (number % 100, number // 100)
    finally:
        await store.close()
