"""Posting digests: what is due is chosen, written down, posted, and marked; once, whatever happens in between."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import discord

from commands.cards import digest as cards
from commands.cards.lists import note
from commands.cards.text import day as day_text
from commands.digests.choosing import choose, waiting
from commands.digests.post import contents_of, mark, post_of
from commands.kit.replies import NO_PINGS
from commands.kit.send_once import already_sent
from commands.kit.services import Services
from data.calendar import clock
from data.calendar.announcements import announced_at, last_listing
from data.calendar.slots import undone
from data.stores.digests import Delivery, Digest

log = logging.getLogger("labmate")
LEASE, LEASE_SECONDS = "digests", 120.0
PATIENCE = timedelta(hours=6)
"""How long a digest waits for a listing that should be there."""
HOLIDAY_AFTER = timedelta(hours=4)
"""Where arXiv, asked so long after its hour, has no listing, there is none that day."""
LATE = timedelta(hours=1)
"""Behind its time, a posting says that it is late."""
GIVEN_UP = timedelta(hours=20)
"""How long a posting that Discord can't take now is tried again."""
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=20), timedelta(minutes=15)
GONE = "I was removed from this server"
REFUSALS = {
    10003: "the channel is gone",
    50001: "I may not see the channel",
    50013: "I may not write in the channel",
    50007: "direct messages are closed to me",
    50083: "the thread is archived and locked",
    10013: "the member is gone",
}
_THREAD_IS_THERE = 160004


