"""Real papers, chosen from the file of all: as records, or as files for `ingest file` and `run --papers`."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import zstandard

from data.records import PaperRecord
from data.sources.forms import record_of


def lines(shared: Path) -> Iterator[str]:
    """The lines of the file of all papers, as they are."""
    with (shared / "data" / "arxiv-daily.jsonl.zst").open("rb") as stream:
        yield from io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(stream), encoding="utf-8")


def records(shared: Path, chosen: Callable[[int, dict[str, Any]], bool]) -> Iterator[tuple[int, PaperRecord]]:
    """(line number, record) of each line that is chosen; making records of all takes most of the time."""
    for number, line in enumerate(lines(shared)):
        item = orjson.loads(line)
        if chosen(number, item):
            record = record_of(item, f"line {number + 1}", line)
            assert isinstance(record, PaperRecord)
            yield number, record


def papers_by(shared: Path, folder: Path, name: str, most: int, others: int) -> tuple[Path, Path]:
    """The first papers by a name and others from among them, and their vectors: (JSON lines, matrix)."""
    data = shared / "data"
    rows: list[int] = []
    kept: list[str] = []
    mine = 0
    for row, line in enumerate(lines(shared)):
        by = name in json.loads(line)["authors"]
        if by or len(kept) - mine < others:
            rows.append(row)
            kept.append(line)
            mine += by
        if mine >= most:
            break
    papers, vectors = folder / "slice.jsonl", folder / "slice.f16.npy"
    papers.write_text("".join(kept))
    np.save(vectors, np.load(data / "arxiv-daily.minilm.f16.npy", mmap_mode="r")[rows])
    manifest = json.loads((data / "arxiv-daily.minilm.json").read_text())
    (folder / "slice.json").write_text(json.dumps(manifest | {"rows": len(rows)}))
    return papers, vectors
