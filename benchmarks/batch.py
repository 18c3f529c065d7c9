"""python -m benchmarks.batch: a people pass and embedding on Ray, against one process; what more nodes give.

It starts Ray nodes of one core on this machine, so it measures as far as the cores allow. The rest is
Amdahl's law with what was measured, and every assumption is printed. `make test-cluster` installs Ray.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import PAPERS, VECTORS, need_data, url
from data.database.engine import BULK
from data.sources.files import PaperFile
from data.stores.store import Store
from index.batch.team import Team
from index.batch.work import NoWork, SharedWork
from index.identity import identity
from index.identity.full_pass import current
from index.identity.judging import JudgedCollection
from index.identity.passes import identify
from index.identity.unions import CertainPairs
from index.search.backlog import AT_ONCE, Embedding
from index.search.corpus import Corpus
from index.search.embedding import Embedder, paper_text
from index.search.embedding_model import DEFAULT_MODEL
from index.search.intake import Intake, ReadyVectors
from tests.helpers.ray_nodes import RayNodes

FEWER = 1_000
"""Authorships of a part; by default a part has 60,000, and a small library would be one."""
NODES = 1, 2, 4, 8, 16, 32
Pieces = Sequence[tuple[int, Any]]


@dataclass(frozen=True)
class Run:
    """Seconds until the first result, and from it to the last; how many results."""

    first: float
    rest: float
    pieces: int

    @classmethod
    def of(cls, results: Iterable[object]) -> Run:
        """Time them as they come."""
        begun = time.perf_counter()
        times = [time.perf_counter() - begun for _ in results]
        return cls(times[0], times[-1] - times[0], len(times))

    @property
    def each(self) -> float:
        """Seconds from one result to the next."""
        return self.rest / (self.pieces - 1)

    @property
    def whole(self) -> float:
        """Seconds of the whole run."""
        return self.first + self.rest


def on_ray(address: str, work: SharedWork, pieces: Pieces) -> Iterator[object]:
    """The results of some work on a cluster, its start included."""
    with Team(address, work) as team:
        yield from team.each(pieces)


@dataclass(frozen=True)
class Task:
    """One kind of work, and what one process needs for it."""

    name: str
    work: SharedWork
    pieces: Pieces
    serial: float
    """Seconds of the whole run that stay with the process that writes."""

    def here(self) -> list[float]:
        """Seconds of each piece in this process, with its model loaded."""
        do, times = self.work.opened(1, gpu=False), []
        do(self.pieces[0][1])
        for _, piece in self.pieces:
            begun = time.perf_counter()
            do(piece)
            times.append(time.perf_counter() - begun)
        return times


async def library(folder: Path, papers: int) -> Corpus:
    """A library of the first papers of the real data, with their vectors."""
    store = await Store.open(url(folder), paging=BULK)
    corpus = await Corpus.open(store, folder, Embedder(threads=1), writable=True)
    assert corpus.vectors is not None
    ready = ReadyVectors(VECTORS, corpus.vectors.fingerprint)
    with corpus.writing():
        await Intake(corpus, "file", PAPERS.name, vectors=ready).run(
            itertools.islice(PaperFile(PAPERS), papers)
        )
    return corpus


async def judging(corpus: Corpus) -> Task:
    """A full pass over the library."""
    identity._AT_ONCE = FEWER
    begun = time.perf_counter()
    await identify(corpus, full=True)
    whole = time.perf_counter() - begun
    assert corpus.vectors is not None
    log = corpus.vectors.log
    folder = current(corpus).absolute()
    collection = JudgedCollection(folder, log.folder.absolute(), log.fingerprint, CertainPairs())
    units = sorted(collection.judge.units(), key=len, reverse=True)
    task = Task("people pass", collection, list(enumerate(units)), 0.0)
    return Task(task.name, task.work, task.pieces, max(0.0, whole - sum(task.here())))


async def embedding(corpus: Corpus, papers: int) -> Task:
    """A backlog of papers; its serial part is reading texts and writing rows."""
    assert corpus.vectors is not None
    ids = corpus.vectors.known()[0][:papers].tolist()
    parts, begun = (
        [ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE)],
        time.perf_counter(),
    )
    pieces: list[tuple[int, list[str]]] = []
    for number, part in enumerate(parts):
        texts = await corpus.store.texts(part)
        pieces.append((number, [paper_text(*texts[paper][:2]) for paper in part]))
        rows = np.zeros((len(part), corpus.vectors.dimension), np.float16)
        corpus.vectors.append(part, [texts[paper][2] for paper in part], rows)
    return Task("embedding", Embedding(DEFAULT_MODEL, "cpu"), pieces, time.perf_counter() - begun)


def measure(task: Task, clusters: Sequence[RayNodes]) -> None:
    """Print what was measured, and what the model says of more nodes."""
    times = task.here()
    alone = sum(times)
    print(f"\n{task.name}: {len(times)} parts, {alone:.1f} s in one process on one core,", end=" ")
    print(f"and {task.serial:.1f} s of what can't be shared")
    runs = []
    for nodes in clusters:
        run = Run.of(on_ray(nodes.address, task.work, task.pieces))
        runs.append(run)
        start = runs[0].first - times[0]
        print(f"  Ray, nodes of one core: {nodes.count}; {run.whole:.1f} s;", end=" ")
        print(f"without {start:.1f} s to start, {alone / (run.whole - start):.2f} times one process", end="")
        print(f", {(runs[0].whole - start) / (run.whole - start):.2f} times one node", flush=True)
    empty = Run.of(on_ray(clusters[0].address, NoWork(), task.pieces))
    model(task, times, runs[0].first - times[0], empty.each)


def model(task: Task, times: Sequence[float], start: float, overhead: float) -> None:
    """Amdahl's law with the measured parts."""
    work, serial, parts = sum(times), task.serial, len(times)
    print("  the model: start + serial + parts x overhead + the larger of work / nodes and the largest part")
    print(
        f"    start     {start:8.2f} s   before the first part, while workers load what they need; measured"
    )
    print(f"    serial    {serial:8.2f} s   what the process that writes does alone; measured")
    print(f"    overhead  {1_000 * overhead:8.2f} ms  a part's way to a worker that does nothing; measured")
    print(f"    work      {work:8.2f} s   in {parts} parts, the largest {max(times):.2f} s; measured")
    print("    assumed: nodes of one core as fast as this one, which see the files; a network fast enough")
    for nodes in NODES:
        seconds = start + serial + parts * overhead + max(work / nodes, max(times))
        print(f"    {nodes:3} nodes {seconds:8.1f} s  {(work + serial) / seconds:5.2f} times one process")
    bound = (work + serial) / (start + serial + parts * overhead + max(times))
    print(f"    never more than {bound:.1f} times, however many nodes", flush=True)


async def main(papers: int, embedded: int) -> None:
    """Measure both."""
    with tempfile.TemporaryDirectory() as name:
        corpus = await library(Path(name), papers)
        print(f"{papers:,} papers; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        people, vectors = await judging(corpus), await embedding(corpus, embedded)
        with RayNodes(1) as one, RayNodes(2) as two:
            for task in (people, vectors):
                await asyncio.to_thread(measure, task, (one, two))
        await corpus.store.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=30_000)
    parser.add_argument("--embedded", type=int, default=1_024)
    chosen = parser.parse_args()
    need_data()
    asyncio.run(main(chosen.papers, chosen.embedded))
