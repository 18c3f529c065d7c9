"""python -m benchmarks.scale.memory [FOLDER]: where memory and the seconds of a start go.

First each structure is opened alone, in the order of a start: seconds, private memory, pages mapped from its
files, and bytes a paper. Then Labmate is started as `make run` starts it, asked one question of each kind,
and each of its processes is shown at rest. FOLDER is a library with people (default var/benchmark).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.data import FOLDER, ROOT, url
from benchmarks.running import logged_in, start
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from data.stores.store import Store
from index.people.insight import Insight
from index.search.corpus import Corpus
from index.search.embedding import Embedder

FIRST = (
    *("/papers author:{name}", "/search fault tolerance of GPU training", "/similar {paper}"),
    *("/author {name}", "/collaborators who:{name}", "/who-knows topic:speech translation"),
    *("/graph person:{name}", "/trending days:30", "/ask how do language models represent time?"),
)
REST = 20.0
"""Seconds of rest before the processes are looked at."""
MB = 1e6


@dataclass
class Pages:
    """Bytes in memory by origin: of no file, of the library's files, of programs."""

    private: int = 0
    data: int = 0
    programs: int = 0

    @property
    def resident(self) -> int:
        """All of them."""
        return self.private + self.data + self.programs


def pages_of(process: int, folder: Path) -> Pages:
    """Proportional pages of a process, from /proc: what two processes share is split between them."""
    pages, origin = Pages(), "private"
    for line in Path(f"/proc/{process}/smaps").read_text().splitlines():
        fields = line.split()
        if fields[0].endswith(":"):
            if fields[0] in ("Pss:",):
                setattr(pages, origin, getattr(pages, origin) + 1024 * int(fields[1]))
        elif len(fields) < 6 or not fields[5].startswith("/") or fields[5].startswith("/dev/zero"):
            origin = "private"
        else:
            origin = "data" if fields[5].startswith(str(folder.resolve())) else "programs"
    return pages


class Ledger:
    """Prints what each step of a start costs."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.papers = folder, 0
        self._process = psutil.Process().pid

    @contextmanager
    def line(self, what: str) -> Iterator[None]:
        """One step."""
        before, begun = pages_of(self._process, self._folder), time.perf_counter()
        yield
        seconds = time.perf_counter() - begun
        gc.collect()
        after = pages_of(self._process, self._folder)
        private, data = after.private - before.private, after.data - before.data
        each = f"{private / self.papers:8.1f}" if self.papers else " " * 8
        print(
            f"{what:42} {seconds:7.2f} s {private / MB:9.1f} MB private {each} B a paper "
            f"{data / MB:9.1f} MB mapped",
            flush=True,
        )


async def structures(folder: Path) -> tuple[str, str]:
    """Open one structure after another; returns an author and a paper to ask for."""
    begun = time.perf_counter()
    run = [sys.executable, "-c", "import bot.run"]
    await (await asyncio.create_subprocess_exec(*run, cwd=ROOT)).wait()
    print(f"{'Python and its imports':42} {time.perf_counter() - begun:7.2f} s", flush=True)
    ledger = Ledger(folder)
    with ledger.line("database"):
        store = await Store.open(url(folder))
    ledger.papers = await store.count()
    corpus = Corpus(store, folder, Embedder())
    with ledger.line("vectors: rows and FAISS"):
        await corpus.open_vectors()
    with ledger.line("days, categories and hashes; words"):
        await corpus.refresh()
    with ledger.line("names for completion"):
        await corpus.refresh_names()
    insight = Insight(corpus)
    with ledger.line("people, mean vectors, topics, scores"):
        await insight.refresh()
    with ledger.line("the network of coauthors"):
        experts = await insight.experts()
    assert insight.people is not None
    assert experts is not None
    _, papers, _ = insight.people.written()
    paper = int(papers[-1])
    writer = int(insight.people.writers(paper)[0])
    with ledger.line("one question about collaborators"):
        experts.suggest(writer)
    with ledger.line("the model"):
        await asyncio.to_thread(corpus.embedder.encode, ["one"])
    [record] = await store.papers([paper])
    people = len(insight.people.everybody.ids)
    print(f"{ledger.papers:,} papers, {people:,} people, {len(corpus.names):,} names", flush=True)
    total = 0
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size > 1 << 20:
            size = path.stat().st_size
            total += size
            print(
                f"  {path.relative_to(folder)!s:40} {size / MB:9.1f} MB {size / ledger.papers:9.1f} B a paper"
            )
    print(f"  {'all files':40} {total / MB:9.1f} MB {total / ledger.papers:9.1f} B a paper", flush=True)
    name = insight.people.name(writer)
    await store.close()
    return name, record.arxiv_id or record.title


async def timed(what: str, answer: Awaitable[object]) -> None:
    begun = time.perf_counter()
    await answer
    print(f"{what:60} {time.perf_counter() - begun:6.2f} s", flush=True)


async def processes(folder: Path, name: str, paper: str) -> None:
    """Start Labmate, ask one question of each kind, and show its processes at rest."""
    async with LocalDiscord() as discord:
        begun = time.perf_counter()
        process = start(discord, folder)
        await logged_in(process)
        print(f"{'start to logged in':60} {time.perf_counter() - begun:6.2f} s", flush=True)
        try:
            async with UserClient(discord.url, discord.user_token) as user:
                for place, question in enumerate(FIRST):
                    text = question.format(name=name, paper=paper)
                    await timed(text, user.slash(text, within=120))
                    if place == 0:
                        print(f"{'start to the first card':60} {time.perf_counter() - begun:6.2f} s")
                await timed("completion of a name", user.complete(f"/papers author:{name[:3]}"))
                await asyncio.sleep(REST)
                everyone = [psutil.Process(process.pid)]
                everyone += everyone[0].children(recursive=True)
                total = Pages()
                for member in everyone:
                    pages = pages_of(member.pid, folder)
                    for origin in ("private", "data", "programs"):
                        setattr(total, origin, getattr(total, origin) + getattr(pages, origin))
                    show(" ".join(member.cmdline()[-3:])[-38:], pages)
                show("all processes at rest", total)
        finally:
            process.terminate()
            process.wait()


def show(what: str, pages: Pages) -> None:
    print(
        f"{what:40} {pages.resident / MB:8.0f} MB resident: {pages.private / MB:7.0f} MB of its own, "
        f"{pages.data / MB:7.0f} MB mapped from the library, {pages.programs / MB:5.0f} MB programs",
        flush=True,
    )


async def main(folder: Path) -> None:
    """Print both parts."""
    name, paper = await structures(folder)
    await processes(folder, name, paper)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    asyncio.run(main(parser.parse_args().folder))
