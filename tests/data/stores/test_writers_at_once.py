"""Many who change the same thing at once, as two clicks on a button do: PostgreSQL lets one go first."""

import asyncio
from datetime import datetime, timedelta

import pytest
from sqlalchemy import update

from data.database.unavailable import DatabaseUnavailableError
from data.stores.digest_record import Digest
from data.stores.limits import Limit
from data.stores.store import Store
from data.tables.digests import DigestRow
from tests.helpers.postgres import new_database
from tests.helpers.records import record

AT_ONCE = 8
FIVE = Limit("guess", 5, timedelta(days=1))


@pytest.fixture
async def stores():
    """Two processes' stores over one database."""
    url = new_database()
    opened = [await Store.open(url) for _ in range(2)]
    yield opened
    for store in opened:
        await store.close()


async def test_a_limit_holds_for_those_who_come_at_once(stores):
    spent = await asyncio.gather(*(stores[n % 2].limits.spend(FIVE, 7) for n in range(AT_ONCE)))
    assert sum(spent) == FIVE.most


async def test_what_is_kept_at_once_is_kept_once_and_is_no_error(stores):
    first, second = stores
    [paper] = (await first.upsert([record(1)])).ids

    async def keep(n):
        store = stores[n % 2]
        number = await store.kept_texts.keep("what a button carries")
        followed = await store.members.follow(7, "topic", "gossip", "gossip")
        added = await store.library.add(7, [(paper, {})])
        return number, followed, added.new

    numbers, followed, added = zip(*await asyncio.gather(*map(keep, range(AT_ONCE))), strict=True)
    assert len(set(numbers)) == 1
    assert sum(followed) == 1
    assert sum(added) == 1
    assert len(await second.library.of(7)) == 1


async def test_a_writer_that_is_stuck_keeps_others_waiting_only_for_a_while(stores, monkeypatch):
    monkeypatch.setattr("data.stores.repository.PATIENCE", 0.2)
    first, second = stores
    async with first.members._writer.begin():
        with pytest.raises(DatabaseUnavailableError, match="busy"):
            await second.members.follow(7, "topic", "gossip", "gossip")
    assert await second.members.follow(7, "topic", "gossip", "gossip")


async def test_a_new_name_leaves_the_schedule_that_another_process_sets_meanwhile(stores):
    first, second = stores
    digest = await first.digests.make(Digest(1, 2, 3))
    moved = datetime(2030, 1, 1)
    async with first._writer.begin() as connection:
        await connection.execute(update(DigestRow).values(at="08:00", changed=moved))
        naming = asyncio.create_task(second.digests.change(digest.id, name="Papers"))
        await asyncio.wait({naming}, timeout=0.5)  # or it waits for the first
    named = await naming
    assert (named.name, named.at, named.changed) == ("Papers", "08:00", moved)
