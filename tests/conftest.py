"""What tests share: the real data in place, a store, a running Labmate on a local Discord."""

from __future__ import annotations

import gc
import os
import resource
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

import commands.kit.services
import data.database.engine
from bot.app import sample_file
from bot.local_discord import session_starts
from bot.local_discord.description import description_in
from bot.local_discord.server import LocalDiscord
from data.calendar import clock
from data.stores.store import Store
from tests.helpers import (
    databases,
    forked_worker,
    forking,
    one_cache,
    one_model,
    one_painter,
    postgres,
    schema,
)
from tests.helpers import sample as sample_folder
from tests.helpers.lab import Lab, started
from tests.helpers.paths import SHARED

gc.disable()  # until all tests are collected: nothing that is imported becomes garbage
_OPENAPI = SHARED / "discord" / "openapi.json"
if _OPENAPI.exists():
    os.environ.setdefault("DISCORD_OPENAPI", str(_OPENAPI))
os.environ["LABMATE_FETCH"] = "false"
os.environ.pop("DISCORD_TOKEN", None)
commands.kit.services.INTERIM_AFTER = 60.0  # on a busy machine, tests wait for the answer itself
commands.kit.services.EXAMPLES_PATIENCE = 60.0
session_starts.EVERY = 0.1  # bots start again at once; test_rules.py tests Discord's five seconds
one_cache.share(data.database.engine)
schema.copy_instead_of_migrating(data.database.engine)
one_model.share()
one_painter.share()
forked_worker.fork_workers()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the repository; tests that need it run wherever it is."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"the real data is not at {SHARED} (LABMATE_SHARED names another place)")
    return SHARED


@pytest.fixture(scope="session")
def sample() -> Path:
    return sample_file()


@pytest.fixture(scope="session", autouse=True)
def _sample_for_all_workers(tmp_path_factory: pytest.TempPathFactory) -> None:
    own = tmp_path_factory.getbasetemp()
    sample_folder.keep_in(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)


@pytest.fixture(autouse=True)
def _own_databases(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a test keeps in PostgreSQL goes when it ends."""
    folder = request.getfixturevalue("tmp_path") if databases.IN_POSTGRES else None
    yield
    postgres.drop_new()
    if folder:
        databases.drop(folder)


@pytest.fixture(autouse=True)
def _own_clock() -> Iterator[None]:
    """A clock that a test has set stands for that test only."""
    yield
    clock.follow(None)


@pytest.fixture(autouse=True)
def _local_discord_conforms() -> Iterator[None]:
    """What a local Discord sends during a test is as Discord's description has it, where that is at hand."""
    file = Path(os.environ.get("DISCORD_OPENAPI", ""))
    known = description_in(file).violations if file.is_file() else []
    before = len(known)
    yield
    assert known[before:] == []


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(databases.url_of(tmp_path / "labmate.db"))
    yield opened
    await opened.close()


@pytest_asyncio.fixture(scope="session")
async def lab(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Lab]:
    """The sample, embedded, in a running bot; shared by all tests that only ask."""
    folder = tmp_path_factory.mktemp("lab")
    async with LocalDiscord() as discord, started(discord, folder) as running:
        change = await running.bot.services.store.last_change()
        yield running
        now = await running.bot.services.store.last_change()
        assert now == change, "a test added papers to the lab that others ask; it needs one of its own"


@pytest.fixture
def copy_of(tmp_path: Path) -> Iterator[object]:
    def copy(path: Path, name: str | None = None) -> Path:
        target = tmp_path / (name or path.name)
        shutil.copy(path, target)
        return target

    return copy


# -- what tests cost: LABMATE_TEST_COSTS=FILE adds a line for each file of tests ----------------------

_COSTS: Counter[str] = Counter()


def _seconds() -> float:
    """Seconds of CPU so far: this process, the children it has waited for, those of the fork server."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used) + forking.FORKED[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before = _seconds()
    try:
        return (yield)
    finally:
        _COSTS[item.nodeid.partition("::")[0]] += _seconds() - before


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if databases.IN_POSTGRES:
        for item in items:
            if marker := item.get_closest_marker("sqlite"):
                item.add_marker(pytest.mark.skip(reason=f"on SQLite only: {marker.args[0]}"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if file := os.environ.get("LABMATE_TEST_COSTS"):
        with open(file, "a") as out:
            out.writelines(f"{seconds:8.2f} {name}\n" for name, seconds in _COSTS.most_common())
