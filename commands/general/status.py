"""Labmate's status, which Discord shows below its name: what it reads."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import discord
from discord.ext import commands

from commands.cards.about import reading
from commands.kit.dated_by import dated_by
from commands.kit.library_kind import has_arxiv
from commands.kit.services import Services
from commands.kit.supervise import ended, lasting
from data.calendar import clock

EVERY = timedelta(minutes=5)
"""How often it checks whether Labmate read something new."""
AFTER_FAILURE = 60.0


class Status(commands.Cog):
    """Keeps the status up to date."""

    def __init__(self, bot: commands.Bot, services: Services) -> None:
        self._bot, self._services = bot, services
        self._telling: asyncio.Task[None] | None = None
        self._told = ""

    async def cog_load(self) -> None:
        """Begin to check."""
        self._telling = asyncio.create_task(lasting(self._tell, pause=AFTER_FAILURE))

    async def cog_unload(self) -> None:
        """End."""
        if self._telling is not None:
            await ended(self._telling)

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Set the status again: Discord forgets it with each session."""
        self._told = ""
        await self._say()

    async def _tell(self) -> None:
        await self._bot.wait_until_ready()
        while True:
            await self._say()
            await clock.wait_until(clock.now() + EVERY)

    async def _say(self) -> None:
        services = self._services
        papers, newest = len(services.corpus.facets), services.search.newest()
        codes = services.categories if has_arxiv(services) else ()
        text = reading(codes, papers, newest, await dated_by(services, newest))
        if text != self._told:
            try:
                await self._bot.change_presence(activity=discord.CustomActivity(text))
            except ConnectionResetError:  # the next session begins with it
                return
            self._told = text


async def setup(bot: commands.Bot) -> None:
    """Begin."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Status(bot, services))
