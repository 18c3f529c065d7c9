"""A local Discord and its API as a bot's and a member's plain HTTP client sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import ALL_PERMISSIONS


@dataclass
class Wire:
    """Requests of the bot, which may do everything in the guild, and the member beside it."""

    server: LocalDiscord
    member: UserClient
    session: aiohttp.ClientSession

    async def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The JSON of an answer that has to be a good one; None for 204."""
        status, answer, _ = await self.answer(method, path, body, **more)
        assert status < 300, (status, answer)
        return answer

    async def answer(self, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, Any, Any]:
        """Status, JSON and headers of an answer."""
        more.setdefault("headers", {"Authorization": f"Bot {self.server.bot_token}"})
        if body is not None:
            more["json"] = body
        async with self.session.request(method, self.server.api_url + path, **more) as answer:
            return answer.status, await answer.json() if answer.status != 204 else None, answer.headers

    @property
    def channel(self) -> str:
        return f"/channels/{self.server.channel['id']}"

    @property
    def guild(self) -> str:
        return f"/guilds/{self.server.guild['id']}"

    async def post(self, content: str, **more: Any) -> Any:
        """A message of the bot."""
        return await self.ask("POST", self.channel + "/messages", {"content": content, **more})


@pytest.fixture
async def wire():
    async with LocalDiscord() as server, aiohttp.ClientSession() as session:
        role = server.state.add_role(server.guild["id"], "bots", ALL_PERMISSIONS)
        bot = server.state.application["bot"]["id"]
        server.state.guilds[server.guild["id"]]["members"][bot]["roles"].append(role["id"])
        async with UserClient(server.url, server.user_token) as member:
            yield Wire(server, member, session)
