"""The plan of the simulated month: 200 digests of 40 servers in 12 time zones, and when each is due."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import FORUM
from data.calendar.slots import due_at
from data.stores.digest_record import Digest
from data.stores.store import Store

ZONES = (
    "Pacific/Honolulu", "America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "Europe/London",
    "Europe/Berlin", "Africa/Nairobi", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Shanghai", "Asia/Tokyo",
    "Australia/Sydney",
)  # fmt: skip
TIMES = ("07:30", "09:00", "17:00")
QUERIES = (
    "",
    "large language model agents",
    "speech recognition",
    "retrieval augmented generation",
    "machine translation",
)
CATEGORIES = ("", "cs.CL", "cs.AI", "cs.IR", "cs.CL cs.IR")
_TURN = time(22)
"""The hour (UTC) between an evening's postings in Honolulu and the next morning's in Sydney."""


@dataclass(frozen=True)
class Span:
    """The simulated days."""

    first: date
    last: date

    @property
    def begin(self) -> datetime:
        """An instant before the first day in any zone."""
        return datetime.combine(self.first - timedelta(days=1), _TURN, UTC)

    @property
    def end(self) -> datetime:
        """The instant after which nothing is checked."""
        return datetime.combine(self.last, _TURN, UTC)

    def due(self, digest: Digest) -> list[tuple[date, datetime]]:
        """Local days and instants at which a digest is due."""
        slots = []
        day = self.first - timedelta(days=2)
        while day <= self.last + timedelta(days=1):
            at = due_at(day, digest.at, digest.zone)
            if digest.days[day.weekday()] == "1" and self.begin < at <= self.end:
                slots.append((day, at))
            day += timedelta(days=1)
        return slots


@dataclass(frozen=True)
class Planned:
    """A digest, the place of its postings, and the days and instants at which it is due."""

    digest: Digest
    name: str
    place: str
    form: str
    due: list[tuple[date, datetime]]


async def plan(
    discord: LocalDiscord, store: Store, span: Span, servers: int, chance: random.Random
) -> list[Planned]:
    """Make five digests for each server: messages, threads, forum posts, and one by direct message."""
    state, bot = discord.state, discord.state.application["bot"]["id"]
    planned: list[Planned] = []
    for number in range(servers):
        guild = state.add_guild(f"Server {number}", discord.owner["id"])
        state.add_member(guild["id"], bot)
        for place in range(5):
            count = len(planned)
            form = ("message", "message", "thread", "forum", "dm")[place]
            name = f"Digest {count}"
            owner = discord.owner["id"]
            if form == "dm":
                channel = state.add_user(f"member{count}")["id"]
                owner = channel
            elif form == "forum":
                channel = state.add_channel(guild["id"], f"c{count}", FORUM)["id"]
            else:
                channel = state.add_channel(guild["id"], f"c{count}")["id"]
            draft = Digest(
                0 if form == "dm" else int(guild["id"]),
                int(channel),
                int(owner),
                name=name,
                form="message" if form == "dm" else form,
                picture=False,
                categories=chance.choice(CATEGORIES),
                query=chance.choice(QUERIES),
                exclude=chance.choice(("", "", "survey", "benchmark")),
                require=chance.choice(("", "", "", "language")),
                most=chance.choice((3, 5, 8)),
                days=chance.choice(("1111100", "1111100", "1111111", "1000000")),
                at=TIMES[count % len(TIMES)],
                zone=ZONES[count % len(ZONES)],
            )
            digest = await store.digests.make(draft)
            upto = max(
                day for day in (span.first - timedelta(days=n) for n in range(1, 6)) if day.weekday() < 5
            )
            started = await store.digests.change(
                digest.id, state="active", upto=upto, seen=await store.listings.newest_paper()
            )
            assert started is not None
            planned.append(Planned(started, name, channel, form, span.due(started)))
    return planned
