"""Milvus as the engine, beyond what all engines share (test_vectors.py, test_served_index.py)."""

import base64
import signal
import subprocess
import sys
from concurrent import futures

import numpy as np
import pytest

pytest.importorskip("milvus_lite", reason="Milvus's packages are not installed: make test-cluster")

import grpc
from milvus_lite.server_manager import server_manager_instance
from pymilvus import MilvusClient

from index.search import milvus_index
from index.search.milvus_address import address_of
from index.search.milvus_index import MilvusServer, knows_halves
from index.search.served_index import ServerGoneError
from index.search.vector_log import VectorLog
from tests.helpers import milvus

PRINT = {"model": "m", "weights_sha256": "a" * 64, "dimension": 16, "pooling": "mean", "normalised": True}


def unit(count, seed=0):
    rows = np.random.default_rng(seed).normal(size=(count, 16)).astype(np.float32)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


@pytest.fixture
def log(tmp_path):
    return VectorLog.open(tmp_path / "v", PRINT)


@pytest.fixture
def lite(tmp_path):
    started = milvus.Lite(tmp_path / "milvus")
    yield started
    started.kill()


def held(server):
    return dict(zip(*(part.tolist() for part in server.marks()), strict=True))


def test_a_server_that_hangs_is_given_up_and_asked_again_when_it_answers(log, lite, monkeypatch):
    monkeypatch.setitem(milvus_index._DEADLINES[0], "timeout", "2s")
    server, rows = MilvusServer(lite.url, log), unit(40)
    server.put(np.arange(40), np.arange(40), rows)
    for ask in (
        server.marks,
        lambda: next(server.near(rows[0], 10)),
        lambda: server.put(np.arange(2), np.arange(2), rows[:2]),
        lambda: server.drop(np.arange(2)),
    ):
        lite.send(signal.SIGSTOP)
        with monkeypatch.context() as soon:
            soon.setattr(milvus_index, "_PATIENCE", 1.0)
            for _ in ("on the connection", "on a new one"):
                with pytest.raises(ServerGoneError, match="deadline exceeded"):
                    ask()
        lite.send(signal.SIGCONT)
        assert held(server).keys() >= set(range(2, 40))


def test_what_arrived_before_a_kill_remains_and_the_rest_is_sent_again(log, lite):
    server, rows = MilvusServer(lite.url, log), unit(50)
    server.put(np.arange(40), np.arange(40), rows[:40])
    lite.kill()
    with pytest.raises(ServerGoneError, match="refused"):
        server.put(np.arange(40, 50), np.arange(40, 50), rows[40:])
    lite.start()
    assert held(server) == {paper: paper for paper in range(40)}
    server.put(np.arange(30, 50), np.arange(130, 150), rows[30:])
    server.settle()
    assert held(server) == {paper: paper for paper in range(30)} | {n: n + 100 for n in range(30, 50)}
    assert next(server.near(rows[45], 5))[0] == 45


def test_a_server_that_was_emptied_meanwhile_is_filled_again(log, lite):
    server, rows = MilvusServer(lite.url, log), unit(10)
    server.put(np.arange(10), np.arange(10), rows)
    MilvusClient(lite.url.replace("milvus", "http")).drop_collection(server._name)
    with pytest.raises(ServerGoneError):
        server.marks()
    assert held(server) == {}
    server.put(np.arange(10), np.arange(10), rows)
    assert next(server.near(rows[4], 5))[0] == 4


def test_a_collection_whose_maker_died_before_its_graph_is_completed(log, lite):
    broken = MilvusServer(lite.url, log)
    broken._make(MilvusClient(lite.url.replace("milvus", "http")))
    server, rows = MilvusServer(lite.url, log), unit(10)
    server.put(np.arange(10), np.arange(10), rows)
    assert next(server.near(rows[4], 5))[0] == 4


