"""The discord.py client: it loads commands/, answers every interaction, and stops gracefully."""

from __future__ import annotations

import asyncio
import logging
import pkgutil
import time
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from typing import Any

import aiohttp
import discord
from discord.ext import commands
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

import commands as command_package
from bot.closes import DISALLOWED_INTENTS, LoginError, closed, explained
from bot.heartbeat import install as install_heartbeat
from bot.metrics import Metrics
from bot.only_one import OnlyOne
from bot.rivals import Rivals
from bot.settings import Settings
from bot.shards import ShardKeeper, asking_first
from bot.tree import Tree
from bot.tries import watch
from commands.kit import links
from commands.kit.authority import operators
from commands.kit.installs import without_users
from commands.kit.presence import Presence
from commands.kit.replies import NO_PINGS, acknowledge, is_taken, tell
from commands.kit.servers import Servers
from commands.kit.services import Services
from commands.kit.supervise import ended, first_of

install_heartbeat()
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # Labmate does not use voice
log = logging.getLogger("labmate")
DEAF = 900.0
"""Seconds without a connection until the process ends; discord.py waits up to 1,024 s between tries."""
_CARDS = f"{command_package.__name__}.cards."
LAST_WORD = 2.3
"""Seconds until an unanswered interaction gets a short reply; Discord gives up after three."""


