"""What is written in bulk moves into the database while the writer goes on."""

import asyncio
import gc
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from data.database import checkpoints, in_use
from data.stores.store import Store
from tests.helpers.records import record


def running():
    return [thread for thread in threading.enumerate() if thread.name == "checkpoints"]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "EVERY", 0.01)
    return tmp_path / "labmate.db"


def told(file, title):
    """Wait until the database's own file has a title."""
    until = time.monotonic() + 60
    while title.encode() not in file.read_bytes():
        assert time.monotonic() < until
        time.sleep(0.01)


async def test_it_moves_while_the_store_is_open_and_ends_with_it(file):
    store = await Store.open(f"sqlite+aiosqlite:///{file}", bulk=True)
    assert len(running()) == 1
    for number in range(3):
        await store.upsert([record(number, title=f"The quasar of day {number}")])
        told(file, f"The quasar of day {number}")
    await store.close()
    assert not running()


async def test_a_store_that_is_not_for_bulk_leaves_it_to_the_writer(file):
    store = await Store.open(f"sqlite+aiosqlite:///{file}")
    assert not running()
    await store.close()


async def test_it_waits_for_a_reader_and_then_goes_on(file):
    store = await Store.open(f"sqlite+aiosqlite:///{file}", bulk=True)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN")
        assert other.execute("SELECT count(*) FROM papers").fetchone() == (0,)
        await store.upsert([record(1, title="The quasar of today")])
        assert other.execute("SELECT count(*) FROM papers").fetchone() == (0,), "it still sees the old state"
        other.execute("COMMIT")
        told(file, "The quasar of today")
        assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    await store.close()


async def test_closing_that_is_cancelled_still_lets_go_of_the_file(file, monkeypatch):
    monkeypatch.setattr(checkpoints, "EVERY", 60.0)
    store = await Store.open(f"sqlite+aiosqlite:///{file}", bulk=True)
    closing_it = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    closing_it.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing_it
    assert not running()
    with in_use.alone(file):
        pass


async def test_a_store_that_nobody_holds_leaves_no_thread(file):
    store = await Store.open(f"sqlite+aiosqlite:///{file}", bulk=True)
    [thread] = running()
    await store._engine.dispose()
    await store._writer.dispose()
    del store
    gc.collect()
    thread.join(60)
    assert not thread.is_alive()
