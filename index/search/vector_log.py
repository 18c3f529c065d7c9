"""Vectors on disk: append-only rows that are durable, repaired on opening, and independent of any engine.

Files: ``manifest.json`` (model fingerprint, generation), ``rows-G.f16`` (float16 rows) and
``entries-G.bin`` (paper, text hash, checksum, flag; one a row). Rows are written before their entries, so a
crash leaves at most a torn tail, which is cut back.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from index.search.row_table import ENTRY, RowTable

FORMAT = 1
READ_AT_ONCE = 20_000
_CHECKED_TAIL = 4_096
_REQUIRED = ("weights_sha256", "dimension", "pooling", "normalised", "text")


class VectorsError(RuntimeError):
    """The vectors can't be used; the message says why and what to do."""


class ForeignVectorsError(VectorsError):
    """The vectors were made by another model."""


def check_fingerprint(theirs: dict[str, Any], ours: dict[str, Any], what: str) -> None:
    """Refuse vectors whose model, pooling or text recipe differ from the model in use.

    Raises
    ------
    ForeignVectorsError
        With the first difference and the command that rebuilds.
    """
    for key in _REQUIRED:
        if theirs.get(key) != ours[key]:
            raise ForeignVectorsError(
                f"{what} was made by another model: its {key} is {theirs.get(key)!r}, the model in use has "
                f"{ours[key]!r}. Set EMBEDDING_MODEL back, or rebuild with: python -m bot index --rebuild"
            )


