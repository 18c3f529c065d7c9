"""pgvector as the engine: half-precision rows and an HNSW graph in PostgreSQL (VECTOR_URL=postgresql://...)."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg.sql import SQL, Composed, Identifier, Literal
from sqlalchemy import make_url

from index.search.served_index import ServedIndex, ServerGoneError
from index.search.vector_index import register
from index.search.vector_log import VectorLog

_PATIENCE = 5
"""Seconds for a connection."""
_MAKING = 0x1AB_3A7F
"""The advisory lock under which the table is made."""
_READ = 50_000
_MEMORY = "1GB"
"""For making the graph, which is slow where it doesn't fit."""
_WIDE = 100
"""How many rows the search of the graph keeps at a time (hnsw.ef_search)."""
_SETTINGS = (
    ("hnsw.ef_search", _WIDE),
    ("hnsw.iterative_scan", "relaxed_order"),
    ("hnsw.max_scan_tuples", 2**31 - 1),
    ("cursor_tuple_fraction", 0.0001),  # only the first rows are read, so the graph is worth its start
)


class PgvectorServer:
    """One table for each model, named after its fingerprint, so that vectors of two never meet."""

    def __init__(self, url: str, vectors: VectorLog) -> None:
        print_ = hashlib.sha256(json.dumps(vectors.fingerprint, sort_keys=True).encode()).hexdigest()[:16]
        self._url, self._dimension = url, vectors.dimension
        self._shown = make_url(url).render_as_string(hide_password=True)
        self._table = Identifier(f"labmate_vectors_{print_}")
        self._graph = Identifier(f"labmate_vectors_{print_}_near")
        self._own = threading.local()

    def marks(self) -> tuple[np.ndarray, np.ndarray]:
        """As :meth:`VectorServer.marks`."""
        parts = [np.zeros((0, 2), np.int64)]
        with self._transaction() as connection, connection.cursor("marks") as cursor:
            cursor.execute(self._sql("SELECT paper, mark FROM {table}"))
            while rows := cursor.fetchmany(_READ):
                parts.append(np.array(rows, np.int64))
        both = np.concatenate(parts)
        return both[:, 0], both[:, 1]

    def put(self, papers: np.ndarray, marks: np.ndarray, rows: np.ndarray) -> None:
        """As :meth:`VectorServer.put`."""
        with self._transaction() as connection, connection.cursor() as cursor:
            cursor.execute(
                self._sql(
                    "CREATE TEMPORARY TABLE arriving (paper bigint, mark bigint, place halfvec({dimension}))"
                    " ON COMMIT DROP"
                )
            )
            with cursor.copy("COPY arriving FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types(["int8", "int8", "halfvec"])
                for paper, mark, row in zip(papers.tolist(), marks.tolist(), rows, strict=True):
                    copy.write_row((paper, mark, HalfVector(row)))
            cursor.execute(
                self._sql(
                    "INSERT INTO {table} SELECT * FROM arriving"
                    " ON CONFLICT (paper) DO UPDATE SET mark = excluded.mark, place = excluded.place"
                )
            )

    def drop(self, papers: np.ndarray) -> None:
        """As :meth:`VectorServer.drop`."""
        with self._transaction() as connection:
            connection.execute(self._sql("DELETE FROM {table} WHERE paper = ANY(%s)"), (papers.tolist(),))

    def near(self, query: np.ndarray, count: int) -> Iterator[np.ndarray]:
        """As :meth:`VectorServer.near`: one walk through the graph, as long as more is wanted."""
        with self._transaction() as connection:
            for name, value in _SETTINGS:
                connection.execute("SELECT set_config(%s, %s, true)", (name, str(value)))
            with connection.cursor("near") as cursor:
                cursor.execute(
                    self._sql("SELECT paper FROM {table} ORDER BY place <#> %s"), (HalfVector(query),)
                )
                while rows := cursor.fetchmany(count):
                    yield np.array([row[0] for row in rows], np.int64)

    def settle(self) -> None:
        """As :meth:`VectorServer.settle`: the graph is made at once, not row by row."""
        with self._transaction() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
            connection.execute("SELECT set_config('maintenance_work_mem', %s, true)", (_MEMORY,))
            connection.execute(
                self._sql("CREATE INDEX IF NOT EXISTS {graph} ON {table} USING hnsw (place halfvec_ip_ops)")
            )

    # -- connections ---------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection]:
        """A transaction on this thread's own connection; a connection that was cut is made again."""
        try:
            connection = getattr(self._own, "connection", None)
            if connection is None or not self._answers(connection):
                connection = self._own.connection = self._connected()
            with connection.transaction():
                yield connection
        except psycopg.Error as error:
            reason = " ".join(str(error).split())[:300]
            raise ServerGoneError(f"{self._shown}: {reason}") from error

    @staticmethod
    def _answers(connection: psycopg.Connection) -> bool:
        try:
            connection.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _connected(self) -> psycopg.Connection:
        connection = psycopg.connect(self._url, autocommit=True, connect_timeout=_PATIENCE)
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            connection.execute(
                self._sql(
                    "CREATE TABLE IF NOT EXISTS {table}"
                    " (paper bigint PRIMARY KEY, mark bigint NOT NULL, place halfvec({dimension}) NOT NULL)"
                )
            )
        register_vector(connection)
        return connection

    def _sql(self, text: str) -> Composed:
        return SQL(text).format(table=self._table, graph=self._graph, dimension=Literal(self._dimension))


def open_index(vectors: VectorLog, url: str) -> ServedIndex:
    """The engine for a log, on the server of a URL."""
    return ServedIndex(vectors, PgvectorServer(url, vectors))


register("pgvector", open_index)
