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
from pathlib import Path

from benchmarks.data import url
from data.sources.snapshot import SOURCE, SnapshotChoice, SnapshotFile
from data.stores.store import Store
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Summary
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


async def load(path: Path, folder: Path, total: int) -> tuple[float, Rates]:
    """Read the file into a new library; returns the seconds and the rates."""
    store = await Store.open(url(folder), bulk=True)
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    with corpus.writing():
        begun = time.perf_counter()
        rates = Rates(total)
        file = SnapshotFile(path, SnapshotChoice())
        await ResumedIntake(corpus, SOURCE, file.scope, progress=rates).run(iter(file))
        seconds = time.perf_counter() - begun
    await store.close()
    return seconds, rates


def show_sizes(folder: Path, papers: int) -> None:
    """Print the bytes a paper of the database, by table and index, and of the word index."""
    with closing(sqlite3.connect(folder / "labmate.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows = database.execute(
            "SELECT name, sum(pgsize), sum(unused) FROM dbstat GROUP BY name ORDER BY 2 DESC"
        ).fetchall()
    whole = sum(row[1] for row in rows) / papers
    words = sum(file.stat().st_size for file in (folder / "words").iterdir()) / papers
    print(f"database   {whole:7,.0f} bytes a paper (target {_DATABASE:,})")
    for name, size, unused in rows[:_TABLES_SHOWN]:
        print(f"  {name:34} {size / papers:7,.0f}   of them unused {100 * unused / size:.0f} %")
    print(f"word index {words:7,.0f} bytes a paper (target {_WORDS:,})")


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
    total = count_lines(chosen.file)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        seconds, rates = asyncio.run(load(chosen.file, Path(name), total))
        flat = sum(rates.rates[-3:]) / sum(rates.rates[1:4])
        print(
            f"{total:,} records in {seconds:.0f} s: {total / seconds:,.0f}/s (target 3,000); "
            f"at the end {flat:.2f} times as fast as at the beginning"
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(f"memory at its highest {peak:,.0f} MB, with the model's libraries")
        show_sizes(Path(name), total)


if __name__ == "__main__":
    main()
