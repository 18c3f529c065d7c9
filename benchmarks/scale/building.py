"""Steps of `benchmarks.scale.run` that make a library of a made collection: papers, vectors, people."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.data import ROOT, percentile, url
from benchmarks.scale.loading import load
from benchmarks.scale.place import Figures, Place, records
from benchmarks.scale.sampled_pass import sampled
from benchmarks.scale.truth import Truth
from benchmarks.scale.vector_questions import NEAREST, Questions, ask
from benchmarks.scale.vectors import PRINT
from benchmarks.scale.watching import Phases, Use, Watch, memory_of
from data.database.engine import BULK
from data.stores.store import Store
from index.identity.full_pass import current
from index.identity.judging import usable_cores
from index.identity.passes import identify
from index.people.insight import derive
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.vectors import Vectors

_SEED = 1
_AT_ONCE = 4_000
_ASKED = 100
STOPPABLE = ("tell_apart", "tell_some_apart", "derive_all")
"""Steps that go on where they were stopped."""


def make(place: Place) -> Figures:
    """The made collection."""
    command = [sys.executable, "-m", "benchmarks.scale.make", str(place.size), "--seed", str(_SEED)]
    with Watch() as watch:
        subprocess.run([*command, "--out", str(place.made)], cwd=ROOT, check=True)
    return watch.use.named("making")


def read_in(place: Place) -> Figures:
    """Papers and words, without vectors."""
    shutil.rmtree(place.library, ignore_errors=True)
    for begun in STOPPABLE:
        place.so_far(begun).unlink(missing_ok=True)
    unfinished = place.folder / "library.new"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    loaded = load(place.papers, unfinished)
    unfinished.rename(place.library)
    return asdict(loaded) | {"rate": loaded.rate}


def take_in_vectors(place: Place) -> Figures:
    """The vectors, and their inverted file."""
    with Watch() as watch:
        asyncio.run(_take_in(place))
    return watch.use.named("vectors") | {"vectors bytes": _bytes(place.library / "vectors") / place.size}


async def _take_in(place: Place) -> None:
    store = await Store.open(url(place.library))
    corpus = await Corpus.open(store, place.library, Embedder(), writable=True)
    assert corpus.vectors is not None
    rows = np.load(place.made / "papers.f16.npy", mmap_mode="r")
    start = 0
    with corpus.writing():
        ids = (paper["id"] for paper in records(place.made))
        while names := list(itertools.islice(ids, _AT_ONCE)):
            known = await store.paper_keys.by_arxiv_id(names)
            here = [line for line, name in enumerate(names) if name in known]
            papers, hashes = zip(*(known[names[line]] for line in here), strict=True)
            corpus.vectors.append(papers, hashes, rows[start : start + len(names)][here])
            start += len(names)
        corpus.vectors.tend()
    await store.close()


def ask_vectors(place: Place) -> Figures:
    """Recall, times and memory of the vector search; times are those of the second round of questions."""
    vectors = Vectors.open(place.library / "vectors", PRINT, writable=False)
    vectors.refresh()
    questions = Questions.make(vectors, _ASKED, _SEED)
    del vectors
    before = memory_of(os.getpid())
    vectors = Vectors.open(place.library / "vectors", PRINT, writable=False)
    vectors.refresh()
    figures: Figures = {}

    def nearest(query: np.ndarray, where: np.ndarray | None) -> np.ndarray:
        return vectors.search(query, NEAREST, where)[0]

    for answered in ask(questions, nearest):
        print(f"  while pages are mapped: {answered}", flush=True)
    for answered in ask(questions, nearest):
        print(f"  {answered}", flush=True)
        name = answered.name
        figures[f"{name} recall"] = answered.recall
        figures[f"{name} p50"] = percentile(answered.times, 0.5)
        figures[f"{name} p99"] = percentile(answered.times, 0.99)
        figures[f"{name} cpu"] = percentile(answered.cpu, 0.5)
    after = memory_of(os.getpid())
    kinds = [name for name in questions.wanted if not name.startswith("typed")]
    figures["recall"] = min(figures[f"{name} recall"] for name in kinds)
    figures["search cpu"] = max(figures[f"{name} cpu"] for name in kinds)
    figures["search p99"] = max(figures[f"{name} p99"] for name in kinds)
    figures["vectors own"], figures["vectors mapped"] = after[0] - before[0], after[1] - before[1]
    return figures


def tell_apart(place: Place) -> Figures:
    """The full people pass."""
    return asyncio.run(_tell_apart(place, some=False))


def tell_some_apart(place: Place) -> Figures:
    """The same, but only some names are judged (:mod:`benchmarks.scale.sampled_pass`)."""
    return asyncio.run(_tell_apart(place, some=True))


async def _tell_apart(place: Place, *, some: bool) -> Figures:
    store = await Store.open(url(place.library), paging=BULK)
    corpus = await Corpus.open(store, place.library, Embedder(), writable=True)
    truth, sample = Truth(place.made), None
    passing = Phases(place.so_far("tell_some_apart" if some else "tell_apart"))
    with ExitStack() as while_passing:
        while_passing.enter_context(corpus.writing())
        if some:
            await truth.read(store)
            sample = while_passing.enter_context(sampled(truth))
        while_passing.enter_context(passing)
        outcome = await identify(corpus, full=True, report=passing, processes=usable_cores())
    figures: Figures = {"people": outcome.people, "authorships": outcome.authorships}
    figures |= _whole("pass", passing) | {"pass disk": _bytes(current(corpus)) / place.size}
    if sample is None:
        await truth.read(store)
        figures["B-cubed F1"] = await truth.bcubed(store)
    else:
        figures["pass seconds"] += sample.all_seconds - sample.seconds
        figures["pass cpu"] += sample.all_cpu - sample.cpu
        figures |= {"judged": sample.judged, "B-cubed F1": sample.bcubed}
    await store.close()
    return figures


def derive_all(place: Place) -> Figures:
    """What follows from papers and people: names, topics, novelty and the network."""
    return asyncio.run(_derive_all(place))


async def _derive_all(place: Place) -> Figures:
    store = await Store.open(url(place.library), paging=BULK)
    corpus = await Corpus.open(store, place.library, Embedder(), writable=True)
    deriving = Phases(place.so_far("derive_all"))
    with corpus.writing(), deriving:
        await derive(corpus, deriving)
    await store.close()
    figures = _whole("derive", deriving)
    for path in sorted(place.library.rglob("*")):
        if path.is_file() and path.stat().st_size > 1 << 20:
            figures[f"bytes of {path.relative_to(place.library)}"] = path.stat().st_size / place.size
    return figures


def _whole(name: str, phases: Phases) -> Figures:
    """The costs of each step of a long run, and of all together."""
    figures = sum(phases.uses.values(), Use()).named(name)
    for step, use in phases.uses.items():
        figures |= use.named(step or f"the beginning of {name}")
    return figures


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
