"""Steps of `benchmarks.scale.run` that ask a running Labmate: at rest, and while a day is read in."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson
import psutil

from benchmarks.asking import questions
from benchmarks.data import ROOT, percentile, url
from benchmarks.digests import taste
from benchmarks.replies import SEARCHES, completed
from benchmarks.running import WARM, logged_in, settle_client, start, timed
from benchmarks.scale.place import Figures, Place, records
from benchmarks.scale.watching import Watch, memory_of
from bot.cli.ingest import people_wait
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from data.stores.store import Store
from index.digest.chooser import Chooser
from index.digest.taste import TasteRanker
from index.search.corpus import Corpus
from index.search.embedding import Embedder

_ASKED = 60
_DAY, _CHANNELS = 1_200, 1_000
_SEED = 99
_TOO_LONG = 1_800.0
"""Seconds after which a day counts as not taken in."""
_REST = 20.0
"""Seconds of rest before memory is looked at."""

TURNS, MULTIPLES = 200, ("/papers", "/similar", "/search")
"""Rounds that interleave a bare round trip with each of these."""
Asking = Callable[[UserClient], Awaitable[list[float]]]


@dataclass(frozen=True)
class Asked:
    """What is asked about: papers' arXiv ids and authors of theirs."""

    papers: list[str]
    authors: list[str]

    @classmethod
    async def of(cls, place: Place, count: int) -> Asked:
        """Papers drawn by chance, and an author of each."""
        store = await Store.open(url(place.library))
        chance = random.Random(7)
        drawn = await store.papers(chance.sample(range(1, place.size), count * 2))
        await store.close()
        papers = [paper for paper in drawn if paper.arxiv_id and paper.authors][:count]
        return cls(
            [str(paper.arxiv_id) for paper in papers],
            [chance.choice(paper.authors).name for paper in papers],
        )

    def multiples(self) -> dict[str, list[str]]:
        """What is interleaved with a bare round trip."""
        count = len(self.authors)
        return {
            "/help": ["/help"] * count,
            "/papers": [f"/papers author:{name}" for name in self.authors],
            "/similar": [f"/similar {paper}" for paper in self.papers],
            "/search": [f"/search {SEARCHES[n % len(SEARCHES)]} {n + count}" for n in range(count)],
        }

    def kinds(self) -> dict[str, Asking]:
        """The questions of each kind, in the order in which they are asked."""
        authors, papers = self.authors, self.papers
        chance = random.Random(11)
        typed = [name[: chance.randint(1, 9)] for name in authors]
        count = len(authors)
        searches = [f"{SEARCHES[n % len(SEARCHES)]} {n}" for n in range(count)]

        def slash(commands: list[str]) -> Asking:
            return lambda user: timed(user, commands)

        return {
            "/help": slash(["/help"] * count),
            "/papers": slash([f"/papers author:{name}" for name in authors]),
            "/similar": slash([f"/similar {paper}" for paper in papers]),
            "/search": slash([f"/search {text}" for text in searches]),
            "/author": slash([f"/author {name}" for name in authors]),
            "/collaborators": slash([f"/collaborators who:{name}" for name in authors]),
            "/who-knows": slash([f"/who-knows topic:{text}" for text in searches]),
            "/ask": slash([f"/ask {question}" for question in questions(count)]),
            "completion": lambda user: completed(user, typed),
        }


def answer(place: Place) -> Figures:
    """The start, replies of each kind and memory at rest."""
    return asyncio.run(_answer(place))


async def _answer(place: Place) -> Figures:
    asked = await Asked.of(place, _ASKED)
    kinds, once = asked.kinds(), Asked(asked.papers[:1], asked.authors[:1]).kinds()
    figures: Figures = {}
    async with LocalDiscord() as discord:
        begun = time.perf_counter()
        process = start(discord, place.library)
        try:
            await logged_in(process)
            figures["logged in"] = time.perf_counter() - begun
            async with UserClient(discord.url, discord.user_token) as user:
                await user.slash(f"/papers author:{asked.authors[0]}", within=120)
                figures["first card"] = time.perf_counter() - begun
                for name, ask in once.items():
                    first = time.perf_counter()
                    await ask(user)
                    figures[f"{name} first"] = time.perf_counter() - first
                figures["first of each kind"] = time.perf_counter() - begun
                figures["looking up p50"] = await _looking_up(user)
                await _ask_all(user, kinds, figures, "")
                await _interleaved(user, (await Asked.of(place, TURNS)).multiples(), figures)
                await asyncio.sleep(_REST)
                figures["rest own"], figures["rest mapped"] = _memory(process.pid)
        finally:
            process.terminate()
            process.wait()
    return figures


async def _looking_up(user: UserClient) -> float:
    """The ms in which the measuring client looks up the commands, before it sends any; p50."""
    times = []
    for _ in range(_ASKED):
        begun = time.perf_counter()
        await user.commands()
        times.append(time.perf_counter() - begun)
    return percentile(times, 0.5)


async def _ask_all(user: UserClient, kinds: dict[str, Asking], figures: Figures, when: str) -> None:
    for name, ask in kinds.items():
        times = await ask(user)
        for share in (50, 99):
            figures[f"{name}{when} p{share}"] = percentile(times, share / 100)
        print(
            f"  {name + when:28} p50 {percentile(times, 0.5):8.1f} ms  p99 {percentile(times, 0.99):8.1f} ms",
            flush=True,
        )


