"""python -m benchmarks.scale.people_files MADE: a made collection's files of people, and questions to them.

MADE is a folder of `benchmarks.scale.make`: who wrote what is taken from its truth, days grow as arXiv's
did. Nothing of it is read into a database. It prints seconds, CPU seconds and the highest memory (mapped
pages included) of each file, its size, and then, in a process that only opens them, questions for
collaborators.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.data import percentile
from index.people.closest_work import ClosestWork
from index.people.network_file import StoredNetwork, write_network
from index.people.packed_names import PackedNames
from index.people.people_table import PeopleTable
from index.people.stored_partners import StoredPartners, write_directions
from index.people.suggest import CollaboratorRanker

FIRST_DAY, DAYS = 726_500, 13_400
ASKED, PROLIFIC, MANY = 60, 20, 100
"""How many people are asked about, how many of them have many papers, and what that is."""


class Rows:
    """Vectors by store id: row 0 is paper 1."""

    def __init__(self, made: Path) -> None:
        self._rows = np.load(made / "papers.f16.npy", mmap_mode="r")
        self.dimension = self._rows.shape[1]

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, papers: np.ndarray) -> np.ndarray:
        return np.asarray(self._rows[papers - 1])


@contextmanager
def costs(what: str) -> Iterator[None]:
    """Print what a step costs."""
    begun, worked = time.perf_counter(), time.process_time()
    yield
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    seconds, worked = time.perf_counter() - begun, time.process_time() - worked
    print(f"{what:32} {seconds:7.1f} s {worked:7.1f} s of CPU, {most:5.2f} GB at most so far", flush=True)


def make(made: Path, folder: Path) -> None:
    """Write all files."""
    vectors = Rows(made)
    person, starts = np.load(made / "people.npy"), np.load(made / "authorships.npy")
    count = len(vectors)
    paper = np.repeat(np.arange(1, count + 1), np.diff(np.append(starts, len(person)))[:count])
    pairs = np.stack([person[: len(paper)].astype(np.int64) + 1, paper], axis=1)
    days = np.zeros(count + 1, np.int32)
    days[1:] = FIRST_DAY + (DAYS * np.sqrt(np.arange(count) / count)).astype(np.int32)
    with costs("who wrote what"):
        table, names = PeopleTable.of(pairs), PackedNames()
        for number in table.ids.tolist():
            names.add(number, f"Person {number}")
        table.write(folder / "people.map", names, pass_=1, upto=1)
    with costs("mean vectors"):
        ClosestWork.of(table, vectors).write(folder / "closest.map", pass_=1)
    with costs("the network"):
        write_network(folder / "network.map", table, days, pass_=1)
    network = StoredNetwork.open(folder / "network.map")
    assert network is not None
    with costs("directions of work"):
        write_directions(folder / "directions.map", network, vectors, pass_=1)
    for path in sorted(folder.iterdir()):
        size = path.stat().st_size
        print(f"  {path.name:40} {size / 1e6:9.1f} MB {size / count:8.1f} B a paper", flush=True)


def ask(made: Path, folder: Path) -> None:
    """Open the files and ask."""
    vectors, ranker = Rows(made), CollaboratorRanker.shipped()
    with costs("opening all"):
        network = StoredNetwork.open(folder / "network.map")
        directions = ClosestWork.open(folder / "directions.map", vectors.dimension)
    assert network is not None
    assert directions is not None
    partners = StoredPartners(
        network, lambda papers: vectors.rows(network.papers[papers].astype(np.int64)), directions[0]
    )
    chance, papers = np.random.default_rng(1), network.counts(np.arange(len(network)))
    some = chance.choice(np.flatnonzero(papers >= 3), ASKED, replace=False)
    often = np.flatnonzero(papers >= min(MANY, int(papers.max())))
    wall, worked = [], []
    for person in [*some, *chance.choice(often, min(PROLIFIC, len(often)), replace=False)]:
        begun, busy = time.perf_counter(), time.process_time()
        ranker.scores(partners.compare(partners.pool(np.array([person]))))
        wall.append(time.perf_counter() - begun)
        worked.append(time.process_time() - busy)
    fields = dict(line.split(":") for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    own = int(fields["Anonymous"].split()[0]) / 1e3
    print(
        f"collaborators of {len(wall)} people: p50 {percentile(wall, 0.5):.0f} ms, "
        f"p99 {percentile(wall, 0.99):.0f} ms; CPU p50 {percentile(worked, 0.5):.0f} ms, "
        f"p99 {percentile(worked, 0.99):.0f} ms; {own:.0f} MB of its own"
    )


def main(made: Path) -> None:
    """Make the files in a folder that vanishes, each half in a process of its own."""
    with tempfile.TemporaryDirectory(dir=made.parent) as name:
        for half in (make, ask):
            process = multiprocessing.get_context("spawn").Process(target=half, args=(made, Path(name)))
            process.start()
            process.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("made", type=Path)
    main(parser.parse_args().made)
