"""An inverted file with two bits a number, stored beside the rows: it finds candidates among millions.

The codes are RaBitQ's (Gao and others, SIGMOD 2024 and 2025), in FAISS's form. They are only good enough to
choose candidates, whose cosines are then taken from the rows themselves. Files: ``inverted-N.faiss``,
``inverted-N.lists`` (each paper's list) and ``inverted.json``, which names the two in use and says how near
papers lie to the centre of their list.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import faiss  # the stubs lag behind FAISS's Python layer
import numpy as np

from index.models.faiss_file import write_structure
from index.models.read_ahead import gathered, search_chosen
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
_COUNTED, _UNSEEN = 40_000, 0.25
"""How many of the papers that a filter keeps are counted, about, to see in which lists they are, and what is
added to each list's count: a list of which none was seen may still have some."""
_SOUGHT, _SHARE = 200, 0.93
"""A search looks into lists until this share of the papers sought is expected in them, and seeks at least so
many. The nearest ten are in fewer lists, so that more of them are found."""
_SPREAD = 2
"""How many times as much a list's cosines deviate as if it were equally wide in all directions."""
_TYPICAL, _CLOSEST = 0.75, 0.99
"""How near papers lie to their list's centre, by cosine, where the file does not say it; and the nearest that
is believed: a list of copies of one paper would have no width."""
_LINE, _CURVE = 1.5957691, 0.07135481
"""Page's numbers (:func:`_normal`)."""
_HALVINGS = 9
"""Nine leave an interval of .004, about a twentieth of how much a usual list's cosines deviate."""
_A_LIST_TAKES, _A_PAPER_TAKES, _PASSED_OVER = 150, 7, 8
"""In codes compared one after another: what beginning a list takes, and one paper among many that a filter
leaves out. Of those, so many take as long as one code."""
_AT_MOST, _LISTS_LEAST = 250_000, 48
"""A search looks into no more lists when they take as long as comparing so many codes, but into so many at
least, and into as many as hold enough candidates."""
BITS = 2
"""How many bits the codes have for each number. Earlier versions' have one."""
_POOL = {1: (4, 800), 2: (2, 200)}
"""By bits: how many candidates to compare exactly, so many times what is asked for, and at least so many."""
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
    bits
        How many bits a code has for each number.
    """

    def __init__(self, structure: Any, lists: np.ndarray, about: dict[str, Any], covered: int) -> None:
        self.covered = covered
        self.trained = int(about["trained"])
        self.size = int(structure.ntotal)
        self.bits = int(structure.rabitq.nb_bits)
        self._structure = structure
        self._lists = lists
        quantizer = _FAISS.downcast_index(structure.quantizer)
        # A view; the structure owns it.
        self._centres = _FAISS.rev_swig_ptr(quantizer.get_xb(), structure.nlist * structure.d).reshape(
            structure.nlist, structure.d
        )
        lists_of = structure.invlists
        self._sizes = np.array([lists_of.list_size(number) for number in range(structure.nlist)], np.int64)
        self._closeness = _stored_closeness(about, structure.nlist)

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
        if structure.d != log.dimension or lists.dtype != np.uint16 or structure.rabitq.nb_bits not in _POOL:
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
        times, least = _POOL[self.bits]
        structure, pool = self._structure, max(1, min(self.size, max(least, times * count)))
        kept, near, selector, dense = self._sizes, self._near(query), None, True
        if where is not None:
            passing = int(np.count_nonzero(where))
            kept, selector, dense = self._kept(where, passing), _bitmap(where), passing > _DENSE * self.size
        lists = self._to_probe(near, kept, count, 2 * pool)
        if not len(lists):
            return np.zeros(0, np.int64)
        _, papers = search_chosen(structure, query, pool, lists, near[lists], selector, codes=dense)
        return np.asarray(papers[papers >= 0])

    def _kept(self, where: np.ndarray, passing: int) -> np.ndarray:
        """How many papers of each list pass a filter, about: shape (lists,)."""
        step = max(1, passing // _COUNTED)
        while step > 1 and math.gcd(step, 30) > 1:  # so that every second or third id is no matter
            step += 1
        papers = np.flatnonzero(where[::step]) * step
        lists = gathered(self._lists, papers[papers < len(self._lists)])
        seen = np.bincount(lists[lists != _NO_LIST], minlength=len(self._sizes))
        return np.minimum(step * (seen + _UNSEEN), self._sizes) if step > 1 else seen

    def _to_probe(self, near: np.ndarray, kept: np.ndarray, count: int, least: int) -> np.ndarray:
        """The lists to look into for the ``count`` nearest papers, the most promising first: int64.

        The cosines of a list's papers with the query are taken to be normally distributed, around its
        centre's cosine times how near the papers lie to the centre. So one can say how many papers of each
        list are expected above a cosine, which is chosen so that all lists together have as many as are
        sought. The lists with the most of them for the time that they take come first. A paper lies near
        few lists, which are then enough; what people type lies about equally far from many.

        Parameters
        ----------
        near
            The query's cosine with each centre, float32, shape (lists,).
        kept
            How many papers of each list may be found: shape (lists,).
        count
            How many are asked for.
        least
            The lists hold at least so many that may be found.
        """
        lists = np.flatnonzero(kept)
        if not len(lists):
            return lists
        kept, sizes, close = kept[lists].astype(np.float32), self._sizes[lists], self._closeness[lists]
        mean = np.clip(near[lists], -1, 1) * close
        spread = _SPREAD / self._structure.d**0.5 * np.sqrt((1 - mean**2) * (1 - close**2))
        expected = kept * _above(mean, spread, kept, max(_SOUGHT, count))
        takes = _A_LIST_TAKES + np.minimum(sizes, sizes / _PASSED_OVER + _A_PAPER_TAKES * kept)
        order = np.argsort(-expected / takes)
        seen, spent = np.cumsum(expected[order], dtype=float), np.cumsum(takes[order])
        enough = 1 + int(np.searchsorted(seen, _SHARE * seen[-1]))
        allowed = max(_LISTS_LEAST, int(np.searchsorted(spent, _AT_MOST, "right")))
        needed = 1 + int(np.searchsorted(np.cumsum(kept[order], dtype=float), least))
        return lists[order[: max(_LISTS_LEAST, needed, min(enough, allowed))]]

    def _near(self, query: np.ndarray) -> np.ndarray:
        """Cosine of the query with each list's centre: float32, shape (lists,)."""
        near = np.empty(len(self._centres), np.float32)
        views = (_FAISS.swig_ptr(near), _FAISS.swig_ptr(query), _FAISS.swig_ptr(self._centres))
        _FAISS.fvec_inner_products_ny(*views, self._structure.d, len(near))
        return near


