"""An engine on a server that comes and goes: replies never wait for it, and nothing is lost."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from index.search import faiss_index, served_index
from index.search.served_index import ServerGoneError
from index.search.vector_index import engine
from index.search.vectors import Vectors
from tests.helpers import milvus, postgres

PRINT = {
    "model": "m",
    "weights_sha256": "a" * 64,
    "dimension": 16,
    "pooling": "mean",
    "normalised": True,
    "text": "t",
}


def unit(count, seed=0):
    rows = np.random.default_rng(seed).normal(size=(count, 16)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def nearest(rows, query, k=10):
    return (np.argsort(-(rows.astype(np.float16).astype(np.float32) @ query), kind="stable")[:k] + 1).tolist()


SERVERS = {"pgvector": postgres.new_database, "milvus": milvus.new_database_now}
if not milvus.INSTALLED:
    del SERVERS["milvus"]


@pytest.fixture(params=SERVERS)
def url(request):
    return SERVERS[request.param]().replace("+asyncpg", "")


@pytest.fixture
def lost(monkeypatch):
    """What was said of servers that could not be reached."""
    said, lose = [], served_index.ServedIndex._lose

    def heard(index, error):
        said.append(str(error))
        lose(index, error)

    monkeypatch.setattr(served_index.ServedIndex, "_lose", heard)
    return said


def opened(folder, url, **more):
    return Vectors.open(folder, PRINT, open_index=engine(url), **more)


def test_thousands_of_rows_are_found_through_the_graph(tmp_path, url, lost):
    rows = unit(6_000)
    vectors = opened(tmp_path / "v", url)
    vectors.append(range(1, 6_001), range(6_000), rows)
    some = np.zeros(6_001, bool)
    some[np.random.default_rng(3).choice(6_000, 4_500, replace=False) + 1] = True
    hits = there = 0
    for query in unit(40, seed=1):
        found, scores = vectors.search(query, 10)
        hits += len(set(found.tolist()) & set(nearest(rows, query)))
        assert list(scores) == sorted(scores, reverse=True)
        found, _ = vectors.search(query, 10, some)
        assert some[found].all()
        right = [paper for paper in nearest(rows, query, 6_000) if some[paper]][:10]
        there += len(set(found.tolist()) & set(right))
    assert hits >= 0.95 * 400
    assert there >= 0.95 * 400
    assert not lost


def test_the_nearest_that_pass_a_filter_are_found_however_far_they_are(tmp_path, url, lost):
    rows, query = unit(6_000), unit(1, seed=2)[0]
    vectors = opened(tmp_path / "v", url)
    vectors.append(range(1, 6_001), range(6_000), rows)
    far = np.array(nearest(rows, query, 6_000)[-4_500:])
    some = np.zeros(6_001, bool)
    some[far] = True
    found, _ = vectors.search(query, 10, some)
    assert len(set(found.tolist()) & set(far[:10].tolist())) >= 9
    assert not lost


def test_what_a_server_does_not_come_to_is_found_on_this_machine(tmp_path, lost, monkeypatch):
    rows, query = unit(6_000), unit(1, seed=2)[0]
    vectors = opened(tmp_path / "v", SERVERS["pgvector"]().replace("+asyncpg", ""))
    vectors.append(range(1, 6_001), range(6_000), rows)
    server = vectors._engine()._server
    near = server.near
    monkeypatch.setattr(server, "near", lambda query, count: itertools.islice(near(query, count), 1))
    far = np.array(nearest(rows, query, 6_000)[-4_500:])
    some = np.zeros(6_001, bool)
    some[far] = True
    assert vectors.search(query, 10, some)[0].tolist() == far[:10].tolist()
    assert not lost


@pytest.mark.parametrize(("kept", "asked"), [(120, False), (121, True)])
def test_a_server_is_not_asked_for_a_small_share_of_its_papers(tmp_path, lost, monkeypatch, kept, asked):
    monkeypatch.setattr(served_index, "FEW", 50)
    rows, query = unit(6_000), unit(1, seed=2)[0]
    vectors = opened(tmp_path / "v", SERVERS["pgvector"]().replace("+asyncpg", ""))
    vectors.append(range(1, 6_001), range(6_000), rows)
    server, walks = vectors._engine()._server, []
    near = server.near
    monkeypatch.setattr(server, "near", lambda query, count: walks.append(count) or near(query, count))
    far = np.array(nearest(rows, query, 6_000)[-kept:])
    some = np.zeros(6_001, bool)
    some[far] = True
    assert vectors.search(query, 10, some)[0].tolist() == far[:10].tolist()
    assert bool(walks) is asked
    assert not lost


def test_this_machine_keeps_an_inverted_file_beside_a_server(tmp_path, lost, monkeypatch):
    monkeypatch.setattr(served_index, "FEW", 50)
    monkeypatch.setattr(faiss_index, "_FEW", 50)
    rows, query = unit(60_000), unit(1, seed=2)[0]
    url = "postgresql://nobody@127.0.0.1:9/nothing"
    writing = opened(tmp_path / "v", url)
    writing.append(range(1, 60_001), range(60_000), rows)
    reading = opened(tmp_path / "v", url, writable=False)
    some = np.zeros(60_001, bool)
    some[np.random.default_rng(3).choice(60_000, 1_000, replace=False) + 1] = True
    right = [paper for paper in nearest(rows, query, 60_000) if some[paper]][:10]
    assert reading.search(query, 10, some)[0].tolist() == right
    index = reading._engine()
    assert index._here._stored is None
    assert writing._engine() is not None
    assert writing.is_due()
    assert writing.tend()
    assert not writing.is_due()
    reading.refresh()
    assert reading._engine() is index
    assert index._here._stored is not None
    assert len(set(reading.search(query, 10, some)[0].tolist()) & set(right)) >= 9
    assert not lost


def test_who_waits_while_another_finds_the_server_gone_does_not_ask_it_again(tmp_path, lost, monkeypatch):
    vectors = opened(tmp_path / "v", SERVERS["pgvector"]().replace("+asyncpg", ""))
    vectors.append(range(1, 41), range(40), unit(40))
    index, both, asked = vectors._engine(), threading.Barrier(2), []

    class Watched:
        """A lock that the first takes, and lets go of when the second is there."""

        def __init__(self):
            self.lock, self.numbers = threading.Lock(), itertools.count()

        def __enter__(self):
            if next(self.numbers):
                both.wait()
            self.lock.acquire()

        def __exit__(self, *_):
            self.lock.release()

    def marks():
        asked.append(True)
        if len(asked) == 1:
            both.wait()
        raise ServerGoneError("it is gone")

    monkeypatch.setattr(index, "_sending", Watched())
    monkeypatch.setattr(index._server, "marks", marks)
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(vectors.search, unit(40)[n], 1) for n in (3, 4)]
        assert [one.result()[0].tolist() for one in found] == [[4], [5]]
    assert len(asked) == len(lost) == 1


def test_a_machine_that_comes_late_sends_only_what_is_lacking(tmp_path, url, lost, monkeypatch):
    first = opened(tmp_path / "one", url)
    first.append(range(1, 101), range(100), unit(100))
    first.search(unit(1)[0], 5)
    sent = []
    server_class = type(first._index._server)
    put = server_class.put

    def counted(server, papers, marks, rows):
        sent.append(len(papers))
        return put(server, papers, marks, rows)

    monkeypatch.setattr(server_class, "put", counted)
    second = opened(tmp_path / "two", url)
    second.append(range(1, 121), [*range(100), *range(500, 520)], unit(120))
    assert second.search(unit(120)[110], 1)[0].tolist() == [111]
    assert sent == [20]
    assert 111 not in first.search(unit(120)[110], 100)[0], "what another machine has is no answer here"
    assert not lost


class CutPostgres:
    """A PostgreSQL that one connection can't reach for a while; other tests use the server meanwhile."""

    def __init__(self, tmp_path):
        self.url = postgres.new_database().replace("+asyncpg", "")

    def cut(self, server):
        server._url = "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1"
        server._own.connection.close()

    def mend(self, server):
        server._url = self.url


