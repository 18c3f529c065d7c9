import json
import os
import threading
from datetime import date
from functools import partial

import numpy as np
import pytest

from data.stores.changed_papers import IndexFact
from index.search import vector_log
from index.search.facets import Facets, Where
from index.search.faiss_index import FaissIndex
from index.search.served_index import ServedIndex
from index.search.vector_index import engine, register
from index.search.vector_log import VectorLog
from index.search.vector_manifest import ForeignVectorsError, VectorsError
from index.search.vectors import Vectors
from tests.helpers import milvus, postgres

PRINT = {
    "model": "m",
    "weights_sha256": "a" * 64,
    "dimension": 8,
    "pooling": "mean",
    "normalised": True,
    "text": "t",
}


def unit(count, seed=0, dimension=8):
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class NumpyIndex:
    """A second engine, as small as one can be: every row in memory, compared one with another."""

    def __init__(self, log):
        papers, _ = log.known()
        self.rows = dict(zip(papers.tolist(), log.rows(papers), strict=True))

    def add(self, papers, rows):
        self.rows.update(zip(papers.tolist(), rows, strict=True))

    def remove(self, papers):
        for paper in papers.tolist():
            self.rows.pop(paper, None)

    def search(self, query, k, where=None):
        papers = [p for p in self.rows if where is None or (p < len(where) and where[p])]
        if not papers:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        scores = np.array([self.rows[paper] for paper in papers], np.float32) @ query
        order = np.argsort(-scores, kind="stable")[:k]
        return np.array(papers, np.int64)[order], scores[order]


register("numpy", NumpyIndex)


SERVED = {"pgvector": postgres.new_database, "milvus": milvus.new_database_now}
if not milvus.INSTALLED:
    del SERVED["milvus"]


@pytest.fixture(params=["faiss", "numpy", *SERVED])
def open_index(request, monkeypatch):
    if request.param in SERVED:

        def fail(_index, error):
            raise error

        monkeypatch.setattr(ServedIndex, "_lose", fail)  # nothing else may answer in its place
        return engine(SERVED[request.param]().replace("+asyncpg", ""))
    return engine(request.param)


@pytest.fixture
def vectors(tmp_path, open_index):
    made = Vectors.open(tmp_path / "v", PRINT, open_index=open_index)
    made.append(range(1, 101), range(1001, 1101), unit(100))
    return made


def spoil(vectors, *rows):
    """Change a bit of these rows on the disk."""
    [path] = vectors.folder.glob("rows-*.f16")
    with path.open("r+b") as stream:
        for row in rows:
            stream.seek(row * 2 * vectors.dimension)
            [byte] = stream.read(1)
            stream.seek(-1, os.SEEK_CUR)
            stream.write(bytes([byte ^ 1]))


def reopened(vectors, **more):
    return Vectors.open(vectors.folder, PRINT, open_index=vectors._open_index, **more)


def test_the_nearest_come_first_and_survive_reopening(vectors):
    query = unit(100)[41]
    for index in (vectors, reopened(vectors), reopened(vectors, writable=False)):
        papers, scores = index.search(query, 5)
        assert papers[0] == 42
        assert scores[0] == pytest.approx(1.0, abs=1e-3)
        assert list(scores) == sorted(scores, reverse=True)
        exact = np.argsort(-(unit(100) @ query))[:5] + 1
        assert list(papers) == list(exact)


def test_more_than_there_are_gives_all(vectors):
    assert len(vectors.search(unit(1)[0], 500)[0]) == 100
    empty = Vectors(VectorLog(vectors.folder / "none", PRINT), vectors._open_index)
    assert len(empty.search(unit(1)[0], 5)[0]) == 0


def test_replacing_leaves_one_row_a_paper(vectors):
    vectors.append([42], [7], unit(1, seed=5))
    for index in (vectors, reopened(vectors)):
        assert len(index) == 100
        assert index.hash_of(42) == 7
        assert index.search(unit(1, seed=5)[0], 1)[0][0] == 42
        assert index.search(unit(100)[41], 1)[0][0] != 42


def test_removing_takes_a_paper_out_for_good(vectors):
    vectors.remove([42, 5_000])
    for index in (vectors, reopened(vectors)):
        assert len(index) == 99
        assert not index.has(42)
        assert 42 not in index.search(unit(100)[41], 100)[0]


