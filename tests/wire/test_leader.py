"""Several processes post digests: whichever is killed, nothing is posted twice and nothing is lost.

``LABMATE_MONTH=22`` lets it be a month of four processes, of which one is killed each day while it posts, and
another one whenever half a minute has passed since; with ``pytest -s`` it says how many that were.
"""

import asyncio
import os
import random
import re
from datetime import UTC, datetime, timedelta
from time import monotonic

from sqlalchemy import update

from data.calendar import clock
from data.stores.digest_record import Digest
from data.tables.digests import DigestRow
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Intake
from tests.helpers.digests import MONDAY, papers
from tests.helpers.several import several, store_of

DAYS = int(os.environ.get("LABMATE_MONTH", 3))
PROCESSES = 4 if DAYS > 5 else 2
PATIENCE = 240
KILL_EVERY = 30.0 if DAYS > 5 else float("inf")
"""Seconds from one kill to the next, at the latest."""


async def digest(store, guild, channel, owner):
    made = await store.digests.make(
        Digest(int(guild), int(channel), int(owner), upto=MONDAY - timedelta(days=3), at="09:00", zone="UTC")
    )
    async with store._writer.begin() as connection:
        values = {"state": "active", "changed": datetime(2026, 11, 15)}
        await connection.execute(update(DigestRow).where(DigestRow.id == made.id).values(**values))


def weekdays(count):
    days = (MONDAY + timedelta(days=n) for n in range(2 * count))
    return [day for day in days if day.weekday() < 5][:count]


def text_of(part):
    """All text of a message's components."""
    if isinstance(part, list):
        return " ".join(map(text_of, part))
    if isinstance(part, dict):
        return (
            f"{part.get('content') or ''} {text_of([v for v in part.values() if isinstance(v, list | dict)])}"
        )
    return ""


async def test_each_digest_is_posted_once_a_day_whichever_process_is_killed(tmp_path):
    time, chance = tmp_path / "clock", random.Random(7)
    clock.show(time, datetime(2026, 11, 16, 8, tzinfo=UTC))
    async with several(tmp_path, LABMATE_CLOCK=str(time)) as them:
        state, owner = them.discord.state, them.discord.owner["id"]
        guilds = [them.server_on(shard, PROCESSES) for shard in range(PROCESSES)]
        channels = [
            next(c["id"] for c in state.channels.values() if c.get("guild_id") == guild) for guild in guilds
        ]
        alive = {shard: await them.start(str(shard), PROCESSES) for shard in range(PROCESSES)}
        kills: list[float] = []

        async def kill_one():
            struck = chance.randrange(PROCESSES) if kills else 0
            await alive[struck].kill()
            alive[struck] = them.begin(str(struck), PROCESSES)
            kills.append(monotonic())

        begun = monotonic()
        async with store_of(them) as store:
            corpus = await Corpus.open(store, tmp_path / "filling", Embedder(), writable=True)
            for guild, channel in zip(guilds, channels, strict=True):
                await digest(store, guild, channel, owner)
            for number, day in enumerate(weekdays(DAYS)):
                with corpus.writing():
                    await Intake(corpus, "test", "test").run(iter(enumerate(papers(day, 1 + 100 * number))))
                at = datetime(day.year, day.month, day.day, 9, 1, tzinfo=UTC)
                clock.show(time, at)
                await asyncio.sleep(chance.random() * 3)
                await kill_one()
                async with asyncio.timeout(PATIENCE):
                    while len(await all_posted(store)) < PROCESSES * (number + 1):
                        await asyncio.sleep(0.2)
                        if monotonic() - kills[-1] > KILL_EVERY:
                            await kill_one()
                        at += timedelta(seconds=10)
                        clock.show(time, at)
            kept = await all_posted(store)
        print(f"{DAYS} days, {PROCESSES} processes: {len(kills)} kills in {monotonic() - begun:.0f} s")
        assert len(kept) == len(set(kept)) == PROCESSES * DAYS
        for channel in channels:
            posts = [text_of(m["components"]) for m in state.messages[channel].values()]
            days = [re.search(r"day, (\d+ \w+) 2026", post)[1] for post in posts]
            assert days == [f"{day.day} {day:%b}" for day in weekdays(DAYS)], "once a day, in their order"


async def all_posted(store):
    """Each posted delivery: its digest and its day."""
    return [
        (one.digest_id, one.slot)
        for digest in await store.digests.active()
        for one in await store.digests.history(digest.id, DAYS + 5)
        if one.state == "posted"
    ]
