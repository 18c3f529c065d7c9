"""Direct messages of digests: a pace that Discord doesn't mind, and what owners are told."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import discord

from commands.cards import digest_replies as replies
from commands.cards.lists import note
from commands.digests.pace import DirectPace
from commands.kit.direct import in_direct
from commands.kit.links import link
from commands.kit.refusals import TOO_FAST, is_final
from commands.kit.replies import NO_PINGS
from commands.kit.servers import server_of
from commands.kit.services import Services
from data.stores.digest_record import Digest

log = logging.getLogger("labmate")
_MOST_WAITING = 10_000


@dataclass(frozen=True, slots=True)
class _Notice:
    """What somebody is to be told of a digest; ``to`` is its owner, or in their stead the server's."""

    digest: Digest
    why: str
    to: int
    can_move: bool

    def view(self, server: str) -> discord.ui.LayoutView:
        """The direct message."""
        digest = self.digest
        move = [[link("digest.move", "Choose another channel", digest=digest.id)]] if self.can_move else []
        return note(replies.owner_told(digest, self.why, server, instead=self.to != digest.owner), move)


class Owners:
    """Tells the owners of digests, and keeps the pace of all direct messages that no member waits for."""

    def __init__(self, client: discord.Client, services: Services) -> None:
        self._client = client
        self._channels = services.store.direct_channels
        self._pace = DirectPace()
        self._waiting: deque[_Notice] = deque(maxlen=_MOST_WAITING)

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

        One of a server's digest that has ``stopped`` can choose another channel for it. If they can't be
        reached, for example because they have left, the server's owner is told.
        """
        self._waiting.append(_Notice(digest, why, digest.owner, can_move=stopped and not digest.is_own))
        await self.tell_waiting()

    async def tell_waiting(self) -> None:
        """Tell those who wait, as far as there is room."""
        while self._waiting and await self.has_room_for(self._waiting[0].to):
            notice = self._waiting.popleft()
            server = await self._server(notice.digest)
            view = notice.view(server.name if server else "")

            async def told(place: Any, view: discord.ui.LayoutView = view) -> None:
                await place.send(view=view, allowed_mentions=NO_PINGS)

            try:
                await in_direct(self._client, self._channels, notice.to, told)
            except discord.HTTPException as error:
                if error.code == TOO_FAST:
                    self._waiting.append(notice)
                    self.too_fast()
                elif is_final(error) and server is not None and server.owner_id not in (None, notice.to):
                    self._waiting.append(replace(notice, to=server.owner_id))
                log.info("%d was not told of digest %d (%s)", notice.to, notice.digest.id, error)

    async def _server(self, digest: Digest) -> discord.Guild | None:
        """A digest's server; None for one by direct message, or where Discord can't say it."""
        try:
            return None if digest.is_own else await server_of(self._client, digest.guild)
        except (discord.HTTPException, OSError):
            return None
