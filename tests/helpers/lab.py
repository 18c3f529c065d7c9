"""A running Labmate in the test's own process: its settings, what it reads in, whom it is asked by."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.client import Labmate
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from bot.scheduler import Scheduler
from bot.settings import Settings
from data.records import PaperRecord
from index.search.intake import Intake
from tests.helpers import databases
from tests.helpers.sample import lay_sample


@dataclass
class Lab:
    """A Labmate logged in to a local Discord, with a user to ask it."""

    discord: LocalDiscord
    bot: Labmate
    scheduler: Scheduler
    user: UserClient
    settings: Settings


def settings_for(discord: LocalDiscord, folder: Path, *, fresh: bool = False, **more: object) -> Settings:
    """Settings over a folder that knows the sample already, unless it is to be ``fresh``."""
    values = {"labmate_fetch": False, "labmate_limits": False} | more
    if not fresh:
        lay_sample(folder)
    values.setdefault("database_url", databases.setting(folder))
    return Settings(
        _env_file=None,
        discord_token=discord.bot_token,
        discord_api_url=discord.api_url,
        labmate_data=folder,
        **values,
    )


@asynccontextmanager
async def started(discord: LocalDiscord, folder: Path, **more: object) -> AsyncIterator[Lab]:
    """A Labmate with its model loaded, and the server's owner to ask it; over the same folder, it goes on."""
    settings = settings_for(discord, folder, **more)
    async with (
        running_bot(settings) as (bot, scheduler),
        UserClient(discord.url, discord.user_token) as user,
    ):
        await scheduler.load_model()
        yield Lab(discord, bot, scheduler, user, settings)


def let_workers_use(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the workers that this process starts work on a folder and its database."""
    for name, value in {"LABMATE_DATA": str(folder), **databases.environment(folder)}.items():
        monkeypatch.setenv(name, value)


async def fill(bot: Labmate, records: list[PaperRecord]) -> None:
    """Read papers in, as an ingest does."""
    corpus = bot.services.corpus
    with corpus.writing():
        await Intake(corpus, "test", "test").run(iter(enumerate(records)))
    await corpus.refresh()
    await corpus.refresh_names()
