"""python -m benchmarks.replies: the time from an interaction to its reply over the local Discord, and memory.

It asks each question at rest and, with --reading, once more while another process loads and embeds papers.
With --people, it asks questions about people instead, with and without pictures (after `identify` on
var/benchmark, which `python -m benchmarks.people` runs). With --ask, it asks questions that `/ask` answers.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import asking
from benchmarks.data import FOLDER, PAPERS, ROOT, full_corpus, show
from benchmarks.running import WARM, logged_in, resident, settle_client, start, timed
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from data.sources.files import PaperFile

ASKED = 150
SEARCHES = (
    "fault tolerance of GPU training",
    "retrieval augmented generation for legal questions",
    "PrismLLM",
    "how do language models represent time",
    "graph neural networks recommendation cold start",
    "in-network aggregation",
    "benchmarks for multilingual speech translation",
    "why do agents fail at long tasks",
)


async def completed(user: UserClient, texts: list[str]) -> list[float]:
    settle_client()
    times = []
    for place, text in enumerate(texts):
        begun = time.perf_counter()
        await user.complete(f"/papers author:{text}")
        if place >= WARM:
            times.append(time.perf_counter() - begun)
    return times


async def ask_all(user: UserClient, records: list[tuple[str, str]], label: str) -> None:
    chance = random.Random(7)
    some = chance.sample(records, ASKED + WARM)
    show(f"/help (a bare round trip){label}", await timed(user, ["/help"] * 60))
    show(
        f"/papers{label}",
        await timed(user, [f"/papers author:{author}" for _, author in some]),
        "target 20 ms p99",
    )
    show(
        f"/similar by id{label}",
        await timed(user, [f"/similar {paper}" for paper, _ in some]),
        "target 30 ms p99",
    )
    searches = [
        SEARCHES[place % len(SEARCHES)] + (f" {place}" if place % 3 else "") for place in range(ASKED + WARM)
    ]
    show(f"/search{label}", await timed(user, [f"/search {text}" for text in searches]), "target 45 ms p99")
    prefixes = [author[: chance.randint(1, 9)] for _, author in some]
    show(f"autocomplete of names{label}", await completed(user, prefixes), "target 30 ms p99")


async def ask_people(user: UserClient, authors: list[str], *, pictures: bool) -> None:
    """Ask about people; names that several people share are answered with a select."""
    chance = random.Random(11)
    some = chance.sample(sorted(set(authors)), 2 * (ASKED + WARM))
    one, other = some[: ASKED + WARM], some[ASKED + WARM :]
    if pictures:
        show("/author with its picture", await timed(user, [f"/author {name}" for name in one]))
        show("/graph", await timed(user, [f"/graph person:{name}" for name in one[:40]]), "target 1,500 ms")
        return
    show("/help (a bare round trip)", await timed(user, ["/help"] * 60))
    show(
        "/author without picture", await timed(user, [f"/author {name}" for name in one]), "target 40 ms p99"
    )
    pairs = [f"/compare first:{a} second:{b}" for a, b in zip(one, other, strict=True)]
    show("/compare", await timed(user, pairs), "target 150 ms p99")
    periods = [f"/trending days:{3 + place % 120}" for place in range(ASKED + WARM)]
    show("/trending", await timed(user, periods), "target 100 ms p99")
    show("/similar-people", await timed(user, [f"/similar-people {name}" for name in one]))
    await user.slash("/collaborators who:ChonLam Lao", within=60)  # builds the network
    show(
        "/collaborators",
        await timed(user, [f"/collaborators who:{name}" for name in one]),
        "target 300 ms p99",
    )
    show(
        "/who-knows",
        await timed(user, [f"/who-knows topic:{text}" for text in SEARCHES * 5]),
        "target 300 ms p99",
    )
    show(
        "/papers of a person",
        await timed(user, [f"/papers author:{name}" for name in one]),
        "target 20 ms p99",
    )


async def people() -> None:
    """Start a Labmate without and with pictures, and ask about people."""
    corpus = await full_corpus()
    await corpus.store.close()
    authors = [r.authors[0] for _, r in PaperFile(PAPERS) if r.authors]
    for pictures in (False, True):
        async with LocalDiscord() as discord:
            process = start(discord, FOLDER, pictures=pictures)
            await logged_in(process)
            try:
                async with UserClient(discord.url, discord.user_token) as user:
                    begun = time.perf_counter()
                    await user.slash("/search warm up the model", within=60)
                    await user.slash("/author ChonLam Lao", within=60)
                    print(f"{'first card after the start':34} {time.perf_counter() - begun:.1f} s")
                    await asyncio.sleep(8)
                    print(f"{'resident memory':34} {resident(process):,.0f} MB (target 1,200)")
                    await ask_people(user, authors, pictures=pictures)
            finally:
                process.terminate()
                process.wait()


async def main(reading: bool) -> None:
    corpus = await full_corpus()
    known = len(corpus.facets)
    await corpus.store.close()
    folder = FOLDER
    if reading:
        folder = FOLDER.with_name("benchmark-reading")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(FOLDER, folder)
    records = [(r.ids["arxiv"], r.authors[0]) for _, r in PaperFile(PAPERS) if r.authors]
    async with LocalDiscord() as discord:
        begun = time.perf_counter()
        process = start(discord, folder)
        await logged_in(process)
        print(
            f"{'run to logged in, ' + format(known, ',') + ' papers':34} "
            f"{time.perf_counter() - begun:.1f} s (target 6 s)"
        )
        try:
            async with UserClient(discord.url, discord.user_token) as user:
                await user.slash("/search warm up the model", within=60)
                await user.slash("/author ChonLam Lao", within=60)  # loads the people
                await asyncio.sleep(8)
                print(f"{'resident memory at rest':34} {resident(process):,.0f} MB (target 1,200)")
                if reading:
                    await while_reading(user, records, folder, process)
                else:
                    await ask_all(user, records, "")
        finally:
            process.terminate()
            process.wait()
            if reading:
                shutil.rmtree(folder, ignore_errors=True)


async def while_reading(
    user: UserClient, records: list[tuple[str, str]], folder: Path, bot: subprocess.Popen[bytes]
) -> None:
    """Ask while a low-priority worker loads and embeds new papers, as the bot's own worker does."""
    extra = folder / "more.jsonl"
    with extra.open("w") as out:
        for number, (_, record) in enumerate(PaperFile(PAPERS)):
            if number < 20_000:
                item = {
                    "id": f"9901.{number:05d}",
                    "title": record.title + " again",
                    "abstract": record.abstract,
                }
                out.write(
                    json.dumps(
                        {**item, "authors": record.authors, "lists": ["cs.CL"], "announced": "2026-08-21"}
                    )
                    + "\n"
                )
    environment = os.environ | {"LABMATE_DATA": str(folder)}
    commands = (["ingest", "file", str(extra), "--no-embed", "--events"], ["index", "--events"])
    for command, label in zip(commands, (", reading in", ", embedding"), strict=True):
        worker = subprocess.Popen(  # noqa: ASYNC220 - it only starts; nothing waits here
            ["nice", "-n", "19", sys.executable, "-m", "bot", *command],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        try:
            await asyncio.sleep(8 if command[0] == "index" else 4)
            peak = resident(bot) + resident(worker) if worker.poll() is None else 0.0
            await ask_all(user, records, label)
            if worker.poll() is None:
                peak = max(peak, resident(bot) + resident(worker))
            print(f"{'resident memory' + label:34} {peak:,.0f} MB (target 1,800)")
        finally:
            if command[0] == "index":
                worker.kill()
            worker.wait()


if __name__ == "__main__":
    if "--ask" in sys.argv[1:]:
        asyncio.run(asking.main())
    else:
        asyncio.run(people() if "--people" in sys.argv[1:] else main("--reading" in sys.argv[1:]))
