"""Vectors on disk: append-only rows that are durable, repaired on opening, and independent of any engine.

Files: ``manifest.json`` (model fingerprint, generation), ``rows-G.f16`` (float16 rows) and
``entries-G.bin`` (paper, text hash, checksum, flag; one a row). Rows are written before their entries, so a
crash leaves at most a torn tail, which is cut back.
"""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from index.models.read_ahead import gathered
from index.search.read_vectors import ReadVectors
from index.search.row_table import ENTRY, READ_AT_ONCE, RowTable
from index.search.vector_manifest import (
    MANIFEST,
    UnreadableVectorsError,
    check_fingerprint,
    read_manifest,
    write_manifest,
)

_CHECKED_TAIL = 4_096
_KEPT = 3
"""For how many earlier generations the manifest says how many rows came before each block of rows."""
_BLOCK = 2_000
_TRIES = 5


class VectorLog:
    """The rows in a folder. One process writes; any number read and follow with :meth:`refresh`.

    Threads that change it wait for each other, while others may read.
    """

    def __init__(self, folder: Path, fingerprint: dict[str, Any]) -> None:
        self.folder = folder
        self.fingerprint = fingerprint
        self.dimension = int(fingerprint["dimension"])
        self._generation = 0
        self._kept: dict[str, list[int]] = {}
        self._table = RowTable(None, None, self.dimension)
        self._changing = threading.RLock()
        """Held from the first byte that is written until the table knows the rows, and while following: else
        rows that are already on the disk would be counted twice."""

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
        UnreadableVectorsError
            If the manifest or another file can't be read.
        VectorsError
            If a newer Labmate wrote them.
        """
        log = cls(folder, fingerprint)
        folder.mkdir(parents=True, exist_ok=True)
        if rebuild and writable:
            log._start_generation(log._last_generation() + 1)
        elif writable:
            log.begin_to_write()
        else:
            log.refresh()
        return log

    def begin_to_write(self) -> None:
        """Take in what other processes have written, cut a torn tail back, and make the files if need be.

        Raises
        ------
        ForeignVectorsError, VectorsError
            As :meth:`open`.
        """
        with self._changing:
            if read_manifest(self.folder) is None:
                self._start_generation(self._last_generation() + 1)
            else:
                self._follow(cut=True)

    @staticmethod
    def files_in(folder: Path) -> list[str]:
        """The names of the files in use in a folder, for a copy; none where there are no vectors yet."""
        if not (folder / MANIFEST).exists():
            return []
        generation = int(json.loads((folder / MANIFEST).read_text())["generation"])
        return [MANIFEST, f"rows-{generation}.f16", f"entries-{generation}.bin"]

    @classmethod
    def rows_in(cls, folder: Path) -> int:
        """How many rows the files in a folder have, removed ones included."""
        sizes = [path.stat().st_size for path in folder.glob("entries-*.bin")]
        return max(sizes, default=0) // ENTRY.itemsize

    def _rows_file(self, generation: int) -> Path:
        return self.folder / f"rows-{generation}.f16"

    def _entries_file(self, generation: int) -> Path:
        return self.folder / f"entries-{generation}.bin"

    def _opened(self, generation: int) -> RowTable:
        return RowTable(self._rows_file(generation), self._entries_file(generation), self.dimension)

    def _last_generation(self) -> int:
        numbers = [p.stem.partition("-")[2] for p in self.folder.glob("entries-*.bin")]
        return max((int(number) for number in numbers if number.isdigit()), default=0)

    def _start_generation(self, number: int) -> None:
        self._rows_file(number).touch()
        self._entries_file(number).touch()
        self._write_manifest(number, {})
        self._generation, self._kept, self._table = number, {}, self._opened(number)

    def _write_manifest(self, generation: int, kept: dict[str, list[int]]) -> None:
        write_manifest(self.folder, self.fingerprint, generation, kept)
        in_use = (self._rows_file(generation), self._entries_file(generation))
        for path in [*self.folder.glob("rows-*.f16"), *self.folder.glob("entries-*.bin")]:
            if path not in in_use:
                path.unlink(missing_ok=True)

    @staticmethod
    def _whole_rows(table: RowTable) -> int:
        """The number of rows with both vector and entry, up to the first wrong checksum near the end."""
        whole = table.on_disk()
        start = max(0, whole - _CHECKED_TAIL, table.count)
        entries, rows = table.read_entries(start, whole), table.read_rows(start, whole)
        spoilt = np.flatnonzero(_are_spoilt(rows, entries))
        return start + int(spoilt[0]) if len(spoilt) else whole

    def _cut_torn_tail(self, generation: int, whole: int) -> None:
        for path, size in (
            (self._rows_file(generation), 2 * self.dimension),
            (self._entries_file(generation), ENTRY.itemsize),
        ):
            if path.stat().st_size != whole * size:
                os.truncate(path, whole * size)

    def refresh(self, *, cut: bool = False) -> int:
        """Load rows that a writer has added since; returns how many there were.

        Parameters
        ----------
        cut
            Cut a torn tail back; only for the one process that writes.
        """
        with self._changing:
            return self._follow(cut=cut)

    def _follow(self, *, cut: bool) -> int:
        before = (self._generation, self._table.count)
        manifest: dict[str, Any] | None = None
        for tries_left in reversed(range(_TRIES)):
            manifest = read_manifest(self.folder)
            if manifest is None:
                return 0
            generation, table = int(manifest["generation"]), self._table
            try:
                if generation != self._generation:
                    check_fingerprint(
                        manifest["fingerprint"],
                        self.fingerprint,
                        f"The index in {self.folder}",
                        "Set EMBEDDING_MODEL back, or rebuild with: python -m bot index --rebuild",
                    )
                    table = self._opened(generation)
                whole = self._whole_rows(table)
                if cut:
                    self._cut_torn_tail(generation, whole)
                table.follow(whole)
                break
            except FileNotFoundError as error:  # a compaction replaced the files in between
                if not tries_left:
                    raise UnreadableVectorsError(
                        f"{error.filename} is missing. Rebuild the index with: python -m bot index --rebuild"
                    ) from error
            except ValueError as error:
                raise UnreadableVectorsError(
                    f"The index in {self.folder} can't be read: {error}. Rebuild it with: "
                    "python -m bot index --rebuild"
                ) from error
        assert manifest is not None
        self._kept, self._table, self._generation = manifest.get("kept", {}), table, generation
        return table.count - before[1] if generation == before[0] else table.count

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
        entries["crc"] = _checksums(rows)
        with self._changing:
            try:
                for path, data in (
                    (self._rows_file(self._generation), rows.tobytes()),
                    (self._entries_file(self._generation), entries.tobytes()),
                ):
                    with path.open("ab") as stream:
                        stream.write(data)
                        stream.flush()
                        os.fsync(stream.fileno())
            except OSError:  # a full disk; what comes next must not follow half a row
                self._cut_torn_tail(self._generation, self._table.count)
                raise
            self._table.follow(self._table.count + len(papers))

    def spoilt(self) -> list[int]:
        """Papers whose vector has changed on the disk since it was written; reads all rows, in parts."""
        table, found = self._table, list[int]()
        for start in range(0, table.count, READ_AT_ONCE):
            stop = min(start + READ_AT_ONCE, table.count)
            entries = table.read_entries(start, stop)
            spoilt = table.alive(start, stop) & _are_spoilt(table.read_rows(start, stop), entries)
            found += entries["paper"][spoilt].tolist()
        return found

    def compact(self) -> None:
        """Rewrite the files without dead and spoilt rows, as a new generation that replaces the old one."""
        with self._changing:
            self._compact()

    def _compact(self) -> None:
        table, number = self._table, self._last_generation() + 1
        before = [0]
        with self._rows_file(number).open("wb") as rows_out, self._entries_file(number).open("wb") as out:
            for start in range(0, table.count, READ_AT_ONCE):
                stop = min(start + READ_AT_ONCE, table.count)
                rows, entries = table.read_rows(start, stop), table.read_entries(start, stop)
                alive = table.alive(start, stop) & ~_are_spoilt(rows, entries)
                rows_out.write(rows[alive].tobytes())
                out.write(entries[alive].tobytes())
                # Blocks are whole except the last.
                before += (
                    before[-1] + np.add.reduceat(alive, range(0, len(alive), _BLOCK)).cumsum()
                ).tolist()
            for stream in (rows_out, out):
                stream.flush()
                os.fsync(stream.fileno())
        earlier = sorted(self._kept, key=int)[1 - _KEPT :]
        kept = {name: [before[row // _BLOCK] for row in self._kept[name]] for name in earlier}
        self._write_manifest(number, kept | {str(self._generation): before})
        self.refresh()

    # -- rows ----------------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """The number of these files; a compaction starts another and renumbers the rows."""
        return self._generation

    @property
    def row_count(self) -> int:
        """How many rows there are, dead ones included."""
        return self._table.count

    def present_row(self, generation: int, row: int) -> int | None:
        """A row number of now below which only rows are that were below ``row`` in that generation.

        Returns
        -------
        int or None
            It may be lower than it could be by up to a block of rows; None if that is not known.
        """
        if generation == self._generation:
            return row
        before = self._kept.get(str(generation))
        return before[min(row // _BLOCK, len(before) - 1)] if before else None

    @property
    def table(self) -> RowTable:
        """The rows as they are numbered now; it stays readable after a compaction."""
        return self._table

    @property
    def dead_share(self) -> float:
        """The share of rows that were replaced or removed."""
        return 1 - len(self._table) / self._table.count if self._table.count else 0.0

    # -- asking --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._table)

    def has(self, paper: int) -> bool:
        """Whether the paper has a vector."""
        return self._table.row_of(paper) >= 0

    def hash_of(self, paper: int) -> int | None:
        """The text hash that the paper's vector was made from, or None."""
        table = self._table
        row = table.row_of(paper)
        return int(table.entries["hash"][row]) if row >= 0 else None

    def known(self) -> tuple[np.ndarray, np.ndarray]:
        """(store ids, ascending; text hashes) of all vectors in use."""
        table = self._table
        papers = table.papers()
        return papers, table.entries["hash"][table.rows_of(papers)]

    def row(self, paper: int) -> np.ndarray | None:
        """The paper's vector, float32, or None."""
        table = self._table
        row = table.row_of(paper)
        return np.asarray(table.rows[row], np.float32) if row >= 0 else None

    def rows(self, papers: np.ndarray) -> np.ndarray:
        """float16, shape (len(papers), dimension): the papers' vectors, zeros where there is none."""
        table = self._table
        out = np.zeros((len(papers), self.dimension), np.float16)
        rows = table.rows_of(papers)
        if (rows >= 0).any():
            out[rows >= 0] = gathered(table.rows, rows[rows >= 0])
        return out

    def closeness(self, query: np.ndarray, papers: Sequence[int] | np.ndarray) -> np.ndarray:
        """Cosine with each paper's vector: float32, shape (papers,) or (queries, papers); NaN if it has none.

        Parameters
        ----------
        query
            float32, shape (dimension,) or (queries, dimension).
        """
        return self.read(papers).closeness(query)

    def read(self, papers: Sequence[int] | np.ndarray) -> ReadVectors:
        """The vectors of papers, for several questions."""
        table = self._table
        rows = table.rows_of(np.asarray(papers, np.int64))
        has = rows >= 0
        return ReadVectors(gathered(table.rows, rows[has]).astype(np.float32), has)


def _checksums(rows: np.ndarray) -> list[int]:
    return [zlib.crc32(row.tobytes()) for row in rows]


def _are_spoilt(rows: np.ndarray, entries: np.ndarray) -> np.ndarray:
    """Whether rows differ from what was written: bool, shape (rows,)."""
    return np.asarray(entries["crc"] != np.array(_checksums(rows), np.uint32))
