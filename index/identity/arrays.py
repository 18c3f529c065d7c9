"""Arrays in a folder: written piece by piece, and mapped instead of read."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any, Self

import numpy as np
from scipy import sparse


class Growing:
    """An array of one dimension that is written to a file piece by piece."""

    def __init__(self, folder: Path, name: str, dtype: Any) -> None:
        self._dtype = np.dtype(dtype)
        self._file: IO[bytes] = (folder / f"{name}.npy").open("wb")
        self._length = 0
        self._head()

    def _head(self) -> None:
        described = np.lib.format.dtype_to_descr(self._dtype)
        head = {"descr": described, "fortran_order": False, "shape": (self._length,)}
        np.lib.format.write_array_header_1_0(self._file, head)

    def __len__(self) -> int:
        return self._length

    def append(self, values: np.ndarray) -> None:
        """Add values at the end."""
        self._file.write(np.ascontiguousarray(values, self._dtype).data)
        self._length += len(values)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.seek(0)
        self._head()
        self._file.close()


class GrowingRows:
    """A sparse matrix that is written to files some rows at a time."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._counts = Growing(folder, f"{name}-counts", np.int32)
        self._indices = Growing(folder, f"{name}-indices", np.int32)
        self._data = Growing(folder, f"{name}-data", np.float32)

    def append(self, rows: sparse.csr_matrix) -> None:
        """Add rows at the end."""
        self._counts.append(np.diff(rows.indptr))
        self._indices.append(rows.indices)
        self._data.append(rows.data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for part in (self._counts, self._indices, self._data):
            part.__exit__()
        counts = mapped(self._folder, f"{self._name}-counts")
        indptr = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=indptr[1:])
        if indptr[-1] < np.iinfo(np.int32).max:
            indptr = indptr.astype(np.int32)
        np.save(self._folder / f"{self._name}-indptr.npy", indptr)


def save_rows(folder: Path, name: str, matrix: sparse.csr_matrix) -> None:
    """Write a whole sparse matrix."""
    with GrowingRows(folder, name) as rows:
        rows.append(matrix)


def mapped(folder: Path, name: str) -> np.ndarray:
    """An array of the folder, mapped for reading."""
    array: np.ndarray = np.load(folder / f"{name}.npy", mmap_mode="r")
    return array


def mapped_rows(folder: Path, name: str, width: int) -> sparse.csr_matrix:
    """A sparse matrix of the folder, mapped for reading."""
    data, indices, indptr = (mapped(folder, f"{name}-{part}") for part in ("data", "indices", "indptr"))
    return sparse.csr_matrix((data, indices, indptr), (len(indptr) - 1, width), copy=False)
