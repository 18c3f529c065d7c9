"""A step of `benchmarks.scale.run`: what this machine could do at best, beside what Labmate does."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from benchmarks.loading import bound
from benchmarks.scale.place import Figures, Place
from benchmarks.scale.vectors import bandwidth, disk_rate
from data.sources.elsewhere import ReadElsewhere
from data.sources.snapshot import SnapshotChoice, SnapshotFile


def find_limits(place: Place) -> Figures:
    """The rate of `sqlite3` alone, of the disk, and of a core that copies all rows of the vectors."""
    copying, rows = bandwidth(), sum(path.stat().st_size for path in _rows(place))
    database = place.library / "labmate.db"
    reading = disk_rate(database)
    with tempfile.TemporaryDirectory(dir=place.folder) as name:
        seconds = bound(Path(name), ReadElsewhere(partial(SnapshotFile, place.papers, SnapshotChoice())))
    return {
        "core copies": copying,
        "disk reads": reading,
        "sqlite3 rate": place.size / seconds,
        "scan ms": 1e3 * rows / copying / 1e9,
        "database read once": database.stat().st_size / reading / 1e9,
    }


def _rows(place: Place) -> list[Path]:
    return list((place.library / "vectors").glob("rows-*"))
