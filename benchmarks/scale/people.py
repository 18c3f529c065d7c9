"""python -m benchmarks.scale.people: what a full people pass and a day's papers cost as the collection grows.

Each size runs in a process of its own, so that its memory is its own. Sizes are the first papers of the real
data, or libraries that are there already (``--library``), with the truth of a made collection (``--truth``).
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.data import PAPERS, ROOT, VECTORS, need_data, url
from benchmarks.scale.truth import Truth
from benchmarks.scale.watching import Watch
from data.database.engine import BULK
from data.sources.files import PaperFile
from data.stores.store import Store
from index.identity.collection import AuthorshipFiles
from index.identity.evidence import Evidence
from index.identity.full_pass import current
from index.identity.identity import Judge
from index.identity.judgement import Judgement
from index.identity.models import Models
from index.identity.passes import identify
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Intake, ReadyVectors

KEPT = ROOT / "var" / "scale-people"
COSTS = ("seconds", "cpu", "resident", "own", "pairs", "disk", "day_cpu")


@dataclass
class Cost:
    """The cost of one size: seconds, megabytes, pairs of authorships compared."""

    papers: int = 0
    authorships: int = 0
    people: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    resident: float = 0.0
    """Most memory in use, mapped files included."""
    own: float = 0.0
    """Most memory in use without mapped files."""
    pairs: int = 0
    disk: float = 0.0
    largest: int = 0
    """Authorships of the largest name, and what it costs alone."""
    largest_cpu: float = 0.0
    largest_pairs: int = 0
    day: int = 0
    """Authorships of the day's papers."""
    day_seconds: float = 0.0
    day_cpu: float = 0.0
    day_resident: float = 0.0
    bcubed: float | None = None


class Pairs:
    """Counts the pairs of authorships that are compared."""

    def __init__(self) -> None:
        self.count = 0
        real = Evidence.compare

        def counting(evidence: Evidence, one: np.ndarray, other: np.ndarray) -> np.ndarray:
            self.count += len(one)
            return real(evidence, one, other)

        Evidence.compare = counting  # type: ignore[method-assign]


async def library(folder: Path, first: int, last: int) -> None:
    """Read these papers of the real data, with their vectors, into a library."""
    folder.mkdir(parents=True, exist_ok=True)
    store = await Store.open(url(folder), paging=BULK)
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    assert corpus.vectors is not None
    with corpus.writing():
        ready = ReadyVectors(VECTORS, corpus.vectors.fingerprint)
        some = itertools.islice(iter(PaperFile(PAPERS)), first, last)
        await Intake(corpus, "file", PAPERS.name, vectors=ready).run(some)
        await corpus.embed_backlog()
    await store.close()


async def measure(folder: Path, size: int | None, day: int, truth: Path | None) -> Cost:
    """Run a full pass over a library, and then place a day's papers."""
    pairs, cost = Pairs(), Cost()
    store = await Store.open(url(folder))
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    with Watch() as watch:
        outcome = await identify(corpus, full=True)
    use, cost.pairs = watch.use, pairs.count
    cost.seconds, cost.cpu, cost.resident, cost.own = use.seconds, use.cpu, use.resident, use.own
    cost.papers, cost.authorships, cost.people = len(corpus.facets), outcome.authorships, outcome.people
    cost.disk = sum(file.stat().st_size for file in current(corpus).iterdir()) / 1e6
    _largest(corpus, cost, pairs)
    if truth is not None:
        real = Truth(truth)
        await real.read(store)
        cost.bcubed = await real.bcubed(store)
    await store.close()
    if size is not None:
        await library(folder, size, size + day)
        store = await Store.open(url(folder))
        corpus = await Corpus.open(store, folder, Embedder())
        with Watch() as watch:
            cost.day = (await identify(corpus)).changed
        cost.day_seconds, cost.day_cpu = watch.use.seconds, watch.use.cpu
        cost.day_resident = watch.use.resident
        await store.close()
    return cost


