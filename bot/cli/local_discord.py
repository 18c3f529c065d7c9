"""`python -m bot local-discord`: run the local Discord by itself until stopped."""

from __future__ import annotations

import asyncio
import signal

from bot.local_discord.server import LocalDiscord
from data.sources.http import SourceError


async def serve(port: int) -> None:
    """Print the addresses and tokens that a bot and a user need, and serve until SIGINT or SIGTERM.

    Raises
    ------
    SourceError
        If the port is taken.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    try:
        discord = await LocalDiscord(port).start()
    except OSError as error:
        raise SourceError(f"Port {port} can't be used: {error.strerror}") from error
    print(
        f"""A Discord on this machine, in memory only.

For the bot:
  DISCORD_TOKEN={discord.bot_token}
  DISCORD_API_URL={discord.api_url}
  DISCORD_GATEWAY_URL={discord.gateway_url}
  application id {discord.state.application["id"]}
  guild id {discord.guild["id"]}, channel id {discord.channel["id"]}

For its user, who owns the guild (bot.local_discord.client.UserClient):
  url {discord.url}
  user token {discord.user_token}
  or in a browser: {discord.url}/

To make it fail on purpose, POST a JSON list to {discord.url}/local/faults, such as
  [{{"status": 429, "retry_after": 2}}]
Stop with Ctrl-C.""",
        flush=True,
    )
    try:
        await stop.wait()
    finally:
        await discord.stop()
