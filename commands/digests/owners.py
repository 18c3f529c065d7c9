"""Direct messages of digests: a pace that Discord doesn't mind, and what owners are told."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import discord

from commands.cards import digest_replies as replies
from commands.cards.lists import note
from commands.digests.pace import DirectPace
from commands.digests.removals import GONE
from commands.kit.direct import in_direct
from commands.kit.links import action, link
from commands.kit.refusals import TOO_FAST, is_final
from commands.kit.replies import NO_PINGS
from commands.kit.send_once import CLOCKS_DIFFER, own_messages
from commands.kit.servers import server_of
from commands.kit.services import Services
from data.calendar import clock
from data.stores.digest_record import Digest

log = logging.getLogger("labmate")
TOLD_FOR = timedelta(days=1)
"""How long a notice is tried."""
_MOST_WAITING = 10_000
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class _Notice:
    """What somebody is to be told of a digest; ``to`` is its owner, or in their stead the server's.

    Of one that has ``stopped``, nothing is told once it goes on. It may have been ``told_since`` an instant,
    by a process that ended.
    """

    digest: Digest
    why: str
    to: int
    stopped: bool
    tries: int = 0
    first_tried: datetime | None = None
    not_before: datetime | None = None
    told_since: datetime | None = None

    def view(self, server: str) -> discord.ui.LayoutView:
        """The direct message."""
        digest = self.digest
        can_move = self.stopped and not digest.is_own
        move = [[link("digest.move", "Choose another channel", digest=digest.id)]] if can_move else []
        return note(replies.owner_told(digest, self.why, server, instead=self.to != digest.owner), move)


class Owners:
    """Tells the owners of digests, and keeps the pace of all direct messages that no member waits for."""

    def __init__(self, client: discord.Client, services: Services) -> None:
        self._client = client
        self._channels = services.store.direct_channels
        self._digests = services.store.digests
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
        """Tell an owner, now or when it can be done; if direct messages are closed, /digest list says it.

        One of a server's digest that has ``stopped`` can choose another channel for it. If they can't be
        reached, for example because they have left, the server's owner is told.
        """
        self._waiting.append(_Notice(digest, why, digest.owner, stopped))
        await self.tell_waiting()

    async def take_over(self) -> None:
        """Take over notices that another process may have left; only stopped server digests are known."""
        known = {one.digest.id for one in self._waiting if one.stopped}
        for digest in await self._digests.stopped(clock.utc_now() - TOLD_FOR):
            if digest.id not in known and digest.why != GONE:
                why, since = replies.stopped(digest, digest.why), digest.changed.replace(tzinfo=UTC)
                notice = _Notice(digest, why, digest.owner, stopped=True, told_since=since - CLOCKS_DIFFER)
                self._waiting.append(notice)

    async def tell_waiting(self) -> None:
        """Send the waiting notices as the pace allows; those that fail for now stay."""
        while (notice := self._due()) is not None and await self.has_room_for(notice.to):
            left = await self._told(notice)
            self._waiting.remove(notice)
            if left is not None:
                self._waiting.append(left)

    def _due(self) -> _Notice | None:
        """The oldest notice that may be sent now."""
        now = clock.now()
        return next((one for one in self._waiting if one.not_before is None or one.not_before <= now), None)

    async def _told(self, notice: _Notice) -> _Notice | None:
        """Send a notice if it still holds; returns the one to send later, if any."""
        digest = await self._digests.find(notice.digest.id)
        if digest is None or (notice.stopped and digest.state != "broken"):
            return None
        server: discord.Guild | None = None
        try:
            server = await self._server(notice.digest)
            if not notice.to:  # who set it up had everything about them forgotten
                if server is None or server.owner_id is None:
                    return None
                notice = replace(notice, to=server.owner_id)
            await self._send(notice, server)
        except discord.HTTPException as error:
            log.info("%d was not told of digest %d (%s)", notice.to, notice.digest.id, error)
            if is_final(error):
                instead = server.owner_id if server is not None else None
                return replace(notice, to=instead) if instead not in (None, notice.to) else None
            if error.code == TOO_FAST:
                self.too_fast()
            return _later(notice)
        except OSError as error:
            log.info("%d was not told of digest %d (%s)", notice.to, notice.digest.id, error)
            return _later(notice)
        except Exception:  # one that can't be told must not keep the digests from being posted
            log.exception("%d can't be told of digest %d; it is tried again", notice.to, notice.digest.id)
            return _later(notice)
        return None

    async def _send(self, notice: _Notice, server: discord.Guild | None) -> None:
        async def told(place: Any) -> None:
            if notice.told_since is not None and await self._stands(place, notice.digest, notice.told_since):
                return
            view = notice.view(server.name if server else "")
            await place.send(view=view, allowed_mentions=NO_PINGS)

        await in_direct(self._client, self._channels, notice.to, told)

    async def _stands(self, place: Any, digest: Digest, since: datetime) -> bool:
        """Whether a member was told since an instant that a digest has stopped: its button stands there."""
        mark = action("digest.move").pattern.build({"digest": digest.id})
        async for message, ids in own_messages(self._client, place, since):
            if mark in ids and message.created_at >= since:
                return True
        return False

    async def _server(self, digest: Digest) -> discord.Guild | None:
        """A digest's server; None for one by direct message, and where Labmate was removed."""
        return None if digest.is_own else await server_of(self._client, digest.guild)


def _later(notice: _Notice) -> _Notice | None:
    """A notice after a pause that grows; None after a day of tries."""
    now = clock.now()
    first = notice.first_tried or now
    if now - first >= TOLD_FOR:
        log.warning("%d could not be told of digest %d for a day", notice.to, notice.digest.id)
        return None
    pause = min(_FIRST_PAUSE * 2 ** min(notice.tries, 10), _LONGEST_PAUSE)
    return replace(notice, tries=notice.tries + 1, first_tried=first, not_before=now + pause)
