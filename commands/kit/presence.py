"""Who is in a server now: asked of Discord about the few who would be shown, and remembered for minutes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

import discord

from commands.kit.servers import Servers

FRESH_FOR = 600.0
"""Seconds for which an answer is believed: without a privileged intent Discord does not say who leaves."""
AT_ONCE = 10
MOST_KNOWN = 20_000


class Presence:
    """Whether members are in a server now."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._known: dict[tuple[int, int], tuple[float, bool]] = {}
        self._asking = asyncio.Semaphore(AT_ONCE)

    async def gone(self, guild: int, members: Iterable[int]) -> tuple[set[int], set[int]]:
        """Those of the members who have left a server, and those of whom Discord does not say it just now.

        Everybody has left a server that Labmate is no longer in.
        """
        wanted = list(dict.fromkeys(members))
        try:
            server = await self._servers.of(guild)
        except discord.HTTPException:
            return set(), set(wanted)
        if server is None:
            return set(wanted), set()
        found = await asyncio.gather(*(self._here(server, member) for member in wanted))
        left = {member for member, here in zip(wanted, found, strict=True) if here is False}
        return left, {member for member, here in zip(wanted, found, strict=True) if here is None}

    async def _here(self, server: discord.Guild, member: int) -> bool | None:
        when, here = self._known.get((server.id, member), (-FRESH_FOR, False))
        if time.monotonic() - when < FRESH_FOR:
            return here
        async with self._asking:
            try:
                await server.fetch_member(member)
                here = True
            except discord.NotFound:
                here = False
            except discord.HTTPException:
                return None
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[server.id, member] = (time.monotonic(), here)
        return here
