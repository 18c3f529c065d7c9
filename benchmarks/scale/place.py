"""A folder with one made collection, the library that Labmate made of it, and the figures measured on it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import zstandard

Figures = dict[str, float]


@dataclass(frozen=True)
class Place:
    """One size's folder: ``made``, ``library`` and ``STEP.json`` for each step that is done."""

    folder: Path
    size: int

    @property
    def made(self) -> Path:
        """The folder of `benchmarks.scale.make`."""
        return self.folder / "made"

    @property
    def library(self) -> Path:
        """The folder of the library (LABMATE_DATA)."""
        return self.folder / "library"

    @property
    def papers(self) -> Path:
        """The made collection's file of papers."""
        return self.made / "papers.json.zst"

    def figures(self, step: str) -> Figures | None:
        """What a step measured; None if it is not done."""
        path = self.folder / f"{step}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def so_far(self, step: str) -> Path:
        """What a step that is not done has cost up to now."""
        return self.folder / f"{step}.so-far.json"

    def save(self, step: str, figures: Figures) -> None:
        """Keep what a step measured."""
        new = self.folder / f"{step}.json.new"
        new.write_text(json.dumps(figures, indent=1))
        new.replace(self.folder / f"{step}.json")
        self.so_far(step).unlink(missing_ok=True)


def records(made: Path) -> Iterator[dict[str, Any]]:
    """The papers of a made collection, in the snapshot's form."""
    with (made / "papers.json.zst").open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        for line in io.BufferedReader(reader, 1 << 20):
            yield orjson.loads(line)


def size_of(text: str) -> int:
    """A size such as 112k or 3m, in papers.

    Raises
    ------
    ValueError
        If it is none.
    """
    unit = {"k": 1_000, "m": 1_000_000}.get(text[-1:].lower(), 1)
    return int(float(text.rstrip("kKmM")) * unit)
