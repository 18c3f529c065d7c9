"""How long a pass holds the write lock and other writers wait, in one transaction and in parts."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sqlite3
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import event, insert

from benchmarks.data import url
from data.database.engine import BULK
from data.stores.people import People
from data.stores.store import Store
from data.tables.papers import AuthorRow, AuthorshipRow, PaperRow

SIZES = 100_000, 604_329
AUTHORS = 5
EACH = 2
"""Authorships per person."""


async def main() -> None:
    """Print the longest hold of the write lock and the longest wait of a writer for each way and size."""
    for size in SIZES:
        for name, drafted in (("one transaction", False), ("in parts", True)):
            async with _filled(size) as (store, path):
                with _watched(store, path) as seen:
                    await _pass(store.people, _rows(size, 0), drafted=drafted)
                _show(size, f"first pass, {name}", seen)
                with _watched(store, path) as seen:
                    await _pass(store.people, _rows(size, 1), drafted=drafted)
                _show(size, f"everybody changed, {name}", seen)


async def _pass(people: People, rows: list[dict[str, Any]], *, drafted: bool) -> None:
    persons = sorted({row["person_id"] for row in rows})
    found = [{"id": n, "name": f"Person {n}", "papers": EACH, "merged_into": None} for n in persons]
    counts = len(rows), len(persons)
    if not drafted:
        await people.replace("full", 1, 0, rows, [], found, [], counts)
        return
    after = await people.newest_pass()
    draft = await people.draft(rows, [], found, [])
    assert await people.publish(draft, "full", 1, 0, counts, after=after)
    await people.settle()


def _rows(size: int, turn: int) -> list[dict[str, Any]]:
    """Memberships of people with two authorships each; another ``turn`` gives them to other people."""
    return [
        {
            "paper_id": 1 + n // AUTHORS,
            "position": n % AUTHORS,
            "author_id": 1 + n // EACH,
            "person_id": 1 + (n // EACH + turn * 17) % (size // EACH + 1),
            "confidence": 0.9,
            "support": None,
        }
        for n in range(size)
    ]


@contextlib.asynccontextmanager
async def _filled(size: int) -> AsyncIterator[tuple[Store, Path]]:
    """A store with this many authorships and no judgements."""
    with tempfile.TemporaryDirectory() as name:
        store = await Store.open(url(Path(name)), paging=BULK)
        papers = [
            {
                **{"id": n, "source": "benchmark", "title": f"Paper {n}", "title_key": n, "abstract": ""},
                **{"text_hash": n, "authors_complete": True, "first_author": n, "categories": "cs.CL"},
                **{"provisional": False, "withdrawn": False, "changed": 1},
            }
            for n in range(1, size // AUTHORS + 2)
        ]
        authors = [{"id": n, "key": f"person {n}", "name": f"Person {n}"} for n in range(1, size // EACH + 2)]
        authorships = [
            {
                **{"paper_id": 1 + n // AUTHORS, "position": n % AUTHORS, "author_id": 1 + n // EACH},
                **{"name": f"Person {1 + n // EACH}", "listed": True},
            }
            for n in range(size)
        ]
        async with store._writer.begin() as connection:
            for table, rows in ((PaperRow, papers), (AuthorRow, authors), (AuthorshipRow, authorships)):
                await connection.execute(insert(table), rows)
        try:
            yield store, Path(name) / "labmate.db"
        finally:
            await store.close()


class _Seen:
    """Times measured during a pass, in seconds."""

    held = waited = whole = 0.0


@contextlib.contextmanager
def _watched(store: Store, path: Path) -> Iterator[_Seen]:
    """Time the writer's transactions while another writer keeps asking for the lock."""
    seen, over, begun = _Seen(), threading.Event(), [0.0]
    engine = store._writer._engine.sync_engine

    def begins(_connection: Any) -> None:
        begun[0] = time.monotonic()

    def ends(_connection: Any) -> None:
        seen.held = max(seen.held, time.monotonic() - begun[0])

    def ask() -> None:
        connection = sqlite3.connect(path, timeout=60, isolation_level=None)
        while not over.wait(0.02):
            asked = time.monotonic()
            connection.execute("BEGIN IMMEDIATE")
            seen.waited = max(seen.waited, time.monotonic() - asked)
            connection.execute("ROLLBACK")
        connection.close()

    thread, started = threading.Thread(target=ask), time.monotonic()
    event.listen(engine, "begin", begins)
    event.listen(engine, "commit", ends)
    thread.start()
    try:
        yield seen
    finally:
        seen.whole = time.monotonic() - started
        over.set()
        thread.join()
        event.remove(engine, "begin", begins)
        event.remove(engine, "commit", ends)


def _show(size: int, name: str, seen: _Seen) -> None:
    print(
        f"{size:,} memberships, {name:34} lock held {seen.held:6.2f} s at most, "
        f"others waited {seen.waited:6.2f} s at most, {seen.whole:6.1f} s in all",
        flush=True,
    )


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    asyncio.run(main())
