"""What only a server has: several machines that come at once, and one that is gone for a while."""

import asyncio

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert

from data.calendar.clock import utc_now
from data.database.engine import StoreError, make_engine, open_database
from data.stores.store import Store
from data.tables.papers import Base, CorrectionRow
from tests.helpers.postgres import new_database, server
from tests.helpers.records import record


async def test_machines_that_start_at_once_migrate_an_empty_database_once():
    url = new_database()
    engines = await asyncio.gather(*(open_database(url) for _ in range(4)))
    reflecting = make_engine(url, linked=False)
    async with reflecting.connect() as connection:
        differences = await connection.run_sync(
            lambda c: compare_metadata(MigrationContext.configure(c), Base.metadata)
        )
    for engine in (reflecting, *engines):
        await engine.dispose()
    assert differences == []


async def test_connections_that_were_cut_are_made_again():
    store = await Store.open(new_database())
    await store.upsert([record(1)])
    await _cut(store)
    assert await store.count() == 1
    await _cut(store)
    assert (await store.upsert([record(2)])).added == 1
    await store.close()


async def _cut(store):
    """End every connection of the store, as a server that starts again does."""
    name = store._engine.url.database
    other = await asyncpg.connect(server().get_uri("postgres"))
    ended = await other.fetch(
        "SELECT pg_terminate_backend(pid, 60000) AS ended FROM pg_stat_activity WHERE datname = $1", name
    )
    assert ended
    assert all(row["ended"] for row in ended)
    await other.close()


async def test_a_server_that_is_not_there_is_an_error_that_says_so(tmp_path):
    with pytest.raises(StoreError, match=r"DATABASE_URL: .* can't be reached .* Is the server running\?"):
        await Store.open(f"postgresql+asyncpg://me@/labmate?host={tmp_path}")


async def test_a_number_that_somebody_made_up_is_not_found():
    store = await Store.open(new_database())
    assert await store.papers([999_999_999_999]) == []
    await store.close()


async def test_a_pass_is_kept_after_thousands_of_corrections_were_taken_back():
    store = await Store.open(new_database())
    [paper] = (await store.upsert([record(1, authors=["Ada Y"])])).ids
    author = await store.author_names.find("Ada Y")
    ada = {"id": 1, "name": "Ada Y", "papers": 1, "merged_into": None}
    await store.people.replace("full", 1, 0, [], [], [ada], [], (1, 1))
    now = utc_now()
    taken_back = {
        **{"kind": "same", "paper_id": paper, "author_id": author, "other_paper_id": paper},
        **{"other_author_id": author, "person_id": 1, "made": now, "made_by": 1, "made_by_name": "Op"},
        **{"guild": None, "authority": "operator", "claim": None, "note": "", "moved": "{}"},
        **{"undone": now, "undone_by": 1, "undone_by_name": "Op"},
    }
    async with store._writer.begin() as connection:
        await connection.execute(insert(CorrectionRow), [taken_back] * 2_200)
    newest = await store.corrections.newest_change()
    assert await store.people.replace("new", 1, newest, [], [], [], [], (1, 1))
    assert (await store.people.last_pass()).corrections == newest
    await store.close()