class Poster:
    """Posts what is due; :meth:`tick` is called again and again."""

    def __init__(self, client: discord.Client, services: Services) -> None:
        self._client = client
        self._services = services
        self._holder = secrets.token_hex(16)
        self._store = services.store.digests
        self._leases = services.store.leases
        self._mine: set[int] = set()
        """Deliveries that this process wrote and did not try yet: these need not be looked for in Discord."""
        self._posting = asyncio.Lock()
        """One posting at a time: what is on its way must not be taken for what a crash left."""
        self._not_before: dict[int, datetime] = {}
        """When a delivery that Discord did not take is tried again."""

    async def close(self) -> None:
        """Let another process go on at once."""
        await self._leases.release(LEASE, self._holder)

    async def tick(self) -> int:
        """Post what is due now, if no other process does; returns how many postings there were."""
        async with self._posting:
            return await self._tick()

    async def _tick(self) -> int:
        if not await self._leases.take(LEASE, self._holder, LEASE_SECONDS):
            return 0
        await self._follow_servers()
        count = 0
        for delivery in await self._store.unposted():
            if self._not_before.get(delivery.id, clock.now()) > clock.now():
                continue
            try:
                count += await self._post(delivery, again=delivery.id not in self._mine)
            except Exception:  # as below
                log.exception("delivery %d can't be posted; it is tried again", delivery.id)
                self._not_before[delivery.id] = clock.now() + _LONGEST_PAUSE
        last = await self._store.last_slots()
        for digest in await self._store.active():
            try:
                count += await self._look(digest, last.get(digest.id))
            except discord.HTTPException as error:
                log.warning("digest %d is tried again: %s", digest.id, error)
            except Exception:  # one digest that can't be made must not keep the others from being posted
                log.exception("digest %d can't be made; it is tried again", digest.id)
            if not await self._leases.take(LEASE, self._holder, LEASE_SECONDS):
                break
        return count

    async def _follow_servers(self) -> None:
        """Keep the digests of a server that removed us for its return, also where that happened while we were away."""
        here = {guild.id for guild in self._client.guilds}
        active, broken = await self._store.guilds(GONE)
        for guild in active - here:
            await self._store.break_all(guild, GONE)
        for guild in broken & here:
            await self._store.mend_all(guild, GONE)

    async def now(self, digest: Digest) -> int:
        """Post at once what is new, as today's posting."""
        if digest.state != "active":
            return 0
        async with self._posting:
            return await self._now(digest)

    async def _now(self, digest: Digest) -> int:
        now = clock.now()
        if not await self._leases.take(LEASE, self._holder, LEASE_SECONDS):
            return 0
        newest = await self._newest(last_listing(now) + timedelta(days=1))
        if newest <= digest.upto:
            return 0
        delivery = await self.prepare(digest, now.astimezone(ZoneInfo(digest.zone)).date(), now, newest)
        return await self._post(delivery, again=False) if delivery and delivery.state == "written" else 0

    # -- what is due -------------------------------------------------------------------------------

    async def _look(self, digest: Digest, last: date | None) -> int:
        now = clock.now()
        due = undone(digest.days, digest.at, digest.zone, digest.changed, last, now)
        if not due:
            return 0
        slot, at = due[-1]
        listing = last_listing(at)
        newest = await self._newest(listing)
        if newest < listing and not await self._asked_since(listing):
            if now < at + PATIENCE:
                return 0
            why = f"arXiv's listing of {day_text(listing)} could not be read in time; it comes with the next one."
            if await self._write(digest, slot, at, state="missed", upto=None, why=why):
                await self._tell_owner(digest, why)
            return 0
        if now < at + PATIENCE and await waiting(self._services, digest, min(newest, listing)):
            return 0
        delivery = await self.prepare(digest, slot, at, min(newest, listing), late=now - at > LATE)
        if delivery is None or delivery.state != "written":
            return 0
        return await self._post(delivery, again=False)

    async def _newest(self, upto: date) -> date:
        """The newest listing in the store that is not after a day."""
        newest, _, _ = await self._services.store.listings.around(upto + timedelta(days=1))
        return newest or date.min

    async def _asked_since(self, listing: date) -> bool:
        """Whether arXiv was read whole after a listing's hour: then there is none, as on a holiday."""
        announced = announced_at(listing).replace(tzinfo=None) + HOLIDAY_AFTER
        for source in ("arxiv", "arxiv-oai"):
            run = await self._services.store.last_run(source)
            if run is not None and run.finished is not None and run.started >= announced:
                return True
        return False

    async def _write(self, digest: Digest, slot: date, due: datetime, **values: Any) -> Delivery | None:
        return await self._store.write(digest, slot, due, **values, lease=(LEASE, self._holder))

    async def prepare(
        self, digest: Digest, slot: date, due: datetime, upto: date, *, late: bool = False, kept: bool = True
    ) -> Delivery | None:
        """Choose what a digest shows, and keep it (or, for a preview, not)."""
        found = await choose(self._services, digest, upto)
        state = "empty" if not found.papers and (digest.quiet or digest.news) else "written"
        if kept:
            made = await self._write(
                digest,
                slot,
                due,
                state=state,
                upto=max(upto, digest.upto),
                seen=found.seen,
                read=found.read,
                papers=found.papers,
                late=late,
            )
            if made is not None:
                self._mine.add(made.id)
            return made
        naive = due.replace(tzinfo=None)
        return Delivery(
            0,
            digest.id,
            slot,
            naive,
            state,
            upto,
            found.read,
            tuple(found.papers),
            late,
            digest.channel,
            None,
            0,
            "",
            naive,
            None,
        )

    # -- posting -----------------------------------------------------------------------------------

    async def _post(self, delivery: Delivery, *, again: bool) -> int:
        digest = await self._store.find(delivery.digest_id)
        if digest is None or digest.state in ("paused", "broken"):
            return 0
        self._mine.discard(delivery.id)
        try:
            message = await self._send(await self._place(digest), digest, delivery, again=again)
        except (discord.Forbidden, discord.NotFound) as error:
            await self._broken(digest, delivery, error)
            return 0
        except (discord.HTTPException, OSError) as error:
            if isinstance(error, discord.HTTPException) and error.code in REFUSALS:
                await self._broken(digest, delivery, error)
            else:
                await self._later(digest, delivery, error)
            return 0
        self._not_before.pop(delivery.id, None)
        await self._store.posted(delivery, digest.channel, message.id)
        return 1

    async def _later(self, digest: Digest, delivery: Delivery, error: Exception) -> None:
        """Try again after a pause that grows; in the end tell the owner."""
        last = clock.now() > delivery.due.replace(tzinfo=UTC) + GIVEN_UP
        await self._store.tried(delivery.id, str(error), failed=last)
        pause = min(_FIRST_PAUSE * 2 ** min(delivery.tries, 10), _LONGEST_PAUSE)
        self._not_before[delivery.id] = clock.now() + pause
        if last:
            self._not_before.pop(delivery.id, None)
            await self._tell_owner(digest, f"a posting could not be made for a day: {error}")

    async def _place(self, digest: Digest) -> Any:
        if digest.is_own:
            return await (await self._client.fetch_user(digest.channel)).create_dm()
        return self._client.get_channel(digest.channel) or await self._client.fetch_channel(digest.channel)

    async def _send(self, place: Any, digest: Digest, delivery: Delivery, *, again: bool) -> discord.Message:
        if isinstance(place, discord.ForumChannel):
            return await self._send_to_forum(place, digest, delivery, again=again)
        threaded = digest.form == "thread" and isinstance(place, discord.TextChannel)
        message = await self._sent(place, delivery) if again else None
        if message is None:
            if threaded:
                made: dict[str, Any] = {"view": await contents_of(self._services, digest, delivery)}
            else:
                made = await self._made(digest, delivery)
            message = await place.send(**made, nonce=str(delivery.id), allowed_mentions=NO_PINGS)
        if threaded and delivery.papers:
            await self._send_to_thread(message, digest, delivery, again=again)
        return message

    async def _made(self, digest: Digest, delivery: Delivery) -> dict[str, Any]:
        made = await post_of(self._services, digest, delivery)
        return {"view": made.view, "files": list(made.files)} if made.files else {"view": made.view}

    async def _send_to_thread(
        self, message: discord.Message, digest: Digest, delivery: Delivery, *, again: bool
    ) -> None:
        """The papers, in the day's thread below what stands in the channel."""
        try:
            thread = await message.create_thread(name=cards.thread_name(digest, delivery))
        except discord.HTTPException as error:
            if error.code != _THREAD_IS_THERE:
                raise
            found = await self._client.fetch_channel(message.id)
            assert isinstance(found, discord.Thread)
            thread = found
        if again and await self._sent(thread, delivery) is not None:
            return
        made = await self._made(digest, delivery)
        await thread.send(**made, nonce=f"{delivery.id}t", allowed_mentions=NO_PINGS)

    async def _send_to_forum(
        self, forum: discord.ForumChannel, digest: Digest, delivery: Delivery, *, again: bool
    ) -> discord.Message:
        """A post; Discord knows no nonce for these, so that what stands there is looked through before and after."""
        standing = await self._in_forum(forum, delivery) if again else []
        if not standing:
            tags = forum.available_tags[:1] if forum.flags.require_tag else []
            await forum.create_thread(
                name=cards.thread_name(digest, delivery),
                **await self._made(digest, delivery),
                applied_tags=tags,
                allowed_mentions=NO_PINGS,
            )
            standing = await self._in_forum(forum, delivery)
        first, *doubles = standing
        for double in doubles:
            await double.channel.delete()  # type: ignore[union-attr]
        return first

    async def _in_forum(self, forum: discord.ForumChannel, delivery: Delivery) -> list[discord.Message]:
        """The opening messages of posts that hold a delivery, oldest first."""
        found = []
        async for thread in self._posts(forum):
            message = await self._sent(thread, delivery)
            if message is not None:
                found.append(message)
        return sorted(found, key=lambda message: message.id)

    async def _posts(self, forum: discord.ForumChannel) -> AsyncIterator[discord.Thread]:
        """Our own posts of the last days."""
        since = discord.utils.time_snowflake(datetime.now(UTC) - timedelta(days=2))
        me = self._client.user
        for thread in await forum.guild.active_threads():
            if (
                thread.parent_id == forum.id
                and me is not None
                and thread.owner_id == me.id
                and thread.id > since
            ):
                yield thread
        async for thread in forum.archived_threads(limit=50):
            if me is not None and thread.owner_id == me.id and thread.id > since:
                yield thread

    async def _sent(self, place: Any, delivery: Delivery) -> discord.Message | None:
        """The message of a delivery that stands in its place already, known by its mark."""
        return await already_sent(self._client, place, {mark(delivery)})

    async def _broken(self, digest: Digest, delivery: Delivery, error: discord.HTTPException) -> None:
        why = REFUSALS.get(error.code, f"Discord refuses it ({error.code})")
        await self._store.change(digest.id, state="broken", why=why)
        await self._store.tried(delivery.id, why)
        await self._tell_owner(digest, f"{why}, so it has stopped. /digest resume starts it again.")

    async def _tell_owner(self, digest: Digest, why: str) -> None:
        """By direct message; where that is closed, /digest list says it."""
        try:
            user = await self._client.fetch_user(digest.owner)
            where = "" if digest.is_own else f" in <#{digest.channel}>"
            text = f"**{discord.utils.escape_markdown(digest.name)[:100]}**{where}: {why}"
            await user.send(view=note(text), allowed_mentions=NO_PINGS)
        except discord.HTTPException as error:
            log.info("the owner of digest %d was not told (%s): %s", digest.id, error, why)
