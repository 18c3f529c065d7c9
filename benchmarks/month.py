"""python -m benchmarks.month [--kills N] [--servers N] [--days N]: a month of digests in minutes, looked at in Discord.

The clock runs from 2026-07-20 to 2026-08-21 from one thing that happens to the next; a loopback arXiv shows each day's
real listing when it was announced; 200 digests of 40 servers in 12 time zones post to a local Discord. What stands in
its channels at the end is compared with what should: every digest once on each due day, of that day's papers, at its
local time, nothing twice. With --kills the bot is killed (kill -9) at random moments while Discord misbehaves: lost
answers, 429, 5xx, a dropped gateway. The outcome must be the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.data import PAPERS, ROOT, need_data, url
from benchmarks.month_arxiv import MonthArxiv, listings, visible_at
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import FORUM
from data import clock
from data.announcements import LOOK_AFTER, LOOK_AGAIN, announced_at, last_listing
from data.digests import Digest
from data.slots import due_at
from data.store import Store
from index.daily import has_words

FIRST, LAST = date(2026, 7, 20), date(2026, 8, 21)
BEGIN = datetime(2026, 7, 19, 22, tzinfo=UTC)
END = datetime(2026, 8, 21, 22, tzinfo=UTC)
BEFORE = date(2026, 7, 13)
"""Papers from this day on are known when the month begins."""
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
STEP = timedelta(seconds=25)
"""How far the clock goes on while something due is not done."""
PATIENCE = 500.0
"""Seconds of the machine's own time that something due may take."""
_LINK = re.compile(r"arxiv\.org/abs/([\w./-]+?)(?:v\d+)?\)")


@dataclass
class Planned:
    """A digest, and where its postings stand."""

    digest: Digest
    name: str
    place: str
    form: str