def _largest(corpus: Corpus, cost: Cost, pairs: Pairs) -> None:
    """Judge the largest name once more, alone."""
    assert corpus.vectors is not None
    collection = AuthorshipFiles.open(current(corpus), corpus.vectors)
    assert collection is not None
    counts = np.diff(collection.authorships.by_name[1])
    name, before = int(counts.argmax()), pairs.count
    judge = Judge(collection.authorships, Models.shipped(), statistics=collection.statistics)
    judge.name_odds, judge.evidence  # noqa: B018 - they are the collection's cost, not the name's
    worked = time.process_time()
    judge.judge_names(np.array([name]), Judgement.blank(len(collection)))
    cost.largest, cost.largest_cpu = int(counts[name]), time.process_time() - worked
    cost.largest_pairs = pairs.count - before


def show(costs: list[Cost]) -> None:
    """Print a line for each size, and the exponents of the costs from one size to the next."""
    for cost in costs:
        print(
            f"{cost.papers:,} papers, {cost.authorships:,} authorships, {cost.people:,} people: "
            f"{cost.seconds:.0f} s ({cost.cpu:.0f} s of CPU), resident {cost.resident:,.0f} MB "
            f"({cost.own:,.0f} MB without mapped files), {cost.pairs:,} pairs, {cost.disk:,.0f} MB on disk"
        )
        print(
            f"  the largest name: {cost.largest:,} authorships, {cost.largest_pairs:,} pairs, "
            f"{cost.largest_cpu:.1f} s of CPU"
        )
        if cost.day:
            print(
                f"  a day: {cost.day:,} authorships placed in {cost.day_seconds:.1f} s "
                f"({cost.day_cpu:.1f} s of CPU), resident {cost.day_resident:,.0f} MB"
            )
        if cost.bcubed is not None:
            print(f"  B-cubed F1 against the truth: {cost.bcubed:.4f}")
    for before, after in itertools.pairwise(costs):
        grown = math.log(after.authorships / before.authorships)
        if not grown:
            continue
        exponents = []
        for name in COSTS:
            small, large = getattr(before, name), getattr(after, name)
            if small and large:
                exponents.append(f"{name} {math.log(large / small) / grown:.2f}")
        print(f"exponents from {before.papers:,} to {after.papers:,}: {', '.join(exponents)}")


def one(size: int | None, folder: Path | None, day: int, truth: Path | None) -> None:
    """Measure one size on a copy of its library, and print it as JSON."""
    base = folder or KEPT / str(size)
    if not (base / "labmate.db").exists():
        assert size is not None
        unfinished = base.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        asyncio.run(library(unfinished, 0, size))
        unfinished.rename(base)
    with tempfile.TemporaryDirectory(dir=base.parent) as name:
        shutil.copytree(base, name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("identity", "*.lock"))
        print(json.dumps(asdict(asyncio.run(measure(Path(name), size, day, truth)))), flush=True)


def main() -> None:
    """Measure every size in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 30_000, 111_000])
    parser.add_argument("--library", type=Path, nargs="*", default=[], help="folders of libraries")
    parser.add_argument("--truth", type=Path, help="folder of the made collection behind --library")
    parser.add_argument("--day", type=int, default=500, help="papers of the day that is placed afterwards")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        here = json.loads(asked.one)
        one(here.get("size"), Path(here["library"]) if "library" in here else None, asked.day, asked.truth)
        return
    if asked.sizes and not asked.library:
        need_data()
    plans = [{"library": str(folder)} for folder in asked.library] or [{"size": n} for n in asked.sizes]
    costs = []
    for plan in plans:
        command = [sys.executable, "-m", "benchmarks.scale.people", "--one", json.dumps(plan)]
        command += ["--day", str(asked.day), *(["--truth", str(asked.truth)] if asked.truth else [])]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        costs.append(Cost(**json.loads(said.splitlines()[-1])))
    show(costs)


if __name__ == "__main__":
    main()
