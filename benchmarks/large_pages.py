"""python -m benchmarks.large_pages: how long a query takes to embed with memory in small and large pages.

*Hot* queries follow one another. Before each *cold* one, 96 MB of other memory are written, as other work
does between the queries of a Labmate. It prints the medians in milliseconds.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

from index.models.large_pages import moved_into_large_pages
from index.search.embedding import Embedder

QUERIES = (
    "how do language models represent time?",
    "fault tolerance of GPU training",
    "congestion control in data centers with many flows",
)
ROUNDS, OTHER = 100, 96 << 20


def main() -> None:
    """Embed in small pages, then in large ones."""
    embedder = Embedder()
    embedder.load()
    other = np.zeros(OTHER, np.uint8)
    for pages in ("small", "large"):
        if pages == "large":
            start = time.perf_counter()
            held = sum(moved_into_large_pages())
            print(f"{held >> 20} MB moved into large pages in {time.perf_counter() - start:.2f} s")
        times = {
            cold: [_seconds(embedder, number, other, cold) for number in range(ROUNDS)] for cold in (0, 1)
        }
        hot, cold = (1000 * statistics.median(times[kind]) for kind in (0, 1))
        print(f"{pages} pages: hot {hot:.2f} ms, cold {cold:.2f} ms", flush=True)


def _seconds(embedder: Embedder, number: int, other: np.ndarray, cold: int) -> float:
    if cold:
        other += 1
        time.sleep(0.01)
    start = time.perf_counter()
    embedder.encode([QUERIES[number % len(QUERIES)]])
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
