"""A database moves from SQLite to PostgreSQL and back; a stopped move goes on, a wrong one is refused."""

import asyncio
import os
import sys

import asyncpg
import pytest

from data.database.engine import HEAD, StoreError
from data.stores import move as moving
from data.stores.move import move
from data.stores.store import Store
from tests.helpers import older_databases as older
from tests.helpers.paths import ROOT
from tests.helpers.postgres import new_database
from tests.helpers.records import record


def sqlite(path):
    return f"sqlite+aiosqlite:///{path}"


def plain(url):
    return url.replace("+asyncpg", "")


async def test_every_table_goes_there_and_back_unchanged(tmp_path):
    path, back, postgres = tmp_path / "labmate.db", tmp_path / "back.db", new_database()
    before = older.make(path, HEAD)
    moved = await move(sqlite(path), postgres)
    assert {name: content.rows for name, content in moved.items()} == {
        name: len(rows) for name, rows in before.items() if name != "alembic_version"
    }
    assert await move(postgres, sqlite(back)) == moved
    assert older.read(back) == before
    assert older.problems(back) == []
    assert older.read(path) == before


async def test_what_is_new_gets_new_numbers_after_the_move(tmp_path):
    path, postgres = tmp_path / "labmate.db", new_database()
    store = await Store.open(sqlite(path))
    await store.upsert([record(n) for n in range(3)])
    await store.close()
    await move(sqlite(path), postgres)
    store = await Store.open(postgres)
    try:
        changes = await store.upsert([record(n) for n in range(2, 5)])
        assert (changes.added, changes.unchanged) == (2, 1)
        assert await store.count() == 5
    finally:
        await store.close()


@pytest.mark.parametrize("rows", [1, 4, 9])
async def test_a_move_that_was_stopped_goes_on(tmp_path, monkeypatch, rows):
    path, postgres = tmp_path / "labmate.db", new_database()
    before = older.make(path, HEAD)
    monkeypatch.setattr(moving, "_AT_ONCE", 2)
    seen = 0

    def stop(step, done, whole):
        nonlocal seen
        seen += step.startswith("copying")
        if seen == rows:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await move(sqlite(path), postgres, stop)
    for half_moved in (Store.open(postgres), move(postgres, sqlite(tmp_path / "back.db"))):
        with pytest.raises(StoreError, match="only a part of what is being moved to it"):
            await half_moved
    steps = []
    moved = await move(sqlite(path), postgres, lambda step, done, whole: steps.append((step, done)))
    assert sum(content.rows for content in moved.values()) == sum(map(len, before.values())) - 1
    assert len([step for step, _ in steps if step.startswith("copying")]) < sum(map(len, before.values()))
    await move(postgres, sqlite(tmp_path / "back.db"))
    assert older.read(tmp_path / "back.db") == before


async def test_a_place_with_rows_of_its_own_is_refused_and_left_alone(tmp_path):
    path, postgres = tmp_path / "labmate.db", new_database()
    older.make(path, HEAD)
    store = await Store.open(postgres)
    await store.upsert([record(1)])
    await store.close()
    with pytest.raises(StoreError, match=r"is not empty \(it has rows in .*\). Name an empty database"):
        await move(sqlite(path), postgres)
    store = await Store.open(postgres)
    assert await store.count() == 1
    await store.close()


async def test_a_database_in_use_is_refused(tmp_path):
    path, postgres = tmp_path / "labmate.db", new_database()
    store = await Store.open(sqlite(path))
    with pytest.raises(StoreError, match=r"labmate.db is in use. Stop Labmate"):
        await move(sqlite(path), postgres)
    await store.close()
    other = await asyncpg.connect(plain(postgres))
    with pytest.raises(StoreError, match=r"is in use\. Stop every Labmate"):
        await move(sqlite(path), postgres)
    await other.close()


async def test_a_source_that_changed_between_two_attempts_is_noticed(tmp_path, monkeypatch):
    path, postgres = tmp_path / "labmate.db", new_database()
    store = await Store.open(sqlite(path))
    await store.upsert([record(n) for n in range(4)])
    await store.close()

    def stop(step, done, whole):
        if step == "comparing tables":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await move(sqlite(path), postgres, stop)
    store = await Store.open(sqlite(path))
    await store.upsert([record(1, abstract="It was revised meanwhile, at some length.")])
    await store.close()
    with pytest.raises(StoreError, match=r"The copy of papers differs: 4 rows before, 4 after"):
        await move(sqlite(path), postgres)


async def test_the_command_moves_and_says_what_to_do_next(tmp_path):
    postgres = new_database()
    older.make(tmp_path / "labmate.db", HEAD)
    environment = os.environ | {"LABMATE_DATA": str(tmp_path)}

    async def run(*arguments):
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "move", *arguments),
            cwd=ROOT,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said = (await child.communicate())[0].decode()
        return child.returncode, said

    status, said = await run("--to", "mysql://me@host/x")
    assert status == 2
    assert said.startswith("--to: it begins with mysql:, which Labmate does not support.")
    assert "leave it empty" not in said
    status, said = await run("--to", "postgresql://me:hunter2@host/x")
    assert said.startswith("--to: it begins with postgresql:, which Labmate does not support.")
    assert "hunter2" not in said
    status, said = await run("--to", postgres)
    assert status == 0, said
    assert "3 rows, checksum" in said
    assert "set DATABASE_URL to what you gave as --to" in said
    status, said = await run("--to", sqlite(tmp_path / "labmate.db"))
    assert status == 1
    assert "is where the database is already" in said
