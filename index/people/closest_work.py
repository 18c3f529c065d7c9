"""Mean vectors of people with two papers or more, to be searched: in memory, or mapped from a file."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from index.models.faiss_file import write_structure
from index.models.mapped import Draft, MappedArrays, parts
from index.models.read_ahead import search_lists
from index.people.people_table import PeopleTable
from index.search.vectors import Vectors

_FAISS: Any = faiss
FORMAT = "closest-1"
LEAST = 2
"""The number of papers that a person needs."""
FLAT_UNTIL = 200_000
"""Up to so many people each is compared; beyond, those in the nearest of some lists."""
PROBED = 40, 0.02
"""How many of the lists are searched then: so many, or this share of them if that is more."""
_AT_ONCE = 2_000
Directions = Callable[[np.ndarray], np.ndarray]


class ClosestWork:
    """People by the direction of their work."""

    def __init__(self, structure: Any, held: int) -> None:
        self._structure, self._held = structure, held

    def __len__(self) -> int:
        return int(self._structure.ntotal)

    @classmethod
    def of(cls, table: PeopleTable, vectors: Vectors) -> ClosestWork:
        """Of everybody with papers enough, from the present vectors of their papers."""

        def directions(people: np.ndarray) -> np.ndarray:
            rows = np.searchsorted(table.ids, people.astype(table.ids.dtype))
            places, starts = parts(table.ends, rows)
            papers = vectors.rows(table.papers[places].astype(np.int64)).astype(np.float32)
            return unit(np.add.reduceat(papers, starts[:-1]))

        people = table.ids[np.diff(table.ends) >= LEAST]
        return cls.made(people, directions, vectors.dimension)

    @classmethod
    def made(cls, people: np.ndarray, directions: Directions, dimension: int) -> ClosestWork:
        """Of these people, by numbers of any kind; ``directions`` gives unit rows for some of them."""
        structure = _structure(people, directions, dimension)
        for start in range(0, len(people), _AT_ONCE):
            part = people[start : start + _AT_ONCE]
            structure.add_with_ids(directions(part), part.astype(np.int64))
        return cls(structure, len(people))

    def write(self, path: Path, **stamp: int) -> None:
        """Write to a file and, last, the small one beside it that says which it is.

        Raises
        ------
        OSError
            If the disk is full, or refuses.
        """
        file = path.with_name(f"{path.stem}-{secrets.token_hex(6)}.faiss")
        try:
            write_structure(self._structure, file)
            with Draft(path, FORMAT) as draft:
                draft.add("file", np.frombuffer(file.name.encode(), np.uint8))
                draft.publish(size=file.stat().st_size, people=len(self), **stamp)
        except BaseException:
            file.unlink(missing_ok=True)
            raise
        for other in path.parent.glob(f"{path.stem}-*.faiss"):
            if other != file:
                with contextlib.suppress(OSError):
                    other.unlink()

    @classmethod
    def open(cls, path: Path, dimension: int) -> tuple[ClosestWork, dict[str, int]] | None:
        """Map a file; None where it is missing, torn, or of vectors with another dimension."""
        held = MappedArrays.open(path, FORMAT, ("file",))
        if held is None:
            return None
        file = path.with_name(Path(held["file"].tobytes().decode("utf-8", "replace")).name)
        try:
            if file.stat().st_size != held.stamp["size"]:
                return None
            structure = faiss.read_index(str(file), _FAISS.IO_FLAG_MMAP_IFC)
        except (OSError, RuntimeError, KeyError, ValueError):
            return None
        if structure.d != dimension or structure.ntotal != held.stamp.get("people"):
            return None
        return cls(structure, structure.ntotal), held.stamp

    def nearest(self, direction: np.ndarray, count: int, *, above: float = 0.0) -> dict[int, float]:
        """People with their cosines, closest first, those above a value only."""
        if not self._held:
            return {}
        lists = int(self._structure.nlist)
        probed = lists if self._held <= FLAT_UNTIL else min(lists, max(PROBED[0], int(lists * PROBED[1])))
        scores, people = search_lists(self._structure, direction, min(self._held, count), probed)
        return {
            int(person): float(score)
            for score, person in zip(scores.tolist(), people.tolist(), strict=True)
            if person >= 0 and score > above
        }


def _structure(people: np.ndarray, directions: Directions, dimension: int) -> Any:
    """An empty inverted file: of a single list for few people, so that everybody is compared."""
    lists = 1 if len(people) <= FLAT_UNTIL else int(min(4_096, 2 * len(people) ** 0.5))
    coarse = faiss.IndexFlatIP(dimension)
    structure = faiss.IndexIVFScalarQuantizer(
        coarse,
        dimension,
        lists,
        faiss.ScalarQuantizer.QT_fp16,
        faiss.METRIC_INNER_PRODUCT,
        False,  # the vectors themselves, not what they differ by from their list's centre
    )
    if lists == 1:
        coarse.add(np.zeros((1, dimension), np.float32))
        structure.is_trained = True
    else:
        some = np.sort(np.random.default_rng(0).choice(people, min(len(people), 40 * lists), replace=False))
        sample = [directions(some[start : start + _AT_ONCE]) for start in range(0, len(some), _AT_ONCE)]
        structure.train(np.concatenate(sample))
    return structure


def unit(rows: np.ndarray) -> np.ndarray:
    """Rows of length one; those too short to have a direction are zeros."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(length > 1e-6, rows / np.maximum(length, 1e-9), 0.0).astype(np.float32)
