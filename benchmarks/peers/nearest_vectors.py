"""hnswlib and usearch on the vectors of benchmarks/scale/vectors.py, in their own Python (`make peers`)."""

import sys
import time
from importlib.metadata import version
from pathlib import Path

import hnswlib
import numpy as np
from usearch.index import Index

NEAREST = 10


def resident() -> float:
    """MB of this process's own memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1e3


def main(folder: Path) -> None:
    """Build each over the rows, ask, and print a line each."""
    stored = np.load(folder / "questions.npz")
    queries, wanted, count = stored["queries all"], stored["wanted all"][:, :NEAREST], int(stored["whole"])
    file = next((folder / "v").glob("rows-*"))
    rows = np.memmap(file, np.float16, "r", shape=(count, queries.shape[1]))
    for name, build in (("hnswlib", with_hnswlib), ("usearch", with_usearch)):
        before, begun = resident(), time.perf_counter()
        search = build(rows)
        took, held = time.perf_counter() - begun, resident() - before
        for wide in (32, 64, 128):
            hits, times, cpu = 0, [], []
            for query, right in zip(queries, wanted, strict=True):
                begun, own = time.perf_counter(), time.thread_time()
                papers = search(query, wide)
                times.append(1e3 * (time.perf_counter() - begun))
                cpu.append(1e3 * (time.thread_time() - own))
                hits += len(set(papers.tolist()) & set(right.tolist()))
            print(
                f"  {name} {version(name)}, ef {wide}: recall@10 {hits / wanted.size:.3f}  "
                f"p50 {np.median(times):.1f} ms  p99 {np.quantile(times, 0.99):.1f} ms  "
                f"(CPU: {np.median(cpu):.1f}, {np.quantile(cpu, 0.99):.1f})  "
                f"built in {took:.0f} s, {held:.0f} MB",
                flush=True,
            )
        del search


def with_hnswlib(rows):
    """16 links, float32, which is all that it has."""
    index = hnswlib.Index("ip", rows.shape[1])
    index.init_index(len(rows), M=16, ef_construction=100)
    for start in range(0, len(rows), 20_000):
        index.add_items(rows[start : start + 20_000].astype(np.float32))

    def search(query, wide):
        index.set_ef(wide)
        return index.knn_query(query[None], NEAREST, num_threads=1)[0][0]

    return search


def with_usearch(rows):
    """16 links, float16."""
    index = Index(ndim=rows.shape[1], metric="ip", dtype="f16", connectivity=16, expansion_add=100)
    for start in range(0, len(rows), 20_000):
        part = np.asarray(rows[start : start + 20_000])
        index.add(np.arange(start, start + len(part)), part)

    def search(query, wide):
        index.expansion_search = wide
        return index.search(query.astype(np.float16), NEAREST).keys

    return search


if __name__ == "__main__":
    main(Path(sys.argv[1]))
