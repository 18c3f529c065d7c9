"""Parts of mapped files whose pages are not in memory: the disk is asked for all of them at once.

Touched one after another, each page that is missing waits for the disk by itself. Asked for together, six
hundred arrive in the time of a hundred.
"""

from __future__ import annotations

import ctypes
import mmap
import resource
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import faiss
import numpy as np

_FEW = 32
"""So few entries are just read."""
_PROBED = 16
"""So many of the entries are touched to see whether their pages are in memory."""
_THREAD = getattr(resource, "RUSAGE_THREAD", None)
"""Linux counts how often each thread waited for a page; elsewhere, nothing is read ahead."""
_FAISS: Any = faiss
_LIBRARY = ctypes.CDLL(None)
_LIBRARY.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def gathered(array: np.ndarray, places: np.ndarray) -> np.ndarray:
    """``array[places]`` of an array that may be mapped; places are whole numbers from 0."""
    if len(places) > _FEW and _is_mapped(array):
        _read_ahead(lambda: array[places[:: len(places) // _PROBED]], lambda: _runs(array, places))
    found: np.ndarray = array[places]
    return found


def lists_ahead(structure: Any, numbers: np.ndarray) -> None:
    """Have some lists of an inverted file of FAISS's in memory, which is mapped and about to search them."""
    lists = structure.invlists

    def touch() -> None:
        for number in numbers[:: max(1, len(numbers) // _PROBED)].tolist():
            if size := lists.list_size(number):
                _FAISS.rev_swig_ptr(lists.get_codes(number), size).max()

    def runs() -> Iterable[tuple[int, int]]:
        for number in numbers.tolist():
            size = lists.list_size(number)
            yield int(lists.get_codes(number)), size * lists.code_size
            yield int(lists.get_ids(number)), size * 8

    _read_ahead(touch, runs)


def _read_ahead(touch: Callable[[], object], runs: Callable[[], Iterable[tuple[int, int]]]) -> None:
    """Ask for runs of memory, as (address, bytes), if touching some of it has to wait for the disk."""
    if _THREAD is None:
        return
    before = resource.getrusage(_THREAD).ru_majflt
    touch()
    if resource.getrusage(_THREAD).ru_majflt > before:
        for address, size in runs():
            start = address - address % mmap.PAGESIZE
            _LIBRARY.madvise(start, address + size - start, mmap.MADV_WILLNEED)


def _is_mapped(array: np.ndarray) -> bool:
    """Whether an array lies in a mapped file, row after row."""
    base = array.base
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    return isinstance(base, mmap.mmap) and array.flags.c_contiguous


def _runs(array: np.ndarray, places: np.ndarray) -> Iterable[tuple[int, int]]:
    """The pages of some rows: the address of each run of pages, and its bytes."""
    size = array.nbytes // len(array)
    first = int(array.__array_interface__["data"][0]) + places.astype(np.int64) * size
    pages = np.unique(np.concatenate([first, first + size - 1]) // mmap.PAGESIZE)
    breaks = np.flatnonzero(np.diff(pages) > 1) + 1
    for begin, end in pairwise([0, *breaks.tolist(), len(pages)]):
        yield int(pages[begin]) * mmap.PAGESIZE, (end - begin) * mmap.PAGESIZE