def test_a_filter_holds_by_ids_days_and_categories(vectors):
    facets = Facets()
    days = {True: date(2026, 1, 1), False: date(2025, 1, 1)}
    facets.update(
        IndexFact(n, 0, days[n % 2 == 0], "cs.CL cs.AI" if n < 50 else "math.CO") for n in range(1, 101)
    )
    query = unit(100)[41]

    def found(**where):
        return set(vectors.search(query, 100, facets.allowed(Where(**where)))[0].tolist())

    assert found(category="cs.AI") == set(range(1, 50))
    assert found(category="cs") == set(range(1, 50))
    assert found(category="c") == set()
    assert found(since=date(2026, 1, 1)) == set(range(2, 101, 2))
    assert found(until=date(2025, 6, 1)) == set(range(1, 101, 2))
    assert found(ids=frozenset({3, 4, 900})) == {3, 4}
    assert found(ids=frozenset({3, 4}), since=date(2026, 1, 1)) == {4}


@pytest.mark.parametrize("cut", [1, 7, 23, 24, 500])
def test_a_torn_tail_of_entries_is_cut_back(vectors, cut):
    file = vectors.log._entries_file(1)
    os.truncate(file, file.stat().st_size - cut)
    index = reopened(vectors)
    assert len(index) == 100 - -(-cut // 24)
    index.append([500], [5], unit(1, seed=9))
    assert reopened(vectors).search(unit(1, seed=9)[0], 1)[0][0] == 500


@pytest.mark.parametrize("cut", [1, 15, 16, 33])
def test_a_torn_tail_of_rows_is_cut_back(vectors, cut):
    file = vectors.log._rows_file(1)
    os.truncate(file, file.stat().st_size - cut)
    assert len(reopened(vectors)) == 100 - -(-cut // 16)


def test_garbage_at_the_tail_is_cut_back(vectors):
    with vectors.log._rows_file(1).open("r+b") as stream:
        stream.seek(95 * 16)
        stream.write(b"\xff" * 16)
    assert len(reopened(vectors)) == 95


def test_rows_without_entries_are_cut_and_a_reader_looks_past_them(vectors):
    with vectors.log._rows_file(1).open("ab") as stream:
        stream.write(b"\x00" * 24)
    assert len(reopened(vectors, writable=False)) == 100
    assert vectors.log._rows_file(1).stat().st_size == 1_624
    assert len(reopened(vectors)) == 100
    assert vectors.log._rows_file(1).stat().st_size == 1_600


def test_a_reader_follows_the_writer(vectors):
    reader = reopened(vectors, writable=False)
    vectors.append([200], [1], unit(1, seed=3))
    vectors.remove([42])
    assert reader.refresh() == 2
    assert reader.has(200)
    assert not reader.has(42)
    vectors.compact()
    reader.refresh()
    assert len(reader) == len(vectors) == 100
    assert reader.search(unit(1, seed=3)[0], 1)[0][0] == 200


def test_a_thread_may_follow_while_another_writes(tmp_path):
    log, written = VectorLog.open(tmp_path, PRINT), threading.Event()

    def follow():
        while not written.wait(0.000_1):
            log.refresh()

    following = threading.Thread(target=follow)
    following.start()
    try:
        for paper in range(200):
            log.append([paper], [paper], unit(1, seed=paper))
    finally:
        written.set()
        following.join()
    assert log.row_count == len(log) == 200
    assert log.rows(np.arange(200)).tobytes() == b"".join(
        unit(1, seed=paper).astype(np.float16).tobytes() for paper in range(200)
    )


def test_compaction_drops_dead_rows_and_nothing_else(vectors):
    vectors.append(range(1, 51), range(50), unit(50, seed=2))
    vectors.remove([60])
    before = {paper: vectors.row(paper).tolist() for paper in (1, 50, 99)}
    assert vectors.dead_share > 0.3
    vectors.compact()
    assert vectors.dead_share == 0
    assert {paper: reopened(vectors).row(paper).tolist() for paper in before} == before
    assert len(list(vectors.folder.glob("rows-*"))) == 1


def test_a_vector_that_changed_on_the_disk_is_found_and_dropped(vectors, monkeypatch):
    monkeypatch.setattr(vector_log, "_CHECKED_TAIL", 10)
    vectors.append([7], [1007], unit(1, seed=7))
    spoil(vectors, 6, 49)  # the first is a row that was replaced
    opened = reopened(vectors)
    assert opened.has(50)
    assert opened.spoilt() == [50]
    opened.compact()
    assert not opened.has(50)
    assert opened.spoilt() == []
    again = reopened(opened)
    assert len(again) == 99
    assert again.search(unit(100)[0], 1)[0].tolist() == [1]


@pytest.mark.parametrize(
    "change", [{"weights_sha256": "b" * 64}, {"dimension": 16}, {"pooling": "cls"}, {"text": "x"}]
)
def test_another_models_vectors_are_refused_with_the_command_that_rebuilds(vectors, change):
    with pytest.raises(ForeignVectorsError, match="python -m bot index --rebuild"):
        Vectors.open(vectors.folder, PRINT | change)
    rebuilt = Vectors.open(vectors.folder, PRINT | change, rebuild=True)
    assert len(rebuilt) == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"format": 1}',
        "null",
        '{"format": 1, "fingerprint": {"dimension": 4}, "generation": null}',
    ],
)
def test_an_unreadable_manifest_is_refused_with_what_to_do(vectors, text):
    (vectors.folder / "manifest.json").write_text(text)
    with pytest.raises(VectorsError, match="--rebuild"):
        reopened(vectors)


