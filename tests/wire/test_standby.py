"""A database of several servers: Labmate finds the one that takes changes, and relies on no copy of it."""

import asyncio
import time

import pytest

from bot.local_discord.server import LocalDiscord
from commands.kit.replies import OUTAGES
from data.database.engine import AwayError
from data.database.unavailable import DatabaseUnavailableError, Why
from data.stores.store import Store
from tests.helpers.lab import started
from tests.helpers.own_postgres import either, own_server, standby_of
from tests.helpers.records import record
from tests.helpers.wires import wire_to


@pytest.fixture(scope="module")
def servers():
    with own_server() as primary, standby_of(primary) as standby:
        yield primary, standby


async def test_a_copy_that_is_named_by_mistake_is_refused_in_one_line(servers):
    _, standby = servers
    with pytest.raises(AwayError) as refused:
        await Store.open(standby.url())
    [line] = str(refused.value).splitlines()
    assert line.startswith("DATABASE_URL: postgresql+asyncpg://postgres@/labmate?host=")
    assert "only copies another server (it is a standby), and may be behind. Name the primary" in line


async def test_a_copy_that_is_behind_is_never_read(servers):
    primary, standby = servers
    with standby.behind():
        for number, url in enumerate((either(standby, primary), either(primary, standby))):
            store = await Store.open(url)
            await store.upsert([record(number)])
            assert await store.count() == number + 1
            await store.close()


async def test_a_machine_that_falls_silent_is_given_up_and_used_again_when_it_is_back(servers, monkeypatch):
    primary, standby = servers
    monkeypatch.setattr("data.database.primary.SILENCE", 1.0)
    monkeypatch.setattr("data.database.primary.OF_SEVERAL", 0.5)
    async with wire_to(primary) as wire:
        store = await Store.open(either(wire, standby))
        before = await store.count()
        wire.cut()
        async with asyncio.timeout(30):
            with pytest.raises(DatabaseUnavailableError) as lost:
                await store.count()
        assert lost.value.why is Why.COPY, "the other one is no primary"
        wire.mend()
        assert await store.count() == before
        await store.close()


async def test_when_the_copy_takes_over_labmate_goes_on_there_by_itself_and_nothing_is_lost(
    servers, tmp_path
):
    primary, standby = servers
    primary.ask("DROP SCHEMA public CASCADE")
    primary.ask("CREATE SCHEMA public")
    more = {"fresh": True, "database_url": either(primary, standby), "labmate_pictures": False}
    async with LocalDiscord() as discord, started(discord, tmp_path, **more) as lab:
        shown = await lab.user.slash("/papers ChonLam Lao")
        assert "PrismLLM" in shown.text
        assert "# to read" in (await lab.user.slash("/save PrismLLM")).text
        saved = await lab.user.slash("/library show")
        _until_it_has_all(primary, standby)
        await asyncio.to_thread(primary.stop)
        assert (await lab.user.slash("/papers ChonLam Lao")).text == OUTAGES[Why.COPY]
        assert (await lab.user.slash("/save PrismLLM")).text == OUTAGES[Why.COPY]
        await asyncio.to_thread(standby.promote)
        assert (await lab.user.slash("/papers ChonLam Lao")).text == shown.text
        assert (await lab.user.slash("/library show")).text == saved.text
        assert (await shown.press(next(iter(shown.buttons)))).text


def _until_it_has_all(primary, standby):
    [(sent,)] = primary.ask("SELECT pg_current_wal_lsn()")
    for _ in range(1_000):
        if standby.ask(f"SELECT pg_last_wal_replay_lsn() >= '{sent}'")[0][0]:
            return
        time.sleep(0.02)
    pytest.fail("the standby doesn't follow")
