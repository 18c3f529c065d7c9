"""Who holds which shard, in both databases: each has one holder, and at most one that follows."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import update

from data.database.engine import open_database
from data.database.server_time import server_time
from data.stores.repository import Writer
from data.stores.shards import Shards, ShardsTakenError
from data.tables.shards import ShardRow
from tests.helpers.postgres import new_database


@pytest.fixture(params=["sqlite", "postgresql"])
async def shards(tmp_path, request):
    url = f"sqlite+aiosqlite:///{tmp_path / 'labmate.db'}"
    engine = await open_database(new_database() if request.param == "postgresql" else url)
    yield Shards(engine, Writer(engine))
    await engine.dispose()


async def kill(shards, holder, ahead=timedelta(0)):
    """Nothing is heard of a process any more; with ``ahead``, its clock has been set back since."""
    async with shards._writer.begin() as connection:
        gone = await server_time(connection) + ahead
        await connection.execute(update(ShardRow).where(ShardRow.holder == holder).values(until=gone))


async def test_what_nobody_holds_is_held_at_once_and_others_hold_the_rest(shards):
    one = await shards.claim("one", [0, 1], 4)
    two = await shards.claim("two", [2, 3], 4)
    assert (one.held, one.awaited, one.followed) == ({0, 1}, set(), False)
    assert (two.held, two.awaited) == ({2, 3}, set())
    assert (await shards.claim("one", [0, 1], 4)).held == {0, 1}, "asking again changes nothing"


async def test_a_follower_waits_until_the_holder_knows_then_takes_over(shards):
    await shards.claim("old", [0, 1], 2)
    new = await shards.claim("new", [0, 1], 2)
    assert (new.held, new.awaited, new.shared) == (set(), {0, 1}, False)
    assert (await shards.renew("old")).followed
    await shards.share("old")
    assert (await shards.renew("new")).shared
    assert (await shards.renew("old")).held == {0, 1}, "until the other is connected"
    await shards.take_over("new")
    old, new = await shards.renew("old"), await shards.renew("new")
    assert (old.held, old.awaited) == (set(), set())
    assert (new.held, new.followed) == ({0, 1}, False)


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(hours=8)])
async def test_the_shards_of_a_killed_process_are_free(shards, ahead):
    await shards.claim("old", [0], 2)
    await kill(shards, "old", ahead)
    assert not await shards.anybody()
    assert (await shards.claim("new", [0], 2)).held == {0}
    assert not (await shards.renew("old")).held


async def test_a_holder_that_dies_while_it_is_followed_is_not_waited_for(shards):
    await shards.claim("old", [0], 2)
    await shards.claim("new", [0], 2)
    await kill(shards, "old")
    new = await shards.renew("new")
    assert (new.awaited, new.shared) == ({0}, True)
    await shards.take_over("new")
    assert (await shards.renew("new")).held == {0}


async def test_two_do_not_follow_the_same(shards):
    await shards.claim("old", [0, 1], 2)
    await shards.claim("new", [0], 2)
    with pytest.raises(ShardsTakenError, match="Shard 0 is being handed over to another process just now"):
        await shards.claim("third", [0, 1], 2)
    assert not (await shards.renew("third")).awaited, "a refused claim leaves nothing behind"
    await shards.leave("new")
    assert (await shards.claim("third", [0, 1], 2)).awaited == {0, 1}


async def test_all_processes_count_the_same_shards(shards):
    await shards.claim("old", [0, 1], 2)
    with pytest.raises(ShardsTakenError, match=r"runs with 2 shards, not 4.*use --of 2"):
        await shards.claim("new", [0, 1, 2, 3], 4)
    await kill(shards, "old")
    assert (await shards.claim("new", [0, 1, 2, 3], 4)).held == {0, 1, 2, 3}


async def test_an_event_is_taken_by_one_of_many(shards):
    took = await asyncio.gather(*(shards.takes(1_234_567_890_123_456_789) for _ in range(8)))
    assert took.count(True) == 1
    await shards.forget_old()
    assert not await shards.takes(1_234_567_890_123_456_789), "it is still remembered"


async def test_many_that_start_at_once_hold_each_shard_once(shards):
    claims = [shards.claim(f"process {n}", [n, (n + 1) % 8], 8) for n in range(8)]
    outcomes = await asyncio.gather(*claims, return_exceptions=True)
    held = [
        number for one in outcomes if not isinstance(one, ShardsTakenError) for number in sorted(one.held)
    ]
    assert len(held) == len(set(held))
    assert all(isinstance(one, ShardsTakenError) or one.held or one.awaited for one in outcomes)
