"""Names, sorted under each of their words: in memory for a few, in a mapped file for millions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from index.models.distinct import distinct
from index.models.mapped import Draft, MappedArrays, are_ends, within

FORMAT = "names-1"
WIDTH = 48
"""Bytes of a rotated name that are compared; names that agree on all of them count as equal."""
_AT_ONCE = 10_000
_ROTATIONS_KEPT = 8_192
"""Places of the order that were read last: every bisection begins with the same ones."""
MANY = 4_096
"""Beginnings that more names share have those with most papers kept beside them."""
KEPT = 100
Counts = Sequence[tuple[str, str, int]]
"""Key, printed form and number of papers of names."""
_ARRAYS = ("keys", "key_ends", "names", "name_ends", "papers", "lengths", "order", "turns")
_FIRST = ("starts", "start_ends", "first")


class NameTable:
    """Names by place, and their rotations in order: ``"chonlam lao"`` is also listed as ``"lao chonlam"``.

    Attributes
    ----------
    papers, lengths
        int32 and uint16, by place: papers with the name, characters of its key.
    """

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self._keys, self._key_ends = arrays["keys"], arrays["key_ends"]
        self._names, self._name_ends = arrays["names"], arrays["name_ends"]
        self.papers, self.lengths = arrays["papers"], arrays["lengths"]
        self._order, self._turns = arrays["order"], arrays["turns"]
        first = {text: place for place, text in enumerate(_texts(arrays["starts"], arrays["start_ends"]))}
        self._first, self._first_rows = first, arrays["first"]
        self._rotated = _rotations(self._keys, self._key_ends, self._order, self._turns)

    @classmethod
    def of(cls, counts: Counts) -> NameTable:
        """From names in memory."""
        builder = _Builder()
        builder.add(counts)
        return cls(builder.arrays())

    @classmethod
    def open(cls, path: Path) -> tuple[NameTable, dict[str, int]] | None:
        """From a file, with its stamp; None where it is missing, torn or its parts don't fit each other."""
        held = MappedArrays.open(path, FORMAT, (*_ARRAYS, *_FIRST))
        if held is None:
            return None
        count, rotations = len(held["papers"]), len(held["order"])
        fits = (
            len(held["lengths"]) == count
            and len(held["turns"]) == rotations
            and are_ends(held["key_ends"], count, len(held["keys"]))
            and are_ends(held["name_ends"], count, len(held["names"]))
            and within(held["order"], count)
            and held["first"].ndim == 2
            and are_ends(held["start_ends"], len(held["first"]), len(held["starts"]))
            and int(held["first"].max(initial=-1)) < count
        )
        if not fits:
            return None
        try:
            return cls({name: held[name] for name in (*_ARRAYS, *_FIRST)}), held.stamp
        except UnicodeDecodeError:
            return None

    @staticmethod
    async def write(path: Path, parts: AsyncIterator[Counts], **stamp: int) -> None:
        """Make the file from names, some at a time."""
        builder = _Builder()
        async for part in parts:
            builder.add(part)
        with Draft(path, FORMAT) as draft:
            for name, array in builder.arrays().items():
                draft.add(name, array)
            draft.publish(**stamp)

    def __len__(self) -> int:
        return len(self.papers)

    def key(self, place: int) -> str:
        """The key of a name."""
        return self._key_bytes(place).decode("utf-8", "replace")

    def printed(self, place: int) -> str:
        """The printed form of a name."""
        return (
            self._names[self._name_ends[place] : self._name_ends[place + 1]]
            .tobytes()
            .decode("utf-8", "replace")
        )

    def get(self, key: str) -> int | None:
        """The place of the name with exactly this key."""
        return next(iter(self.places([key])), None)

    def places(self, keys: Iterable[str]) -> list[int]:
        """The places of the names with exactly these keys, sorted by key; unknown keys are left out.

        Sorted keys are near each other, so that many take a fraction of the time of one by one.
        """
        found = []
        low = 0
        for whole in sorted({key.encode() for key in keys}):
            start = whole[:WIDTH]
            low = at = self._bisect(start, low)
            while at < len(self._order) and self._rotated(at) == start:
                place = int(self._order[at])
                if self._turns[at] == 0 and self._key_bytes(place) == whole:
                    found.append(place)
                    break
                at += 1
        return found

    def under(self, prefix: str) -> np.ndarray:
        """Places of the names that begin with the prefix when read from one of their words, ascending."""
        low, high = self._range(prefix.encode()[:WIDTH])
        return distinct(self._order[low:high]).astype(np.int64)

    def most_under(self, prefix: str) -> np.ndarray | None:
        """Of many the :data:`KEPT` with most papers, most first; None where :meth:`under` is as quick."""
        row = self._first.get(prefix)
        if row is None:
            return None
        kept = self._first_rows[row]
        return np.asarray(kept[kept >= 0], np.int64)

    def _key_bytes(self, place: int) -> bytes:
        return self._keys[self._key_ends[place] : self._key_ends[place + 1]].tobytes()

    def _range(self, start: bytes) -> tuple[int, int]:
        """The part of the order that begins so."""
        low = self._bisect(start)
        return low, self._bisect(start[: WIDTH - 1] + b"\xff", low)

    def _bisect(self, start: bytes, low: int = 0) -> int:
        """The first place of the order, from ``low`` on, that isn't before ``start``."""
        step = 1 if low else len(self._order)
        while low + step < len(self._order) and self._rotated(low + step) < start:
            low, step = low + step, 2 * step
        high = min(low + step, len(self._order))
        return bisect_left(range(high), start, low, key=self._rotated)


