"""Milvus as the engine: one collection for each model, with an HNSW graph (VECTOR_URL=milvus://host:19530)."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import grpc
import numpy as np
from pymilvus import DataType, MilvusClient, MilvusException

from index.search.milvus_address import address_of
from index.search.served_index import ServedIndex, ServerGoneError
from index.search.vector_index import register
from index.search.vector_log import VectorLog

_PATIENCE = 5.0
"""Seconds for a connection, for each answer, and for a few rows."""
_SENDING = 300.0
"""Seconds for a part of many rows, and for what makes them ready."""
_AT_ONCE = 2_000
"""Rows in one message: Milvus takes 64 MB."""
_MOST = 16_384
"""Results in one answer, by Milvus's own limit."""
_GRAPH = {"M": 16, "efConstruction": 128}
_WIDE = 2
"""How many times as many rows as are wanted the search of the graph keeps at a time (ef)."""
_SLOW = [{"service": "milvus.proto.milvus.MilvusService", "method": name} for name in ("Flush", "Upsert")]
_DEADLINES = [{"name": [{}], "timeout": f"{_PATIENCE}s"}, {"name": _SLOW, "timeout": f"{_SENDING}s"}]
"""Also for what pymilvus asks without a timeout, such as an iterator's first request."""

# What fails is said once, by ServedIndex; pymilvus logs every failure with its traceback.
for _name in ("pymilvus", "milvus_lite"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


class MilvusServer:
    """One collection for each model, named after its fingerprint, so that vectors of two never meet."""

    def __init__(self, url: str, vectors: VectorLog) -> None:
        print_ = hashlib.sha256(json.dumps(vectors.fingerprint, sort_keys=True).encode()).hexdigest()[:16]
        self._address, self._dimension = address_of(url), vectors.dimension
        self._name = f"labmate_vectors_{print_}"
        self._connecting = threading.Lock()
        self._client: Any = None
        self._unsettled = False

    def marks(self) -> tuple[np.ndarray, np.ndarray]:
        """As :meth:`VectorServer.marks`."""
        parts = [np.zeros((0, 2), np.int64)]
        with self._connected() as client:
            asked = {"batch_size": _MOST, "output_fields": ["paper", "mark"], "timeout": _PATIENCE}
            with closing(client.query_iterator(self._name, **asked)) as iterator:
                while rows := iterator.next():
                    parts.append(np.array([(row["paper"], row["mark"]) for row in rows], np.int64))
        both = np.concatenate(parts)
        return both[:, 0], both[:, 1]

    def put(self, papers: np.ndarray, marks: np.ndarray, rows: np.ndarray) -> None:
        """As :meth:`VectorServer.put`."""
        patience = _PATIENCE if len(papers) <= _AT_ONCE else _SENDING
        with self._connected() as client:
            self._unsettled = True
            rows = rows.astype(self._dtype)
            for start in range(0, len(papers), _AT_ONCE):
                part = slice(start, start + _AT_ONCE)
                each = zip(papers[part].tolist(), marks[part].tolist(), rows[part], strict=True)
                data = [{"paper": paper, "mark": mark, "vector": row} for paper, mark, row in each]
                client.upsert(self._name, data, timeout=patience)

    def drop(self, papers: np.ndarray) -> None:
        """As :meth:`VectorServer.drop`."""
        with self._connected() as client:
            for start in range(0, len(papers), _AT_ONCE):
                ids = papers[start : start + _AT_ONCE].tolist()
                client.delete(self._name, ids=ids, timeout=_PATIENCE)

    def settle(self) -> None:
        """As :meth:`VectorServer.settle`: Milvus makes the graph of what has been flushed."""
        with self._connected() as client:
            if self._unsettled:
                client.flush(self._name, timeout=_SENDING)
                self._unsettled = False

    def near(self, query: np.ndarray, count: int) -> Iterator[np.ndarray]:
        """As :meth:`VectorServer.near`: one search, and an iterator, which is slow to begin, for more."""
        count = min(count, _MOST)
        with self._connected() as client:
            asked: dict[str, Any] = {
                "collection_name": self._name,
                "data": [query.astype(self._dtype)],
                "output_fields": ["paper"],
                "timeout": _PATIENCE,
            }
            (first,) = client.search(**asked, limit=count, search_params=_how(count))
            papers = np.array([hit.id for hit in first], np.int64)
            yield papers
            if len(papers) < count:
                return
            more = min(10 * count, _MOST)
            further = client.search_iterator(**asked, batch_size=more, search_params=_how(more))
            with closing(further) as iterator:
                while page := iterator.next():
                    found = np.array(page.ids(), np.int64)
                    yield found[~np.isin(found, papers)]

    # -- connections ---------------------------------------------------------------------------

    @contextmanager
    def _connected(self) -> Iterator[MilvusClient]:
        """The connection, which threads share; after a failure, the next one who asks makes a new one."""
        client: Any = None
        try:
            with self._connecting:
                client = self._client = self._client or self._new_client()
            yield client
        except (MilvusException, grpc.RpcError) as error:
            if client is not None and client is self._client:
                self._client = None
                client.close()
            raise ServerGoneError(f"{self._address['uri']}: {_reason(error)}") from error

    def _new_client(self) -> MilvusClient:
        client = MilvusClient(
            **self._address,
            timeout=_PATIENCE,
            dedicated=True,
            grpc_options={"grpc.service_config": json.dumps({"methodConfig": _DEADLINES})},
        )
        if not client.has_collection(self._name, timeout=_PATIENCE):
            self._make(client)
        if not client.list_indexes(self._name, timeout=_PATIENCE):
            graph = client.prepare_index_params("vector", index_type="HNSW", metric_type="IP", params=_GRAPH)
            client.create_index(self._name, graph, timeout=_PATIENCE)
        client.load_collection(self._name, timeout=_PATIENCE)  # if it takes longer, it goes on by itself
        fields = client.describe_collection(self._name, timeout=_PATIENCE)["fields"]
        half = any(field["type"] == DataType.FLOAT16_VECTOR for field in fields)
        self._dtype = np.float16 if half else np.float32
        return client

    def _make(self, client: MilvusClient) -> None:
        half = knows_halves(client.get_server_version(timeout=_PATIENCE))
        schema = client.create_schema(auto_id=False)
        schema.add_field("paper", DataType.INT64, is_primary=True)
        schema.add_field("mark", DataType.INT64)
        kind = DataType.FLOAT16_VECTOR if half else DataType.FLOAT_VECTOR
        schema.add_field("vector", kind, dim=self._dimension)
        try:
            client.create_collection(
                self._name, schema=schema, consistency_level="Session", timeout=_PATIENCE
            )
        except MilvusException:
            if not client.has_collection(self._name, timeout=_PATIENCE):  # another machine may have made it
                raise


def _how(count: int) -> dict[str, Any]:
    return {"metric_type": "IP", "params": {"ef": _WIDE * count}}


def _reason(error: BaseException) -> str:
    """What went wrong, as the network or the server said it."""
    said, seen = str(getattr(error, "message", error)), set[BaseException]()
    at: BaseException | None = error
    while at is not None and at not in seen:
        if isinstance(at, grpc.RpcError) and at.details():
            said = f"{at.code().name.lower().replace('_', ' ')}, {at.details()}"
        seen.add(at)
        at = at.__context__  # pymilvus makes errors their own causes
    return " ".join(said.split())[:300]


def knows_halves(version: str) -> bool:
    """Whether a server keeps half-precision vectors: Milvus does from 2.4 on; 2.3 takes them, and dies of it.

    Milvus Lite, which calls itself milvus_lite-3.2.2, refuses them.
    """
    number = re.match(r"v?(\d+)\.(\d+)", version)
    return number is not None and (int(number[1]), int(number[2])) >= (2, 4)


def open_index(vectors: VectorLog, url: str) -> ServedIndex:
    """The engine for a log, on the server of a URL."""
    return ServedIndex(vectors, MilvusServer(url, vectors))


register("milvus", open_index)
