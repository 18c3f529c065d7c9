"""python -m benchmarks.vectors: opening and searching 111,997 vectors, beside FAISS's flat index alone."""

from __future__ import annotations

import statistics
import tempfile
import time
from functools import partial
from pathlib import Path

import faiss
import numpy as np

from benchmarks.data import VECTORS, need_data, show
from index.search.embedding_model import fingerprint
from index.search.faiss_index import FaissIndex
from index.search.vectors import Vectors

QUERIES = 200


def main() -> None:
    need_data()
    rows = np.load(VECTORS)
    chosen = np.random.default_rng(0).choice(len(rows), QUERIES, replace=False)
    queries = rows[chosen].astype(np.float32)
    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(rows.astype(np.float32))
    faiss.omp_set_num_threads(1)  # as Labmate's own searches
    exact, bare = [], []
    for query in queries:
        begun = time.perf_counter()
        exact.append(set(flat.search(query[None], 10)[1][0].tolist()))
        bare.append(time.perf_counter() - begun)
    show("FAISS flat float32 alone", bare)
    with tempfile.TemporaryDirectory() as name:
        print_ = fingerprint("all-MiniLM-L6-v2")
        made = Vectors.open(Path(name), print_)
        made.append(range(len(rows)), range(len(rows)), rows)
        all_compared = partial(FaissIndex.open, flat_until=len(rows))
        for label, open_index in (
            ("ours, all compared", all_compared),
            ("ours, inverted file", FaissIndex.open),
        ):
            Vectors.open(Path(name), print_, open_index=open_index).tend()
            opening = []
            for _ in range(5):
                begun = time.perf_counter()
                index = Vectors.open(Path(name), print_, writable=False, open_index=open_index)
                index.search(queries[0], 10)
                opening.append(time.perf_counter() - begun)
            times, hits = [], 0
            for query, wanted in zip(queries, exact, strict=True):
                begun = time.perf_counter()
                found, _ = index.search(query, 10)
                times.append(time.perf_counter() - begun)
                hits += len(wanted & set(found.tolist()))
            show(
                label,
                times,
                f"recall@10 {hits / 10 / QUERIES:.3f}",
                f"ratio {statistics.median(times) / statistics.median(bare):.2f} of flat",
            )
            print(f"{label + ', first answer':34} {statistics.median(opening):.2f} s (target 2 s)")


if __name__ == "__main__":
    main()