@dataclass
class Month:
    """The run."""

    folder: Path
    discord: LocalDiscord
    arxiv: MonthArxiv
    days: dict[date, list[dict[str, Any]]]
    planned: list[Planned]
    kills: int
    chance: random.Random
    process: subprocess.Popen[bytes] | None = None
    killed: int = 0
    faults: int = 0
    stopping: bool = False
    problems: list[str] = field(default_factory=list)
    slots: dict[str, list[tuple[date, datetime]]] = field(default_factory=dict)
    """What :meth:`due` found."""

    @property
    def now(self) -> datetime:
        """The simulated instant."""
        return datetime.fromisoformat((self.folder / "clock").read_text())

    def set(self, instant: datetime) -> None:
        """Set the clock."""
        clock.show(self.folder / "clock", instant)

    # -- the bot -----------------------------------------------------------------------------------

    def start(self) -> None:
        """A Labmate in a process of its own."""
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
        """kill -9, its workers too."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    async def kill_at_random(self) -> None:
        """Kill at random moments of its life: while it starts, reads, chooses, posts."""
        while not self.stopping and self.killed < self.kills:
            await asyncio.sleep(self.chance.uniform(0.5, 30))
            if self.stopping:
                return
            self.kill()
            self.killed += 1
            self.start()

    async def misbehave(self) -> None:
        """Let Discord lose answers, refuse and drop, again and again."""
        while not self.stopping:
            await asyncio.sleep(self.chance.uniform(1, 6))
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
        """Go from one thing that happens to the next until all that is due is done."""
        self.start()
        tasks = []
        if self.kills:
            tasks = [asyncio.create_task(self.kill_at_random()), asyncio.create_task(self.misbehave())]
        events = self.events()
        shown = time.monotonic()
        for place, instant in enumerate(events):
            self.set(max(instant, self.now))
            await self.settle(store, instant)
            if time.monotonic() - shown > 20:
                shown = time.monotonic()
                killed = f", {self.killed} kills, {self.faults} faults" if self.kills else ""
                print(f"{self.now:%d %b %H:%M} ({place + 1} of {len(events)}{killed})", flush=True)
        while self.killed < self.kills:  # noqa: ASYNC110 - the bot is killed by the machine's own clock
            # The month is over before the kills are: it goes on being killed, and must post nothing more.
            await asyncio.sleep(0.5)
        self.stopping = True
        self.discord.faults.clear()
        await asyncio.gather(*tasks)
        await self.settle(store, self.now)
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(30)

    def events(self) -> list[datetime]:
        """Every instant at which something is due, in order."""
        found = set()
        for day in self.days:
            if announced_at(day) < END:
                found |= {announced_at(day) + LOOK_AFTER + timedelta(seconds=30)}
                found |= {announced_at(day) + LOOK_AFTER + LOOK_AGAIN + timedelta(minutes=1)}
        for plan in self.planned:
            found |= {due + timedelta(seconds=5) for _, due in self.due(plan)}
        return sorted(found)

    def due(self, plan: Planned) -> list[tuple[date, datetime]]:
        """Local days and instants at which a digest is due within the month."""
        if plan.name in self.slots:
            return self.slots[plan.name]
        digest, found = plan.digest, self.slots.setdefault(plan.name, [])
        day = FIRST - timedelta(days=2)
        while day <= LAST + timedelta(days=1):
            at = due_at(day, digest.at, digest.zone)
            if digest.days[day.weekday()] == "1" and BEGIN < at <= END:
                found.append((day, at))
            day += timedelta(days=1)
        return found

    async def settle(self, store: Store, instant: datetime) -> None:
        """Wait until everything due by an instant is done, letting the clock go on meanwhile."""
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
        """Whether the listings that can be read are in, and what is due is posted."""
        wanted = [
            day for day in self.days if day >= FIRST and visible_at(day) + timedelta(minutes=8) <= instant
        ]
        if wanted:
            held = len(await store.listings.on(wanted[-1]))
            if held < len(self.days[wanted[-1]]):
                return False
        if await store.digests.unposted():
            return False
        last = await store.digests.last_slots()
        for plan in self.planned:
            for slot, due in self.due(plan):
                if due > instant:
                    break
                ready = visible_at(last_listing(due)) + timedelta(minutes=8) <= instant
                if ready and last.get(plan.digest.id, date.min) < slot:
                    return False
        return True

    # -- what stands in Discord --------------------------------------------------------------------

    def standing(self) -> dict[tuple[str, str], list[tuple[str, list[str]]]]:
        """For each digest and day the postings that stand: (where, arXiv ids)."""
        found: dict[tuple[str, str], list[tuple[str, list[str]]]] = {}
        bot = self.discord.state.application["bot"]["id"]
        heading = re.compile(r"## (Digest \d+) · \w+, (\d+ \w+ \d{4})\n")
        for channel, messages in self.discord.state.messages.items():
            for message in messages.values():
                text = "\n".join(_texts(message["components"]))
                if message["author"]["id"] == bot and (is_posting := heading.search(text)):
                    found.setdefault(is_posting.groups(), []).append((channel, _LINK.findall(text)))
        return found


def _texts(components: list[dict[str, Any]]) -> list[str]:
    found = []
    for component in components:
        found += [component["content"]] if "content" in component else []
        found += _texts(component.get("components", []))
    return found


async def plan(discord: LocalDiscord, store: Store, servers: int, chance: random.Random) -> list[Planned]:
    """Five digests for each server: messages, threads, forum posts, and one by direct message."""
    state, bot = discord.state, discord.state.application["bot"]["id"]
    found: list[Planned] = []
    for number in range(servers):
        guild = state.add_guild(f"Server {number}", discord.owner["id"])
        state.add_member(guild["id"], bot)
        for place in range(5):
            count = len(found)
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
            made = await store.digests.make(draft)
            upto = max(day for day in (FIRST - timedelta(days=n) for n in range(1, 6)) if day.weekday() < 5)
            started = await store.digests.change(
                made.id, state="active", upto=upto, seen=await store.listings.newest_paper()
            )
            assert started is not None
            found.append(Planned(started, name, channel, form))
    return found


def check(month: Month) -> dict[str, Any]:
    """Compare what stands in Discord with what should."""
    standing, problems, counts = month.standing(), month.problems, Counter[str]()
    announced = {paper["id"]: day for day, papers in month.days.items() for paper in papers}
    told = {paper["id"]: paper for papers in month.days.values() for paper in papers}
    outcome: dict[str, list[str]] = {}
    for plan in month.planned:
        digest, upto, shown = plan.digest, plan.digest.upto, set[str]()
        for slot, due in month.due(plan):
            key = (plan.name, f"{slot.day} {slot:%b} {slot.year}")
            found = standing.pop(key, [])
            counts["due"] += 1
            messages = 2 if plan.form == "thread" and any(ids for _, ids in found) else 1
            if len(found) != messages:
                problems.append(f"{key}: {len(found)} postings, not {messages}")
                if not found:
                    continue
            found.sort(key=lambda posting: -len(posting[1]))
            if any(ids != found[0][1][: len(ids)] or len(ids) < min(5, len(found[0][1])) for _, ids in found):
                problems.append(f"{key}: the day's thread shows other papers than the channel")
            where = {channel for channel, _ in found}
            if plan.form in ("message", "thread") and plan.place not in where:
                problems.append(f"{key}: not in its channel")
            ids = found[0][1]
            outcome[" ".join(key)] = ids
            counts["postings"] += 1
            counts["papers"] += len(ids)
            counts["repeated"] += len(shown & set(ids))
            listing = last_listing(due)
            pool = [
                number
                for number, day in announced.items()
                if upto < day <= listing and _fits(digest, told[number]) and number not in shown
            ]
            counts["wrong"] += len(set(ids) - set(pool))
            if not digest.query and len(ids) != min(
                digest.most, len(pool), 5 if plan.form != "thread" else 99
            ):
                problems.append(f"{key}: {len(ids)} papers of {len(pool)} that fit")
            shown |= set(ids)
            upto = max(upto, listing)
    for key in standing:
        problems.append(f"{key}: posted, though not due")
    return {"counts": counts, "outcome": outcome}


def _fits(digest: Digest, paper: dict[str, Any]) -> bool:
    text = f"{paper['title']} {paper['abstract']}"
    wanted = digest.category_set
    return (not wanted or bool(wanted & set(paper["lists"]))) and has_words(
        text,
        digest.require.split("\n") if digest.require else (),
        digest.exclude.split("\n") if digest.exclude else (),
    )


async def delays(store: Store, planned: list[Planned]) -> list[float]:
    """Minutes from when each posting could be made (its time, or its listing's if that was later) to when it was."""
    found = []
    for plan in planned:
        for entry in await store.digests.history(plan.digest.id, 40):
            if entry.posted is not None:
                ready = max(
                    entry.due.replace(tzinfo=UTC), visible_at(last_listing(entry.due.replace(tzinfo=UTC)))
                )
                found.append((entry.posted.replace(tzinfo=UTC) - ready).total_seconds() / 60)
    return found


def known_before(folder: Path) -> None:
    """Read in what is known when the month begins; made once, then copied."""
    made = ROOT / "var" / "month"
    if not (made / "done").exists():
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        file = made / "before.jsonl"
        days = listings(PAPERS, BEFORE, FIRST - timedelta(days=1))
        file.write_text("".join(json.dumps(paper) + "\n" for papers in days.values() for paper in papers))
        environment = os.environ | {"LABMATE_DATA": str(made)}
        for command in (["ingest", "file", str(file)], ["identify"]):
            subprocess.run([sys.executable, "-m", "bot", *command], cwd=ROOT, env=environment, check=True)
        (made / "done").touch()
    shutil.copytree(made, folder, dirs_exist_ok=True)


async def main(servers: int, kills: int, seed: int, days: int | None) -> int:
    need_data()
    global LAST, END  # a shorter month for a first look
    if days is not None:
        LAST = FIRST + timedelta(days=days - 1)
        END = datetime.combine(LAST, END.time(), UTC)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known_before(folder)
        file = folder / "clock"
        clock.show(file, BEGIN)
        clock.follow(file)
        shown = listings(PAPERS, FIRST, LAST + timedelta(days=1))
        store = await Store.open(url(folder))
        async with LocalDiscord() as discord, MonthArxiv(shown, clock.now) as arxiv:
            planned = await plan(discord, store, servers, random.Random(seed))
            month = Month(folder, discord, arxiv, shown, planned, kills, random.Random(seed + 1))
            try:
                await month.run(store)
            finally:
                month.stopping = True
                month.kill()
            late = sorted(await delays(store, planned))
            found = check(month)
        await store.close()
        if month.problems:
            shutil.copy(folder / "bot.out", ROOT / "var" / "month.log")
    clock.follow(None)
    counts = found["counts"]
    zones = len({plan.digest.zone for plan in planned})
    print(f"\n{len(planned)} digests, {servers} servers, {zones} time zones, {FIRST} to {LAST}")
    print(f"kills (SIGKILL)                  {month.killed}")
    print(f"faults of Discord                {month.faults}")
    print(f"postings due                     {counts['due']:,}")
    print(f"postings that stand              {counts['postings']:,}, {counts['papers']:,} papers")
    print(f"papers repeated in a channel     {counts['repeated']}")
    print(f"papers of another day or field   {counts['wrong']}")
    print(f"minutes after its time           median {late[len(late) // 2]:.1f}, most {late[-1]:.1f}")
    print(f"other problems                   {len(month.problems)}")
    for problem in month.problems[:20]:
        print(f"  {problem}")
    outcome = ROOT / "var" / f"month-{servers}-{seed}-{LAST}.json"
    if not kills:
        outcome.write_text(json.dumps(found["outcome"]))
    elif outcome.exists():
        before = json.loads(outcome.read_text())
        same = sum(before.get(key) == ids for key, ids in found["outcome"].items())
        print(f"the same papers as without kills {same:,} of {len(before):,} postings")
    print(f"took                             {(time.monotonic() - begun) / 60:.1f} min")
    return int(bool(month.problems or counts["repeated"] or counts["wrong"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", type=int, default=40)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--days", type=int)
    chosen = parser.parse_args()
    sys.exit(asyncio.run(main(chosen.servers, chosen.kills, chosen.seed, chosen.days)))
