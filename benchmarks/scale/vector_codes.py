"""python -m benchmarks.scale.vector_codes: codes that an inverted file could have, on the real vectors.

The questions are what people type. The nearest of a paper stand out more, and any code would do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import faiss
import numpy as np

from benchmarks.data import VECTORS, need_data, percentile
from benchmarks.scale.vector_questions import typed
from index.search.flat_rows import nearest_rows

LISTS, PROBED, POOLS, QUESTIONS, NEAREST = 1_024, 256, (200, 800), 200, 10
_FAISS: Any = faiss


def kinds(d: int) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Each name, and how to make an empty index of it over a quantizer."""
    metric, scalar = faiss.METRIC_INNER_PRODUCT, _FAISS.ScalarQuantizer
    for bits in (1, 2, 4):
        yield (
            f"RaBitQ, {bits} {'bit' if bits == 1 else 'bits'}, mapped",
            lambda q, bits=bits: _FAISS.IndexIVFRaBitQ(q, d, LISTS, metric, True, bits),
        )
    for bits in (1, 2, 4):
        yield (
            f"RaBitQ, {bits} {'bit' if bits == 1 else 'bits'}",
            lambda q, bits=bits: _FAISS.IndexIVFRaBitQFastScan(q, d, LISTS, metric, 32, True, bits),
        )
    yield "PQ, 96 x 4 bit", lambda q: _FAISS.IndexIVFPQFastScan(q, d, LISTS, 96, 4, metric)
    for name, kind in (("4 bit", scalar.QT_4bit), ("8 bit", scalar.QT_8bit)):
        yield (
            f"scalar, {name}",
            lambda q, kind=kind: _FAISS.IndexIVFScalarQuantizer(q, d, LISTS, kind, metric),
        )


def main() -> None:
    need_data()
    faiss.omp_set_num_threads(1)
    halves = np.load(VECTORS)
    rows = halves.astype(np.float32)
    queries = typed(QUESTIONS, 0)
    right = np.argsort(-(queries @ rows.T), axis=1)[:, :NEAREST]
    quantizer = _FAISS.IndexFlatIP(rows.shape[1])
    lists = _FAISS.Clustering(rows.shape[1], LISTS)
    lists.niter, lists.spherical, lists.max_points_per_centroid = 6, True, 40
    lists.train(rows, quantizer)
    for name, make in kinds(rows.shape[1]):
        begun = time.process_time()
        index = make(quantizer)
        index.train(rows[::3])
        index.add(rows)
        index.nprobe = PROBED
        built = time.process_time() - begun
        alone = sum(
            len(set(index.search(query[None], NEAREST)[1][0].tolist()) & set(wanted.tolist()))
            for query, wanted in zip(queries, right, strict=True)
        )
        print(
            f"{name:22} {index.code_size:4} bytes  recall@10 alone {alone / right.size:.3f}  "
            f"built in {built:.0f} s of CPU",
            flush=True,
        )
        for pool in POOLS:
            compared, times = 0, []
            for query, wanted in zip(queries, right, strict=True):
                begun = time.thread_time()
                _, near = index.search(query[None], pool)
                near = np.sort(near[0][near[0] >= 0])
                papers = near[nearest_rows(halves[near], query, NEAREST)[0]]
                times.append(time.thread_time() - begun)
                compared += len(set(papers.tolist()) & set(wanted.tolist()))
            print(
                f"  {pool} compared by their rows: recall@10 {compared / right.size:.3f}  "
                f"CPU p50 {percentile(times, 0.5):.2f} ms, p99 {percentile(times, 0.99):.2f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
