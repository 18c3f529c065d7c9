"""Posting digests: what is due is chosen, written down, posted, and marked; once, whatever happens in between."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import discord
from discord import ui

from commands.cards import digest as cards
from commands.cards.lists import note
from commands.cards.text import day as day_text
from commands.reaching import walk
from commands.replies import NO_PINGS
from commands.services import Services
from data.announcements import announced_at, last_listing
from data.digests import Chosen, Delivery, Digest
from data.models import Paper
from data.slots import slots
from index.daily import Daily, Taste
from index.facets import in_category
from index.taste import Ranker

log = logging.getLogger("labmate")
LEASE, LEASE_SECONDS = "digests", 120.0
PATIENCE = timedelta(hours=6)
"""How long a digest waits for a listing that should be there."""
LATE = timedelta(hours=1)
"""Behind its time, a posting says that it is late."""
MOST_CANDIDATES = 4_000
MOST_DAYS = 7
"""Listings looked through at once after a pause."""
LIKED_FOR = timedelta(days=180)
MOST_LIKED = 60
MOST_TRIES = 30
GONE = "I was removed from this server"
REFUSALS = {
    10003: "the channel is gone",
    50001: "I may not see the channel",
    50013: "I may not write in the channel",
    50007: "direct messages are closed to me",
}
Clock = Callable[[], datetime]


def utc() -> datetime:
    """Now, with a zone."""
    return datetime.now(UTC)


class Poster:
    """Posts what is due; :meth:`tick` is called again and again."""

    def __init__(self, client: discord.Client, services: Services, clock: Clock = utc) -> None:
        self._client = client
        self._services = services
        self._clock = clock
        self._holder = secrets.token_hex(16)
        self._store = services.store.digests
        self._mine: set[int] = set()
        """Deliveries that this process wrote: these need not be looked for in Discord."""

    async def close(self) -> None:
        """Let another process go on at once."""
        await self._store.release(LEASE, self._holder)

    async def tick(self) -> int:
        """Post what is due now, if no other process does; returns how many postings there were."""
        if not await self._store.lease(LEASE, self._holder, LEASE_SECONDS):
            return 0
        count = 0
        for delivery in await self._store.unposted():
            count += await self._post(delivery, again=delivery.id not in self._mine)
        last = await self._store.last_slots()
        for digest in await self._store.active():
            try:
                count += await self._look(digest, last.get(digest.id))
            except discord.HTTPException as error:
                log.warning("digest %d is tried again: %s", digest.id, error)
            await self._store.lease(LEASE, self._holder, LEASE_SECONDS)
        return count

    async def now(self, digest: Digest) -> int:
        """Post at once what is new, as today's posting."""
        if digest.state != "active":
            return 0
        now = self._clock()
        if not await self._store.lease(LEASE, self._holder, LEASE_SECONDS):
            return 0
        newest = await self._newest(last_listing(now) + timedelta(days=1))
        if newest <= digest.upto:
            return 0
        delivery = await self.prepare(digest, now.astimezone(ZoneInfo(digest.zone)).date(), now, newest)
        return await self._post(delivery, again=False) if delivery and delivery.state == "written" else 0

    # -- what is due -------------------------------------------------------------------------------

    async def _look(self, digest: Digest, last: date | None) -> int:
        now = self._clock()
        since = digest.changed.replace(tzinfo=UTC)
        if last is not None:
            # Up to the end of the last local day that was dealt with nothing is due any more.
            since = max(since, datetime.combine(last, datetime.min.time(), UTC) - timedelta(days=1))
        due = [
            (slot, at)
            for slot, at in slots(digest.days, digest.at, digest.zone, since, now)
            if last is None or slot > last
        ]
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
        delivery = await self.prepare(digest, slot, at, min(newest, listing), late=now - at > LATE)
        if delivery is None or delivery.state != "written":
            return 0
        return await self._post(delivery, again=False)

    async def _newest(self, upto: date) -> date:
        """The newest listing in the store that is not after a day."""
        newest, _, _ = await self._services.store.listing_days(upto + timedelta(days=1))
        return newest or date.min

    async def _asked_since(self, listing: date) -> bool:
        """Whether arXiv was read whole after a listing's hour: then there is none, as on a holiday."""
        announced = announced_at(listing).replace(tzinfo=None) + timedelta(minutes=10)
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
        read, chosen = await choose(self._services, digest, upto)
        state = "empty" if not chosen and digest.quiet else "written"
        if kept:
            made = await self._write(
                digest,
                slot,
                due,
                state=state,
                upto=max(upto, digest.upto),
                read=read,
                papers=chosen,
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
            read,
            tuple(chosen),
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
        try:
            place = await self._place(digest)
            message = await self._sent(place, delivery) if again else None
            if message is None:
                view = await view_of(self._services, digest, delivery)
                message = await place.send(view=view, nonce=str(delivery.id), allowed_mentions=NO_PINGS)
        except (discord.Forbidden, discord.NotFound) as error:
            await self._broken(digest, delivery, error)
            return 0
        except discord.HTTPException as error:
            last = delivery.tries + 1 >= MOST_TRIES
            await self._store.tried(delivery.id, str(error), failed=last)
            if last:
                await self._tell_owner(digest, f"a posting failed {MOST_TRIES} times: {error}")
            return 0
        await self._store.posted(delivery, digest.channel, message.id)
        return 1

    async def _place(self, digest: Digest) -> Any:
        if digest.is_own:
            return await (await self._client.fetch_user(digest.channel)).create_dm()
        return self._client.get_channel(digest.channel) or await self._client.fetch_channel(digest.channel)

    async def _sent(self, place: Any, delivery: Delivery) -> discord.Message | None:
        """The message of a delivery that stands in its place already, known by its buttons."""
        marks = {f"dg:h:{delivery.id}"}
        async for message in place.history(limit=50):
            ids = {getattr(item, "custom_id", None) for item in walk(message.components)}
            if marks & ids and self._client.user is not None and message.author.id == self._client.user.id:
                found: discord.Message = message
                return found
        return None

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


async def choose(services: Services, digest: Digest, upto: date) -> tuple[int, list[Chosen]]:
    """(papers read, papers to show) of the listings after those looked through already, up to a day."""
    listed = await _listed(services, digest, upto)
    shown = await services.store.digests.shown(digest.channel, listed)
    fresh = [paper for paper in listed if paper not in shown]
    papers = {paper.id: paper for paper in await services.store.papers(fresh)}
    fresh = [number for number in fresh if number in papers and not papers[number].withdrawn]
    followed, names = await _followed(services, digest, fresh)
    taste = await taste_of(services, digest, followed)
    picks = await (await daily(services)).choose(fresh, taste, digest.most)
    near = {
        paper.id: paper for paper in await services.store.papers({n for pick in picks for n in pick.near})
    }
    texts = await services.store.texts([pick.paper for pick in picks])
    del names
    own = "that you saved or liked" if digest.is_own else "saved or liked here"
    return len(listed), [
        Chosen(
            pick.paper,
            cards.reason(
                [near[n] for n in pick.near if n in near], pick.by, digest.query, pick.on_query, own
            ),
            round(pick.closeness, 2) if pick.near or pick.on_query else None,
            texts[pick.paper][2],
        )
        for pick in picks
    ]


async def _listed(services: Services, digest: Digest, upto: date) -> list[int]:
    """Papers of the categories in the listings of the days after ``digest.upto``."""
    store = services.store
    found: list[int] = []
    _, day, _ = await store.listing_days(upto)
    on: date | None = day
    for _ in range(MOST_DAYS):
        if on is None or on <= digest.upto or on > upto:
            break
        ids = await store.listing(on)
        if digest.category_set:
            categories = await store.listing_categories(ids, on)
            ids = [
                paper
                for paper in ids
                if any(in_category(" ".join(categories[paper]), wanted) for wanted in digest.category_set)
            ]
        found += ids
        on, _, _ = await store.listing_days(on)
    return list(dict.fromkeys(found))[:MOST_CANDIDATES]


async def _followed(
    services: Services, digest: Digest, papers: Sequence[int]
) -> tuple[dict[int, tuple[str, ...]], dict[int, str]]:
    """Which papers are by followed people, with their names."""
    people = services.insight.people
    wanted = set(digest.person_numbers)
    if digest.is_own:
        mine = await services.store.members.following(digest.owner)
        wanted |= {int(follow.target) for follow in mine if follow.kind == "person"}
    elif digest.followed:
        wanted |= {int(target) for target in await services.store.members.followed("person")}
    if people is None or not wanted:
        return {}, {}
    known = await services.store.people.find_all(sorted(wanted))
    names = {person.id: person.name for person in known.values()}
    found: dict[int, tuple[str, ...]] = {}
    for paper in papers:
        by = tuple(names[number] for number in people.writers(paper).tolist() if number in names)
        if by:
            found[paper] = by
    return found, names


async def taste_of(services: Services, digest: Digest, followed: dict[int, tuple[str, ...]]) -> Taste:
    """What a channel's people, or a member, saved and liked, beside what the digest says."""
    since = datetime.now(UTC).replace(tzinfo=None) - LIKED_FOR
    mine = {"member": digest.owner} if digest.is_own else {"guild": digest.guild}
    now = datetime.now(UTC).replace(tzinfo=None)
    liked: dict[int, float] = {}
    disliked: set[int] = set()
    for _, paper, kind, when in await services.store.digests.opinions(**mine, since=since):
        if kind == "dislike":
            disliked.add(paper)
        else:
            liked[paper] = max((now - when).total_seconds() / 86_400, 0.0)
    newest = sorted(liked, key=lambda paper: liked[paper])[:MOST_LIKED]
    return Taste(
        {paper: liked[paper] for paper in newest},
        frozenset(disliked - set(newest)),
        digest.query,
        followed,
        lines(digest.require),
        lines(digest.exclude),
    )


def lines(text: str) -> tuple[str, ...]:
    """Words or phrases, one a line."""
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


async def daily(services: Services) -> Daily:
    """What chooses, loaded when it is first needed."""
    if services.daily is None:
        ranker = await asyncio.to_thread(Ranker.shipped)
        services.daily = services.daily or Daily(services.library, ranker)
    return services.daily


async def view_of(services: Services, digest: Digest, delivery: Delivery, start: int = 0) -> ui.LayoutView:
    """A delivery as it is posted."""
    from commands.digest import below, paper_buttons

    papers: dict[int, Paper] = {
        paper.id: paper for paper in await services.store.papers([entry.paper for entry in delivery.papers])
    }
    return cards.post(
        digest,
        delivery,
        papers,
        lambda paper: paper_buttons(paper),
        start=start,
        more=below(delivery, start),
        bold=frozenset(_bold(delivery.papers)),
    )


def _bold(chosen: Iterable[Chosen]) -> Iterable[str]:
    """Followed people's names, to be printed bold among the authors."""
    for entry in chosen:
        if entry.why.startswith("by "):
            yield from entry.why.removeprefix("by ").partition(", followed")[0].split(", ")
