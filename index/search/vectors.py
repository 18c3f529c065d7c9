"""Embeddings on disk and in FAISS: append-only rows, repaired on opening, searched in milliseconds.

Files: ``manifest.json`` (model fingerprint, generation), ``rows-G.f16`` (float16 rows) and
``entries-G.bin`` (paper, text hash, checksum, flag; one a row). Rows are written before their
entries, so what a crash leaves behind is a torn tail, and a torn tail is cut back.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import faiss  # its stubs lag behind its Python layer
import numpy as np

_FAISS: Any = faiss
FORMAT = 1
FLAT_UNTIL = 400_000
"""Rows up to which every vector is compared; beyond, an inverted file answers (benchmarks/vectors.py)."""
_ENTRY = np.dtype([("paper", "<i8"), ("hash", "<i8"), ("crc", "<u4"), ("gone", "<u4")])
_CHECKED_TAIL = 4_096
_CHUNK = 20_000
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


class Vectors:
    """The vectors in a folder. One process writes; any number read and follow with :meth:`refresh`."""

    def __init__(self, folder: Path, fingerprint: dict[str, Any], *, flat_until: int = FLAT_UNTIL) -> None:
        self.folder = folder
        self.fingerprint = fingerprint
        self.dimension = int(fingerprint["dimension"])
        self._flat_until = flat_until
        self._generation = 0
        self._reset()

    def _reset(self) -> None:
        self._papers = np.zeros(0, np.int64)
        self._hashes = np.zeros(0, np.int64)
        self._alive = np.zeros(0, bool)
        self._row_of = np.full(0, -1, np.int64)
        self._index: Any = _flat(self.dimension)
        self._map: np.ndarray | None = None

    # -- opening -------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        folder: Path,
        fingerprint: dict[str, Any],
        *,
        writable: bool = True,
        rebuild: bool = False,
        flat_until: int = FLAT_UNTIL,
    ) -> Vectors:
        """Open or create; a writer cuts a torn tail back, a reader only looks past it.

        Raises
        ------
        ForeignVectorsError
            Where another model made the vectors (``rebuild`` throws them away instead).
        VectorsError
            Where the manifest can't be read.
        """
        vectors = cls(folder, fingerprint, flat_until=flat_until)
        folder.mkdir(parents=True, exist_ok=True)
        manifest = vectors._read_manifest() if not rebuild else None
        if manifest is None:
            if writable:
                vectors._start_generation(vectors._last_generation() + 1)
            return vectors
        check_fingerprint(manifest["fingerprint"], fingerprint, f"The index in {folder}")
        vectors._generation = int(manifest["generation"])
        if writable:
            vectors._cut_torn_tail()
        vectors.refresh()
        return vectors

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
            raise VectorsError(f"{path} is of a newer Labmate. Update, or run: python -m bot index --rebuild")
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
        """Rows that have both their vector and their entry, and whose checksums at the end agree."""
        try:
            rows = self._rows_file.stat().st_size // (2 * self.dimension)
            whole = min(rows, self._entries_file.stat().st_size // _ENTRY.itemsize)
        except FileNotFoundError:
            return 0
        start = max(0, whole - _CHECKED_TAIL, len(self._papers))
        entries, vectors = self._read(start, whole)
        for offset, (entry, row) in enumerate(zip(entries, vectors, strict=True)):
            if zlib.crc32(row.tobytes()) != entry["crc"]:
                return start + offset
        return whole

    def _cut_torn_tail(self) -> None:
        whole = self._whole_rows()
        for path, size in ((self._rows_file, 2 * self.dimension), (self._entries_file, _ENTRY.itemsize)):
            if path.exists() and path.stat().st_size != whole * size:
                os.truncate(path, whole * size)

    def _read(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        count = max(0, stop - start)
        if not count:
            return np.zeros(0, _ENTRY), np.zeros((0, self.dimension), np.float16)
        entries = np.fromfile(self._entries_file, _ENTRY, count, offset=start * _ENTRY.itemsize)
        flat = np.fromfile(
            self._rows_file, np.float16, count * self.dimension, offset=start * 2 * self.dimension
        )
        return entries, flat.reshape(-1, self.dimension)

    def refresh(self) -> int:
        """Follow what a writer has added since; returns the number of new rows."""
        manifest = self._read_manifest()
        if manifest is None:
            return 0
        if manifest["generation"] != self._generation:
            check_fingerprint(manifest["fingerprint"], self.fingerprint, f"The index in {self.folder}")
            self._generation = manifest["generation"]
            self._reset()
        before, whole = len(self._papers), self._whole_rows()
        if before == 0 and whole > self._flat_until:
            self._load_inverted(whole)
        for start in range(len(self._papers), whole, _CHUNK):
            entries, rows = self._read(start, min(start + _CHUNK, whole))
            self._take(entries, rows)
        return whole - before

    def _take(self, entries: np.ndarray, rows: np.ndarray | None) -> None:
        start = len(self._papers)
        papers = entries["paper"].astype(np.int64)
        self._papers = np.concatenate([self._papers, papers])
        self._hashes = np.concatenate([self._hashes, entries["hash"].astype(np.int64)])
        self._alive = np.concatenate([self._alive, np.zeros(len(entries), bool)])
        top = int(papers.max(initial=-1)) + 1
        if top > len(self._row_of):
            room = max(top, len(self._row_of) * 5 // 4) - len(self._row_of)
            self._row_of = np.concatenate([self._row_of, np.full(room, -1, np.int64)])
        for offset, (paper, gone) in enumerate(zip(papers.tolist(), entries["gone"].tolist(), strict=True)):
            old = self._row_of[paper]
            if old >= 0:
                self._alive[old] = False
            self._row_of[paper] = -1 if gone else start + offset
            self._alive[start + offset] = not gone
        if rows is not None:
            self._index.add(rows.astype(np.float32))

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
        kept = np.ascontiguousarray(rows, np.float16).reshape(len(papers), self.dimension)
        self._write(papers, hashes, kept, gone=False)

    def remove(self, papers: Iterable[int]) -> None:
        """Take papers out of the searches; their rows go at the next compaction."""
        known = [paper for paper in papers if self.has(paper)]
        if known:
            self._write(
                known, [0] * len(known), np.zeros((len(known), self.dimension), np.float16), gone=True
            )

    def _write(self, papers: Sequence[int], hashes: Sequence[int], rows: np.ndarray, *, gone: bool) -> None:
        if not len(papers):
            return
        entries = np.zeros(len(papers), _ENTRY)
        entries["paper"], entries["hash"], entries["gone"] = papers, hashes, gone
        entries["crc"] = [zlib.crc32(row.tobytes()) for row in rows]
        for path, data in ((self._rows_file, rows.tobytes()), (self._entries_file, entries.tobytes())):
            with path.open("ab") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        self._take(entries, rows)

    def compact(self) -> None:
        """Rewrite the files without dead rows, in a new generation that replaces the old one whole."""
        alive = np.flatnonzero(self._alive)
        number = self._last_generation() + 1
        rows_file, entries_file = self.folder / f"rows-{number}.f16", self.folder / f"entries-{number}.bin"
        with rows_file.open("wb") as rows_out, entries_file.open("wb") as entries_out:
            for start in range(0, len(alive), _CHUNK):
                part = alive[start : start + _CHUNK]
                entries, rows = self._read(int(part[0]), int(part[-1]) + 1)
                chosen = part - part[0]
                rows_out.write(rows[chosen].tobytes())
                entries_out.write(entries[chosen].tobytes())
            for stream in (rows_out, entries_out):
                stream.flush()
                os.fsync(stream.fileno())
        self._generation = number
        self._write_manifest()
        self._reset()
        self.refresh()

    @property
    def dead_share(self) -> float:
        """How much of the files is rows that were replaced or removed."""
        return 1 - float(self._alive.mean()) if len(self._alive) else 0.0

    # -- asking --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return int(self._alive.sum())

    def has(self, paper: int) -> bool:
        """Whether the paper has a vector."""
        return 0 <= paper < len(self._row_of) and self._row_of[paper] >= 0

    def hash_of(self, paper: int) -> int | None:
        """The text hash that the paper's vector was made from, or None."""
        return int(self._hashes[self._row_of[paper]]) if self.has(paper) else None

    def known(self) -> tuple[np.ndarray, np.ndarray]:
        """(store ids, text hashes) of all vectors in use."""
        return self._papers[self._alive], self._hashes[self._alive]

    def row(self, paper: int) -> np.ndarray | None:
        """The paper's vector, float32, or None."""
        if not self.has(paper):
            return None
        return np.asarray(self._mapped()[self._row_of[paper]], np.float32)

    def rows(self, papers: np.ndarray) -> np.ndarray:
        """float16, shape (len(papers), dimension): the papers' vectors, zeros where there is none."""
        out = np.zeros((len(papers), self.dimension), np.float16)
        inside = papers < len(self._row_of)
        rows = np.full(len(papers), -1, np.int64)
        rows[inside] = self._row_of[papers[inside]]
        if (rows >= 0).any():
            out[rows >= 0] = self._mapped()[rows[rows >= 0]]
        return out

    def closeness(self, query: np.ndarray, papers: Sequence[int]) -> np.ndarray:
        """Cosine of the query with each paper's vector; NaN where a paper has none."""
        out = np.full(len(papers), np.nan, np.float32)
        ids = np.asarray(papers, np.int64)
        inside = (ids >= 0) & (ids < len(self._row_of))
        rows = np.full(len(ids), -1, np.int64)
        rows[inside] = self._row_of[ids[inside]]
        if (rows >= 0).any():
            out[rows >= 0] = self._mapped()[rows[rows >= 0]].astype(np.float32) @ query
        return out

    def _mapped(self) -> np.ndarray:
        if self._map is None or len(self._map) < len(self._papers):
            self._map = np.memmap(self._rows_file, np.float16, "r", shape=(len(self._papers), self.dimension))
        return self._map

    def search(
        self, query: np.ndarray, k: int, allowed: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest papers.

        Parameters
        ----------
        query
            float32, shape (dimension,), unit length.
        allowed
            Booleans over store ids (:meth:`index.search.facets.Facets.allowed`), or None for all papers.

        Returns
        -------
        (numpy.ndarray, numpy.ndarray)
            Store ids (int64) and cosines (float32), closest first; fewer than k where there are fewer.
        """
        rows = self._alive
        if allowed is not None:
            inside = self._papers < len(allowed)
            rows = (
                rows & inside & allowed[np.where(inside, self._papers, 0)] if len(allowed) else rows & False
            )
        count = min(k, int(rows.sum()))
        if count == 0:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        parameters = self._parameters(None if rows.all() else rows)
        scores, found = self._index.search(query.reshape(1, -1).astype(np.float32), count, params=parameters)
        hit = found[0] >= 0
        return self._papers[found[0][hit]], scores[0][hit]

    def _parameters(self, rows: np.ndarray | None) -> Any:
        selector = _FAISS.IDSelectorBitmap(np.packbits(rows, bitorder="little")) if rows is not None else None
        if isinstance(self._index, faiss.IndexIVF):
            few = rows is not None and rows.mean() < 0.05
            probes = self._index.nlist if few else max(8, self._index.nlist // 24)
            return _FAISS.SearchParametersIVF(sel=selector, nprobe=probes)
        return _FAISS.SearchParameters(sel=selector) if selector is not None else None

    # -- beyond memory's comfort -----------------------------------------------------------------

    def _load_inverted(self, whole: int) -> None:
        """An inverted file with 8-bit codes, kept beside the rows and brought up to date."""
        path = self.folder / f"inverted-{self._generation}.faiss"
        index = faiss.read_index(str(path)) if path.exists() else None
        if index is None or index.ntotal > whole or index.ntotal < whole // 2:
            index = self._train_inverted(whole)
        known = index.ntotal
        for start in range(0, whole, _CHUNK):
            entries, rows = self._read(start, min(start + _CHUNK, whole))
            self._take(entries, None)
            if start + len(entries) > known:
                index.add(rows[max(0, known - start) :].astype(np.float32))
        if index.ntotal != known:
            draft = path.with_suffix(".new")
            faiss.write_index(index, str(draft))
            os.replace(draft, path)
        self._index = index

    def _train_inverted(self, whole: int) -> Any:
        lists = int(max(16, min(65_536, 4 * whole**0.5)))
        index = faiss.index_factory(self.dimension, f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
        sample = np.sort(np.random.default_rng(0).choice(whole, min(whole, 48 * lists), replace=False))
        stored = np.memmap(self._rows_file, np.float16, "r", shape=(whole, self.dimension))
        index.train(np.asarray(stored[sample], np.float32))
        return index


def _flat(dimension: int) -> Any:
    return faiss.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
