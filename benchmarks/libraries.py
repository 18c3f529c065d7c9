"""python -m benchmarks.libraries: a full library of 130 MB: completing tags, reading it, pauses of the loop.

A pause is a time in which the event loop does nothing else, so that every other member's reply waits.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.data import show, url
from commands.kit.uploads import Sections, packed, sections_of
from data.stores.library import MOST_KEPT
from data.stores.store import Store

MEMBER, ABSTRACT = 1, 26_000
LIMIT = 10 * 1024 * 1024
"""Discord's own limit for one file."""


@asynccontextmanager
async def paused(name: str) -> AsyncIterator[None]:
    """Print the longest pause of the loop."""
    longest, last = 0.0, time.perf_counter()

    async def watch() -> None:
        nonlocal longest, last
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now

    watcher = asyncio.create_task(watch())
    await asyncio.sleep(0.01)
    longest = 0.0
    try:
        yield
        await asyncio.sleep(0.002)
    finally:
        watcher.cancel()
        print(f"{name + ', longest pause':34} {1_000 * longest:11.1f} ms", flush=True)


async def timed(store: Store, fresh: bool) -> float:
    if fresh:
        store.library._tags.clear()
    begun = time.perf_counter()
    await store.library.tags(MEMBER)
    return time.perf_counter() - begun


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(url(Path(folder)))
        text = "".join(chr(97 + n * n % 26) + " " * (n % 5 == 0) for n in range(ABSTRACT))[:ABSTRACT]
        works = [(None, {"title": f"Work {n}", "abstract": f"{n} {text}"}) for n in range(MOST_KEPT)]
        more = [("unread", "", (f"tag{n % 40}", "all")) for n in range(MOST_KEPT)]
        await store.library.add(MEMBER, works, more)
        del works
        async with paused("tags counted"):
            show("tags counted", [await timed(store, True) for _ in range(20)])
        async with paused("tags again"):
            show("tags again", [await timed(store, False) for _ in range(1_000)])
        async with paused("the whole library read"):
            begun = time.perf_counter()
            await store.library.of(MEMBER)
            show("the whole library read", [time.perf_counter() - begun])
        held = await store.library.held(MEMBER)
        async with paused("the whole library packed"):
            begun = time.perf_counter()
            files = await asyncio.to_thread(packed, "me.json", sections_of(held), Sections(), LIMIT)
            show("the whole library packed", [time.perf_counter() - begun])
        sizes = ", ".join(f"{len(data) / 1e6:.1f}" for _, data in files)
        print(f"{'files, MB':34} {sizes}")
        await store.close()


if __name__ == "__main__":
    asyncio.run(main())
