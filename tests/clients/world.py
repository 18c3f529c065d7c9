"""A local Discord with all that the checks need, and a bot of some library that runs in it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import ALL_PERMISSIONS, FORUM

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / ".clients"
READY_WITHIN = 90.0
DONE_WITHIN = 60.0
MESSAGE_CONTENT, GUILD_MEMBERS = 1 << 15, 1 << 1


class LibraryLacksIt(Exception):
    """The bot's library has no such feature; the message says what is missing."""


@dataclass(frozen=True)
class Library:
    """A library: its name in the table, its packages, and how its bot is started."""

    name: str
    folder: str
    command: tuple[str, ...]


def _python(folder: str, script: str) -> Library:
    return Library(folder, folder, (str(ENVIRONMENTS / folder / "bin/python"), str(HERE / "bots" / script)))


LIBRARIES = (
    Library(
        "discord.js",
        "discordjs",
        ("node", str(HERE / "bots/discordjs_bot.cjs"), str(ENVIRONMENTS / "discordjs")),
    ),
    _python("hikari", "hikari_bot.py"),
    _python("interactions.py", "interactions_bot.py"),
    _python("nextcord", "nextcord_bot.py"),
    _python("disnake", "disnake_bot.py"),
    _python("py-cord", "pycord_bot.py"),
)


class World:
    """What a check can use: the server, the member, the ids, and the bot's answers."""

    def __init__(self, server: LocalDiscord, member: UserClient) -> None:
        self.server = server
        self.member = member
        self.state = server.state
        self.guild = server.guild["id"]
        self.channel = server.channel["id"]
        self.bot = self.state.application["bot"]["id"]
        self.forum = ""
        self.role = ""
        self.ada = ""

    async def do(self, what: str, argument: str = "-") -> Any:
        """Have the bot do something through its library; what it saw there.

        Raises
        ------
        LibraryLacksIt
            If the bot says that its library can't.
        AssertionError
            If it failed.
        """
        answered = asyncio.get_running_loop().create_future()

        def look(event: str, data: dict[str, Any]) -> None:
            mine = event == "MESSAGE_UPDATE" and data["author"]["id"] == self.bot
            if mine and data["content"].startswith(f"{what}:") and not answered.done():
                answered.set_result(data["content"].removeprefix(f"{what}:").strip())

        self.member.listeners.append(look)
        try:
            first = await self.member.slash(f"/do what:{what} argument:{argument}", within=DONE_WITHIN)
            if first.text.startswith(f"{what}:"):
                said = first.text.removeprefix(f"{what}:").strip()
            else:
                said = await asyncio.wait_for(answered, DONE_WITHIN)
        finally:
            self.member.listeners.remove(look)
        if said.startswith("lacks "):
            raise LibraryLacksIt(said.removeprefix("lacks "))
        if not said.startswith("ok "):
            raise AssertionError(said)
        return json.loads(said.removeprefix("ok "))

    async def get(self, path: str) -> Any:
        """An answer of the API, as the member sees it."""
        return await self.member.request("GET", path)

    def asked(self, method: str, part: str) -> bool:
        """Whether the bot sent such a request, and it was answered well."""
        return any(
            entry["method"] == method and part in entry["path"] and entry["status"] < 300
            for entry in self.server.requests
        )


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    """A local Discord with a forum, a role, a second member, and a bot that may do everything."""
    async with LocalDiscord() as server:
        state, guild = server.state, server.guild["id"]
        state.application["_privileged_intents"] = MESSAGE_CONTENT | GUILD_MEMBERS
        ada = state.add_user("ada")
        state.add_member(guild, ada["id"])
        tags = [
            {"id": state.snowflake(), "name": name, "moderated": False, "emoji_id": None, "emoji_name": None}
            for name in ("paper", "question")
        ]
        forum = state.add_channel(guild, "papers", FORUM, available_tags=tags)
        powers = state.add_role(guild, "bots", ALL_PERMISSIONS)
        state.guilds[guild]["members"][state.application["bot"]["id"]]["roles"].append(powers["id"])
        reader = state.add_role(guild, "reader")
        # A second guild, so that the list of the bot's own guilds is one.
        other = state.add_guild("Other lab", server.owner["id"])
        state.add_member(other["id"], state.application["bot"]["id"])
        async with UserClient(server.url, server.user_token) as member:
            made = World(server, member)
            member.guild_id, member.channel_id = guild, server.channel["id"]
            made.forum, made.role, made.ada = forum["id"], reader["id"], ada["id"]
            yield made


@asynccontextmanager
async def running(library: Library, place: World, log: Path) -> AsyncIterator[None]:
    """The library's bot as a process of its own; it ends with the block."""
    known = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment = {
        **known,
        "DISCORD_API": place.server.url + "/api",
        "DISCORD_TOKEN": place.server.bot_token,
        "DISCORD_GUILD": place.guild,
        "NO_COLOR": "1",
    }
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *library.command, env=environment, stdout=output, stderr=output, cwd=HERE
        )
        try:
            yield
        finally:
            if process.returncode is None:
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), 10)
            except TimeoutError:
                process.kill()
                await process.wait()


async def until(happened: Callable[[], bool], within: float, what: str) -> None:
    """Wait for something that the server can see.

    Raises
    ------
    AssertionError
        If it does not happen in time.
    """
    try:
        async with asyncio.timeout(within):
            while not happened():  # noqa: ASYNC110 - the server has no event for it
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise AssertionError(f"{what} did not happen in {within:.0f} s") from None


Check = Callable[[World], Awaitable[None]]
