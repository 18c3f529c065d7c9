"""python -m benchmarks.month [--kills N] [--servers N] [--days N]: a month of digests in minutes, checked.

The clock jumps from event to event between 2026-07-20 and 2026-08-21. A loopback arXiv shows each day's real
listing when it was announced, and 200 digests of 40 servers in 12 time zones post to a local Discord. At the
end, the channels must have every digest once on each due day, with that day's papers, at its local time, and
nothing twice. With --kills, the bot and its workers are killed (kill -9) at random moments of the month,
while Discord misbehaves: lost answers, 429, 5xx, a dropped gateway. The outcome must be the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.data import PAPERS, ROOT, need_data, url
from benchmarks.month_arxiv import MonthArxiv, listings, visible_at
from benchmarks.month_check import check, delays
from benchmarks.month_plan import Planned, Span, plan
from bot.local_discord.server import LocalDiscord
from data.calendar import clock
from data.calendar.announcements import LOOK_AFTER, LOOK_AGAIN, announced_at, last_listing
from data.stores.store import Store

FIRST, LAST = date(2026, 7, 20), date(2026, 8, 21)
BEFORE = date(2026, 7, 13)
"""The store already has the papers from this day on when the month begins."""
STEP = timedelta(seconds=25)
"""The clock's step while something due is not done."""
PATIENCE = 500.0
"""Real seconds that something due may take."""
LIFE = (0.2, 15.0)
"""Seconds until a due kill happens."""


@dataclass
class Month:
    """The run."""

    folder: Path
    discord: LocalDiscord
    arxiv: MonthArxiv
    days: dict[date, list[dict[str, Any]]]
    span: Span
    planned: list[Planned]
    kills: int
    chance: random.Random
    process: subprocess.Popen[bytes] | None = None
    killed: int = 0
    faults: int = 0
    owed: int = 0
    """The number of kills due by now."""
    stopping: bool = False
    problems: list[str] = field(default_factory=list)

    @property
    def now(self) -> datetime:
        """The simulated instant."""
        return datetime.fromisoformat((self.folder / "clock").read_text())

    def set(self, instant: datetime) -> None:
        """Set the clock."""
        clock.show(self.folder / "clock", instant)

    # -- the bot -----------------------------------------------------------------------------------

    def start(self) -> None:
        """Start Labmate in a process of its own."""
        environment = os.environ | {
            "DISCORD_TOKEN": self.discord.bot_token,
            "DISCORD_API_URL": self.discord.api_url,
            "LABMATE_DATA": str(self.folder),
            "LABMATE_CLOCK": str(self.folder / "clock"),
            "LABMATE_CATEGORIES": "cs.AI cs.CL cs.IR",
            "LABMATE_PICTURES": "false",
            "ARXIV_OAI_URL": self.arxiv.url,
            "ARXIV_INTERVAL_SECONDS": "0",
            "DISCORD_OPENAPI": "",
        }
        with (self.folder / "bot.out").open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "bot", "run"],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Send kill -9 to the bot and its workers."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    async def kill_at_random(self) -> None:
        """Kill the bot at random moments: while it starts, reads, embeds, chooses or posts."""
        while self.killed < self.kills:
            if not self.owed:
                await asyncio.sleep(0.1)
                continue
            await asyncio.sleep(self.chance.uniform(*LIFE))
            self.kill()
            self.killed += 1
            self.owed -= 1
            self.start()

    async def misbehave(self) -> None:
        """Make Discord lose answers, refuse requests and drop connections, again and again."""
        while not self.stopping:
            await asyncio.sleep(self.chance.uniform(1, 6))
            if any(fault.times for fault in self.discord.faults.requests):
                continue  # the last fault still waits for a posting, which a queue of them would hit at once
            self.discord.faults.clear()
            kind = self.chance.choice(["lost", "lost", "429", "500", "502", "slow", "gateway"])
            self.faults += 1
            route = r"^POST /channels/\d+/(messages|threads)"
            if kind == "lost":
                self.discord.faults.add(route=route, status=500, after=True)
            elif kind == "429":
                self.discord.faults.add(route=route, status=429, retry_after=0.3)
            elif kind == "slow":
                self.discord.faults.add(route=route, delay=0.8)
            elif kind == "gateway":
                await self.discord.gateway.drop()
            else:
                self.discord.faults.add(route=route, status=int(kind))

    # -- the month ---------------------------------------------------------------------------------

    async def run(self, store: Store) -> None:
        """Go from event to event until everything due is done."""
        self.start()
        tasks = []
        if self.kills:
            tasks = [asyncio.create_task(self.kill_at_random()), asyncio.create_task(self.misbehave())]
        events = self.events()
        kills_of = Counter(self.chance.choices(range(len(events)), k=self.kills))
        shown = time.monotonic()
        for place, instant in enumerate(events):
            self.set(max(instant, self.now))
            self.owed += kills_of[place]
            await self.settle(store, instant)
            if time.monotonic() - shown > 20:
                shown = time.monotonic()
                killed = f", {self.killed} kills, {self.faults} faults" if self.kills else ""
                print(f"{self.now:%d %b %H:%M} ({place + 1} of {len(events)}{killed})", flush=True)
        if tasks:
            await tasks[0]  # the remaining kills, after which it must post nothing more
        self.stopping = True
        self.discord.faults.clear()
        await asyncio.gather(*tasks)
        await self.settle(store, self.now)
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(30)

    def events(self) -> list[datetime]:
        """Every instant at which something is due, in order."""
        instants = set()
        for day in self.days:
            if announced_at(day) < self.span.end:
                instants |= {announced_at(day) + LOOK_AFTER + timedelta(seconds=30)}
                instants |= {announced_at(day) + LOOK_AFTER + LOOK_AGAIN + timedelta(minutes=1)}
        for each in self.planned:
            instants |= {due + timedelta(seconds=5) for _, due in each.due}
        return sorted(instants)

    async def settle(self, store: Store, instant: datetime) -> None:
        """Wait until everything due by an instant is done, while the clock goes on."""
        begun, tick = time.monotonic(), time.monotonic()
        while not await self.is_done(store, instant):
            await asyncio.sleep(0.1)
            if time.monotonic() - tick > 0.6:
                tick = time.monotonic()
                self.set(self.now + STEP)
            if time.monotonic() - begun > PATIENCE:
                self.problems.append(f"something due at {instant} was not done in {PATIENCE:.0f} s")
                return

    async def is_done(self, store: Store, instant: datetime) -> bool:
        """Whether every readable listing is in and everything due is posted."""
        wanted = [
            day
            for day in self.days
            if day >= self.span.first and visible_at(day) + timedelta(minutes=8) <= instant
        ]
        if wanted:
            held = len(await store.listings.on(wanted[-1]))
            if held < len(self.days[wanted[-1]]):
                return False
        if await store.digests.unposted():
            return False
        last = await store.digests.last_slots(instant)
        for each in self.planned:
            for slot, due in each.due:
                if due > instant:
                    break
                ready = visible_at(last_listing(due)) + timedelta(minutes=8) <= instant
                if ready and last.get(each.digest.id, date.min) < slot:
                    return False
        return True


