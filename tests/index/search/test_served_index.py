"""An engine on a server that comes and goes: replies never wait for it, and nothing is lost."""

import numpy as np
import pytest

from index.search import served_index
from index.search.vector_index import engine
from index.search.vectors import Vectors
from tests.helpers.postgres import new_database_now

PRINT = {"model": "m", "weights_sha256": "a" * 64, "dimension": 16, "pooling": "mean", "normalised": True}


def unit(count, seed=0):
    rows = np.random.default_rng(seed).normal(size=(count, 16)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def nearest(rows, query, k=10):
    return (np.argsort(-(rows.astype(np.float16).astype(np.float32) @ query), kind="stable")[:k] + 1).tolist()


@pytest.fixture
def url():
    return new_database_now().replace("+asyncpg", "")


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


def test_a_machine_that_comes_late_sends_only_what_is_lacking(tmp_path, url, lost, monkeypatch):
    first = opened(tmp_path / "one", url)
    first.append(range(1, 101), range(100), unit(100))
    first.search(unit(1)[0], 5)
    sent = []
    put = engine("pgvector").__globals__["PgvectorServer"].put

    def counted(server, papers, marks, rows):
        sent.append(len(papers))
        return put(server, papers, marks, rows)

    monkeypatch.setattr(engine("pgvector").__globals__["PgvectorServer"], "put", counted)
    second = opened(tmp_path / "two", url)
    second.append(range(1, 121), [*range(100), *range(500, 520)], unit(120))
    assert second.search(unit(120)[110], 1)[0].tolist() == [111]
    assert sent == [20]
    assert 111 not in first.search(unit(120)[110], 100)[0], "what another machine has is no answer here"
    assert not lost


def test_without_the_server_this_machine_answers_and_later_sends_what_came_meanwhile(
    tmp_path, url, lost, monkeypatch
):
    rows = unit(50)
    vectors = opened(tmp_path / "v", url)
    vectors.append(range(1, 41), range(40), rows[:40])
    assert vectors.search(rows[7], 1)[0].tolist() == [8]
    server = vectors._index._server
    monkeypatch.setattr(server, "_url", "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
    server._own.connection.close()
    assert vectors.search(rows[8], 1)[0].tolist() == [9]
    assert len(lost) == 1
    assert "connection refused" in lost[0].lower()
    vectors.append(range(41, 51), range(40, 50), rows[40:])
    assert vectors.search(rows[45], 1)[0].tolist() == [46], "also what came since"
    assert len(lost) == 1, "it isn't asked again at once"
    monkeypatch.setattr(server, "_url", url)
    monkeypatch.setattr(vectors._index, "_again", 0.0)
    assert vectors.search(rows[46], 1)[0].tolist() == [47]
    assert len(lost) == 1
    assert sorted(server.marks()[0]) == list(range(1, 51))


def test_a_password_is_never_said(tmp_path, lost):
    vectors = opened(tmp_path / "v", "postgresql://me:hunter22@127.0.0.1:1/labmate")
    vectors.append([1], [1], unit(1))
    assert vectors.search(unit(1)[0], 1)[0].tolist() == [1]
    assert lost
    assert "hunter22" not in lost[0]
