"""Reading ahead in mapped files: missing pages are requested from the disk together, not one by one.

Touched in turn, each missing page waits for the disk. Requested together, six hundred arrive in the time of
a hundred.
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

from index.models.distinct import distinct

_FEW, _MANY = 32, 500_000
"""Fewer entries are just read; more are asked for not by a question but by work over a whole file."""
_PROBED = 16
"""So many of the entries are touched to see whether their pages are in memory."""
_PIECE = 1 << 17
"""Bytes asked for at a time: the system cuts a longer run short."""
_THREAD = getattr(resource, "RUSAGE_THREAD", None)
"""Linux counts how often each thread waited for a page; elsewhere, nothing is read ahead."""
_FAISS: Any = faiss
_LIBRARY = ctypes.CDLL(None)
_LIBRARY.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def gathered(array: np.ndarray, places: np.ndarray) -> np.ndarray:
    """``array[places]`` of an array that may be mapped; places are whole numbers from 0."""
    if _FEW < len(places) <= _MANY and _is_mapped(array):
        _read_ahead(lambda: array[places[:: len(places) // _PROBED]], lambda: _runs(array, places))
    found: np.ndarray = array[places]
    return found


def search_lists(structure: Any, query: np.ndarray, k: int, probed: int) -> tuple[np.ndarray, np.ndarray]:
    """Search the nearest lists of a mapped inverted file of FAISS's, for which the disk is asked at once.

    Returns
    -------
    (scores, ids)
        Shape (k,): float32 and int64, best first; ids are -1 where there are fewer.
    """
    query = np.ascontiguousarray(query, np.float32).reshape(1, -1)
    near, numbers = structure.quantizer.search(query, probed)
    return search_chosen(structure, query, k, numbers[0], near[0])


def search_chosen(
    structure: Any,
    query: np.ndarray,
    k: int,
    numbers: np.ndarray,
    near: np.ndarray,
    selector: Any = None,
    *,
    codes: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`search_lists`, in given lists.

    Parameters
    ----------
    numbers, near
        The lists, int64, and the query's inner products with their centres, float32; both of shape (lists,).
    selector
        FAISS's IDSelector of the ids that may be found; None for all.
    codes
        As in :func:`lists_ahead`.
    """
    lists_ahead(structure, numbers, codes=codes)
    query, numbers, near = (
        np.ascontiguousarray(array, kind).reshape(1, -1)
        for array, kind in ((query, np.float32), (numbers, np.int64), (near, np.float32))
    )
    scores, ids = np.empty((1, k), np.float32), np.empty((1, k), np.int64)
    views = (_FAISS.swig_ptr(array) for array in (numbers, near, scores, ids))
    how = _FAISS.SearchParametersIVF(nprobe=numbers.size, sel=selector)
    structure.search_preassigned_c(1, _FAISS.swig_ptr(query), k, *views, False, how)
    return scores[0], ids[0]


def lists_ahead(structure: Any, numbers: np.ndarray, *, codes: bool = True) -> None:
    """Have in memory some lists of an inverted file of FAISS's, which is mapped and about to search them.

    ``codes`` is False where so few of a list's codes are wanted that only its ids are read whole.
    """
    lists = structure.invlists
    filled = [number for number in numbers.tolist() if number >= 0 and lists.list_size(number)]

    def touch() -> None:
        for number in filled[:: max(1, len(filled) // _PROBED)]:
            _FAISS.rev_swig_ptr(lists.get_ids(number), 1).max()

    def runs() -> Iterable[tuple[int, int]]:
        for number in filled:
            size = lists.list_size(number)
            yield int(lists.get_ids(number)), size * 8
            if codes:
                yield int(lists.get_codes(number)), size * lists.code_size

    _read_ahead(touch, runs)


def _read_ahead(touch: Callable[[], object], runs: Callable[[], Iterable[tuple[int, int]]]) -> None:
    """Ask for runs of memory, as (address, bytes), if touching some of it has to wait for the disk."""
    if _THREAD is None:
        return
    before = resource.getrusage(_THREAD).ru_majflt
    touch()
    if resource.getrusage(_THREAD).ru_majflt > before:
        for address, size in runs():
            end = address + size
            for start in range(address - address % mmap.PAGESIZE, end, _PIECE):
                _LIBRARY.madvise(start, min(_PIECE, end - start), mmap.MADV_WILLNEED)


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
    pages = distinct(np.concatenate([first, first + size - 1]) // mmap.PAGESIZE)
    breaks = np.flatnonzero(np.diff(pages) > 1) + 1
    for begin, end in pairwise([0, *breaks.tolist(), len(pages)]):
        yield int(pages[begin]) * mmap.PAGESIZE, (end - begin) * mmap.PAGESIZE
