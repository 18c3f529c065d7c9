"""python -m benchmarks.scale.loading FILE: reads a made collection in without embedding; shows what grows.

It prints the rate of each twentieth of the run, the memory at its highest, and the bytes a paper of the
database, by table and index, and of the word index.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.data import url
from data.database.engine import MILLIONS
from data.sources.snapshot import SOURCE, SnapshotChoice, SnapshotFile
from data.stores.store import Store
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Summary
from index.search.ready_words import ReadyWords
from index.search.resumed_intake import ResumedIntake

_PARTS = 20
_DATABASE, _WORDS = 3_000, 1_000
_TABLES_SHOWN = 12


class Rates:
    """Prints a line for each part of a run."""

    def __init__(self, total: int) -> None:
        self._step = max(1, total // _PARTS)
        self._read, self._written = 0, written()
        self._time, self._cpu = time.perf_counter(), time.process_time()
        self.rates: list[float] = []

    def __call__(self, summary: Summary) -> None:
        if summary.read - self._read < self._step:
            return
        now, cpu = time.perf_counter(), time.process_time()
        count = summary.read - self._read
        self.rates.append(count / (now - self._time))
        spent, wrote = 1e6 * (cpu - self._cpu) / count, (written() - self._written) / count / 1e3
        print(
            f"  {summary.read:>10,}  {self.rates[-1]:7,.0f}/s  a record: {spent:4.0f} us of CPU, "
            f"{wrote:4.1f} KB written",
            flush=True,
        )
        self._read, self._time, self._cpu, self._written = summary.read, now, cpu, written()


def written() -> int:
    """The bytes that this process has sent to the disk."""
    for line in Path("/proc/self/io").read_text().splitlines():
        if line.startswith("write_bytes:"):
            return int(line.split()[1])
    return 0


def count_lines(path: Path) -> int:
    """How many papers the file has."""
    file = SnapshotFile(path, SnapshotChoice(categories=()))
    for _ in file:
        pass
    return file.lines


@dataclass(frozen=True)
class Loaded:
    """What a load cost.

    Attributes
    ----------
    flat
        How many times as fast the end was as the beginning.
    cpu
        Microseconds of CPU a record.
    peak
        The most memory, in MB, with the model's libraries.
    database, words
        Bytes a paper.
    """

    records: int
    seconds: float
    flat: float
    cpu: float
    peak: float
    database: float
    words: float

    @property
    def rate(self) -> float:
        """Records a second."""
        return self.records / self.seconds


def load(path: Path, folder: Path) -> Loaded:
    """Read a file into a new library in this folder, and measure."""
    total = count_lines(path)
    worked = time.process_time()
    seconds, rates = asyncio.run(_load(path, folder, total))
    worked = time.process_time() - worked
    flat = sum(rates.rates[-3:]) / sum(rates.rates[1:4])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    with closing(sqlite3.connect(folder / "labmate.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = (folder / "labmate.db").stat().st_size / total
    words = sum(file.stat().st_size for file in (folder / "word-index").iterdir()) / total
    return Loaded(total, seconds, flat, 1e6 * worked / total, peak, size, words)


async def _load(path: Path, folder: Path, total: int) -> tuple[float, Rates]:
    """The seconds and the rates."""
    store = await Store.open(url(folder), paging=MILLIONS)
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    with corpus.writing():
        begun = time.perf_counter()
        rates = Rates(total)
        file = SnapshotFile(path, SnapshotChoice())
        words = ReadyWords()
        reading = words.reading(partial(SnapshotFile, path, SnapshotChoice()))
        await ResumedIntake(corpus, SOURCE, file.scope, words=words, progress=rates).run(iter(reading))
        seconds = time.perf_counter() - begun
    await store.close()
    return seconds, rates


def show_tables(folder: Path, papers: int) -> None:
    """Print the bytes a paper of the database's tables and indexes."""
    with closing(sqlite3.connect(folder / "labmate.db")) as database:
        rows = database.execute(
            "SELECT name, sum(pgsize), sum(unused) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT ?",
            (_TABLES_SHOWN,),
        ).fetchall()
    for name, size, unused in rows:
        print(f"  {name:34} {size / papers:7,.0f}   of them unused {100 * unused / size:.0f} %")


def main() -> None:
    """Load and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="papers.json.zst of benchmarks.scale.make")
    parser.add_argument(
        "--folder", type=Path, help="where the library is made, by default a temporary folder"
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        loaded = load(chosen.file, Path(name))
        print(
            f"{loaded.records:,} records in {loaded.seconds:.0f} s: {loaded.rate:,.0f}/s (target 3,000); "
            f"at the end {loaded.flat:.2f} times as fast as at the beginning"
        )
        print(f"memory at its highest {loaded.peak:,.0f} MB, with the model's libraries")
        print(f"database   {loaded.database:7,.0f} bytes a paper (target {_DATABASE:,})")
        show_tables(Path(name), loaded.records)
        print(f"word index {loaded.words:7,.0f} bytes a paper (target {_WORDS:,})")


if __name__ == "__main__":
    main()
