"""Large arrays in one file that is mapped, not read: written whole, swapped by a rename, checked on opening.

A file holds the arrays one after another, each at a multiple of 64 bytes, then a table of contents in JSON,
and in the last 24 bytes the length of that table, its CRC-32 and a mark. A file that is cut off anywhere has
no such end, so it is never taken for a whole one.
"""

from __future__ import annotations

import contextlib
import json
import math
import mmap
import os
import struct
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from index.models.read_ahead import gathered

_ALIGNED = 64
_MARK = b"labmap01"
_END = struct.Struct("<QQ8s")
_LONGEST_TABLE = 1 << 20
_KINDS = "iufb"
"""Integers, unsigned ones, floats and booleans; never objects, which would be code."""
_AT_ONCE = 1 << 22


class MappedArrays:
    """The arrays of a file, mapped; pages that nobody asks for stay on the disk.

    Attributes
    ----------
    stamp
        What the writer knew, such as the number of a pass.
    """

    def __init__(self, stamp: dict[str, int], arrays: dict[str, np.ndarray]) -> None:
        self.stamp = stamp
        self._arrays = arrays

    def __getitem__(self, name: str) -> np.ndarray:
        return self._arrays[name]

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes of each array."""
        return {name: array.nbytes for name, array in self._arrays.items()}

    @classmethod
    def open(cls, path: Path, format_: str, names: Iterable[str]) -> Self | None:
        """Map a file of this format with these arrays; None where there is none, or it is torn or foreign."""
        try:
            with path.open("rb") as stream:
                table = _table(stream.fileno())
                if table is None or table.get("format") != format_:
                    return None
                held = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return None
        try:
            arrays = {name: _array(held, table["arrays"][name]) for name in names}
            stamp = {str(name): int(value) for name, value in table["stamp"].items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        return cls(stamp, arrays)


def _table(file: int) -> dict[str, Any] | None:
    """The table of contents at the end of a file; None if that end is missing or damaged."""
    size = os.fstat(file).st_size
    if size < _END.size:
        return None
    length, checksum, mark = _END.unpack(os.pread(file, _END.size, size - _END.size))
    if mark != _MARK or length > min(_LONGEST_TABLE, size - _END.size):
        return None
    text = os.pread(file, length, size - _END.size - length)
    if zlib.crc32(text) != checksum:
        return None
    table = json.loads(text)
    return table if isinstance(table, dict) else None


def _array(held: mmap.mmap, entry: dict[str, Any]) -> np.ndarray:
    """One array of the mapped file; ValueError where it would lie outside, or is no plain array."""
    dtype, shape, start = np.dtype(entry["dtype"]), [int(side) for side in entry["shape"]], int(entry["at"])
    if dtype.kind not in _KINDS or dtype.hasobject or start % _ALIGNED or min([0, start, *shape]) < 0:
        raise ValueError("not a plain array")
    count = math.prod(shape)
    if start + count * dtype.itemsize > len(held):
        raise ValueError("an array beyond the end of its file")
    return np.frombuffer(held, dtype, count, start).reshape(shape)


class Draft:
    """A file of arrays on its way; nobody sees it until :meth:`publish` has put it in its place."""

    def __init__(self, path: Path, format_: str) -> None:
        self._path, self._format = path, format_
        file, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".new")
        self._draft, self._stream = Path(name), os.fdopen(file, "wb")
        self._arrays: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # what is still to be written may not fit on the disk, either
            self._stream.close()
        with contextlib.suppress(OSError):
            self._draft.unlink(missing_ok=True)

    def add(self, name: str, array: np.ndarray) -> None:
        """Write an array."""
        with self.growing(name, array.dtype, array.shape[1:]) as rows:
            rows.add(array)

    @contextmanager
    def growing(self, name: str, dtype: Any, width: tuple[int, ...] = ()) -> Iterator[Rows]:
        """Write an array row by row; ``width`` is the shape of a row."""
        self._stream.write(b"\0" * (-self._stream.tell() % _ALIGNED))
        rows, start = Rows(self._stream, np.dtype(dtype), width), self._stream.tell()
        yield rows
        self._arrays[name] = {"dtype": rows.dtype.str, "shape": [rows.count, *width], "at": start}

    def publish(self, **stamp: int) -> None:
        """Put the file in its place; before, and after a crash, readers have the earlier one."""
        table = json.dumps({"format": self._format, "stamp": stamp, "arrays": self._arrays}).encode()
        self._stream.write(table)
        self._stream.write(_END.pack(len(table), zlib.crc32(table), _MARK))
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()
        os.replace(self._draft, self._path)


class Rows:
    """The rows of an array that is being written."""

    def __init__(self, stream: Any, dtype: np.dtype[Any], width: tuple[int, ...]) -> None:
        self._stream, self.dtype, self._width, self.count = stream, dtype, width, 0

    def add(self, rows: np.ndarray) -> None:
        """Write further rows."""
        assert rows.shape[1:] == self._width
        for start in range(0, len(rows), _AT_ONCE):
            part = np.ascontiguousarray(rows[start : start + _AT_ONCE], self.dtype)
            self._stream.write(part.data if part.size else b"")
        self.count += len(rows)


def forget_drafts(folder: Path, older: float = 3_600.0) -> None:
    """Remove what killed writers left behind: drafts that nobody has written to for some seconds."""
    for draft in folder.glob(".*.new"):
        with contextlib.suppress(OSError):
            if time.time() - draft.stat().st_mtime >= older:
                draft.unlink()


def within(values: np.ndarray, top: int) -> bool:
    """Whether whole numbers lie between 0 and below ``top``; reads the whole array once."""
    return not len(values) or (int(values.min()) >= 0 and int(values.max()) < top)


def are_ends(ends: np.ndarray, rows: int, total: int) -> bool:
    """Whether ``ends`` cut ``total`` entries into ``rows`` parts: from 0 to the total, never falling."""
    if len(ends) != rows + 1 or int(ends[0]) != 0 or int(ends[-1]) != total:
        return False
    return bool((ends[1:] >= ends[:-1]).all())


def lengths(ends: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """How many entries each of some rows has, int64."""
    first = gathered(ends, rows).astype(np.int64)
    return np.asarray(ends[rows + 1] - first)


def parts(ends: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the entries of some rows stand, one row after another, and where each row's begin.

    Returns
    -------
    (places, starts)
        int64: places of the entries, and ``len(rows) + 1`` ends within them, the first 0.
    """
    first = gathered(ends, rows).astype(np.int64)
    length = ends[rows + 1].astype(np.int64) - first
    starts = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    places = np.arange(starts[-1], dtype=np.int64) + np.repeat(first - starts[:-1], length)
    return places, starts