def _above(mean: np.ndarray, spread: np.ndarray, papers: np.ndarray, sought: int) -> np.ndarray:
    """The share of each list's papers above the cosine above which so many of all are expected.

    The higher a cosine, the fewer papers lie above it, so halving an interval finds it.
    """
    low, high = -1.0, 1.0
    for _ in range(_HALVINGS):
        cosine = (low + high) / 2
        if papers @ _normal((mean - cosine) / spread) > sought:
            low = cosine
        else:
            high = cosine
    return _normal((mean - low) / spread)


def _normal(deviations: np.ndarray) -> np.ndarray:
    """The normal distribution's share below so many deviations (Page, Applied Statistics 1977).

    To .0002; at -3 a tenth too small, and further below still smaller. scipy.special has it exactly, but
    takes 26 MB of memory.
    """
    odds = np.exp(np.clip(deviations * (_LINE + _CURVE * deviations**2), -80, 80))
    share: np.ndarray = odds / (1 + odds)
    return share


def _stored_closeness(about: dict[str, Any], lists: int) -> np.ndarray:
    """What the file says of how near papers lie to their list's centre: float32, shape (lists,)."""
    try:
        told: np.ndarray = np.array(about["closeness"], float)
    except (KeyError, TypeError, ValueError, OverflowError):  # an earlier version's, or damaged
        told = np.zeros(0)
    if told.shape != (lists,) or not (np.abs(told) <= 1).all():
        told = np.full(lists, _TYPICAL)
    return np.asarray(np.clip(told, 0, _CLOSEST), np.float32)


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
        "closeness": _closeness(structure).round(4).tolist(),
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
        _FAISS.IndexFlatIP(dimension), dimension, lists, faiss.METRIC_INNER_PRODUCT, True, BITS
    )
    structure.cp.niter, structure.cp.spherical = _ROUNDS, True
    structure.cp.max_points_per_centroid = structure.cp.min_points_per_centroid = _A_LIST
    sample = np.random.default_rng(0).choice(papers, min(len(papers), _A_LIST * lists), replace=False)
    structure.train(table.rows[np.sort(table.rows_of(sample))].astype(np.float32))
    return structure


def _closeness(structure: Any) -> np.ndarray:
    """How near papers lie to their list's centre, by cosine: float64, shape (lists,).

    With each code, RaBitQ stores its vector's squared distance from the centre, less the vector's squared
    length. Vectors and centres have length 1, so that is 1 less twice their cosine.
    """
    held, start = structure.invlists, -(-structure.d // 8)
    close = np.full(structure.nlist, _TYPICAL)
    for number in range(structure.nlist):
        if count := held.list_size(number):
            codes = _FAISS.rev_swig_ptr(held.get_codes(number), count * held.code_size).reshape(count, -1)
            distances = np.ascontiguousarray(codes[:, start : start + 4]).view(np.float32)
            close[number] = (1 - distances.mean(dtype=float)) / 2
    return close


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