def known_before(folder: Path) -> None:
    """Load the papers before the month; done once, then copied."""
    kept = ROOT / "var" / "month"
    if not (kept / "done").exists():
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        file = kept / "before.jsonl"
        days = listings(PAPERS, BEFORE, FIRST - timedelta(days=1))
        file.write_text("".join(json.dumps(paper) + "\n" for papers in days.values() for paper in papers))
        environment = os.environ | {"LABMATE_DATA": str(kept)}
        for command in (["ingest", "file", str(file)], ["identify"]):
            subprocess.run([sys.executable, "-m", "bot", *command], cwd=ROOT, env=environment, check=True)
        (kept / "done").touch()
    shutil.copytree(kept, folder, dirs_exist_ok=True)


async def main(servers: int, kills: int, seed: int, days: int | None) -> int:
    need_data()
    span = Span(FIRST, LAST if days is None else FIRST + timedelta(days=days - 1))
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known_before(folder)
        file = folder / "clock"
        clock.show(file, span.begin)
        clock.follow(file)
        shown = listings(PAPERS, FIRST, span.last + timedelta(days=1))
        store = await Store.open(url(folder))
        async with LocalDiscord() as discord, MonthArxiv(shown, clock.now) as arxiv:
            planned = await plan(discord, store, span, servers, random.Random(seed))
            month = Month(folder, discord, arxiv, shown, span, planned, kills, random.Random(seed + 1))
            try:
                await month.run(store)
            finally:
                month.stopping = True
                month.kill()
            late = sorted(await delays(store, planned))
            checked = check(discord, planned, shown)
        await store.close()
        problems = [*month.problems, *checked.problems]
        if problems:
            shutil.copy(folder / "bot.out", ROOT / "var" / "month.log")
    clock.follow(None)
    counts = checked.counts
    zones = len({plan.digest.zone for plan in planned})
    print(f"\n{len(planned)} digests, {servers} servers, {zones} time zones, {span.first} to {span.last}")
    print(f"kills (SIGKILL)                  {month.killed}")
    print(f"faults of Discord                {month.faults}")
    print(f"postings due                     {counts['due']:,}")
    print(f"postings that stand              {counts['postings']:,}, {counts['papers']:,} papers")
    print(f"papers repeated in a channel     {counts['repeated']}")
    print(f"papers of another day or field   {counts['wrong']}")
    print(f"minutes after its time           median {late[len(late) // 2]:.1f}, most {late[-1]:.1f}")
    print(f"other problems                   {len(problems)}")
    for problem in problems[:20]:
        print(f"  {problem}")
    outcome = ROOT / "var" / f"month-{servers}-{seed}-{span.last}.json"
    if not kills:
        outcome.write_text(json.dumps(checked.outcome))
    elif outcome.exists():
        before = json.loads(outcome.read_text())
        same = sum(before.get(key) == ids for key, ids in checked.outcome.items())
        print(f"the same papers as without kills {same:,} of {len(before):,} postings")
    print(f"took                             {(time.monotonic() - begun) / 60:.1f} min")
    return int(bool(problems or counts["repeated"] or counts["wrong"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", type=int, default=40)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--days", type=int)
    chosen = parser.parse_args()
    sys.exit(asyncio.run(main(chosen.servers, chosen.kills, chosen.seed, chosen.days)))
