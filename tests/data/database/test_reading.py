"""Questions of several statements, read in threads: what they see, and the errors of the other readers."""

import asyncio
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError, OperationalError

from data.database.engine import make_reader
from data.database.reading import THREADS, reading
from data.database.unavailable import DatabaseUnavailableError, available

pytestmark = pytest.mark.sqlite("about SQLite's readers")
COUNT = text("SELECT count(*) FROM things")


def write(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE IF NOT EXISTS things (n)")
        database.execute("INSERT INTO things VALUES (1)")
        database.commit()


@pytest.fixture
def path(tmp_path):
    write(tmp_path / "some.db")
    return tmp_path / "some.db"


@pytest.fixture
async def reader(path):
    engine = make_reader(f"sqlite+aiosqlite:///{path}")
    yield engine
    await engine.dispose()


def count(connection):
    return connection.scalar(COUNT)


async def test_each_question_sees_what_others_have_committed(reader, path):
    for written in (1, 2, 3):
        assert await reading(reader).run(count) == written
        write(path)


async def test_statements_of_one_question_run_in_one_thread_and_not_the_loop_s(reader):
    def where(connection):
        threads = []
        for _ in range(3):
            count(connection)
            threads.append(threading.get_ident())
        return threads

    threads = await reading(reader).run(where)
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


async def test_more_questions_than_threads_are_all_answered(reader):
    many = [reading(reader).run(count) for _ in range(10 * THREADS)]
    assert await asyncio.gather(*many) == [1] * len(many)


async def test_after_an_error_and_after_closing_it_reads_on(reader):
    mine = reading(reader)
    for _ in range(2 * THREADS):
        with pytest.raises(OperationalError, match="no such table"):
            await mine.run(lambda connection: connection.execute(text("SELECT * FROM absent")))
    assert await mine.run(count) == 1
    await reader.dispose()
    assert await mine.run(count) == 1


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda path: path.write_bytes(b"no database at all, but long enough" * 50), DatabaseError),
        (lambda path: (path.unlink(), path.mkdir()), DatabaseUnavailableError),
    ],
)
async def test_errors_are_those_of_the_loop_s_connections(tmp_path, damage, expected):
    path = tmp_path / "some.db"
    path.touch()
    damage(path)
    engine = make_reader(f"sqlite+aiosqlite:///{path}")
    said = []
    with pytest.raises(expected) as failed:
        await reading(engine).run(count)
    said.append(str(failed.value))
    with pytest.raises(expected) as failed:
        async with available(engine.connect()) as connection:
            await connection.scalar(COUNT)
    said.append(str(failed.value))
    assert said[0] == said[1]
    await engine.dispose()


def slow_count():
    """A count that waits, the event that it sets once it has begun, and the event that lets it go on."""
    begun, go_on, loop = asyncio.Event(), threading.Event(), asyncio.get_running_loop()

    def slowly(connection):
        loop.call_soon_threadsafe(begun.set)
        go_on.wait(60)
        return count(connection)

    return slowly, begun, go_on


async def test_closing_waits_for_what_is_being_read_and_no_connection_stays_open(reader, path):
    slowly, begun, go_on = slow_count()
    others = set(threading.enumerate())
    mine = reading(reader)
    given_up, queued = asyncio.ensure_future(mine.run(slowly)), []
    await begun.wait()
    queued += [asyncio.ensure_future(mine.run(count)) for _ in range(3 * THREADS)]
    given_up.cancel()
    closing = asyncio.ensure_future(mine.close())
    await asyncio.gather(*queued)
    assert not closing.done(), "a reader is still at work, though nobody waits for it"
    go_on.set()
    await closing
    assert not any(thread.name.startswith("reading") for thread in {*threading.enumerate()} - others)
    path.unlink()
    with pytest.raises(OperationalError, match="no such table"):  # a new file, not one held open
        await mine.run(count)


async def test_a_close_that_is_cancelled_leaves_no_file_open(reader, path):
    slowly, begun, go_on = slow_count()
    mine = reading(reader)
    asked = asyncio.ensure_future(mine.run(slowly))
    await begun.wait()
    closing = asyncio.ensure_future(mine.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.wait([closing])
    await asked
    await mine.close()
    held = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    assert str(path) not in held


async def test_a_database_in_memory_has_no_threads():
    engine = make_reader("sqlite+aiosqlite://")
    assert reading(engine) is None
    await engine.dispose()
