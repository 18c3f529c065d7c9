"""What was committed is on the disk: a power cut takes nothing back, whichever connection wrote it."""

from __future__ import annotations

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.app import open_corpus
from bot.settings import Settings
from data.database.engine import ANSWERING, BULK, FEW, MILLIONS, make_engine
from data.stores.store import Store

pytestmark = pytest.mark.sqlite("reads SQLite's pragmas")

FULL = 2


async def _synchronous(engine: AsyncEngine) -> int:
    async with engine.connect() as connection:
        assert (await connection.exec_driver_sql("PRAGMA journal_mode")).scalar() == "wal"
        return int((await connection.exec_driver_sql("PRAGMA synchronous")).scalar_one())


@pytest.mark.parametrize("paging", [FEW, BULK, MILLIONS, ANSWERING])
async def test_every_connection_of_a_store_waits_for_the_disk(tmp_path, paging):
    url = f"sqlite+aiosqlite:///{tmp_path / 'labmate.db'}"
    store = await Store.open(url, paging=paging)
    assert await _synchronous(store._writer._engine) == FULL
    assert await _synchronous(store._engine) == FULL
    await store.close()
    migrating = make_engine(url, linked=False)
    assert await _synchronous(migrating) == FULL
    await migrating.dispose()


@pytest.mark.parametrize("writable", [False, True])
async def test_what_a_bot_and_what_an_ingest_open_waits_for_the_disk(tmp_path, writable):
    async with open_corpus(Settings(_env_file=None, labmate_data=tmp_path), writable=writable) as corpus:
        assert await _synchronous(corpus.store._writer._engine) == FULL
