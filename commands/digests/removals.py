"""Servers that removed Labmate: their digests wait, and go on when it is added again."""

from __future__ import annotations

from datetime import datetime, timedelta

import discord

from commands.kit.refusals import FINAL
from commands.kit.services import Services
from data.calendar import clock

GONE = "I was removed from this server"
"""Kept in the store as the reason why a server's digests wait; it must not change."""
_ALIKE = frozenset({FINAL[10004], FINAL[50001]})
"""Why a posting stops that meets a removal before the gateway tells of it."""
_AROUND = timedelta(days=1)
"""How long before a removal is seen such a stop may have come of it."""


class Removals:
    """Follows the servers of this process' own shards; what happened while it was offline, too."""

    def __init__(self, client: discord.Client, services: Services) -> None:
        self._client = client
        self._services = services
        self._store = services.store.digests
        self._added: dict[int, datetime] = {}
        """When Labmate was added to its servers, as of the last look."""

    async def follow(self) -> None:
        """Keep a server's digests for our return where it removed us, and let them go on where it is over."""
        here = {guild.id for guild in self._client.guilds}
        added = {guild.id: when for guild in self._client.guilds if (when := _added(guild)) is not None}
        anew = {server for server, when in added.items() if self._added.get(server, when) != when}
        active, waiting = await self._store.guilds(GONE)
        for server in active - here:
            if self._is_ours(server):
                await self._store.break_all(server, GONE)
        for digest in await self._store.stopped(clock.utc_now() - _AROUND):
            if digest.why not in _ALIKE:
                continue
            if digest.guild not in here and self._is_ours(digest.guild):
                await self._store.restate(digest, "broken", GONE)
            elif digest.guild in anew:
                await self._store.restate(digest, "active", "")
        for server in waiting & here:
            await self._store.mend_all(server, GONE)
        self._added = added

    def _is_ours(self, server: int) -> bool:
        return self._services.servers is None or self._services.servers.is_ours(server)


def _added(guild: discord.Guild) -> datetime | None:
    """When Labmate was added to a server; None where that isn't known."""
    return guild.me.joined_at if guild.me else None
