"""Direct messages of digests: a pace that Discord doesn't mind, and what owners are told."""

from __future__ import annotations

import logging
from collections import deque
from typing import Any

import discord

from commands.cards import digest_replies as replies
from commands.cards.lists import note
from commands.digests.pace import DirectPace
from commands.kit.direct import in_direct
from commands.kit.links import link
from commands.kit.refusals import TOO_FAST
from commands.kit.replies import NO_PINGS
from commands.kit.services import Services
from data.stores.digest_record import Digest

log = logging.getLogger("labmate")
_MOST_WAITING = 10_000


class Owners:
    """Tells the owners of digests, and keeps the pace of all direct messages that no member waits for."""

    def __init__(self, client: discord.Client, services: Services) -> None:
        self._client = client
        self._channels = services.store.direct_channels
        self._pace = DirectPace()
        self._waiting: deque[tuple[Digest, str, bool]] = deque(maxlen=_MOST_WAITING)

    async def has_room_for(self, member: int) -> bool:
        """Whether a member can be written to now; it is counted."""
        return self._pace.take(opens=await self._channels.of(member) is None)

    def too_fast(self) -> None:
        """Discord complains: go slower."""
        self._pace.slow_down()

    def went_well(self) -> None:
        """Discord took a direct message."""
        self._pace.went_well()

    async def tell(self, digest: Digest, why: str, *, stopped: bool = False) -> None:
        """Tell an owner, now or when there is room; if direct messages are closed, /digest list says it.

        One of a server's digest that has ``stopped`` can choose another channel for it.
        """
        self._waiting.append((digest, why, stopped and not digest.is_own))
        await self.tell_waiting()

    async def tell_waiting(self) -> None:
        """Tell those who wait, as far as there is room."""
        while self._waiting and await self.has_room_for(self._waiting[0][0].owner):
            digest, why, can_move = self._waiting.popleft()
            move = [[link("digest.move", "Choose another channel", digest=digest.id)]] if can_move else []
            view = note(replies.owner_told(digest, why), move)

            async def told(place: Any, view: discord.ui.LayoutView = view) -> None:
                await place.send(view=view, allowed_mentions=NO_PINGS)

            try:
                await in_direct(self._client, self._channels, digest.owner, told)
            except discord.HTTPException as error:
                if error.code == TOO_FAST:
                    self._waiting.append((digest, why, can_move))
                    self.too_fast()
                log.info("the owner of digest %d was not told (%s): %s", digest.id, error, why)