class VectorLog:
    """The rows in a folder. One process writes; any number read and follow with :meth:`refresh`."""

    def __init__(self, folder: Path, fingerprint: dict[str, Any]) -> None:
        self.folder = folder
        self.fingerprint = fingerprint
        self.dimension = int(fingerprint["dimension"])
        self._generation = 0
        self._table = RowTable()
        self._map: np.ndarray | None = None

    # -- opening -------------------------------------------------------------------------------

    @classmethod
    def open(
        cls, folder: Path, fingerprint: dict[str, Any], *, writable: bool = True, rebuild: bool = False
    ) -> Self:
        """Open or create. A writer cuts a torn tail back; a reader ignores it.

        Raises
        ------
        ForeignVectorsError
            If another model made the vectors (``rebuild`` throws them away instead).
        VectorsError
            If the manifest can't be read.
        """
        log = cls(folder, fingerprint)
        folder.mkdir(parents=True, exist_ok=True)
        manifest = log._read_manifest() if not rebuild else None
        if manifest is None:
            if writable:
                log._start_generation(log._last_generation() + 1)
            return log
        check_fingerprint(manifest["fingerprint"], fingerprint, f"The index in {folder}")
        log._generation = int(manifest["generation"])
        if writable:
            log._cut_torn_tail()
        log.refresh()
        return log

    @property
    def _rows_file(self) -> Path:
        return self.folder / f"rows-{self._generation}.f16"

    @property
    def _entries_file(self) -> Path:
        return self.folder / f"entries-{self._generation}.bin"

    def _read_manifest(self) -> dict[str, Any] | None:
        path = self.folder / "manifest.json"
        try:
            manifest = json.loads(path.read_text())
            manifest["fingerprint"]["dimension"], manifest["generation"]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise VectorsError(
                f"{path} can't be read ({error}). Rebuild the index with: python -m bot index --rebuild"
            ) from error
        if manifest.get("format") != FORMAT:
            raise VectorsError(
                f"{path} was written by a newer Labmate. Update, or run: python -m bot index --rebuild"
            )
        return dict(manifest)

    def _last_generation(self) -> int:
        numbers = [p.stem.partition("-")[2] for p in self.folder.glob("entries-*.bin")]
        return max((int(number) for number in numbers if number.isdigit()), default=0)

    def _start_generation(self, number: int) -> None:
        self._generation = number
        self._rows_file.touch()
        self._entries_file.touch()
        self._write_manifest()

    def _write_manifest(self) -> None:
        manifest = {"format": FORMAT, "generation": self._generation, "fingerprint": self.fingerprint}
        draft = self.folder / "manifest.json.new"
        draft.write_text(json.dumps(manifest, indent=1) + "\n")
        os.replace(draft, self.folder / "manifest.json")
        for path in [*self.folder.glob("rows-*.f16"), *self.folder.glob("entries-*.bin")]:
            if path not in (self._rows_file, self._entries_file):
                path.unlink(missing_ok=True)

    def _whole_rows(self) -> int:
        """The number of rows with both vector and entry, up to the first wrong checksum near the end."""
        try:
            rows = self._rows_file.stat().st_size // (2 * self.dimension)
            whole = min(rows, self._entries_file.stat().st_size // ENTRY.itemsize)
        except FileNotFoundError:
            return 0
        start = max(0, whole - _CHECKED_TAIL, len(self._table.papers))
        entries, rows_read = self._read_entries(start, whole), self.read(start, whole)
        for offset, (entry, row) in enumerate(zip(entries, rows_read, strict=True)):
            if zlib.crc32(row.tobytes()) != entry["crc"]:
                return start + offset
        return whole

    def _cut_torn_tail(self) -> None:
        whole = self._whole_rows()
        for path, size in ((self._rows_file, 2 * self.dimension), (self._entries_file, ENTRY.itemsize)):
            if path.exists() and path.stat().st_size != whole * size:
                os.truncate(path, whole * size)

    def _read_entries(self, start: int, stop: int) -> np.ndarray:
        if stop <= start:
            return np.zeros(0, ENTRY)
        return np.fromfile(self._entries_file, ENTRY, stop - start, offset=start * ENTRY.itemsize)

    def read(self, start: int, stop: int) -> np.ndarray:
        """float16, shape (stop - start, dimension): the rows with these numbers, dead ones included."""
        if stop <= start:
            return np.zeros((0, self.dimension), np.float16)
        count, offset = (stop - start) * self.dimension, start * 2 * self.dimension
        return np.fromfile(self._rows_file, np.float16, count, offset=offset).reshape(-1, self.dimension)

    def refresh(self) -> int:
        """Load rows that a writer has added since; returns how many there were."""
        manifest = self._read_manifest()
        if manifest is None:
            return 0
        if manifest["generation"] != self._generation:
            check_fingerprint(manifest["fingerprint"], self.fingerprint, f"The index in {self.folder}")
            self._generation = manifest["generation"]
            self._table, self._map = RowTable(), None
        before, whole = len(self._table.papers), self._whole_rows()
        for start in range(before, whole, READ_AT_ONCE):
            self._table.take(self._read_entries(start, min(start + READ_AT_ONCE, whole)))
        return whole - before

    # -- writing -------------------------------------------------------------------------------

    def append(self, papers: Sequence[int], hashes: Sequence[int], rows: np.ndarray) -> None:
        """Add or replace papers' vectors.

        Parameters
        ----------
        papers, hashes
            Store ids and the text hashes that the vectors were made from.
        rows
            Shape (len(papers), dimension), unit length; kept as float16.
        """
        halves = np.ascontiguousarray(rows, np.float16).reshape(len(papers), self.dimension)
        self._write(papers, hashes, halves, gone=False)

    def remove(self, papers: Iterable[int]) -> None:
        """Take papers out of the searches; the next compaction drops their rows."""
        known = [paper for paper in papers if self.has(paper)]
        if known:
            nothing = np.zeros((len(known), self.dimension), np.float16)
            self._write(known, [0] * len(known), nothing, gone=True)

    def _write(self, papers: Sequence[int], hashes: Sequence[int], rows: np.ndarray, *, gone: bool) -> None:
        if not len(papers):
            return
        entries = np.zeros(len(papers), ENTRY)
        entries["paper"], entries["hash"], entries["gone"] = papers, hashes, gone
        entries["crc"] = [zlib.crc32(row.tobytes()) for row in rows]
        for path, data in ((self._rows_file, rows.tobytes()), (self._entries_file, entries.tobytes())):
            with path.open("ab") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        self._table.take(entries)

    def compact(self) -> None:
        """Rewrite the files without dead rows, as a new generation that replaces the old one."""
        alive = np.flatnonzero(self._table.alive)
        number = self._last_generation() + 1
        rows_file, entries_file = self.folder / f"rows-{number}.f16", self.folder / f"entries-{number}.bin"
        with rows_file.open("wb") as rows_out, entries_file.open("wb") as entries_out:
            for start in range(0, len(alive), READ_AT_ONCE):
                part = alive[start : start + READ_AT_ONCE]
                first, stop = int(part[0]), int(part[-1]) + 1
                entries, rows = self._read_entries(first, stop), self.read(first, stop)
                chosen = part - part[0]
                rows_out.write(rows[chosen].tobytes())
                entries_out.write(entries[chosen].tobytes())
            for stream in (rows_out, entries_out):
                stream.flush()
                os.fsync(stream.fileno())
        self._generation = number
        self._write_manifest()
        self._table, self._map = RowTable(), None
        self.refresh()

    @property
    def generation(self) -> int:
        """The number of these files; a compaction starts another and renumbers the rows."""
        return self._generation

    @property
    def row_papers(self) -> np.ndarray:
        """The paper of each row, dead ones included."""
        return self._table.papers

    @property
    def row_alive(self) -> np.ndarray:
        """Whether each row is its paper's vector in use."""
        return self._table.alive

    @property
    def dead_share(self) -> float:
        """The share of rows that were replaced or removed."""
        return 1 - float(self._table.alive.mean()) if len(self._table.alive) else 0.0

    # -- asking --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return int(self._table.alive.sum())

    def has(self, paper: int) -> bool:
        """Whether the paper has a vector."""
        return self._table.row_of(paper) >= 0

    def hash_of(self, paper: int) -> int | None:
        """The text hash that the paper's vector was made from, or None."""
        return int(self._table.hashes[self._table.row_of(paper)]) if self.has(paper) else None

    def known(self) -> tuple[np.ndarray, np.ndarray]:
        """(store ids, text hashes) of all vectors in use."""
        return self._table.papers[self._table.alive], self._table.hashes[self._table.alive]

    def row(self, paper: int) -> np.ndarray | None:
        """The paper's vector, float32, or None."""
        if not self.has(paper):
            return None
        return np.asarray(self.mapped()[self._table.row_of(paper)], np.float32)

    def rows(self, papers: np.ndarray) -> np.ndarray:
        """float16, shape (len(papers), dimension): the papers' vectors, zeros where there is none."""
        out = np.zeros((len(papers), self.dimension), np.float16)
        rows = self._table.rows_of(papers)
        if (rows >= 0).any():
            out[rows >= 0] = self.mapped()[rows[rows >= 0]]
        return out

    def closeness(self, query: np.ndarray, papers: Sequence[int]) -> np.ndarray:
        """Cosine of the query with each paper's vector; NaN if a paper has none."""
        out = np.full(len(papers), np.nan, np.float32)
        rows = self._table.rows_of(np.asarray(papers, np.int64))
        if (rows >= 0).any():
            out[rows >= 0] = self.mapped()[rows[rows >= 0]].astype(np.float32) @ query
        return out

    def mapped(self) -> np.ndarray:
        """All rows, as the file holds them."""
        count = len(self._table.papers)
        if self._map is None or len(self._map) < count:
            self._map = np.memmap(self._rows_file, np.float16, "r", shape=(count, self.dimension))
        return self._map
