"""arXiv's public metadata snapshot: a JSON object a line, the newest version of every paper."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from data.records import PaperRecord, Rejected
from data.sources.files import PaperFile, pass_line
from data.sources.forms import record_of
from data.sources.http import SourceError

SOURCE = "arxiv-snapshot"
_FORM = ("id", "title", "authors_parsed", "categories")
_TRIED = 100
_HEAD = 1 << 16
_NO_END = 9_999


@dataclass(frozen=True, slots=True)
class SnapshotChoice:
    """The papers to take: of these categories or archives, first submitted in these years.

    None takes all.
    """

    categories: tuple[str, ...] | None = None
    years: tuple[int, int] | None = None

    def takes(self, item: Any) -> bool:
        """Whether a line's paper is wanted; a line that can't be judged is, so that its fault is told."""
        if not isinstance(item, dict):
            return True
        categories = item.get("categories")
        if self.categories is not None and isinstance(categories, str):
            archives = [f"{wanted}." for wanted in self.categories]
            if not any(
                category in self.categories or category.startswith(tuple(archives))
                for category in categories.split()
            ):
                return False
        if self.years is None:
            return True
        year = _year(item)
        return year is None or self.years[0] <= year <= self.years[1]

    def __str__(self) -> str:
        names = " ".join(sorted(self.categories)) if self.categories is not None else "all categories"
        if self.years is None:
            return names
        first, last = self.years
        if last == _NO_END:
            return f"{names}, {first} and later"
        return f"{names}, {first}" if first == last else f"{names}, {first} to {last}"


class SnapshotFile(PaperFile):
    """The snapshot as a stream of records, from a line on: plain, .gz, .zst, .bz2, .xz or a .zip of one file.

    Raises
    ------
    SourceError
        Where the file is missing, torn, or not the snapshot: none of its first lines is a paper in its form.
    """

    def __init__(self, path: Path, chosen: SnapshotChoice, begin: int = 0) -> None:
        super().__init__(path)
        self._chosen = chosen
        self._begin = begin

    @property
    def scope(self) -> str:
        """A name for this file's content and what is taken of it."""
        with self.path.open("rb") as file:
            head = blake2b(file.read(_HEAD), digest_size=6)
            head.update(f"{os.fstat(file.fileno()).st_mtime_ns}".encode())  # edited since, perhaps further on
        taken = str(self._chosen)
        if len(taken) > 300:
            taken = f"{taken[:280]} {blake2b(taken.encode(), digest_size=6).hexdigest()}"
        return f"{self.path.name[:100]} {self.size} {head.hexdigest()}: {taken}"

    def _records(self, stream: Any) -> Iterator[tuple[int, PaperRecord | Rejected]]:
        self._skip(stream)
        refused: list[tuple[int, PaperRecord | Rejected]] = []
        recognised = self._begin > 0
        for number, item, raw in self._items(stream, arrays=False):
            if not isinstance(item, Rejected) and _is_line(item):
                if not recognised:
                    recognised = True
                    yield from refused
                if self._chosen.takes(item):
                    yield number, record_of(item, f"line {number + 1}", raw)
                continue
            if not isinstance(item, Rejected):
                item = Rejected(f"line {number + 1}", _what_lacks(item), raw)
            if recognised:
                yield number, item
                continue
            refused.append((number, item))
            if len(refused) == _TRIED:
                break
        if not recognised:
            why = f": {refused[0][1].reason}" if refused and isinstance(refused[0][1], Rejected) else ""
            raise SourceError(
                f"{self.path} is not arXiv's metadata snapshot (line 1{why}). It has one JSON object a line, "
                f"with {', '.join(_FORM)}; `ingest file` reads other forms"
                if refused
                else f"{self.path} holds no papers. Fetch it again, or name another file."
            )

    def _skip(self, stream: Any) -> None:
        while self.lines < self._begin and pass_line(stream):
            self.lines += 1


def parse_years(text: str) -> tuple[int, int]:
    """``"2020-2026"``, ``"2020-"`` or ``"2024"`` as the first and the last year.

    Raises
    ------
    ValueError
        Where it is none of these.
    """
    first, dash, last = text.strip().partition("-")
    if not (first.isdecimal() and len(first) == 4 and (not last or (last.isdecimal() and len(last) == 4))):
        raise ValueError(f"{text[:40]!r} names no years; write 2020-2026, 2020- or 2024")
    begin, end = int(first), int(last or (_NO_END if dash else first))
    if begin > end:
        raise ValueError(f"{text[:40]!r} ends before it begins")
    return begin, end


def _is_line(item: Any) -> bool:
    return isinstance(item, dict) and all(name in item for name in _FORM)


def _what_lacks(item: Any) -> str:
    if not isinstance(item, dict):
        return "not a JSON object"
    return "no " + ", ".join(name for name in _FORM if name not in item)


def _year(item: dict[str, Any]) -> int | None:
    """The year of a line's first version."""
    versions: Sequence[Any] = item.get("versions") or ()
    try:
        words = versions[0]["created"].split()
    except (LookupError, TypeError, AttributeError):
        return None
    return next((int(word) for word in words if len(word) == 4 and word.isdecimal()), None)
