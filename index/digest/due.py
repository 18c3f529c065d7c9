"""When a digest is due, what it then covers, and what it would show now; nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from data.calendar.announcements import announced_at, last_listing
from data.calendar.slots import slots, undone
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest
from data.stores.store import Store
from index.digest.candidates import before_first, unplaced, waiting
from index.digest.choosing import choose
from index.digest.sources import DigestSources

PATIENCE = timedelta(hours=6)
"""How long a digest waits for a listing that should be there, after its hour and after a start.

So nothing is given up before arXiv was asked after an outage, and it ends though arXiv can't be reached.
"""
PATIENCE_FOR_PEOPLE = timedelta(minutes=45)
"""How long it waits for new papers' authors to be told apart, which takes minutes."""
HOLIDAY_AFTER = timedelta(hours=4)
"""If arXiv, asked so long after its hour, has no listing, there is none that day."""
ARXIV = ("arxiv", "arxiv-oai")
"""Sources that bring listings."""
_OF_ARXIV = re.compile(r"[a-z-]+\.[A-Za-z-]+|[a-z]+-[a-z]+|cs|math|stat|eess|econ|physics")
"""A category of arXiv, or an archive: others, such as the ACL Anthology's, come from files."""
_LATELY = timedelta(days=7)
_COMING = timedelta(days=16)
"""A weekly digest that has posted today is due in a week."""
LATE = timedelta(hours=1)
"""Behind its time, a posting says that it is late."""
_TOO_LATE = timedelta(days=7)
"""Behind its time, a posting is no longer sent: the next one covers the last week."""


@dataclass(frozen=True, slots=True)
class Due:
    """A posting that is due now.

    Attributes
    ----------
    slot, at
        The local day that it is for, and the instant at which it was due.
    upto
        The last listing day that it covers; None where arXiv's listing did not come in time.
    listing
        The listing day that it should cover.
    """

    slot: date
    at: datetime
    upto: date | None
    listing: date
    late: bool = False
    unexpected: bool = False
    """Whether nothing new was to be expected, so that a posting without papers would say nothing."""


async def due_now(
    sources: DigestSources, digest: Digest, last: date | None, now: datetime, since: datetime
) -> Due | None:
    """The posting that a digest is due for; None where there is none, or it still waits.

    Parameters
    ----------
    last
        The last local day that was dealt with.
    since
        When Labmate started: what came out while it was away is not read yet.
    """
    open_slots = undone(digest.days, digest.at, digest.zone, digest.changed, last, now)
    if not open_slots:
        return None
    slot, at = open_slots[-1]
    listing = last_listing(at)
    newest = await newest_listing(sources.store, listing)
    waited = now - max(at, since)
    may_wait = waited < PATIENCE
    expects = await _expects(sources, digest, now)
    if expects and newest < listing and not await _asked_since(sources.store, listing):
        return None if may_wait else Due(slot, at, None, listing)
    upto = min(newest, listing)
    if may_wait and await waiting(sources, digest, upto):
        return None
    if waited < PATIENCE_FOR_PEOPLE and await unplaced(sources, digest, upto):
        return None
    return Due(slot, at, upto, listing, late=now - at > LATE, unexpected=not expects)


async def newest_listing(store: Store, upto: date) -> date:
    """The newest listing in the store that is not after a day; ``date.min`` for none."""
    newest, _, _ = await store.listings.around(upto + timedelta(days=1))
    return newest or date.min


async def _expects(sources: DigestSources, digest: Digest, now: datetime) -> bool:
    """Whether arXiv's listings may bring a digest's papers, if only by cross-listings."""
    wanted = digest.category_set
    if wanted and not any(_OF_ARXIV.fullmatch(category) for category in wanted):
        return False
    return sources.reads_arxiv or await _read_lately(sources.store, now)


async def _read_lately(store: Store, now: datetime) -> bool:
    """Whether somebody reads arXiv by hand, or by a timer."""
    runs = [await store.last_run(source) for source in ARXIV]
    since = now.replace(tzinfo=None) - _LATELY
    return any(run is not None and run.started >= since for run in runs)


async def _asked_since(store: Store, listing: date) -> bool:
    """Whether arXiv was read whole after a listing's hour: then there is none, as on a holiday."""
    announced = announced_at(listing).replace(tzinfo=None) + HOLIDAY_AFTER
    for source in ARXIV:
        run = await store.last_run(source)
        if run is not None and run.finished is not None and run.started >= announced:
            return True
    return False


def is_too_late(delivery: Delivery, now: datetime) -> bool:
    """Whether a delivery has waited for so long that it isn't sent any more."""
    return now - delivery.due.replace(tzinfo=UTC) > _TOO_LATE


def next_due(digest: Digest, now: datetime, last: date | None = None) -> datetime | None:
    """When a digest is due next; None for one that never is, or has no time zone yet.

    Parameters
    ----------
    last
        The last local day that was dealt with, on which nothing more is posted.
    """
    if not digest.zone:
        return None
    coming = slots(digest.days, digest.at, digest.zone, now, now + _COMING)
    return next((at for slot, at in coming if last is None or slot > last), None)


async def next_postings(
    store: Store, digests: Collection[Digest], now: datetime
) -> dict[int, datetime | None]:
    """As :func:`next_due`, by the numbers of digests; in the past for one that is due and still waits."""
    last = await store.digests.last_slots(now, [digest.id for digest in digests])
    return {digest.id: _waits(digest, last.get(digest.id), now) for digest in digests}


async def next_posting(store: Store, digest: Digest, now: datetime) -> datetime | None:
    """As :func:`next_postings`, for one."""
    return (await next_postings(store, [digest], now))[digest.id]


def _waits(digest: Digest, last: date | None, now: datetime) -> datetime | None:
    if digest.state == "active":
        open_slots = undone(digest.days, digest.at, digest.zone, digest.changed, last, now)
        if open_slots:
            return open_slots[-1][1]
    return next_due(digest, now, last)


async def start(sources: DigestSources, digest: Digest, now: datetime) -> Digest | None:
    """Let a digest begin with the newest listing that there is; None for one that was deleted."""
    store, newest = sources.store, last_listing(now)
    if not await _expects(sources, digest, now):
        newest = (await store.listings.around())[1] or newest
    before, _, _ = await store.listings.around(newest)
    upto = max(before or newest - timedelta(days=1), digest.upto)
    seen = await store.listings.newest_paper()
    return await store.digests.change(digest.id, state="active", why="", upto=upto, seen=seen)


async def previewed(sources: DigestSources, digest: Digest, now: datetime) -> Delivery | None:
    """What a digest would post now, kept nowhere; None before the first listing was read."""
    store = sources.store
    _, newest, _ = await store.listings.around()
    if newest is None:
        return None
    looked = digest
    if digest.upto == date.min:
        looked = replace(digest, upto=await before_first(store, digest, newest))
    choice = await choose(sources, looked, newest)
    instant = now.replace(tzinfo=None)
    return Delivery(
        id=0,
        digest_id=digest.id,
        slot=now.astimezone(ZoneInfo(digest.zone or "UTC")).date(),
        due=instant,
        state=choice.state(looked),
        upto=newest,
        read=choice.read,
        known=choice.known,
        passed=choice.passed,
        papers=choice.papers,
        late=False,
        channel=digest.channel,
        message=None,
        tries=0,
        why="",
        made=instant,
        posted=None,
    )
