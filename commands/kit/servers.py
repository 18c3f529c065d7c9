"""Servers of all shards: those of this process as its gateway tells of them, the others asked of Discord."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import discord

from commands.kit.refusals import is_final

FRESH_FOR = 60.0
"""Seconds for which a server is believed to be as Discord described it."""
MOST_KNOWN = 500
_UNKNOWN_MEMBER = 10007


class Servers:
    """Looks servers up, whichever process is connected for their shard."""

    def __init__(self, client: discord.AutoShardedClient) -> None:
        self._client = client
        self._known: dict[int, tuple[float, discord.Guild | None]] = {}

    def is_ours(self, server: int) -> bool:
        """Whether this process is connected for a server's shard."""
        numbers, count = self._client.shard_ids, self._client.shard_count
        return numbers is None or count is None or (server >> 22) % count in numbers

    async def of(self, server: int) -> discord.Guild | None:
        """A server with its channels, threads and Labmate's own membership; None where Labmate isn't in it.

        Raises
        ------
        discord.HTTPException, OSError
            Where Discord can't say it now.
        """
        here = self._client.get_guild(server)
        if here is not None or self.is_ours(server):
            return here
        when, known = self._known.get(server, (float("-inf"), None))
        if time.monotonic() - when > FRESH_FOR:
            known = await self._asked(server)
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[server] = (time.monotonic(), known)
        return known

    async def _asked(self, server: int) -> discord.Guild | None:
        http, me = self._client.http, self._client.user
        assert me is not None
        try:
            told, channels, threads, member = await asyncio.gather(
                http.get_guild(server, with_counts=False),
                http.get_all_guild_channels(server),
                http.get_active_threads(server),
                http.get_member(server, me.id),
            )
        except discord.HTTPException as error:
            if not is_final(error) and error.code != _UNKNOWN_MEMBER:  # Cloudflare's hiccups are 403, too
                raise
            return None
        whole: Any = {**told, "channels": channels, "threads": threads["threads"], "members": [member]}
        return discord.Guild(data=whole, state=self._client._connection)


async def server_of(client: discord.Client, server: int) -> discord.Guild | None:
    """As :meth:`Servers.of`, for who has only the client."""
    servers: Servers = client.services.servers  # type: ignore[attr-defined]
    return await servers.of(server)


async def place_of(client: discord.Client, server: int, channel: int) -> Any:
    """A channel, a thread or a forum of a server on any shard, with what its permissions are told from.

    Raises
    ------
    discord.HTTPException, OSError
        Where Discord doesn't know it, doesn't show it, or can't say it now.
    """
    place = client.get_channel(channel)
    if place is None and (guild := await server_of(client, server)) is not None:
        place = guild.get_channel_or_thread(channel)
    return place or await client.fetch_channel(channel)
