"""python -m benchmarks.durability: the cost of waiting for the disk at each commit."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.data import ROOT, show, url
from data.database.engine import BULK
from data.records import PaperRecord
from data.stores.store import Store

COMMITS = 300
BATCHES, BATCH = 6, 2_000
ROUNDS = 5


async def store_of(folder: Path, synchronous: str) -> Store:
    """An empty store for loading, whose commits wait for the disk (FULL) or don't (NORMAL)."""
    store = await Store.open(url(folder), paging=BULK)
    async with store._writer._engine.connect() as connection:
        raw = await connection.get_raw_connection()
        assert raw.driver_connection is not None
        await raw.driver_connection.execute(f"PRAGMA synchronous={synchronous}")
    return store


async def small(store: Store) -> list[float]:
    """Seconds of single small commits, each of a text for a button."""
    times = []
    for number in range(COMMITS):
        begun = time.perf_counter()
        await store.kept_texts.keep(f"a question of a member {number}")
        times.append(time.perf_counter() - begun)
    return times


async def loading(store: Store) -> float:
    """Records per second of loading, in batches as an ingest writes them."""
    begun = time.perf_counter()
    for batch in range(BATCHES):
        await store.upsert([_record(batch * BATCH + number) for number in range(BATCH)])
    return BATCHES * BATCH / (time.perf_counter() - begun)


def _record(number: int) -> PaperRecord:
    return PaperRecord(
        source="benchmark",
        ids={"arxiv": f"26{1 + number // 90_000:02d}.{number % 90_000 + 1:05d}"},
        title=f"On subject {number} and its relation to subject {number * 7 % 1_000}",
        abstract=f"We study subject {number}. " * 40,
        authors=[f"Author {number % 4_000}", f"Author {number * 3 % 4_000}", "Ada Lovelace"],
        categories=["cs.CL"],
        announced="2026-01-05",
    )


async def main() -> None:
    times: dict[str, list[float]] = {"FULL": [], "NORMAL": []}
    rates: dict[str, list[float]] = {"FULL": [], "NORMAL": []}
    (ROOT / "var").mkdir(exist_ok=True)
    for _ in range(ROUNDS):
        for synchronous in times:
            with tempfile.TemporaryDirectory(dir=ROOT / "var") as name:
                store = await store_of(Path(name), synchronous)
                times[synchronous] += await small(store)
                rates[synchronous].append(await loading(store))
                await store.close()
    for synchronous in times:
        show(f"a small commit, {synchronous}", times[synchronous])
        print(f"reading papers in, {synchronous:15} {statistics.median(rates[synchronous]):,.0f} records/s")
    full, normal = (statistics.median(times[synchronous]) for synchronous in ("FULL", "NORMAL"))
    print(
        f"the price of FULL, a small commit  {1_000 * (full - normal):.1f} ms, "
        f"{full / normal:.1f} times as long"
    )
    full, normal = (statistics.median(rates[synchronous]) for synchronous in ("FULL", "NORMAL"))
    print(f"the price of FULL, reading in      {normal / full:.2f} times as long")


if __name__ == "__main__":
    asyncio.run(main())
