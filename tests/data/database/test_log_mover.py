"""SQLite's log is moved into the database in the background: no reply does it after a bulk load."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from contextlib import asynccontextmanager, closing

import pytest

from commands.kit.supervise import ended
from data.database import log_mover
from data.database.engine import ANSWERING, FEW
from data.database.log_mover import keep_log_short, move_log
from data.database.sqlite_files import writable
from data.stores.store import Store
from tests.helpers.records import record

pytestmark = pytest.mark.sqlite("a log is SQLite's")

PAGES = FEW.moves_at + 1_000
TOO_LONG = 2 * PAGES * 4_120
"""Bytes of a log of twice as many pages, each with a header."""


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(log_mover, "LOOK_EVERY", 0.05)
    return tmp_path / "labmate.db"


@asynccontextmanager
async def store_on(path, paging=ANSWERING):
    store = await Store.open(f"sqlite+aiosqlite:///{path}", paging=paging)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def moving(path):
    task = asyncio.create_task(keep_log_short(path, ANSWERING.log_size, TOO_LONG))
    try:
        yield
    finally:
        await ended(task)


def load(path, pages=PAGES):
    """Fill the log from another connection, which never moves it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA wal_autocheckpoint = 0")
        other.execute("CREATE TABLE IF NOT EXISTS bulk (page BLOB)")
        other.execute("BEGIN")
        other.executemany("INSERT INTO bulk VALUES (zeroblob(4000))", ((),) * pages)
        other.execute("COMMIT")


def size(path):
    return path.stat().st_size


async def until(holds):
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@pytest.mark.parametrize(("paging", "moves"), [(FEW, True), (ANSWERING, False)])
async def test_only_a_running_bot_s_commit_leaves_a_long_log_alone(path, paging, moves):
    async with store_on(path, paging) as store:
        load(path)
        before = size(path)
        await store.upsert([record(1)])
        assert (size(path) > before + PAGES * 4_000) is moves


async def test_a_long_log_is_moved_and_cut_by_the_next_commit(path, monkeypatch):
    whole = []

    def told(connection):
        whole.append(move_log(connection))
        return whole[-1]

    monkeypatch.setattr(log_mover, "move_log", told)
    async with store_on(path) as store:
        load(path)
        log_file = path.with_name("labmate.db-wal")
        assert size(log_file) > ANSWERING.log_size
        async with moving(path):
            await until(lambda: True in whole)
        assert size(path) > PAGES * 4_000
        await store.upsert([record(1)])
        assert size(log_file) <= ANSWERING.log_size
        assert await store.integrity() == "ok"


async def test_what_a_reader_still_needs_is_moved_once_it_has_ended(path):
    async with store_on(path), moving(path):
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM papers").fetchone()
            load(path)
            with closing(writable(path)) as mover:
                assert not move_log(mover)
            before = size(path)
            reader.execute("COMMIT")
        await until(lambda: size(path) > before + PAGES * 4_000)


async def test_a_failure_is_told_once_and_tried_again(path, caplog, monkeypatch):
    caplog.set_level(logging.WARNING, "labmate")
    tries = 0

    def counted(database):
        nonlocal tries
        tries += 1
        return writable(database)

    monkeypatch.setattr(log_mover.sqlite_files, "writable", counted)
    async with store_on(path):
        load(path)
        aside = path.rename(path.with_suffix(".aside"))
        async with moving(path):
            await until(lambda: tries > 3)
            assert len([told for told in caplog.records if "can't be moved" in told.message]) == 1
            aside.rename(path)
            await until(lambda: size(path) > PAGES * 4_000)


async def test_the_log_of_a_linked_database_is_moved(tmp_path, path):
    elsewhere = tmp_path / "disk" / "labmate.db"
    elsewhere.parent.mkdir()
    elsewhere.touch()
    path.symlink_to(elsewhere)
    async with store_on(path):
        load(path)
        async with moving(path):
            await until(lambda: size(elsewhere) > PAGES * 4_000)


async def test_a_load_that_goes_on_is_helped_only_when_its_log_is_too_long(path, monkeypatch):
    looks = []
    state = log_mover._state

    def changing(file):
        """As if another process had written since."""
        looks.append(state(file))
        return looks[-1][0], len(looks)

    monkeypatch.setattr(log_mover, "_state", changing)
    async with store_on(path):
        load(path)
        before = size(path)
        async with moving(path):
            await until(lambda: len(looks) > 5)
            assert size(path) == before
            load(path, 2 * PAGES)
            await until(lambda: size(path) > 3 * PAGES * 4_000)


async def test_a_stop_interrupts_a_move(path, monkeypatch):
    begun = threading.Event()
    interrupted = []

    def endless(connection):
        connection.set_progress_handler(begun.set, 1_000)
        try:
            connection.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
            )
        except sqlite3.OperationalError as error:
            interrupted.append(str(error))
            raise

    monkeypatch.setattr(log_mover, "move_log", endless)
    async with store_on(path):
        load(path)
        async with moving(path):
            await until(begun.is_set)
    assert interrupted == ["interrupted"]
    async with store_on(path) as store:
        assert await store.integrity() == "ok"


async def test_without_a_log_it_waits(tmp_path, path):
    async with moving(path):
        await asyncio.sleep(0.2)
        async with store_on(path):
            load(path)
            await until(lambda: size(path) > PAGES * 4_000)
