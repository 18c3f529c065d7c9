"""Greets a server that Labmate joined: once, to its managers, with a button for `/setup`."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import Any

import discord
from discord import ui
from discord.ext import commands

from commands.cards import setup_pages as cards
from commands.cards.lists import note
from commands.kit.links import action, link
from commands.kit.send_once import send_once
from commands.kit.services import Services
from data.calendar import clock

log = logging.getLogger("labmate")
RECENT = timedelta(days=7)
"""Labmate doesn't greet a server that it joined longer ago."""
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120))
"""Pauses before each further attempt, if Discord can't take the greeting."""


class Greeting(commands.Cog):
    """Greets each server once."""

    def __init__(self, bot: commands.Bot, services: Services) -> None:
        self._bot, self._services = bot, services
        self._greeting: dict[int, asyncio.Task[None]] = {}

    async def cog_unload(self) -> None:
        """End; after the next start, Labmate sends what it could not send."""
        for task in self._greeting.values():
            task.cancel()
        await asyncio.gather(*self._greeting.values(), return_exceptions=True)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Greet a server that Labmate just joined."""
        self._soon(guild)

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Greet servers that were joined while Labmate was offline, and finish what was begun."""
        for guild in self._bot.guilds:
            self._soon(guild)

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Greet a server that Discord couldn't show at the start, unless it was greeted before."""
        self._soon(guild)

    def _soon(self, guild: discord.Guild) -> None:
        if guild.id in self._greeting or guild.unavailable:
            return
        task = self._greeting[guild.id] = asyncio.create_task(self._greet(guild))
        task.add_done_callback(lambda _: self._greeting.pop(guild.id, None))

    async def _greet(self, guild: discord.Guild) -> None:
        store = self._services.store
        again = (await store.greetings.state(guild.id))[0] == "begun"
        if not again:
            state = "begun" if await self._is_new(guild) else "known"
            if not await store.greetings.meet(guild.id, state) or state == "known":
                return
        for pause in (*PAUSES, None):
            try:
                await store.greetings.settle(guild.id, await self._say(guild, again=again))
                return
            except (discord.HTTPException, OSError) as error:
                log.info("server %d can't be greeted now: %s", guild.id, error)
            if pause is None:
                return  # the next start tries again
            again = True
            await clock.wait_until(clock.now() + pause)

    async def _is_new(self, guild: discord.Guild) -> bool:
        """Whether Labmate joined a server lately, and it is not banned and has set up nothing yet."""
        joined = guild.me.joined_at if guild.me else None
        if joined is not None and clock.now() - joined > RECENT:
            return False
        store = self._services.store
        return not await store.bans.is_banned(0, guild.id) and not await store.digests.of_guild(guild.id)

    async def _say(self, guild: discord.Guild, *, again: bool) -> str:
        """Greet in the system channel if Labmate may write there, else by direct message to the owner.

        Returns ``sent``, or ``refused`` if Labmate can write to nobody.

        Raises
        ------
        discord.HTTPException, OSError
            Where Discord can't take it now.
        """
        channel = _writable(guild.system_channel)
        if again:  # it may be there already, and nobody is greeted twice
            _, begun = await self._services.store.greetings.state(guild.id)
            there = guild.get_channel(begun)
            channel = there if isinstance(there, discord.TextChannel) else None
            if channel is not None and not channel.permissions_for(guild.me).read_message_history:
                return "sent"
        for place in [channel, None] if channel is not None else [None]:
            try:
                await self._services.store.greetings.settle(guild.id, "begun", place.id if place else 0)
                to = place or await (await self._bot.fetch_user(guild.owner_id or 0)).create_dm()
                await self._send(to, guild, direct=place is None, again=again)
            except (discord.Forbidden, discord.NotFound) as error:
                log.info("the greeting of server %d was refused: %s", guild.id, error)
                continue
            return "sent"
        return "refused"

    async def _send(self, to: Any, guild: discord.Guild, *, direct: bool, again: bool) -> None:
        services = self._services
        text = cards.greeting(
            guild.name, services.categories, direct=direct, reads_arxiv=services.reads_arxiv
        )

        async def make() -> dict[str, Any]:
            buttons: list[ui.Item[Any]] = [link("setup.begin", "Set up", guild=guild.id)]
            return {"view": note(text, [buttons])}

        mark = action("setup.begin").pattern.build({"guild": guild.id})
        await send_once(self._bot, to, make, marks={mark}, nonce=f"greet{guild.id}", again=again)


def _writable(channel: discord.TextChannel | None) -> discord.TextChannel | None:
    """A channel, if Labmate may read and write there."""
    if channel is None:
        return None
    may = channel.permissions_for(channel.guild.me)
    return channel if may.view_channel and may.send_messages else None


async def setup(bot: commands.Bot) -> None:
    """Listen."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Greeting(bot, services))
