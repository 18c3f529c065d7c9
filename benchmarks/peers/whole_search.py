"""LanceDB's hybrid search on the papers of benchmarks/whole_search.py, in its own Python (`make peers`)."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import lancedb
import numpy as np
from lancedb.index import FTS, HnswSq
from lancedb.rerankers import RRFReranker

NEAREST = 10


def resident() -> float:
    """MB of this process's own memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1e3


def main(folder: Path) -> None:
    """Build the table, ask, and print a line."""
    rows = np.load(folder / "vectors.npy")
    papers = [json.loads(line) for line in (folder / "papers.jsonl").open()]
    begun = time.perf_counter()
    data = [paper | {"vector": row} for paper, row in zip(papers, rows, strict=True)]
    table = lancedb.connect(str(folder / "lance")).create_table("papers", data)
    table.create_index("text", config=FTS())
    table.create_index("vector", config=HnswSq(distance_type="cosine"))
    took = time.perf_counter() - begun
    del data, papers, rows, table
    before = resident()
    table = lancedb.connect(str(folder / "lance")).open_table("papers")
    reranker = RRFReranker()
    asked = json.loads((folder / "queries.json").read_text())
    found, times = 0.0, []
    for query, vector in zip(asked, np.load(folder / "queries.npy"), strict=True):
        begun = time.perf_counter()
        hits = (
            table.search(query_type="hybrid")
            .vector(vector)
            .text(query["text"])
            .rerank(reranker)
            .limit(NEAREST)
            .to_list()
        )
        times.append(1e3 * (time.perf_counter() - begun))
        places = [hit["paper"] for hit in hits]
        found += 1 / (places.index(query["paper"]) + 1) if query["paper"] in places else 0
    print(
        f"LanceDB {version('lancedb')}, embedded before      p50 {np.median(times):7.1f} ms  "
        f"p99 {np.quantile(times, 0.99):7.1f} ms  MRR@10 {found / len(asked):.3f}       "
        f"{resident() - before:,.0f} MB, without a model; built in {took:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