def test_vectors_of_another_model_lie_elsewhere(tmp_path, log, lite):
    other = VectorLog.open(tmp_path / "w", PRINT | {"weights_sha256": "b" * 64})
    MilvusServer(lite.url, log).put(np.arange(10), np.arange(10), unit(10))
    assert held(MilvusServer(lite.url, other)) == {}


def test_more_than_the_first_answer_comes_from_an_iterator_and_nothing_comes_twice(log, lite):
    server, rows = MilvusServer(lite.url, log), unit(300)
    server.put(np.arange(300), np.arange(300), rows)
    parts = [part.tolist() for part in server.near(rows[7], 20)]
    assert len(parts[0]) == 20
    assert sorted(paper for part in parts for paper in part) == list(range(300))
    closeness = rows.astype(np.float32) @ rows[7].astype(np.float32)
    assert set(parts[0]) == set(np.argsort(-closeness)[:20].tolist())


class _Refuses(grpc.GenericRpcHandler):
    """Says to everybody what Milvus says to a wrong password."""

    def __init__(self):
        self.tokens = []

    def service(self, call):
        told = dict(call.invocation_metadata)["authorization"]
        self.tokens.append(base64.b64decode(told).decode())

        def refuse(_, context):
            context.abort(
                grpc.StatusCode.UNAUTHENTICATED,
                "auth check failure, please check username and password are correct",
            )

        return grpc.unary_unary_rpc_method_handler(refuse)


@pytest.mark.parametrize(
    ("secret", "token"), [("me:hunter%4022", "me:hunter@22"), ("hunter%4022", "hunter@22")]
)
def test_a_password_or_a_token_is_sent_and_never_said(log, secret, token):
    refuses, server = _Refuses(), grpc.server(futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((refuses,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pytest.raises(ServerGoneError, match="please check username and password") as told:
        MilvusServer(f"milvus://{secret}@127.0.0.1:{port}", log).marks()
    server.stop(None)
    assert set(refuses.tokens) == {token}
    assert "hunter" not in str(told.value)


def test_a_file_is_enough_to_try_it_and_one_process_holds_it(tmp_path, log):
    file, rows = tmp_path / "vectors.db", unit(10)
    server = MilvusServer(f"milvus://{file}", log)
    try:
        server.put(np.arange(10), np.arange(10), rows)
        assert next(server.near(rows[4], 5))[0] == 4
        other = f"""
from pathlib import Path
from index.search.milvus_index import MilvusServer
from index.search.vector_log import VectorLog
MilvusServer("milvus://{file}", VectorLog.open(Path({str(tmp_path / "w")!r}), {PRINT})).marks()
"""
        done = subprocess.run([sys.executable, "-c", other], capture_output=True, text=True)
        assert "ServerGoneError" in done.stderr
        assert f"{file}: " in done.stderr.splitlines()[-1]
    finally:
        server_manager_instance.release_server(str(file))


@pytest.mark.parametrize(
    ("version", "halves"),
    [
        ("v2.3.5", False),
        ("2.4.0", True),
        ("v2.6.1-dev", True),
        ("10.0", True),
        ("milvus_lite-3.2.2", False),
        ("", False),
    ],
)
def test_half_precision_is_for_servers_that_keep_it(version, halves):
    assert knows_halves(version) is halves


@pytest.mark.parametrize(
    ("url", "uri", "token", "database"),
    [
        ("milvus://host", "http://host", "", ""),
        ("milvus://me:p%40ss@host:1/db", "http://host:1", "me:p@ss", "db"),
        ("milvus+https://key@host", "https://host", "key", ""),
        ("milvus://[::1]:2", "http://[::1]:2", "", ""),
        ("milvus:///folder/vectors.db", "/folder/vectors.db", "", ""),
        ("milvus:////folder/vectors.db", "/folder/vectors.db", "", ""),
    ],
)
def test_an_address_is_read_as_pymilvus_wants_it(url, uri, token, database):
    assert address_of(url) == {"uri": uri, "token": token, "db_name": database}
