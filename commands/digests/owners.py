"""Direct messages of digests: a pace that Discord doesn't mind, and what owners are told."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import discord

from commands.cards import digest_replies as replies
from commands.cards.lists import note
from commands.digests.pace import DirectPace
from commands.kit.direct import in_direct
from commands.kit.links import action, link
from commands.kit.refusals import TOO_FAST, is_final
from commands.kit.replies import NO_PINGS
from commands.kit.send_once import CLOCKS_DIFFER, own_messages
from commands.kit.servers import server_of
from commands.kit.services import Services
from data.calendar import clock
from data.stores.digest_record import Digest
from data.stores.notices import DigestNotice

log = logging.getLogger("labmate")
TOLD_FOR = timedelta(days=1)
"""How long a notice is tried."""
_OLD = timedelta(days=7)
"""What happened to a posting so long ago is not told any more."""
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)


class Owners:
    """Tells the owners of digests, and keeps the pace of all direct messages that no member waits for."""

    def __init__(self, client: discord.Client, services: Services) -> None:
        self._client = client
        self._channels = services.store.direct_channels
        self._store = services.store.digests
        self._pace = DirectPace()
        self._not_before: dict[int, datetime] = {}
        """When a notice that could not be sent is tried again."""

    async def has_room_for(self, member: int) -> bool:
        """Whether a member can be written to now; it is counted."""
        return self._pace.take(opens=await self._channels.of(member) is None)

    def too_fast(self) -> None:
        """Discord complains: go slower."""
        self._pace.slow_down()

    def went_well(self) -> None:
        """Discord took a direct message."""
        self._pace.went_well()

    async def tell_waiting(self) -> None:
        """Send the notices that the store keeps, as the pace allows; those that fail for now stay.

        Of a digest that has stopped, nothing is told once it goes on. If the owner of a server's digest can't
        be reached, for example because they have left, the server's owner is told.
        """
        waiting = await self._store.notices()
        self._not_before = {one.id: self._not_before[one.id] for one in waiting if one.id in self._not_before}
        while waiting:
            notice = waiting.pop(0)
            if self._pauses(notice):
                continue
            digest = await self._store.find(notice.digest_id)
            if digest is None or not _holds(notice, digest):
                await self._store.told(notice.id)
                continue
            if not await self.has_room_for(notice.member):
                return
            if await self._store.telling(notice) and (instead := await self._tell(notice, digest)):
                waiting.insert(0, instead)

    def _pauses(self, notice: DigestNotice) -> bool:
        wait = self._not_before.get(notice.id, clock.now()) - clock.now()
        return timedelta(0) < wait <= _LONGEST_PAUSE  # a longer one comes of a clock that was ahead

    async def _tell(self, notice: DigestNotice, digest: Digest) -> DigestNotice | None:
        """Send a notice; returns it for the server's owner where its own can't be reached."""
        server, known = None, True
        try:
            server = await self._server(digest)
        except (discord.HTTPException, OSError) as error:
            log.info("the server of digest %d can't be read (%s)", digest.id, error)
            known = False
        try:
            if not notice.member:  # who set it up had everything about them forgotten
                return await self._instead(notice, server, known=known)
            await self._send(notice, digest, server)
        except (discord.HTTPException, OSError) as error:
            log.info("%d was not told of digest %d (%s)", notice.member, digest.id, error)
            if is_final(error):
                return await self._instead(notice, server, known=known)
            if getattr(error, "code", 0) == TOO_FAST:
                self.too_fast()
            await self._later(notice)
            return None
        except Exception:  # one that can't be told must not keep the digests from being posted
            log.exception("%d can't be told of digest %d; it is tried again", notice.member, digest.id)
            await self._later(notice)
            return None
        await self._store.told(notice.id)
        return None

    async def _instead(
        self, notice: DigestNotice, server: discord.Guild | None, *, known: bool
    ) -> DigestNotice | None:
        """The notice for the server's owner; None where there is nobody else, or nobody ``known`` yet."""
        owner = server.owner_id if server is not None else None
        if not known:
            await self._later(notice)
            return None
        if owner is None or owner == notice.member:
            await self._store.told(notice.id)
            return None
        await self._store.tell_instead(notice.id, owner)
        return replace(notice, member=owner, tried=None, tries=0)

    async def _later(self, notice: DigestNotice) -> None:
        """Try again after a pause that grows; no more after a day of tries."""
        now = clock.now()
        if notice.tried is not None and now - notice.tried.replace(tzinfo=UTC) >= TOLD_FOR:
            log.warning("%d could not be told of digest %d for a day", notice.member, notice.digest_id)
            await self._store.told(notice.id)
            return
        self._not_before[notice.id] = now + min(_FIRST_PAUSE * 2 ** min(notice.tries, 10), _LONGEST_PAUSE)

    async def _send(self, notice: DigestNotice, digest: Digest, server: discord.Guild | None) -> None:
        async def told(place: Any) -> None:
            view = _view(notice, digest, server.name if server else "")
            if notice.tried is None or not await self._stands(place, digest, notice, notice.tried):
                await place.send(view=view, nonce=f"n{notice.id}", allowed_mentions=NO_PINGS)

        await in_direct(self._client, self._channels, notice.member, told)

    async def _stands(self, place: Any, digest: Digest, notice: DigestNotice, tried: datetime) -> bool:
        """Whether a member was told this of a digest since a try: its button and its words stand there.

        The server's name may have been known then and not now, or the other way round.
        """
        since = tried.replace(tzinfo=UTC) - CLOCKS_DIFFER
        marks = {action(name).pattern.build({"digest": digest.id}) for name in _BUTTONS}
        async for message, ids in own_messages(self._client, place, since):
            if ids.isdisjoint(marks) or message.created_at < since:
                continue
            why, instead = replies.happened(digest, notice), notice.member != digest.owner
            texts = _texts(message.components)
            if any(replies.is_owner_told(text, digest, why, instead=instead) for text in texts):
                return True
        return False

    async def _server(self, digest: Digest) -> discord.Guild | None:
        """A digest's server; None for one by direct message, and where Labmate was removed."""
        return None if digest.is_own else await server_of(self._client, digest.guild)


_BUTTONS = {
    "digest.move": "Choose another channel",
    "digest.resume": "Resume",
    "digest.post_now": "Post now",
}
"""The button of each message, by which it is also found again."""


def _view(notice: DigestNotice, digest: Digest, server: str) -> discord.ui.LayoutView:
    """The direct message."""
    name = "digest.post_now"
    if notice.kind == "stopped":
        name = "digest.resume" if digest.is_own else "digest.move"
    instead = notice.member != digest.owner
    told = replies.owner_told(digest, replies.happened(digest, notice), server, instead=instead)
    return note(told, [[link(name, _BUTTONS[name], digest=digest.id)]])


def _texts(items: Iterable[Any]) -> list[str]:
    """The texts of a message's components."""
    found: list[str] = []
    for item in items:
        if isinstance(text := getattr(item, "content", None), str):
            found.append(text.strip())
        found += _texts(getattr(item, "children", None) or [])
    return found


def _holds(notice: DigestNotice, digest: Digest) -> bool:
    """Whether what happened is still news."""
    if notice.kind == "stopped":
        return digest.state == "broken" and digest.why == notice.why
    return clock.utc_now() - notice.made < _OLD