class CutMilvus:
    """A Milvus that is killed and started again."""

    def __init__(self, tmp_path):
        self._lite = milvus.Lite(tmp_path / "milvus")
        self.url = self._lite.url

    def cut(self, server):
        self._lite.kill()

    def mend(self, server):
        self._lite.start()


@pytest.fixture(params=[CutPostgres, *([CutMilvus] if milvus.INSTALLED else [])])
def comes_and_goes(request, tmp_path):
    return request.param(tmp_path)


def test_without_the_server_this_machine_answers_and_later_sends_what_came_meanwhile(
    tmp_path, comes_and_goes, lost, monkeypatch
):
    rows = unit(50)
    vectors = opened(tmp_path / "v", comes_and_goes.url)
    vectors.append(range(1, 41), range(40), rows[:40])
    assert vectors.search(rows[7], 1)[0].tolist() == [8]
    server = vectors._index._server
    comes_and_goes.cut(server)
    assert vectors.search(rows[8], 1)[0].tolist() == [9]
    assert len(lost) == 1
    assert "connection refused" in lost[0].lower()
    vectors.append(range(41, 51), range(40, 50), rows[40:])
    assert vectors.search(rows[45], 1)[0].tolist() == [46], "also what came since"
    assert len(lost) == 1, "it isn't asked again at once"
    comes_and_goes.mend(server)
    monkeypatch.setattr(vectors._index, "_again", 0.0)
    assert vectors.search(rows[46], 1)[0].tolist() == [47]
    assert len(lost) == 1
    assert sorted(server.marks()[0]) == list(range(1, 51))


@pytest.mark.parametrize("scheme", ["postgresql", *(["milvus"] if milvus.INSTALLED else [])])
def test_a_password_is_never_said(tmp_path, lost, scheme):
    vectors = opened(tmp_path / "v", f"{scheme}://me:hunter22@127.0.0.1:1/labmate")
    vectors.append([1], [1], unit(1))
    assert vectors.search(unit(1)[0], 1)[0].tolist() == [1]
    assert lost
    assert "hunter22" not in lost[0]
