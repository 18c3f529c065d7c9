"""Limits that outlive a restart, where the clock does not run as it should."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import update

from data.calendar import clock
from data.stores.limits import CounterRow, Limit

WEEKLY = Limit("test-week", 2, timedelta(days=7))
QUICK = Limit("test-minute", 2, timedelta(minutes=1))


@pytest.fixture
def time(tmp_path):
    file = tmp_path / "clock"
    clock.show(file, datetime.fromisoformat("2026-11-16T08:00:00+00:00"))
    clock.follow(file)
    yield file
    clock.follow(None)


async def test_what_was_counted_by_a_clock_that_was_ahead_locks_nobody_out_for_years(store, time):
    right = clock.now()
    clock.show(time, right + timedelta(days=3_650))
    assert [await store.limits.spend(WEEKLY, 7) for _ in range(3)] == [True, True, False]
    clock.show(time, right)
    assert [await store.limits.spend(WEEKLY, 7) for _ in range(3)] == [True, True, False]


async def test_machines_whose_clocks_differ_by_minutes_count_together(store, time):
    right = clock.now()
    clock.show(time, right + timedelta(minutes=4))
    assert await store.limits.spend(WEEKLY, 7)
    clock.show(time, right)
    assert [await store.limits.spend(WEEKLY, 7) for _ in range(2)] == [True, False]


async def test_answers_counted_before_the_clock_was_set_back_are_not_waited_for(store):
    asked = [(QUICK, 7)]
    assert [(await store.limits.spend_all(asked))[1] > 0 for _ in range(3)] == [False, False, True]
    async with store._writer.begin() as connection:
        rows = update(CounterRow).values(until=datetime(2200, 1, 1))
        await connection.execute(rows)
    assert [(await store.limits.spend_all(asked))[1] > 0 for _ in range(3)] == [False, False, True]