class Labmate(commands.AutoShardedBot):
    """The bot. Commands find everything they need in ``services``."""

    def __init__(self, settings: Settings, services: Services, keeper: ShardKeeper | None = None) -> None:
        self.rivals = Rivals(lambda: self.keeper is not None and self.keeper.asks)
        trace = self.rivals.trace
        watch(trace)
        super().__init__(
            http_trace=trace,
            shard_ids=list(keeper.wanted.numbers) if keeper else None,  # type: ignore[arg-type]
            shard_count=keeper.wanted.of if keeper else None,
            command_prefix=commands.when_mentioned,
            intents=discord.Intents(
                guilds=True, guild_messages=True, dm_messages=True, message_content=settings.link_cards
            ),
            allowed_mentions=NO_PINGS,
            tree_cls=Tree,
            help_command=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            # A local Discord sends its only guild at once; the real one streams them.
            guild_ready_timeout=0.1 if settings.discord_api_url else 2.0,
        )
        self.services = services
        services.servers = Servers(self)
        services.presence = Presence(services.servers)
        self.metrics = Metrics()
        self._gateway_url = settings.discord_gateway_url
        self.http.request = partial(self._request, self.http.request)  # type: ignore[method-assign]
        self.commands_ready = asyncio.Event()
        self.retired = False
        """Whether another process has taken all shards over, so that this one only waits to be stopped."""
        self.running: asyncio.Task[None] | None = None
        """The connection; it ends when Discord closes it for good or :meth:`close` is called."""
        self._doubting: asyncio.Task[None] | None = None
        self._revoked = asyncio.Event()
        self._watchers: set[asyncio.Task[None]] = set()
        self.keeper = keeper
        """Holds this process's shards where several processes share them."""
        self.only_one: OnlyOne | None = None
        """Holds the right to be the one process of the database, where several don't share the shards."""
        self._buckets = 1
        self._asking: set[asyncio.Task[None]] = set()
        if keeper is not None:
            parsers = self._connection.parsers
            for event in ("INTERACTION_CREATE", "MESSAGE_CREATE"):
                parsers[event] = asking_first(keeper, parsers[event], self._asking)

    async def until_closed(self) -> None:
        """Wait until the connection ends, for whatever reason.

        Raises
        ------
        LoginError
            Always, unless :meth:`close` was called; it says why and what to do.
        """
        waits = [self._until_ended(), self._until_revoked(), self._until_deaf(), self.rivals.until_too_many()]
        await first_of(*waits, *([self.only_one.until_lost()] if self.only_one else []))

    async def _until_ended(self) -> None:
        assert self.running is not None
        await asyncio.wait({self.running})
        error = explained(None if self.running.cancelled() else self.running.exception())
        if error.code == DISALLOWED_INTENTS and self.intents.message_content:
            error.status = 1  # after a restart, Labmate does without the intent
        raise error

    async def _until_revoked(self) -> None:
        await self._revoked.wait()
        raise closed(4004)

    async def _until_deaf(self) -> None:
        """Raise when a shard has been silent for long: discord.py's own attempts to reconnect have failed."""
        heard = time.monotonic()
        while True:
            await asyncio.sleep(1.0)
            silent = [number for number, shard in self.shards.items() if shard.is_closed()]
            if self.is_ready() and self.shards and not silent:
                heard = time.monotonic()
            elif time.monotonic() - heard > DEAF:
                raise LoginError(
                    f"Labmate has had no connection to Discord for {DEAF / 60:.0f} minutes, and reconnecting "
                    "failed. Check the network and discordstatus.com. Labmate stops now; start it again."
                )

    async def _request(self, ask: Callable[..., Awaitable[Any]], route: Route, **more: Any) -> Any:
        """Send a request; on a 401, check whether the token was revoked."""
        try:
            return await ask(route, **more)
        except discord.HTTPException as error:
            if error.status == 401 and self._doubting is None:
                self._doubting = asyncio.create_task(self._doubt(ask))
            raise

    async def _doubt(self, ask: Callable[..., Awaitable[Any]]) -> None:
        try:
            await ask(Route("GET", "/users/@me"))
        except discord.HTTPException as error:
            if error.status == 401:
                self._revoked.set()
        except (OSError, aiohttp.ClientError):  # the network failed, so the token may be fine
            log.warning("Discord refused a request as unauthorized; checking the token failed")
        finally:
            self._doubting = None

    async def setup_hook(self) -> None:
        """Load every module of ``commands`` that has a ``setup``, and register its commands."""
        for module in command_modules():
            await import_module(module).setup(self)  # load_extension would run an imported module again
        self.add_dynamic_items(*links.items())
        if self.application is not None and not allows_users(self.application):
            log.info("the application can't be installed by members: switch it on under Installation")
            without_users(self.tree)
        await self.services.store.corrections.settle_before(await operators(self))
        await self.tree.sync()
        self.commands_ready.set()
        log.info("registered %d commands", len(self.tree.get_commands()))

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait for the turn to identify, of all processes' shards in a bucket."""
        if self.keeper is None:
            await super().before_identify_hook(shard_id, initial=initial)
        else:
            await self.keeper.may_identify((shard_id or 0) % self._buckets)

    async def give_up(self, shards: Collection[int]) -> None:
        """Disconnect shards that another process has taken over."""
        self.shard_ids = [number for number in self.shard_ids or () if number not in shards]
        for number in shards:
            if (shard := self.get_shard(number)) is not None:
                await shard.disconnect()

    async def retire(self) -> None:
        """Finish the answers that are being made, and do nothing more: another process has all shards."""
        self.retired = True
        for name in list(self.cogs):
            await self.remove_cog(name)
        while self._asking or self.services.answering:
            await asyncio.wait({*self._asking, *self.services.answering})

    async def launch_shards(self) -> None:
        """Connect to the gateway that the server names, unless the settings name another.

        After an invalid session, discord.py falls back to its built-in address, so that is replaced too.
        """
        ask_server = self.http.get_bot_gateway

        async def chosen() -> Any:
            shards, url, limits = await ask_server()
            url = self._gateway_url or url
            DiscordWebSocket.DEFAULT_GATEWAY = URL(url)
            self._buckets = max(int(limits["max_concurrency"]), 1)
            return shards, url, limits

        self.http.get_bot_gateway = chosen  # type: ignore[method-assign]
        if self.keeper is not None:
            recommended, *_ = await chosen()
            if recommended > self.keeper.wanted.of:
                log.warning(
                    "Discord recommends %d shards, not %d. Stop all processes and start them with more.",
                    *(recommended, self.keeper.wanted.of),
                )
        await super().launch_shards()

    async def on_ready(self) -> None:
        """Log the login; use the gateway of the settings for resuming too."""
        log.info("logged in as %s", self.user)
        if self._gateway_url:
            for shard in self.shards.values():
                shard._parent.ws.gateway = URL(self._gateway_url)

    def dispatch(self, event: str, /, *args: Any, **more: Any) -> None:
        """Note when an interaction arrives, before anything answers it."""
        if event == "interaction":
            self.metrics.begin(args[0])
        super().dispatch(event, *args, **more)

    async def on_app_command_completion(self, interaction: discord.Interaction, _command: object) -> None:
        """Count an answered command; a refusal is already counted."""
        if "failed" in interaction.extras:
            return
        self.metrics.finished(interaction, "answered")

    async def on_labmate_failure(self, interaction: discord.Interaction) -> None:
        """Count a failure, or a request that the user has to correct."""
        self.metrics.finished(interaction, interaction.extras.get("failed", "failed"))

    async def on_labmate_mention(self, outcome: str) -> None:
        """Count what was said to Labmate in a message."""
        self.metrics.mentioned(outcome)

    async def on_message(self, message: discord.Message, /) -> None:
        """Do nothing: no command has a prefix, and commands/general/mention.py answers mentions."""

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Make sure that every interaction gets an answer, even a button that is not ours."""
        if interaction.type is discord.InteractionType.autocomplete:
            return
        watcher = asyncio.create_task(self._last_word(interaction))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)

    async def close(self) -> None:
        """Stop waiting to answer interactions, then close the connection."""
        await ended(*self._watchers)
        await super().close()

    async def _last_word(self, interaction: discord.Interaction) -> None:
        custom_id = str(dict(interaction.data or {}).get("custom_id", ""))
        form = interaction.type is discord.InteractionType.modal_submit
        if not custom_id or form or links.is_ours(custom_id):
            await asyncio.sleep(LAST_WORD)
        if interaction.response.is_done():
            return
        if is_taken(interaction) or interaction.type is discord.InteractionType.application_command:
            try:
                await acknowledge(interaction, private=True)
            except discord.HTTPException as error:  # the user left, or Discord failed
                log.warning("an interaction could not be acknowledged: %s", error)
        elif form:
            await tell(
                interaction,
                "I restarted while this form was open, so I can't use it. Please open it again.",
            )
        else:
            await tell(interaction, "This button no longer works. Please ask again with a command.")


def allows_users(application: discord.AppInfo) -> bool:
    """Whether members may install the application for themselves; unknown counts as yes."""
    return application.user_integration_config is not None or application.guild_integration_config is None


@cache
def command_modules() -> tuple[str, ...]:
    """The modules of ``commands`` that have a ``setup``, sorted by name.

    Those of cards are not looked at: they have none, and pictures bring matplotlib.
    """
    found = pkgutil.walk_packages(command_package.__path__, f"{command_package.__name__}.")
    names = [module.name for module in found if not module.name.startswith(_CARDS)]
    return tuple(sorted(name for name in names if hasattr(import_module(name), "setup")))


@contextmanager
def pointed_at(settings: Settings) -> Iterator[None]:
    """Point discord.py, which keeps Discord's address in a class, at the server in the settings."""
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    if settings.discord_api_url:
        Route.BASE = settings.discord_api_url.rstrip("/")
    if settings.discord_gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = URL(settings.discord_gateway_url)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before
