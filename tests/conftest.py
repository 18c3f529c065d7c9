"""What tests share: the real data in place, a store, a running Labmate on a local Discord."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

import commands.kit.services
from bot.app import sample_file
from bot.client import Labmate
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from bot.scheduler import Scheduler
from bot.settings import Settings
from data.stores.store import Store

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("LABMATE_SHARED", ROOT.parent / "shared"))
_OPENAPI = SHARED / "discord" / "openapi.json"
if _OPENAPI.exists():
    os.environ.setdefault("DISCORD_OPENAPI", str(_OPENAPI))
os.environ["LABMATE_FETCH"] = "false"
os.environ.pop("DISCORD_TOKEN", None)
commands.kit.services.INTERIM_AFTER = 60.0  # on a busy machine, tests wait for the answer itself


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the repository; tests that need it run wherever it is."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"the real data is not at {SHARED} (LABMATE_SHARED names another place)")
    return SHARED


@pytest.fixture(scope="session")
def sample() -> Path:
    return sample_file()


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'labmate.db'}")
    yield opened
    await opened.close()


@dataclass
class Lab:
    """A Labmate logged in to a local Discord, with a user to ask it."""

    discord: LocalDiscord
    bot: Labmate
    scheduler: Scheduler
    user: UserClient
    settings: Settings


def settings_for(discord: LocalDiscord, folder: Path, **more: object) -> Settings:
    values = {"labmate_fetch": False, "labmate_limits": False} | more
    return Settings(
        _env_file=None,
        discord_token=discord.bot_token,
        discord_api_url=discord.api_url,
        labmate_data=folder,
        **values,
    )


@pytest_asyncio.fixture(scope="session")
async def lab(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Lab]:
    """The sample, embedded, in a running bot; shared by all tests that only ask."""
    folder = tmp_path_factory.mktemp("lab")
    async with LocalDiscord() as discord:
        settings = settings_for(discord, folder)
        async with running_bot(settings) as (bot, scheduler):
            await scheduler.load_model()
            async with UserClient(discord.url, discord.user_token) as user:
                yield Lab(discord, bot, scheduler, user, settings)


@pytest.fixture
def copy_of(tmp_path: Path) -> Iterator[object]:
    def copy(path: Path, name: str | None = None) -> Path:
        target = tmp_path / (name or path.name)
        shutil.copy(path, target)
        return target

    return copy
