"""python -m benchmarks.backup: ways to copy the database while another process writes 70 times a second.

It prints, for each way, its time, the writer's longest waits, and the largest size of the log.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.data import FOLDER, ROOT, full_corpus, percentile, url
from data.database import backups, sqlite_files
from data.stores.store import Store

A_SECOND = 70
TOO_LONG = 60.0
"""Seconds after which a copy counts as endless."""


class _TooLongError(Exception):
    """A copy that did not end."""


def write(database: Path, said: Connection) -> None:
    """Write until told to stop, then print the seconds of each write."""
    asyncio.run(_write(database, said))


async def _write(database: Path, said: Connection) -> None:
    store = await Store.open(url(database.parent))
    number, times = 0, []
    await store.kept_texts.keep(f"first {time.time()}")
    said.send("ready")
    following = time.perf_counter()
    while not said.poll():
        number += 1
        begun = time.perf_counter()
        await store.kept_texts.keep(f"text {number} {time.time()}")
        times.append(time.perf_counter() - begun)
        following += 1 / A_SECOND
        await asyncio.sleep(max(0.0, following - time.perf_counter()))
    said.send((times, database.with_name("labmate.db-wal").stat().st_size))
    await store.close()


def shell_backup(database: Path, target: Path) -> None:
    """Copy as ``sqlite3 labmate.db ".backup ..."`` does: 100 pages a step, over again after each change."""
    begun = time.perf_counter()

    def stop(*_: int) -> None:
        if time.perf_counter() - begun > TOO_LONG:
            raise _TooLongError

    with closing(sqlite_files.writable(database)) as source, closing(sqlite3.connect(target)) as out:
        source.backup(out, pages=100, progress=stop, sleep=0)


def one_step(database: Path, target: Path) -> None:
    """Copy all pages in one step."""
    with closing(sqlite_files.writable(database)) as source, closing(sqlite3.connect(target)) as out:
        source.backup(out, pages=-1)


def vacuum_into(database: Path, target: Path) -> None:
    """Copy every row into a new, compact file."""
    with closing(sqlite_files.writable(database)) as source:
        source.execute("VACUUM INTO ?", (str(target),))


def in_one_read(database: Path, target: Path) -> None:
    """Copy as our own backup does."""
    with closing(sqlite_files.writable(database)) as source:
        sqlite_files.copy(source, target)


WAYS: dict[str, Callable[[Path, Path], object]] = {
    "sqlite3's .backup": shell_backup,
    "backup in one step": one_step,
    "VACUUM INTO": vacuum_into,
    "backup in one read transaction": in_one_read,
    "python -m bot backup, with checks": backups.back_up,
}


def measure(name: str, way: Callable[[Path, Path], object]) -> None:
    """Measure one way beside a writer, on a fresh copy of the database."""
    with tempfile.TemporaryDirectory(dir=ROOT / "var") as folder:
        database, target = Path(folder) / "labmate.db", Path(folder) / "copy.db"
        with closing(sqlite_files.writable(FOLDER / "labmate.db")) as source:
            sqlite_files.copy(source, database)
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        writer = context.Process(target=write, args=(database, there))
        writer.start()
        here.recv()
        begun = time.perf_counter()
        try:
            way(database, target)
            took = f"{time.perf_counter() - begun:6.1f} s"
        except _TooLongError:
            took = f"not in {TOO_LONG:.0f} s"
        here.send("stop")
        times, log = here.recv()
        writer.join()
    print(
        f"{name:34} {took:>11}  writes: {len(times):5,}, p50 {percentile(times, 0.5):5.1f} ms, "
        f"p99 {percentile(times, 0.99):6.1f} ms, most {1_000 * max(times):7.1f} ms  log {log / 1e6:5.1f} MB",
        flush=True,
    )


async def main() -> None:
    await (await full_corpus()).close()
    print(f"a database of {(FOLDER / 'labmate.db').stat().st_size / 1e6:,.0f} MB, {A_SECOND} writes a second")
    for name, way in WAYS.items():
        measure(name, way)


if __name__ == "__main__":
    asyncio.run(main())
