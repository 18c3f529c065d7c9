"""An inverted file with one bit a number, stored beside the rows: it finds candidates among millions.

The codes are RaBitQ's (Gao and Long, SIGMOD 2024), in FAISS's form. They are only good enough to choose
candidates, whose cosines are then taken from the rows themselves. Files: ``inverted-N.faiss``,
``inverted-N.lists`` (each paper's list) and ``inverted.json``, which names the two in use.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import faiss  # the stubs lag behind FAISS's Python layer
import numpy as np

from index.models.faiss_file import write_structure
from index.models.read_ahead import gathered, lists_ahead, search_chosen
from index.search.row_table import READ_AT_ONCE, RowTable
from index.search.vector_log import VectorLog

_FAISS: Any = faiss
FORMAT = 1
_NO_LIST = 65_535
_LISTS = 2.4
"""How many lists there are: so many times the square root of the rows."""
_A_LIST = 40
"""How many rows for each list to train on."""
_ROUNDS = 6
_COUNTED = 100_000
"""How many of the papers that a filter keeps are counted, at most, to see in which lists they are."""
_PROBED, _PROBED_FILTERED = (64, 1 / 40), (128, 1 / 16)
"""How many of the lists a search looks into at least: so many, or this share of them if that is more."""
_AROUND, _AROUND_FILTERED = (0.2, 300_000), (0.3, 200_000)
"""(share, codes): a search also looks into lists with centres whose cosine with the query is less than the
nearest one's by at most this share of the nearest one's sine, until the lists hold so many codes. A paper
lies near few lists; what people type lies between fields, about equally far from many."""
_SEEN, _COMMON = 0.1, 0.1
"""With a filter: the least share of the papers it keeps whose codes are compared; less, if it keeps more
than this share of all papers."""
_POOL, _POOL_LEAST = 4, 800
"""How many candidates to compare exactly: so many times what is asked for, and at least so many."""
_DENSE = 0.01
"""A filter that keeps a larger share of all papers needs most pages of the codes in the lists looked into."""
_MARK, _CHECKED = 2_000, 64
"""After how many rows, and of how many entries before, there is a checksum to tell these rows from others."""


class InvertedFile:
    """The stored structure, mapped from disk. It never changes; a newer one replaces it whole.

    Attributes
    ----------
    covered
        Every row in use below this number is inside.
    trained
        How many rows there were when its lists were chosen.
    size
        How many codes it has, also those of vectors that were replaced since.
    """

    def __init__(self, structure: Any, lists: np.ndarray, about: dict[str, Any], covered: int) -> None:
        self.covered = covered
        self.trained = int(about["trained"])
        self.size = int(structure.ntotal)
        self._structure = structure
        self._lists = lists
        quantizer = _FAISS.downcast_index(structure.quantizer)
        # A view; the structure owns it.
        self._centres = _FAISS.rev_swig_ptr(quantizer.get_xb(), structure.nlist * structure.d).reshape(
            structure.nlist, structure.d
        )
        lists_of = structure.invlists
        self._sizes = np.array([lists_of.list_size(number) for number in range(structure.nlist)], np.int64)

    @classmethod
    def open(cls, log: VectorLog) -> Self | None:
        """The file that covers rows of this log; None if there is none, or if it can't be used."""
        about = read_about(log.folder)
        if about is None:
            return None
        if int(about["generation"]) > log.generation:
            log.refresh()  # the writer has compacted the rows since
        covered = _covered(log, about)
        if covered is None:
            return None
        try:
            codes, lists_of = (file(log.folder, about["number"]) for file in (codes_file, lists_file))
            if [codes.stat().st_size, lists_of.stat().st_size] != about["sizes"]:
                return None
            structure = _FAISS.read_index(str(codes), _FAISS.IO_FLAG_MMAP_IFC)
            lists = np.load(lists_of, mmap_mode="r")
        except (OSError, ValueError, RuntimeError):  # torn, or another version of FAISS's: it is made again
            return None
        if structure.d != log.dimension or lists.dtype != np.uint16:
            return None
        return cls(structure, lists, about, covered)

    def candidates(self, query: np.ndarray, count: int, where: np.ndarray | None) -> np.ndarray:
        """Papers among which the ``count`` nearest are: int64, each at least once, dead ones included.

        Parameters
        ----------
        query
            float32, shape (dimension,).
        where
            As in :meth:`index.search.vector_index.VectorIndex.search`.
        """
        structure, pool = self._structure, max(_POOL_LEAST, _POOL * count)
        if where is None:
            near = self._near(query)
            order = np.argsort(-near)
            enough = 1 + int(structure.nlist * 2 * pool / max(1, self.size))
            lists = order[: max(enough, _least(_PROBED, structure.nlist), self._around(near, order, _AROUND))]
            _, papers = search_chosen(structure, query, pool, lists, near[lists])
        else:
            chosen = self._chosen(query, where, pool)
            if not chosen.any():
                return np.zeros(0, np.int64)
            dense = int(np.count_nonzero(where)) > _DENSE * self.size
            lists_ahead(structure, np.flatnonzero(chosen), codes=dense)
            only = _FAISS.SearchParameters(sel=_bitmap(chosen))
            parameters = _FAISS.SearchParametersIVF(
                sel=_bitmap(where), nprobe=int(np.count_nonzero(chosen)), quantizer_params=only
            )
            papers = structure.search(query[None], pool, params=parameters)[1][0]
        return np.asarray(papers[papers >= 0])

    def _chosen(self, query: np.ndarray, where: np.ndarray, pool: int) -> np.ndarray:
        """The lists to look into for papers that pass a filter: bool, shape (lists,).

        An inverted file that looks into the nearest lists alone misses what a filter keeps elsewhere: they
        may hold few of its papers or none. So lists count by what the filter keeps of them.
        """
        kept = int(np.count_nonzero(where))
        step = max(1, kept // _COUNTED)
        papers = np.flatnonzero(where[::step]) * step
        lists = gathered(self._lists, papers[papers < len(self._lists)])
        held = np.bincount(lists[lists != _NO_LIST], minlength=len(self._centres))
        near = self._near(query)
        order = np.argsort(-near)
        order = order[held[order] > 0]
        seen = np.cumsum(held[order])
        chosen = np.zeros(len(held), bool)
        if len(order):
            share = min(
                _SEEN, max(_least(_PROBED, len(held)) / len(held), _SEEN * _COMMON * self.size / kept)
            )
            enough = int(np.searchsorted(seen, max(share * seen[-1], 2 * pool / step))) + 1
            lists_least = max(enough, _least(_PROBED_FILTERED, len(held)))
            chosen[order[: max(lists_least, self._around(near, order, _AROUND_FILTERED))]] = True
        return chosen

    def _around(self, near: np.ndarray, order: np.ndarray, of: tuple[float, int]) -> int:
        """How many of some lists, nearest first, are little farther than the first (:data:`_AROUND`)."""
        nearest, (share, codes) = float(near[order[0]]), of
        least = nearest - share * max(0.0, 1 - nearest**2) ** 0.5
        lists = int(np.searchsorted(-near[order], -least, "right"))
        return min(lists, int(np.searchsorted(np.cumsum(self._sizes[order]), codes)))

    def _near(self, query: np.ndarray) -> np.ndarray:
        """Cosine of the query with each list's centre: float32, shape (lists,)."""
        near = np.empty(len(self._centres), np.float32)
        views = (_FAISS.swig_ptr(near), _FAISS.swig_ptr(query), _FAISS.swig_ptr(self._centres))
        _FAISS.fvec_inner_products_ny(*views, self._structure.d, len(near))
        return near


def _least(of_lists: tuple[int, float], lists: int) -> int:
    return min(lists, max(of_lists[0], int(of_lists[1] * lists)))


def _bitmap(wanted: np.ndarray) -> Any:
    return _FAISS.IDSelectorBitmap(np.packbits(wanted, bitorder="little"))


def codes_file(folder: Path, number: int) -> Path:
    """The codes, as FAISS writes them."""
    return folder / f"inverted-{number}.faiss"


def lists_file(folder: Path, number: int) -> Path:
    """uint16, a NumPy file: the list of each store id, 65,535 for none."""
    return folder / f"inverted-{number}.lists"


def read_about(folder: Path) -> dict[str, Any] | None:
    """What ``inverted.json`` says; None if there is none, or it is unreadable."""
    try:
        about = json.loads((folder / "inverted.json").read_text())
        if about["format"] == FORMAT:
            int(about["number"]), int(about["trained"]), int(about["rows"]), int(about["generation"])
            about["checksum"], about["sizes"], about["marks"]
            return dict(about)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _covered(log: VectorLog, about: dict[str, Any]) -> int | None:
    """The row below which the file has everything; None if it was made from other rows."""
    generation, rows = int(about["generation"]), int(about["rows"])
    if generation != log.generation:
        return log.present_row(generation, rows)
    if rows <= log.row_count:
        return rows if _checksum(log.table, rows) == about["checksum"] else None
    # This reader is behind; or rows were lost, and others came with their numbers, up to a mark that differs.
    last = log.row_count // _MARK
    same = last == 0 or _checksum(log.table, last * _MARK) == about["marks"][last - 1]
    return last * _MARK if same else None


def _checksum(table: RowTable, rows: int) -> int:
    """Of the last entries before a row."""
    return zlib.crc32(table.entries[max(0, rows - _CHECKED) : rows].tobytes())


def build(log: VectorLog, old: InvertedFile | None = None) -> None:
    """Make the file from the log's rows, or bring ``old`` up to date, and put it in place of the last one.

    Long: it is for the worker, by the one process that writes. Killed at any point, it leaves what was there.
    The vectors are read in parts and never held whole.
    """
    about, table, whole = read_about(log.folder), log.table, log.row_count
    structure, start, trained = None, 0, len(log)
    if old is not None and about is not None:
        path = codes_file(log.folder, about["number"])
        structure, start, trained = _FAISS.read_index(str(path)), old.covered, old.trained
    _FAISS.omp_set_num_threads(os.cpu_count() or 1)
    if structure is None:
        structure = _trained(table)
    for first in range(start, whole, READ_AT_ONCE):
        stop = min(first + READ_AT_ONCE, whole)
        alive = table.alive(first, stop)
        papers = np.ascontiguousarray(table.entries["paper"][first:stop][alive])
        structure.add_with_ids(table.read_rows(first, stop)[alive].astype(np.float32), papers)
    number = (about["number"] if about else 0) + 1
    _write_whole(codes_file(log.folder, number), lambda draft: write_structure(structure, draft))
    _write_whole(lists_file(log.folder, number), lambda draft: _save(draft, _lists(structure)))
    said = {
        "format": FORMAT,
        "number": number,
        "generation": log.generation,
        "rows": whole,
        "trained": trained,
        "checksum": _checksum(table, whole),
        "marks": [_checksum(table, row) for row in range(_MARK, whole, _MARK)],
        "sizes": [file(log.folder, number).stat().st_size for file in (codes_file, lists_file)],
    }
    _write_whole(log.folder / "inverted.json", lambda draft: draft.write_text(json.dumps(said) + "\n"))
    in_use = (codes_file(log.folder, number), lists_file(log.folder, number), log.folder / "inverted.json")
    for path in log.folder.glob("inverted*"):
        if path not in in_use:
            path.unlink(missing_ok=True)


def _trained(table: RowTable) -> Any:
    """An empty structure whose lists suit a sample of the rows."""
    papers = table.papers()
    dimension = table.rows.shape[1]
    lists = max(1, min(int(_LISTS * len(papers) ** 0.5), len(papers) // _A_LIST, _NO_LIST - 1))
    # The fast scan's lists can't be mapped: FAISS would copy them into memory.
    structure = _FAISS.IndexIVFRaBitQ(
        _FAISS.IndexFlatIP(dimension), dimension, lists, faiss.METRIC_INNER_PRODUCT, True, 1
    )
    structure.cp.niter, structure.cp.spherical = _ROUNDS, True
    structure.cp.max_points_per_centroid = structure.cp.min_points_per_centroid = _A_LIST
    sample = np.random.default_rng(0).choice(papers, min(len(papers), _A_LIST * lists), replace=False)
    structure.train(table.rows[np.sort(table.rows_of(sample))].astype(np.float32))
    return structure


def _lists(structure: Any) -> np.ndarray:
    """uint16: the list of each store id."""
    held = structure.invlists
    lists = np.full(0, _NO_LIST, np.uint16)
    for number in range(structure.nlist):
        if not held.list_size(number):
            continue
        papers = _FAISS.rev_swig_ptr(held.get_ids(number), held.list_size(number))
        top = int(papers.max()) + 1
        if top > len(lists):
            lists = np.concatenate(
                [lists, np.full(max(top - len(lists), len(lists) // 4), _NO_LIST, np.uint16)]
            )
        lists[papers] = number
    return lists


def _save(path: Path, lists: np.ndarray) -> None:
    with path.open("wb") as out:
        np.save(out, lists)


def _write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place, wait for the disk, and put it there."""
    draft = path.with_name(path.name + ".new")
    write(draft)
    with draft.open("rb+") as stream:
        os.fsync(stream.fileno())
    os.replace(draft, path)