@pytest.mark.parametrize("writable", [False, True])
def test_vectors_whose_manifest_is_missing_are_not_thrown_away(vectors, writable):
    whole, manifest = len(vectors), vectors.folder / "manifest.json"
    said = manifest.read_text()
    manifest.unlink()
    with pytest.raises(VectorsError, match=r"manifest\.json is missing"):
        Vectors.open(vectors.folder, PRINT, writable=writable)
    manifest.write_text(said)
    assert len(reopened(vectors)) == whole


def test_a_manifest_is_on_the_disk_before_it_takes_the_last_one_s_place(tmp_path, monkeypatch):
    log, synced, replaced = VectorLog.open(tmp_path, PRINT), set(), []
    log.append([1, 2], [1, 2], unit(2))
    sync, replace = os.fsync, os.replace

    def noted_sync(handle):
        sync(handle)
        synced.add(os.readlink(f"/proc/self/fd/{handle}"))

    def noted_replace(draft, path):
        replaced.append((path.name, str(draft) in synced))
        replace(draft, path)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "replace", noted_replace)
    log.compact()
    assert replaced == [("manifest.json", True)]


def test_a_newer_format_is_refused(vectors):
    path = vectors.folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(VectorsError, match="newer"):
        reopened(vectors)


def test_an_inverted_file_answers_beyond_the_limit_and_is_brought_up_to_date(tmp_path):
    print_ = PRINT | {"dimension": 32}
    rows = np.repeat(unit(60, dimension=32), 50, axis=0) + 0.1 * unit(3_000, seed=1, dimension=32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    flat = Vectors.open(tmp_path / "v", print_)
    flat.append(range(3_000), range(3_000), rows)
    large = Vectors.open(tmp_path / "v", print_, open_index=partial(FaissIndex.open, flat_until=1_000))
    hits = sum(
        len(set(large.search(rows[i], 10)[0].tolist()) & set(flat.search(rows[i], 10)[0].tolist()))
        for i in range(0, 3_000, 60)
    )
    assert hits / 500 > 0.9
    assert all(large.search(rows[i], 1)[0][0] == i for i in range(0, 3_000, 60))
    flat.append([5_000], [1], unit(1, seed=4, dimension=32))
    again = Vectors.open(tmp_path / "v", print_, open_index=partial(FaissIndex.open, flat_until=1_000))
    assert again.search(unit(1, seed=4, dimension=32)[0], 1)[0][0] == 5_000
    allowed = np.zeros(6_000, bool)
    allowed[[7, 9]] = True
    assert set(again.search(rows[0], 5, allowed)[0].tolist()) == {7, 9}
    assert again.row(7).tolist() == pytest.approx(rows[7].tolist(), abs=1e-3)


def test_an_engine_is_found_by_its_name_and_an_unknown_one_is_refused():
    assert engine("faiss") == FaissIndex.open
    assert engine("numpy") is NumpyIndex
    for name in ("nothing", "../faiss", ""):
        with pytest.raises(VectorsError, match="no vector engine"):
            engine(name)


def test_a_log_needs_no_engine(tmp_path):
    log = VectorLog.open(tmp_path / "v", PRINT)
    log.append([3, 4], [30, 40], unit(2))
    log.append([3], [31], unit(1, seed=7))
    log.remove([4])
    again = VectorLog.open(tmp_path / "v", PRINT)
    assert again.known()[0].tolist() == [3]
    assert again.known()[1].tolist() == [31]
    assert again.row(3) == pytest.approx(unit(1, seed=7)[0], abs=1e-3)


def test_a_paper_that_is_removed_and_comes_back_while_a_reader_sleeps_is_found_once(vectors):
    reader = reopened(vectors, writable=False)
    vectors.remove([42, 43])
    vectors.append([42, 44], [1, 1], unit(2, seed=11))
    reader.refresh()
    for index in (vectors, reader):
        papers = index.search(unit(2, seed=11)[0], 200)[0].tolist()
        assert papers[0] == 42
        assert sorted(papers) == [n for n in range(1, 101) if n != 43]


def test_closeness_of_unknown_papers_is_not_a_number(vectors):
    closeness = vectors.closeness(unit(100)[0], [1, 999, 2])
    assert closeness[0] == pytest.approx(1.0, abs=1e-3)
    assert np.isnan(closeness[1])
    assert not np.isnan(closeness[2])
