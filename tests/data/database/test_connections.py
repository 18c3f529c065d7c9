"""Connections to SQLite: the rows and errors of sqlite3, and one crossing to the thread a statement."""

import asyncio
import sqlite3
import threading

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError

from data.database.connections import AT_ONCE, Connection, connect
from data.database.engine import make_engine, make_reader

pytestmark = pytest.mark.sqlite("about the connections to SQLite")

MANY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :most) SELECT i FROM n"
SIZES = (0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE + 7)


def test_a_result_that_comes_after_its_loop_has_ended_is_dropped(tmp_path, monkeypatch):
    failures, release = [], threading.Event()
    monkeypatch.setattr(threading, "excepthook", failures.append)

    async def left_at_work():
        connection = await connect(str(tmp_path / "some.db"))
        task = asyncio.ensure_future(connection.run(release.wait))
        await asyncio.sleep(0)
        task.cancel()
        return connection

    connection = asyncio.run(left_at_work())
    release.set()
    connection.stop()
    connection._thread.join(30)
    assert not connection._thread.is_alive()
    assert failures == []


@pytest.fixture
async def file(tmp_path):
    """The address of a database with a table."""
    url = f"sqlite+aiosqlite:///{tmp_path / 'some.db'}"
    engine = make_engine(url)
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"))
    yield url
    await engine.dispose()


@pytest.fixture
async def reader(file):
    engine = make_reader(file)
    yield engine
    await engine.dispose()


@pytest.fixture
async def writer(file):
    engine = make_engine(file)
    yield engine
    await engine.dispose()


@pytest.fixture
def crossings(monkeypatch):
    """How often a connection's thread was asked for something."""
    asked, real = [], Connection.run

    async def counted(self, *args, **more):
        asked.append(args[0])
        return await real(self, *args, **more)

    monkeypatch.setattr(Connection, "run", counted)
    return asked


@pytest.mark.parametrize("size", SIZES)
async def test_all_rows_come_however_they_are_fetched(reader, size):
    wanted = list(range(1, size + 1)) if size else [1]
    async with reader.connect() as connection:
        asked = text(MANY), {"most": size}
        assert (await connection.scalars(*asked)).all() == wanted
        assert [row.i async for row in await connection.stream(*asked)] == wanted
        parts = (await connection.stream(*asked)).partitions(300)
        assert [row.i async for part in parts for row in part] == wanted
        assert (await connection.execute(*asked)).first().i == 1
        assert (await connection.scalar(text("SELECT 7"))) == 7, "what was not fetched is no hindrance"


async def test_a_statement_crosses_to_the_thread_once(reader, crossings):
    async with reader.connect() as connection:
        await connection.execute(text("SELECT 1"))
        crossings.clear()
        for number in range(5):
            assert await connection.scalar(text("SELECT :n"), {"n": number}) == number
    assert len(crossings) == 5


async def test_writing_counts_rows_and_gives_numbers(writer, file):
    async with writer.execution_options(writes=True).begin() as connection:
        one = await connection.execute(text("INSERT INTO things (name) VALUES ('a')"))
        assert (one.lastrowid, one.rowcount) == (1, 1)
        rows = [{"n": str(number)} for number in range(AT_ONCE + 5)]
        await connection.execute(text("INSERT INTO things (name) VALUES (:n)"), rows)
        changed = await connection.execute(text("UPDATE things SET name = name || '!' WHERE id > 1"))
        assert changed.rowcount == len(rows)
        gone = await connection.execute(text("DELETE FROM things WHERE id > 1 RETURNING name"))
        assert len(gone.all()) == len(rows)
    with sqlite3.connect(file.removeprefix("sqlite+aiosqlite:///")) as plain:
        assert plain.execute("SELECT * FROM things").fetchall() == [(1, "a")]


async def twice(writer):
    async with writer.execution_options(writes=True).begin() as connection:
        await connection.execute(text("INSERT INTO things (name) VALUES ('a')"))
        await connection.execute(text("INSERT INTO things (name) VALUES ('a')"))


async def test_an_error_takes_back_the_transaction_and_leaves_the_connection_usable(writer):
    for _ in range(3):
        with pytest.raises(IntegrityError, match="UNIQUE"):
            await twice(writer)
        async with writer.connect() as connection:
            with pytest.raises(OperationalError, match="no such table"):
                await connection.execute(text("SELECT * FROM nowhere"))
        async with writer.connect() as connection:
            assert await connection.scalar(text("SELECT count(*) FROM things")) == 0


@pytest.mark.parametrize("step", [1, 2, 3])
async def test_who_stops_waiting_leaves_no_transaction_behind(writer, reader, monkeypatch, step):
    """Cancelled at BEGIN, at the insert, and in the middle of something long."""
    begun, real = asyncio.Event(), Connection.run

    async def watched(self, *args, **more):
        steps.append(args[0])
        if len(steps) == step:
            begun.set()
        return await real(self, *args, **more)

    async def slow():
        async with writer.execution_options(writes=True).begin() as connection:
            await connection.execute(text("INSERT INTO things (name) VALUES ('slow')"))
            await connection.execute(text(MANY), {"most": 300_000})

    async with writer.connect() as connection:
        await connection.execute(text("SELECT 1"))
    steps = []
    monkeypatch.setattr(Connection, "run", watched)
    doing = asyncio.create_task(slow())
    await begun.wait()
    doing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await doing
    async with writer.execution_options(writes=True).begin() as connection:
        await connection.execute(text("INSERT INTO things (name) VALUES ('after')"))
    async with reader.connect() as connection:
        assert (await connection.scalars(text("SELECT name FROM things"))).all() == ["after"]