async def _interleaved(user: UserClient, commands: dict[str, list[str]], figures: Figures) -> None:
    """Times as multiples of a bare round trip, interleaved with it so that all meet the same load."""
    settle_client()
    times: dict[str, list[float]] = {name: [] for name in commands}
    for round_ in zip(*commands.values(), strict=True):
        for name, command in zip(commands, round_, strict=True):
            begun = time.perf_counter()
            await user.slash(command)
            times[name].append(time.perf_counter() - begun)
    bare = times["/help"][WARM:]
    for name in MULTIPLES:
        for share in (50, 99):
            multiple = percentile(times[name][WARM:], share / 100) / percentile(bare, share / 100)
            figures[f"{name} / help p{share}"] = multiple
            print(f"  {name}, interleaved with /help, p{share}: {multiple:.1f} times as long", flush=True)


def _memory(process: int) -> tuple[float, float]:
    """MB of a process and its children: their own, and mapped from files."""
    root = psutil.Process(process)
    sizes = [memory_of(member.pid) for member in (root, *root.children(recursive=True))]
    return sum(size[0] for size in sizes), sum(size[1] for size in sizes)


def take_in_day(place: Place) -> Figures:
    """A day's papers: read in, embedded, their people placed, and the digests of a thousand channels."""
    figures = asyncio.run(_take_in_day(place))
    figures |= asyncio.run(_choose_digests(place))
    figures["day minutes"] = (figures["day seconds"] + figures["digests seconds"]) / 60
    return figures


async def _take_in_day(place: Place) -> Figures:
    kinds = (await Asked.of(place, _ASKED // 2)).kinds()
    figures: Figures = {}
    with tempfile.TemporaryDirectory(dir=place.folder) as name:
        await asyncio.to_thread(_make_day, Path(name), await _days_before(place))
        async with LocalDiscord() as discord:
            bot = start(discord, place.library)
            try:
                await logged_in(bot)
                async with UserClient(discord.url, discord.user_token) as user:
                    await _ask_all(user, kinds, figures, " before")
                    with Watch(bot.pid) as watch:
                        day = asyncio.create_task(_day_is_in(place, Path(name)))
                        meanwhile: dict[str, list[float]] = {}
                        while not day.done():
                            for kind, ask in kinds.items():
                                if day.done():
                                    break
                                meanwhile.setdefault(kind, []).extend(await ask(user))
                        await day
            finally:
                bot.terminate()
                bot.wait()
    for kind, times in meanwhile.items():
        figures[f"{kind} meanwhile p50"] = percentile(times, 0.5)
        slower = figures[f"{kind} meanwhile p50"] / figures[f"{kind} before p50"]
        figures[f"{kind} meanwhile"] = slower
        print(f"  {kind:20} {slower:.2f} times as long while the day is read in ({len(times)})", flush=True)
    figures["meanwhile"] = max(figures[f"{kind} meanwhile"] for kind in meanwhile)
    figures["day seconds"], figures["day own"] = watch.use.seconds, watch.use.own
    figures["day resident"] = watch.use.resident
    return figures


async def _day_is_in(place: Place, folder: Path) -> None:
    """Read the day in; the running Labmate embeds its papers and places their people by itself."""
    store = await Store.open(url(place.library))
    try:
        begun, before = time.perf_counter(), await store.count()
        command = ["ingest", "snapshot", str(folder / "day.json"), "--categories", "all"]
        await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "bot", *command],
            cwd=ROOT,
            env=os.environ | {"LABMATE_DATA": str(place.library)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        print(f"  read in in {time.perf_counter() - begun:.0f} s", flush=True)
        added = await store.count() - before
        corpus = await Corpus.open(store, place.library, Embedder())
        while await people_wait(store) or corpus.waiting():
            if time.perf_counter() - begun > _TOO_LONG:
                raise RuntimeError(
                    f"{added:,} papers are not all embedded and placed after {_TOO_LONG:.0f} s"
                )
            await asyncio.sleep(2)
            await corpus.refresh()
        print(f"  embedded and placed in {time.perf_counter() - begun:.0f} s", flush=True)
    finally:
        await store.close()


async def _days_before(place: Place) -> int:
    """How many such days earlier runs have read in."""
    store = await Store.open(url(place.library))
    days = 0
    while await store.paper_keys.by_arxiv_id([_day_id(days, 0)]):
        days += 1
    await store.close()
    return days


def _day_id(days: int, number: int) -> str:
    return f"2609.{days * _DAY + number:05d}"


def _make_day(folder: Path, days: int) -> None:
    seed = str(_SEED + days)
    command = [sys.executable, "-m", "benchmarks.scale.make", str(_DAY), "--seed", seed, "--out", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    with (folder / "day.json").open("wb") as day:
        for number, paper in enumerate(records(folder)):
            paper["id"] = _day_id(days, number)
            paper["versions"] = [{"version": "v1", "created": "Tue, 1 Sep 2026 12:00:00 GMT"}]
            paper["update_date"] = "2026-09-02"
            day.write(orjson.dumps(paper) + b"\n")


async def _choose_digests(place: Place) -> Figures:
    rng = np.random.default_rng(0)
    store = await Store.open(url(place.library))
    corpus = await Corpus.open(store, place.library, Embedder())
    days = corpus.facets.days
    known = np.flatnonzero((corpus.facets.codes >= 0) & (days > 0))
    newest = known[np.argsort(-days[known], kind="stable")]
    chooser = Chooser(corpus, TasteRanker.shipped())
    tastes = [taste(corpus, newest[_DAY : _DAY + 100_000], rng) for _ in range(_CHANNELS)]
    with Watch() as watch:
        for one in tastes:
            await chooser.choose(newest[:_DAY].tolist(), one, 5)
    await store.close()
    print(f"  digests of {_CHANNELS:,} channels in {watch.use.seconds:.0f} s", flush=True)
    return watch.use.named("digests")
