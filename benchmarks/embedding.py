"""python -m benchmarks.embedding: our embedding beside sentence-transformers' best batch size.

And a query's, by itself and beside a thread that never stops.
"""

from __future__ import annotations

import itertools
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from unittest.mock import patch

from benchmarks.data import PAPERS, need_data
from benchmarks.replies import SEARCHES
from bot.run import SWITCH
from data.sources.files import PaperFile
from index.search.embedding import BATCH, Embedder, paper_text
from index.search.embedding_model import DEFAULT_MODEL, locate
from index.search.int8_fit import sample
from index.search.other_model import OtherModel
from index.search.precision import embeds_in_bfloat16

TEXTS = 512
ROUNDS = 3
BATCHES = (4, 8, 16, 32)
QUERIES = 60
BACKLOG = "ours, for a large backlog"
"""In 8 bits, where the CPU is faster so."""


def main() -> None:
    need_data()
    import torch  # lazy: torch takes seconds to load, and the data may be missing

    texts = [paper_text(r.title, r.abstract) for _, r in itertools.islice(PaperFile(PAPERS), TEXTS)]
    embedder = Embedder()
    embedder.load()
    model = OtherModel(locate(DEFAULT_MODEL), "cpu")
    if embeds_in_bfloat16():
        model.to(torch.bfloat16)

    def bare(size: int) -> float:
        """The library alone on sorted texts."""
        ordered = sorted(texts, key=len)
        begun = time.perf_counter()
        with torch.inference_mode():
            for start in range(0, len(ordered), size):
                model.embed(model.read(ordered[start : start + size]))
        return len(texts) / (time.perf_counter() - begun)

    def streams(size: int) -> float:
        """The library with one stream per core, each on one thread."""
        ordered = sorted(texts, key=len)

        def one(start: int) -> None:
            with torch.inference_mode():
                model.embed(features[start])

        features = {
            start: model.read(ordered[start : start + size]) for start in range(0, len(ordered), size)
        }
        begun = time.perf_counter()
        with ThreadPoolExecutor(os.cpu_count(), initializer=lambda: torch.set_num_threads(1)) as pool:
            list(pool.map(one, features))
        seconds = time.perf_counter() - begun
        torch.set_num_threads(os.cpu_count() or 1)
        return len(texts) / seconds

    def ours(*, quickly: bool = False) -> float:
        begun = time.perf_counter()
        embedder.encode(texts, quickly=quickly)
        return len(texts) / (time.perf_counter() - begun)

    bare(BATCH)
    begun = time.perf_counter()
    is_fitted = embedder.fit_int8(sample(texts))
    print(f"8 bits prepared in {time.perf_counter() - begun:.1f} s" if is_fitted else "8 bits: not here")
    rates: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        rates.setdefault("ours", []).append(ours())
        rates.setdefault(BACKLOG, []).append(ours(quickly=True))
        for size in BATCHES:
            rates.setdefault(f"sentence-transformers, batches of {size}", []).append(bare(size))
        rates.setdefault("the same, tokens ready, a stream a core", []).append(streams(BATCH))
    precision = "bfloat16" if embeds_in_bfloat16() else "float32"
    medians = {name: statistics.median(values) for name, values in rates.items()}
    for name, rate in medians.items():
        how = f"embedding ({'8 bits' if is_fitted and name == BACKLOG else precision}),"
        print(f"{how} {name:{62 - len(how)}} {rate:6.1f} abstracts/s")
    best = max(rate for name, rate in medians.items() if name not in ("ours", BACKLOG))
    print(f"ours / sentence-transformers' best       {medians['ours'] / best:.3f} (target 0.95)")
    print(f"the same for a large backlog             {medians[BACKLOG] / best:.3f}")
    of_a_query(embedder, model)


def of_a_query(embedder: Embedder, model: OtherModel) -> None:
    """Print how long a query takes, alone and beside a busy thread.

    Ours, without the weights laid out for short texts, and the library's.
    """
    import torch  # lazy: as in main

    from index.search import bert  # lazy: as in main

    def plainly(text: str) -> None:
        with patch.object(bert, "SHORT", 0):
            embedder.encode([text])

    def library(text: str) -> None:
        with torch.inference_mode():
            model.embed(model.read([text]))

    precision = "bfloat16" if embeds_in_bfloat16() else "32 bits"
    ways: dict[str, Callable[[str], object]] = {
        "ours": lambda text: embedder.encode([text]),
        "all alike": plainly,
        "sentence-transformers": library,
    }
    torch.set_num_threads(1)  # as Labmate has it
    sys.setswitchinterval(SWITCH)
    for when, beside in (("alone", 0), ("beside a busy thread", 1)):
        times: dict[str, list[float]] = {name: [] for name in ways}
        with _busy(beside):
            for number in range(QUERIES):
                for name, embed in ways.items():
                    begun = time.perf_counter()
                    embed(f"{SEARCHES[number % len(SEARCHES)]} {number}")
                    times[name].append(time.perf_counter() - begun)
        ours, plain, theirs = (statistics.median(values) * 1e3 for values in times.values())
        print(
            f"a query, {when:22} ours {ours:6.1f} ms  all in {precision} {plain:6.1f} ms  "
            f"sentence-transformers {theirs:6.1f} ms  ratio {ours / theirs:.2f}"
        )


@contextmanager
def _busy(threads: int) -> Iterator[None]:
    """So many threads that compute in Python."""
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            pass

    running = [threading.Thread(target=work) for _ in range(threads)]
    for thread in running:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in running:
            thread.join()


if __name__ == "__main__":
    main()
