"""Many writers at once: in PostgreSQL, and in SQLite on connections that begin without a lock, as its do."""

import asyncio

import pytest
from sqlalchemy import select

from data.database.engine import make_engine, open_database
from data.stores.leases import Leases
from data.stores.people_drafts import Drafts
from data.stores.sequences import take
from data.stores.upsert import Batch
from data.tables.papers import AuthorRow, PaperRow
from tests.helpers.postgres import new_database
from tests.helpers.records import record

WRITERS = 8


class PlainWriter:
    """Begins transactions as PostgreSQL does: the lock comes with the first write."""

    def __init__(self, engine):
        self.begin = engine.begin

    def of(self, _subject):
        return self


@pytest.fixture(params=["sqlite", "postgresql"])
async def engines(tmp_path, request):
    url = f"sqlite+aiosqlite:///{tmp_path / 'labmate.db'}"
    if request.param == "postgresql":
        url = new_database()
    made = [await open_database(url), *(make_engine(url) for _ in range(WRITERS - 1))]
    yield made
    for engine in made:
        await engine.dispose()


def test_the_race_is_run_without_immediate_transactions(engines):
    assert not any(engine.sync_engine.get_execution_options().get("writes") for engine in engines)


async def test_one_of_many_gets_a_lease_also_when_it_has_run_out(engines):
    leases = [Leases(engine, PlainWriter(engine)) for engine in engines]
    for seconds in (-3_600, 60):  # the first has run out for all, however long they wait for each other
        got = await asyncio.gather(
            *(lease.take("clock", f"process {n}", seconds) for n, lease in enumerate(leases))
        )
        assert sum(got) == (WRITERS if seconds < 0 else 1)
    holder = await leases[0].holder("clock")
    assert holder == f"process {got.index(True)}"
    assert await leases[0].take("clock", holder, 60)
    assert not await leases[1].take("clock", "another", 60)


async def test_no_number_is_given_twice(engines):
    async def some(engine):
        numbers = []
        for count in (1, 3, 2):
            async with engine.begin() as connection:
                first = await take(connection, "papers", count)
            numbers += range(first, first + count)
        return numbers

    given = [number for part in await asyncio.gather(*map(some, engines)) for number in part]
    assert sorted(given) == list(range(1, 6 * WRITERS + 1))
    firsts = await asyncio.gather(*(Drafts(engine, PlainWriter(engine)).reserve(5) for engine in engines))
    assert sorted(firsts) == list(range(1, 5 * WRITERS + 1, 5))


async def test_batches_that_race_give_each_work_and_author_one_row_and_each_batch_a_stamp(engines):
    async def read_in(engine, number):
        async with engine.begin() as connection:
            return await Batch(connection).apply([record(0), record(number)])

    changes = await asyncio.gather(*(read_in(engine, n) for n, engine in enumerate(engines, 1)))
    assert len({change.stamp for change in changes}) == WRITERS
    assert sum(change.added for change in changes) == WRITERS + 1
    async with engines[0].connect() as connection:
        papers = (await connection.scalars(select(PaperRow.id).order_by(PaperRow.id))).all()
        keys = (await connection.scalars(select(AuthorRow.key))).all()
    assert papers == list(range(1, WRITERS + 2))
    assert len(keys) == len(set(keys))
