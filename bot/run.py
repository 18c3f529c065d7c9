"""`python -m bot run`: Labmate in Discord, or with a local one."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord
from pydantic import SecretStr

from bot.app import load_sample, make_services, open_library
from bot.client import Labmate, pointed_at
from bot.feed_server import serving_feeds
from bot.local_discord.server import LocalDiscord
from bot.scheduler import Say, Scheduler
from bot.settings import Settings
from index.library import Library

log = logging.getLogger("labmate")


class LoginError(RuntimeError):
    """Discord does not let the bot in; the message says what to do."""


@asynccontextmanager
async def running_bot(settings: Settings, say: Say | None = None) -> AsyncIterator[tuple[Labmate, Scheduler]]:
    """A bot that is logged in; it is closed at the end.

    Raises
    ------
    LoginError
        Where Discord refuses the token, or can't be reached.
    """
    await load_sample(settings)
    async with open_library(settings) as library:
        with pointed_at(settings):
            async with _logged_in(settings, library, say) as both:
                yield both


@asynccontextmanager
async def _logged_in(
    settings: Settings, library: Library, say: Say | None
) -> AsyncIterator[tuple[Labmate, Scheduler]]:
    assert settings.discord_token is not None
    bot = Labmate(settings, await make_services(settings, library))
    scheduler = Scheduler(settings, bot.services, say)
    running = asyncio.create_task(bot.start(settings.discord_token.get_secret_value()))
    try:
        ready = asyncio.create_task(_ready(bot))
        await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if running.done():
            _explain(running)
        async with serving_feeds(bot.services, settings.http_listen):
            yield bot, scheduler
    finally:
        await scheduler.stop()
        await bot.services.close()
        await bot.close()
        await asyncio.gather(running, return_exceptions=True)


async def _ready(bot: Labmate) -> None:
    await bot.commands_ready.wait()
    await bot.wait_until_ready()


def _explain(running: asyncio.Task[None]) -> None:
    error = running.exception()
    if isinstance(error, discord.LoginFailure):
        raise LoginError(
            "Discord does not accept DISCORD_TOKEN. Copy it anew from the Developer Portal (Bot, Reset Token)."
        ) from error
    if isinstance(error, discord.PrivilegedIntentsRequired):
        raise LoginError("Discord wants privileged intents switched on for this application.") from error
    if error is not None:
        raise LoginError(f"Discord can't be reached: {error}") from error


@asynccontextmanager
async def local_discord(settings: Settings) -> AsyncIterator[tuple[LocalDiscord, Settings]]:
    """A local Discord, and the settings that lead a bot to it."""
    async with LocalDiscord() as discord_:
        led = settings.model_copy(
            update={
                "discord_token": SecretStr(discord_.bot_token),
                "discord_api_url": discord_.api_url,
                "discord_gateway_url": None,
            }
        )
        yield discord_, led


async def run_in_discord(settings: Settings, say: Say) -> None:
    """Run until SIGINT or SIGTERM."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    async with running_bot(settings, say) as (bot, scheduler):
        say(f"Logged in as {bot.user}, in {len(bot.guilds)} servers. Stop with Ctrl-C.")
        scheduler.start()
        await stop.wait()
        say("Stopping.")
