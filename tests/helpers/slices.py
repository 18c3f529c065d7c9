"""A slice of the real papers with their vectors, as files that `ingest file` and `run --papers` take."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import zstandard


def papers_by(shared: Path, folder: Path, name: str, most: int, others: int) -> tuple[Path, Path]:
    """The first papers by a name and others from among them, and their vectors: (JSON lines, matrix)."""
    data = shared / "data"
    rows: list[int] = []
    lines: list[str] = []
    mine = 0
    with (data / "arxiv-daily.jsonl.zst").open("rb") as stream:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(stream), encoding="utf-8")
        for row, line in enumerate(text):
            by = name in json.loads(line)["authors"]
            if by or len(lines) - mine < others:
                rows.append(row)
                lines.append(line)
                mine += by
            if mine >= most:
                break
    papers, vectors = folder / "slice.jsonl", folder / "slice.f16.npy"
    papers.write_text("".join(lines))
    np.save(vectors, np.load(data / "arxiv-daily.minilm.f16.npy", mmap_mode="r")[rows])
    manifest = json.loads((data / "arxiv-daily.minilm.json").read_text())
    (folder / "slice.json").write_text(json.dumps(manifest | {"rows": len(rows)}))
    return papers, vectors
