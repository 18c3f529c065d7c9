"""python -m benchmarks.embedding_device: how fast a GPU embeds abstracts, and what its precision loses.

The last line is what Labmate does there, with batches and readers of its own choice; the lines before show
others. Readers are threads that split texts into word pieces. Neighbours: the share of an abstract's ten
nearest that stay the same, compared with float32. Without a GPU, it measures the CPU (benchmarks/embedding.py
has its batches).
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import faiss
import numpy as np

from benchmarks.data import PAPERS, need_data
from data.sources.files import PaperFile
from index.search import embedding
from index.search.embedding import Embedder, paper_text
from index.search.embedding_model import device_called

TEXTS, ON_CPU = 20_000, 512
ASKED, NEAREST = 1_000, 10
BATCHES, READERS = (128, 256, 512), (1, 16)


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="auto", help="as EMBEDDING_DEVICE has it (default: %(default)s)")
    parser.add_argument("--texts", type=int, default=TEXTS, help="how many abstracts (default: %(default)s)")
    options = parser.parse_args()
    need_data()
    import torch  # lazy: torch takes seconds to load, and the data may be missing

    from index.search.bert import Bert  # lazy: as torch

    device = device_called(options.device)
    name = torch.cuda.get_device_name() if device.startswith("cuda") else device
    read = itertools.islice(PaperFile(PAPERS), options.texts)
    texts = [paper_text(record.title, record.abstract) for _, record in read]
    print(f"{len(texts):,} abstracts, torch {torch.__version__}, {os.cpu_count()} cores, device: {name}")

    cpu = Embedder(device="cpu")
    _, rate = timed(cpu, texts[:ON_CPU])
    print(f"{'the CPU':34} {rate:9.1f} abstracts/s")
    whole, gpu = Embedder(device=device), Embedder(device=device)
    with patch.object(Bert, "to"):  # it rounds the weights as it loads them
        whole.load()
    right, rate = timed(whole, texts)
    print(f"{name + ', float32':34} {rate:9.1f} abstracts/s")
    gpu.load()
    for batch, readers in itertools.product(BATCHES, READERS) if device != "cpu" else ():
        with chosen(batch, readers):
            _, rate = timed(gpu, texts)
        print(f"{f'batches of {batch}, readers: {readers}':34} {rate:9.1f} abstracts/s", flush=True)
    rows, rate = timed(gpu, texts)
    pairs = zip(nearest(rows), nearest(right), strict=True)
    kept = np.mean([len(set(one) & set(other)) / NEAREST for one, other in pairs])
    print(
        f"{'Labmate there':34} {rate:9.1f} abstracts/s  neighbours kept {kept:.3f}  "
        f"least cosine {np.sum(rows * right, axis=1).min():.4f}"
    )


def timed(embedder: Embedder, texts: list[str]) -> tuple[np.ndarray, float]:
    """The rows of texts, and how many a second, in calls of Labmate's size."""
    embedder.encode(texts[:ON_CPU])
    size = embedder.call_size
    begun = time.perf_counter()
    rows = [embedder.encode(texts[start : start + size]) for start in range(0, len(texts), size)]
    return np.concatenate(rows), len(texts) / (time.perf_counter() - begun)


@contextmanager
def chosen(batch: int, readers: int) -> Iterator[None]:
    """Another size of batches, and so many readers."""
    with (
        patch.object(embedding, "LARGE_BATCH", batch),
        patch.object(embedding, "MOST_READERS", readers),
    ):
        yield


def nearest(rows: np.ndarray) -> list[list[int]]:
    """The ten nearest of the first rows, without themselves."""
    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(rows)
    _, found = flat.search(rows[:ASKED], NEAREST + 1)
    return [[other for other in row if other != place][:NEAREST] for place, row in enumerate(found.tolist())]


if __name__ == "__main__":
    main()
