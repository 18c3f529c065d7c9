"""`python -m bot run`: Labmate in Discord, or with a local Discord."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

from pydantic import SecretStr

from bot.app import load_sample, make_services, open_corpus
from bot.client import Labmate, pointed_at
from bot.closes import ACT, DISALLOWED_INTENTS, LoginError, explained
from bot.ending import Ending, Watchdog
from bot.http_server import serving
from bot.local_discord.server import LocalDiscord
from bot.only_one import IN_DISCORD, LEASE, OnlyOne, already, living_holder
from bot.scheduler import Say, Scheduler
from bot.settings import Settings
from bot.shards import ShardKeeper
from commands.kit.supervise import ended, first_of
from data.calendar import clock
from data.database.engine import ANSWERING
from data.sources.http import SourceError
from data.stores.shards import ShardsTakenError
from index.search.corpus import Corpus

log = logging.getLogger("labmate")
SWITCH = 0.000_5
"""Seconds for which a thread that computes may keep others waiting; Python's own 5 ms add up in a reply."""
WITHOUT_LINKS = (
    "LINK_CARDS is set, but Discord refuses the intent for it (close code 4014). Labmate starts without link "
    "cards. To have them, switch on Message Content Intent in the Developer Portal (your application, Bot, "
    "Privileged Gateway Intents) and start Labmate again; else remove LINK_CARDS."
)


@asynccontextmanager
async def running_bot(
    settings: Settings, say: Say | None = None, *, only: str = ""
) -> AsyncIterator[tuple[Labmate, Scheduler]]:
    """Log a bot in, and close it at the end.

    With ``only``, no other process may run with its database; it says what to do where one does.

    Raises
    ------
    LoginError
        If Discord refuses the token, closes the connection for good, or can't be reached; or because of
        another process.
    """
    sys.setswitchinterval(SWITCH)
    await load_sample(settings)
    async with _serving_corpus(settings) as corpus, AsyncExitStack() as stack:
        stack.enter_context(pointed_at(settings))
        only_one = None
        if only and not settings.shards:
            store = corpus.store
            only_one = OnlyOne(store.leases, store.shards, settings.labmate_data, only)
            await stack.enter_async_context(only_one.held())
        try:
            both = await stack.enter_async_context(_logged_in(settings, corpus, say))
        except LoginError as error:
            if error.code != DISALLOWED_INTENTS or not settings.link_cards:
                raise
            log.warning("%s", WITHOUT_LINKS)
            if say is not None:
                say(WITHOUT_LINKS)
            both = await stack.enter_async_context(_without_links(settings, corpus, say))
        bot, _ = both
        bot.only_one = only_one
        yield both


def _serving_corpus(settings: Settings) -> AbstractAsyncContextManager[Corpus]:
    return open_corpus(settings, renew=True, paging=ANSWERING, by_words=True)


@asynccontextmanager
async def _without_links(
    settings: Settings, corpus: Corpus, say: Say | None
) -> AsyncIterator[tuple[Labmate, Scheduler]]:
    """Log in without the intent that Discord refused."""
    without = settings.model_copy(update={"link_cards": False})
    async with _logged_in(without, corpus, say) as (bot, scheduler):
        bot.services.link_cards = "refused"
        yield bot, scheduler


@asynccontextmanager
async def _logged_in(
    settings: Settings, corpus: Corpus, say: Say | None
) -> AsyncIterator[tuple[Labmate, Scheduler]]:
    assert settings.discord_token is not None
    store = corpus.store
    keeper = ShardKeeper(store.shards, store.leases, settings.shards) if settings.shards else None
    bot = Labmate(settings, await make_services(settings, corpus), keeper)
    scheduler = Scheduler(settings, bot.services, say)
    async with _holding(bot):
        bot.running = asyncio.create_task(bot.start(settings.discord_token.get_secret_value()))
        try:
            async with serving(bot, scheduler, settings, say):
                await _until_ready(bot)
                if keeper is not None:
                    await keeper.connected()
                yield bot, scheduler
        finally:
            await scheduler.stop()
            await bot.services.close()
            await bot.close()
            await asyncio.gather(bot.running, return_exceptions=True)


@asynccontextmanager
async def _holding(bot: Labmate) -> AsyncIterator[None]:
    """Hold the shards of this process, where several processes share them."""
    keeper = bot.keeper
    if keeper is None:
        yield
        return
    leases = bot.services.store.leases
    holder = await living_holder(leases)
    try:
        await keeper.claim()
    except ShardsTakenError as error:
        raise LoginError(str(error), status=ACT) from error
    if holder := holder or await leases.holder(LEASE) or "":
        await keeper.leave()
        raise LoginError(
            f"{already(holder)} It holds all shards. Stop it, or restart it with only some.", status=ACT
        )
    keeping = asyncio.create_task(keeper.keep(bot.give_up))
    try:
        yield
    finally:
        await ended(keeping)
        await keeper.leave()


async def _until_ready(bot: Labmate) -> None:
    """Wait until the bot is logged in with its commands registered, or its connection ends."""
    assert bot.running is not None
    ready = asyncio.create_task(_ready(bot))
    try:
        await asyncio.wait({bot.running, ready}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        ready.cancel()
    if bot.running.done():
        raise explained(bot.running.exception())


async def _ready(bot: Labmate) -> None:
    await bot.commands_ready.wait()
    await bot.wait_until_ready()


@asynccontextmanager
async def local_discord(
    settings: Settings, ids: Path | None = None, *, port: int = 0, furnished: bool = False
) -> AsyncIterator[tuple[LocalDiscord, Settings]]:
    """A local Discord, and settings that lead a bot to it.

    ``ids`` lets its user, server and port stay the same; furnished, it has what people need to try a bot.

    Raises
    ------
    SourceError
        If the port can't be used.
    """
    discord_ = LocalDiscord(port, ids=ids, furnished=furnished, move_clock=clock.move)
    try:
        await discord_.start()
    except OSError as error:
        raise SourceError(
            f"Port {port} can't be used: {os.strerror(error.errno or 0)}. Choose another --port."
        ) from error
    try:
        local_settings = settings.model_copy(
            update={
                "discord_token": SecretStr(discord_.bot_token),
                "discord_api_url": discord_.api_url,
                "discord_gateway_url": None,
            }
        )
        yield discord_, local_settings
    finally:
        await discord_.stop()


async def run_in_discord(settings: Settings, say: Say, ending: Ending) -> None:
    """Run until a signal arrives or Discord closes the connection.

    Raises
    ------
    LoginError
        If Discord closes the connection for good; it says why and what to do.
    """
    async with Watchdog(), running_bot(settings, say, only=IN_DISCORD) as (bot, scheduler):
        say(f"Logged in as {bot.user}, in {len(bot.guilds)} servers. Stop with Ctrl-C.")
        scheduler.start()
        try:
            await first_of(bot.until_closed(), _handed_over(bot, scheduler, say))
        except LoginError as error:
            log.critical("%s", error)
            ending.failed(error.status)
            raise


async def _handed_over(bot: Labmate, scheduler: Scheduler, say: Say) -> None:
    """Finish when another process has all shards, and wait; a supervisor would start it again."""
    if bot.keeper is None:
        await asyncio.Event().wait()
        return
    await bot.keeper.lost.wait()
    await scheduler.stop()
    await bot.retire()
    say(f"Another process has taken over shards {bot.keeper.wanted}. This one has finished; stop it.")
    await asyncio.Event().wait()
