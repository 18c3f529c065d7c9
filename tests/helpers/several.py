"""A Labmate in several processes on one PostgreSQL, each with a folder of its own, as on several machines."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from data.stores.store import Store
from tests.helpers.postgres import new_database
from tests.helpers.process import Awaited, awaited, environment


class Running:
    """One process, and what it has said so far."""

    def __init__(self, process: Awaited) -> None:
        self.process = process
        self.said = b""
        self._news = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for line in self.process.lines():
            async with self._news:
                self.said += line
                self._news.notify_all()
        async with self._news:
            self._news.notify_all()

    async def says(self, words: bytes) -> None:
        """Wait until it has said this."""
        async with self._news:
            await self._news.wait_for(lambda: words in self.said or self._reading.done())
        assert words in self.said, self.said.decode(errors="replace")

    async def kill(self) -> None:
        """End it without a word, as a machine does that fails."""
        self.process.kill()
        await self._ended()

    async def stop(self) -> int:
        """End it as a supervisor does; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return await self._ended()

    async def _ended(self) -> int:
        status = await self.process.wait()
        await self._reading
        return status


@dataclass
class Several:
    """The processes, their Discord and their database."""

    discord: LocalDiscord
    folder: Path
    database: str
    settings: dict[str, str]
    running: list[Running] = field(default_factory=list)

    async def start(self, shards: str, of: int, **more: str) -> Running:
        """Start one for these shards; it is logged in when this returns."""
        begun = self.begin(shards, of, **more)
        await begun.says(b"Logged in as labmate")
        return begun

    def begin(self, shards: str, of: int, **more: str) -> Running:
        """Start one for these shards."""
        folder = self.folder / f"machine {len(self.running)}"
        env = environment(self.discord, folder) | {"DATABASE_URL": self.database} | self.settings | more
        command = ("run", "--shards", shards, "--of", str(of))
        self.running.append(Running(awaited(*command, env=env)))
        return self.running[-1]

    def begin_alone(self) -> Running:
        """Start one that shares no shards."""
        folder = self.folder / f"machine {len(self.running)}"
        env = environment(self.discord, folder) | {"DATABASE_URL": self.database} | self.settings
        self.running.append(Running(awaited("run", env=env)))
        return self.running[-1]

    def server_on(self, shard: int, of: int) -> str:
        """A new server whose events go to a shard, with a text channel; returns its id."""
        state = self.discord.state
        number = int(state.snowflake())
        number += ((shard - (number >> 22)) % of) << 22
        owner, bot = self.discord.owner["id"], state.application["bot"]["id"]
        guild = state.add_guild(f"Lab on shard {shard}", owner, id=str(number))["id"]
        state.add_member(guild, bot)
        state.add_channel(guild, "general")
        return guild


@asynccontextmanager
async def several(folder: Path, database: str = "", **settings: str) -> AsyncIterator[Several]:
    """No process yet, and a Discord that lets several identify at once; the database may be a test's own."""
    async with LocalDiscord() as discord:
        discord.gateway.starts.max_concurrency = 16
        them = Several(discord, folder, database or new_database(), settings)
        try:
            yield them
        finally:
            for one in them.running:
                if one.process.returncode is None:
                    await one.kill()


@asynccontextmanager
async def user_in(them: Several, guild: str) -> AsyncIterator[UserClient]:
    """The owner of all servers, in a channel of one."""
    async with UserClient(them.discord.url, them.discord.user_token) as user:
        user.guild_id = guild
        user.channel_id = next(
            channel["id"]
            for channel in them.discord.state.channels.values()
            if channel.get("guild_id") == guild and channel["type"] == 0
        )
        yield user


@asynccontextmanager
async def store_of(them: Several) -> AsyncIterator[Store]:
    """Their store, as one more process opens it."""
    store = await Store.open(them.database)
    try:
        yield store
    finally:
        await store.close()
