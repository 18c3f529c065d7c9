"""python -m benchmarks.embedding: our embedding beside sentence-transformers' best batch size."""

from __future__ import annotations

import itertools
import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from benchmarks.data import PAPERS, need_data
from data.sources.files import PaperFile
from index.search.embedding import BATCH, DEFAULT_MODEL, Embedder, locate, paper_text
from index.search.other_model import OtherModel
from index.search.precision import embeds_in_bfloat16

TEXTS = 512
ROUNDS = 3
BATCHES = (4, 8, 16, 32)


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

    def ours() -> float:
        begun = time.perf_counter()
        embedder.encode(texts)
        return len(texts) / (time.perf_counter() - begun)

    bare(BATCH)
    rates: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        rates.setdefault("ours", []).append(ours())
        for size in BATCHES:
            rates.setdefault(f"sentence-transformers, batches of {size}", []).append(bare(size))
        rates.setdefault("the same, tokens ready, a stream a core", []).append(streams(BATCH))
    precision = "bfloat16" if embeds_in_bfloat16() else "float32"
    medians = {name: statistics.median(values) for name, values in rates.items()}
    for name, rate in medians.items():
        print(f"embedding ({precision}), {name:42} {rate:6.1f} abstracts/s")
    best = max(rate for name, rate in medians.items() if name != "ours")
    print(f"ours / sentence-transformers' best       {medians['ours'] / best:.3f} (target 0.95)")


if __name__ == "__main__":
    main()