def _rotations(
    keys: np.ndarray, ends: np.ndarray, order: np.ndarray, turns: np.ndarray
) -> Callable[[int], bytes]:
    """The rotation at a place of the order, cut to :data:`WIDTH`.

    It knows the arrays and not their table, which would refer to itself and outlive its replacement.
    """

    @lru_cache(_ROTATIONS_KEPT)
    def read(at: int) -> bytes:
        place = int(order[at])
        return rotated(keys[ends[place] : ends[place + 1]].tobytes(), int(turns[at]))

    return read


def rotated(key: bytes, turn: int) -> bytes:
    """A key read from its word number ``turn``, cut to :data:`WIDTH`."""
    if turn == 0:
        return key[:WIDTH]
    words = key.split(b" ")
    return b" ".join(words[turn:] + words[:turn])[:WIDTH]


class _Builder:
    """Takes in names and sorts their rotations."""

    def __init__(self) -> None:
        self._text = {"key": bytearray(), "name": bytearray()}
        self._sizes: dict[str, list[np.ndarray]] = {"key": [], "name": []}
        self._papers: list[np.ndarray] = []
        self._lengths: list[np.ndarray] = []
        self._forms: list[np.ndarray] = []
        self._places: list[np.ndarray] = []
        self._turns: list[np.ndarray] = []
        self._count = 0

    def add(self, counts: Counts) -> None:
        # In parts, since converting all at once would hold Python's lock long enough to stall a reply.
        for start in range(0, len(counts), _AT_ONCE):
            self._add(counts[start : start + _AT_ONCE])

    def _add(self, counts: Counts) -> None:
        for which, column in (("key", 0), ("name", 1)):
            texts = [str(entry[column]).encode() for entry in counts]
            self._text[which] += b"".join(texts)
            self._sizes[which].append(np.fromiter(map(len, texts), np.int64, len(texts)))
        self._papers.append(np.fromiter((entry[2] for entry in counts), np.int32, len(counts)))
        lengths = (min(len(entry[0]), 65_535) for entry in counts)
        self._lengths.append(np.fromiter(lengths, np.uint16, len(counts)))
        forms, places, turns = [], [], []
        for place, entry in enumerate(counts, self._count):
            key = entry[0].encode()
            for turn in range(min(key.count(b" ") + 1, 256)):
                forms.append(rotated(key, turn))
                places.append(place)
                turns.append(turn)
        self._forms.append(np.array(forms, f"S{WIDTH}"))
        self._places.append(np.array(places, np.int32))
        self._turns.append(np.array(turns, np.uint8))
        self._count += len(counts)

    def arrays(self) -> dict[str, np.ndarray]:
        forms = _joined(self._forms, f"S{WIDTH}")
        places, turns = _joined(self._places, np.int32), _joined(self._turns, np.uint8)
        self._forms.clear()
        order = np.argsort(forms, kind="stable")
        papers = _joined(self._papers, np.int32)
        starts, first = _most_of_each(forms[order], places[order], papers)
        sizes = np.fromiter(map(len, starts), np.int64, len(starts))
        return {
            "keys": np.frombuffer(self._text["key"], np.uint8),
            "key_ends": _ends(_joined(self._sizes["key"], np.int64)),
            "names": np.frombuffer(self._text["name"], np.uint8),
            "name_ends": _ends(_joined(self._sizes["name"], np.int64)),
            "papers": papers,
            "lengths": _joined(self._lengths, np.uint16),
            "order": places[order],
            "turns": turns[order],
            "starts": np.frombuffer(b"".join(starts), np.uint8),
            "start_ends": _ends(sizes),
            "first": first,
        }


def _most_of_each(
    forms: np.ndarray, places: np.ndarray, papers: np.ndarray
) -> tuple[list[bytes], np.ndarray]:
    """Beginnings that more than :data:`MANY` rotations share, and the names with most papers under each."""
    starts: list[bytes] = []
    rows: list[np.ndarray] = []
    pending = [(b"", 0, len(forms))]
    while pending:
        start, low, high = pending.pop()
        if high - low <= MANY or len(start) >= WIDTH - 1:
            continue
        if start.decode("utf-8", "ignore").encode() == start:
            under = distinct(places[low:high])
            best = _highest(under, papers, KEPT)
            starts.append(start)
            rows.append(np.pad(best, (0, KEPT - len(best)), constant_values=-1))
        letters = forms[low:high].view("S1").reshape(high - low, -1)[:, len(start)]
        cuts = np.flatnonzero(letters[1:] != letters[:-1]) + 1
        for one, other in zip([0, *cuts.tolist()], [*cuts.tolist(), high - low], strict=True):
            if letters[one]:  # an empty one is the end of a name
                pending.append((start + bytes(letters[one]), low + one, low + other))
    first = np.array(rows, np.int32).reshape(len(rows), KEPT)
    return starts, first


def _highest(places: np.ndarray, papers: np.ndarray, most: int) -> np.ndarray:
    """The places with most papers, most first; where they have as many, the lower place first."""
    order = np.lexsort((places, -papers[places].astype(np.int64)))[:most]
    return np.asarray(places[order], np.int32)


def _joined(parts: Iterable[np.ndarray], dtype: Any) -> np.ndarray:
    held = list(parts)
    return np.concatenate(held) if held else np.zeros(0, dtype)


def _ends(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _texts(blob: np.ndarray, ends: np.ndarray) -> Iterator[str]:
    text = blob.tobytes()
    for low, high in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        yield text[low:high].decode()
