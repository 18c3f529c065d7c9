"""python -m benchmarks.loading: loading all records without embedding, compared with SQLite alone."""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.data import PAPERS, need_data, url
from bot.app import sample_file
from data.database.engine import BULK
from data.records import PaperRecord, Rejected
from data.sources.files import PaperFile
from data.stores.store import Store
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Intake

RUNS = 3


async def load(folder: Path) -> tuple[float, int]:
    """Seconds and records of a whole run into a corpus that only has the sample."""
    store = await Store.open(url(folder), paging=BULK)
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    with corpus.writing():
        await Intake(corpus, "sample", "sample").run(iter(PaperFile(sample_file())))
        begun = time.perf_counter()
        summary = await Intake(corpus, "file", PAPERS.name).run(iter(PaperFile(PAPERS)))
        seconds = time.perf_counter() - begun
    await store.close()
    return seconds, summary.read


def bound(folder: Path, file: Iterable[tuple[int, PaperRecord | Rejected]]) -> float:
    """Seconds of parsing a file and writing the same rows with sqlite3 alone: no checks, no word index."""
    begun = time.perf_counter()
    database = sqlite3.connect(folder / "bare.db")
    database.executescript(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "CREATE TABLE p (id INTEGER PRIMARY KEY, arxiv TEXT UNIQUE, title TEXT, abstract TEXT, day TEXT);"
        "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT UNIQUE);"
        "CREATE TABLE w (paper INTEGER, place INTEGER, author INTEGER, PRIMARY KEY (paper, place));"
        "CREATE INDEX wa ON w (author, paper);"
    )
    authors: dict[str, int] = {}
    for number, (_, record) in enumerate(file):
        if isinstance(record, Rejected):
            continue
        new = [name for name in dict.fromkeys(record.authors) if name not in authors]
        for name in new:
            authors[name] = len(authors)
        database.executemany("INSERT INTO a VALUES (?, ?)", [(authors[name], name) for name in new])
        database.execute(
            "INSERT INTO p VALUES (?, ?, ?, ?, ?)",
            (
                number,
                record.ids["arxiv"],
                record.title,
                record.abstract,
                str(record.announced or record.submitted),
            ),
        )
        rows = [(number, place, authors[name]) for place, name in enumerate(record.authors)]
        database.executemany("INSERT INTO w VALUES (?, ?, ?)", rows)
        if number % 2_000 == 0:
            database.commit()
    database.commit()
    database.close()
    return time.perf_counter() - begun


async def main() -> None:
    need_data()
    rates, bounds = [], []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as name:
            seconds, read = await load(Path(name))
            rates.append(read / seconds)
            bounds.append(read / bound(Path(name), PaperFile(PAPERS)))
            print(
                f"  {read:,} records in {seconds:.1f} s: {rates[-1]:,.0f}/s "
                f"(sqlite3 alone {bounds[-1]:,.0f}/s)",
                flush=True,
            )
    ours, bare = statistics.median(rates), statistics.median(bounds)
    print(
        f"loading without embedding            {ours:,.0f} records/s (target 3,000); "
        f"sqlite3 alone {bare:,.0f}/s, ratio {ours / bare:.2f}"
    )


if __name__ == "__main__":
    asyncio.run(main())
