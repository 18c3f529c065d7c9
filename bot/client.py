"""The discord.py client: loads commands/, answers every interaction, stops gracefully."""

from __future__ import annotations

import asyncio
import logging
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

import commands as command_package
from bot.settings import Settings
from commands.access import may_use
from commands.pressing import is_ours
from commands.replies import NO_PINGS, apologise, tell
from commands.services import Services

log = logging.getLogger("labmate")
LAST_WORD = 2.3
"""Seconds after which an interaction that nothing answered gets a word; Discord waits three."""


class Tree(app_commands.CommandTree[commands.AutoShardedBot]):
    """The command tree with one door and one error handler."""

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Refuse the banned, also while they type."""
        return await may_use(interaction)

    async def on_error(
        self, interaction: discord.Interaction, error: app_commands.AppCommandError, /
    ) -> None:
        """Every failed command gets a reply."""
        if interaction.type is discord.InteractionType.autocomplete:
            log.error("suggestions failed", exc_info=error)
            if not interaction.response.is_done():
                await interaction.response.autocomplete([])
        elif isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
            await tell(
                interaction,
                "This command has changed since your Discord last saw it. Reload Discord (Ctrl+R) and try again.",
            )
        else:
            await apologise(interaction, error)


class Labmate(commands.AutoShardedBot):
    """The bot. Commands find what they work with in ``services``."""

    def __init__(self, settings: Settings, services: Services) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            intents=discord.Intents(guilds=True),
            allowed_mentions=NO_PINGS,
            tree_cls=Tree,
            help_command=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            # A local Discord sends its one guild at once; the real one streams them.
            guild_ready_timeout=0.1 if settings.discord_api_url else 2.0,
        )
        self.services = services
        self._gateway_url = settings.discord_gateway_url
        self.commands_ready = asyncio.Event()
        self._watchers: set[asyncio.Task[None]] = set()

    async def setup_hook(self) -> None:
        """Load every module of ``commands`` that has a setup, and register what they bring."""
        for module in sorted(info.name for info in pkgutil.iter_modules(command_package.__path__)):
            if has_setup(module):
                await self.load_extension(f"commands.{module}")
        await self.tree.sync()
        self.commands_ready.set()
        log.info("registered %d commands", len(self.tree.get_commands()))

    async def launch_shards(self) -> None:
        """Connect to the gateway that the server names, or to the one that the settings put in its place.

        discord.py goes back to its built-in address after an invalid session, so that is set, too.
        """
        named = self.http.get_bot_gateway

        async def chosen() -> Any:
            shards, url, limits = await named()
            url = self._gateway_url or url
            DiscordWebSocket.DEFAULT_GATEWAY = URL(url)
            return shards, url, limits

        self.http.get_bot_gateway = chosen  # type: ignore[method-assign]
        await super().launch_shards()

    async def on_ready(self) -> None:
        """Say so in the log; an overridden gateway also holds for resuming."""
        log.info("logged in as %s", self.user)
        if self._gateway_url:
            for shard in self.shards.values():
                shard._parent.ws.gateway = URL(self._gateway_url)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Watch that every interaction gets an answer, also a button that was never ours."""
        if interaction.type is discord.InteractionType.autocomplete:
            return
        watcher = asyncio.create_task(self._last_word(interaction))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)

    async def _last_word(self, interaction: discord.Interaction) -> None:
        custom_id = str((interaction.data or {}).get("custom_id", ""))
        form = interaction.type is discord.InteractionType.modal_submit
        if not custom_id or form or is_ours(custom_id):
            await asyncio.sleep(LAST_WORD)
        if not interaction.response.is_done():
            what = (
                "I was started anew while this form was open, and no longer know it. Please open it again."
                if form
                else "This button is not one I can use (any more). Please ask again with a command."
            )
            await tell(interaction, what)


def has_setup(module: str) -> bool:
    """Whether a module of ``commands`` is a command, by its ``setup``, without importing others."""
    found: Any = pkgutil.resolve_name(f"commands.{module}")
    return hasattr(found, "setup")


@contextmanager
def pointed_at(settings: Settings) -> Iterator[None]:
    """Point discord.py, which keeps its address in a class, at the server that the settings name."""
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    if settings.discord_api_url:
        Route.BASE = settings.discord_api_url.rstrip("/")
    if settings.discord_gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = URL(settings.discord_gateway_url)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before
