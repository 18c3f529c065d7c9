"""Posting digests: each is chosen, written down, posted and marked once, whatever happens in between."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import discord

from commands.cards import digest_replies as replies
from commands.cards.text import day as day_text
from commands.digests.awake import Awake
from commands.digests.owners import Owners
from commands.digests.places import NotAllowed, TimedOut
from commands.digests.removals import Removals
from commands.digests.sending import NothingLeft, Sender
from commands.kit.leader import Leader
from commands.kit.refusals import FOR_ITS_WORDS, MODERATED, TOO_FAST, is_final, reason
from commands.kit.services import Services
from data.calendar import clock
from data.calendar.announcements import last_listing
from data.stores.deliveries import PapersTaken
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest
from index.digest.choosing import choose
from index.digest.due import LATE, Due, due_now, is_too_late, newest_listing

log = logging.getLogger("labmate")
GIVEN_UP = timedelta(hours=20)
"""How long a posting that Discord can't take now is tried again."""
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=20), timedelta(minutes=15)
_MODERATED_PAUSE = timedelta(hours=4)
"""After a refusal of what it says, which moderators see each time."""


_CHOSEN_AGAIN = 3
"""How often papers are chosen where another digest of the place takes some of them just then."""


class Poster:
    """Posts what is due; :meth:`tick` is called again and again.

    Of several processes the leader posts what is due, and any what a member wishes at once; a lease on the
    digest keeps two from posting the same.
    """

    def __init__(self, client: discord.Client, services: Services, leader: Leader | None = None) -> None:
        self._client = client
        self._services = services
        self._leader = leader or Leader(services.store.leases)
        self._store = services.store.digests
        self._awake = Awake()
        self._mine: set[int] = set()
        """Deliveries that this process wrote and did not try yet: no need to look for these in Discord."""
        self._posting = asyncio.Lock()
        """One posting at a time: one on its way must not be taken for one that a crash left."""
        self._owners = Owners(client, services)
        self._removals = Removals(client, services)
        self._asked = False
        """Whether a member asked for the posting at hand, who waits for it."""
        self._not_before: dict[int, datetime] = {}
        """When a delivery that could not be made is tried again."""

    async def close(self) -> None:
        """Let another process go on at once."""
        await self._leader.resign()

    async def tick(self) -> int:
        """Post what is due now, if no other process does; returns how many postings there were."""
        async with self._posting:
            return await self._tick()

    async def _tick(self) -> int:
        await self._removals.follow()
        if not await self._leader.lead():
            return 0
        await self._owners.tell_waiting()
        count = await self._unposted()
        last = await self._store.last_slots(clock.now())
        for digest in await self._store.active():
            try:
                count += await self._look(digest, last.get(digest.id))
            except discord.HTTPException as error:
                log.warning("digest %d is tried again: %s", digest.id, error)
            except Exception:  # one digest that can't be made must not keep the others from being posted
                log.exception("digest %d can't be made; it is tried again", digest.id)
            if not await self._leader.lead():
                break
        return count

    async def _unposted(self) -> int:
        """Post what was written before and not posted."""
        count = 0
        for delivery in await self._store.unposted():
            if self._not_before.get(delivery.id, clock.now()) > clock.now() or _pauses(delivery):
                continue
            try:
                count += await self._post_unposted(delivery)
            except Exception:  # one that can't be posted must not keep the others from it
                log.exception("delivery %d can't be posted; it is tried again", delivery.id)
                self._not_before[delivery.id] = clock.now() + _LONGEST_PAUSE
        return count

    async def _post_unposted(self, delivery: Delivery) -> int:
        async with self._alone(delivery.digest_id) as alone:
            standing = await self._store.delivery(delivery.id) if alone else None
            if standing is None or standing.state != "written":
                return 0
            if await self._ended(standing):
                return 0
            return await self._post(standing, again=delivery.id not in self._mine)

    async def _ended(self, delivery: Delivery) -> bool:
        """Whether a delivery waited for so long that the next posting covers it instead."""
        if not is_too_late(delivery, clock.now()):
            return False
        self._not_before.pop(delivery.id, None)
        self._mine.discard(delivery.id)
        await self._store.give_up(delivery, replies.WAITED, state="missed")
        return True

    def _alone(self, digest: int) -> AbstractAsyncContextManager[bool]:
        return self._leader.alone(_lease(digest))

    async def now(self, digest: Digest) -> int:
        """Post at once what is still on its way, else what is new, as today's posting."""
        if digest.state != "active":
            return 0
        async with self._posting, self._alone(digest.id) as alone:
            self._asked = True
            try:
                return await self._now(digest) if alone else 0
            finally:
                self._asked = False

    async def _now(self, digest: Digest) -> int:
        for delivery in await self._store.unposted():
            if delivery.digest_id == digest.id and not await self._ended(delivery):
                return await self._post(delivery, again=delivery.id not in self._mine)
        found = await self._store.find(digest.id)
        if found is None or found.state != "active":
            return 0
        digest, now = found, clock.now()
        newest = await newest_listing(self._services.store, last_listing(now) + timedelta(days=1))
        if newest <= digest.upto:
            return 0
        slot = now.astimezone(ZoneInfo(digest.zone)).date()
        return await self._post_new(await self.prepare(digest, slot, now, newest, instead=True))

    async def _look(self, digest: Digest, last: date | None) -> int:
        """Post a digest if it is due."""
        due = await due_now(self._services, digest, last, clock.now(), self._awake.since())
        if due is None:
            return 0
        async with self._alone(digest.id) as alone:
            return await self._post_due(digest, due) if alone else 0

    async def _post_due(self, digest: Digest, due: Due) -> int:
        if due.upto is None:
            why = (
                f"arXiv's listing of {day_text(due.listing)} could not be read in time; its papers come with "
                "the next posting."
            )
            if await self._write(digest, due.slot, due.at, state="missed", upto=None, why=why):
                await self._tell()
            return 0
        how = {"late": due.late, "unexpected": due.unexpected}
        return await self._post_new(await self.prepare(digest, due.slot, due.at, due.upto, **how))

    async def prepare(
        self,
        digest: Digest,
        slot: date,
        due: datetime,
        upto: date,
        *,
        late: bool = False,
        unexpected: bool = False,
        instead: bool = False,
    ) -> Delivery | None:
        """Choose the papers of a posting, and write it down; None where another process did.

        Where none were ``unexpected`` and there are none, it is written down as empty, and not posted. It may
        stand ``instead`` of one of the same day of which nothing was posted.
        """
        for _ in range(_CHOSEN_AGAIN):
            choice = await choose(self._services, digest, upto)
            try:
                made = await self._write(
                    digest,
                    slot,
                    due,
                    state="empty" if unexpected and not choice.read else choice.state(digest),
                    upto=max(upto, digest.upto),
                    seen=choice.seen,
                    read=choice.read,
                    known=choice.known,
                    passed=choice.passed,
                    papers=choice.papers,
                    left_out=choice.left_out,
                    late=late,
                    instead=instead,
                )
            except PapersTaken:
                continue
            if made is not None:
                self._mine.add(made.id)
            return made
        return None

    async def _write(self, digest: Digest, slot: date, due: datetime, **values: Any) -> Delivery | None:
        lease = _lease(digest.id), self._leader.holder
        return await self._store.write(digest, slot, due, **values, lease=lease)

    async def _post_new(self, delivery: Delivery | None) -> int:
        if delivery is None or delivery.state != "written":
            return 0
        return await self._post(delivery, again=False)

    async def _post(self, delivery: Delivery, *, again: bool) -> int:
        digest = await self._store.find(delivery.digest_id)
        if digest is None or digest.state in ("paused", "broken"):
            return 0
        if digest.is_own and not self._asked and not await self._owners.has_room_for(digest.channel):
            return 0
        self._mine.discard(delivery.id)
        if clock.now() - delivery.due.replace(tzinfo=UTC) > LATE:
            delivery = replace(delivery, late=True)
        try:
            sender = Sender(self._client, self._services, digest, delivery, again=again)
            message = await sender.send()
        except NotAllowed as error:
            await self._broken(digest, delivery, str(error))
            return 0
        except TimedOut as error:
            await self._later(digest, delivery, error, str(error))
            return 0
        except NothingLeft:
            await self._store.give_up(delivery, replies.SHOWN_BESIDE, state="empty", back=False)
            return 0
        except (discord.HTTPException, OSError) as error:
            if is_final(error):
                await self._broken(digest, delivery, reason(error))
            else:
                await self._later(digest, delivery, error, reason(error))
            return 0
        if digest.is_own:
            self._owners.went_well()
        self._not_before.pop(delivery.id, None)
        await self._store.posted(sender.delivery, sender.place, message.id)
        return 1

    async def _later(self, digest: Digest, delivery: Delivery, error: Exception, why: str) -> None:
        """Try again after a pause that grows; in the end tell the owner."""
        log.info("digest %d is tried again: %s (%s)", digest.id, why, error)
        code = getattr(error, "code", 0)
        if digest.is_own and code == TOO_FAST:
            self._owners.too_fast()
        now = clock.now()
        since = min(delivery.tried.replace(tzinfo=UTC), now) if delivery.tried else now
        pause = min(_FIRST_PAUSE * 2 ** min(delivery.tries, 10), _LONGEST_PAUSE)
        until = now + (_MODERATED_PAUSE if code in MODERATED else pause)
        if now < since + GIVEN_UP:
            await self._store.tried(delivery.id, why, since, until)
        else:
            await self._store.give_up(delivery, why, back=code not in FOR_ITS_WORDS)
            await self._tell()

    async def _broken(self, digest: Digest, delivery: Delivery, why: str) -> None:
        await self._store.stop(digest.id, delivery.id, why)
        await self._tell()

    async def _tell(self) -> None:
        """Tell owners what happened; where another process leads, it does so at its next look."""
        if self._leader.leads:
            await self._owners.tell_waiting()


def _pauses(delivery: Delivery) -> bool:
    """Whether Discord did not take a delivery so lately that it isn't tried again yet."""
    if delivery.not_before is None:
        return False
    wait = delivery.not_before.replace(tzinfo=UTC) - clock.now()
    return timedelta(0) < wait <= _MODERATED_PAUSE  # a longer one comes of a clock that was ahead


def _lease(digest: int) -> str:
    """The right to post a digest."""
    return f"d{digest}"
