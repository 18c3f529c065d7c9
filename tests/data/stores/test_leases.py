"""Leases where machines share a server: its clock decides, however wrong a machine's own is."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import update

from data.calendar import clock
from data.database.server_time import server_time
from data.stores.store import Store
from data.tables.digests import LeaseRow
from tests.helpers.postgres import new_database


@pytest.fixture
async def shared():
    store = await Store.open(new_database())
    yield store
    await store.close()


def off_by(patched, seconds):
    """Set the clock of this machine wrong."""

    class Wrong(datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime.now(zone) + timedelta(seconds=seconds)

    patched.setattr(clock, "datetime", Wrong)


@pytest.mark.parametrize("seconds", [90, 3600, -90, -3600])
async def test_a_lease_that_lives_is_not_taken_by_a_machine_whose_clock_is_wrong(
    shared, monkeypatch, seconds
):
    assert await shared.leases.take("digests", "right", 60)
    with monkeypatch.context() as patched:
        off_by(patched, seconds)
        assert not await shared.leases.take("digests", "wrong", 60)
        assert await shared.leases.holder("digests") == "right"
    assert await shared.leases.take("digests", "right", 0), "it is renewed by who has it"
    with monkeypatch.context() as patched:
        off_by(patched, seconds)
        assert await shared.leases.take("digests", "wrong", 60), "and free when it has run out"
    assert not await shared.leases.take("digests", "right", 60)
    assert await shared.leases.holder("digests") == "wrong"


async def test_a_simulated_clock_does_not_end_a_lease(shared, tmp_path):
    """Whoever holds it is a process, which lives in real time."""
    time = tmp_path / "clock"
    clock.show(time, datetime.fromisoformat("2026-11-16T08:00:00+00:00"))
    clock.follow(time)
    assert await shared.leases.take("digests", "one", 60)
    clock.show(time, clock.now() + timedelta(days=61))
    assert not await shared.leases.take("digests", "two", 60)
    assert await shared.leases.holder("digests") == "one"


async def test_a_lease_that_ends_long_after_any_can_keeps_nobody_out(store):
    """Its holder was killed, and the clock set back since, by hours where it had taken local time for UTC."""
    assert await store.leases.take("digests", "killed", 15)
    async with store._writer.begin() as connection:
        ahead = await server_time(connection) + timedelta(hours=8)
        await connection.execute(update(LeaseRow).values(until=ahead))
    assert await store.leases.holder("digests") is None
    assert await store.leases.take("digests", "new", 15)
    assert not await store.leases.take("digests", "other", 15)
    assert await store.leases.holder("digests") == "new"
