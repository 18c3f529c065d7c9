"""What printed words are by themselves, for finding phrases: looked up once and kept as columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from importlib import resources
from threading import Lock

import numpy as np

from data.keys import fold
from index.search.passages import stem

MULTIPLIER = 0x9E3779B97F4A7C15
"""Odd; a phrase's key is a polynomial of its stems' hashes in it, modulo 2^64."""
MASK = 2**64 - 1
LOWER, CAPITALISED, OTHER = range(3)
"""How a word is printed: small letters, one capital at its beginning, or anything else (``GPU``, ``k8s``)."""
PART = re.compile(r"[^\W_]+(?:\+\+|#)?")
"""A part of a hyphenated word, or a whole one."""
_KEPT = 200_000
_COLUMNS = np.dtype(
    [("key", np.uint64), ("step", np.uint64), ("function", np.int8), ("form", np.int8), ("mark", np.bool_)]
)


def _function_words() -> dict[str, int]:
    lines = resources.files("index").joinpath("function_words.txt").read_text().splitlines()
    return {word: number for number, line in enumerate(lines, 1) for word in line.partition(":")[2].split()}


_FUNCTION = _function_words()
CLASSES = 1 + max(_FUNCTION.values())
"""Kinds of function words (lines of ``function_words.txt``, from 1), and 0 for all other words."""
DETERMINER, PREPOSITION, TO, AUXILIARY, BE, HAVE, PRONOUN, CONJUNCTION = range(1, CLASSES)


@dataclass(frozen=True, slots=True)
class PrintedWord:
    """What a printed word is by itself.

    Attributes
    ----------
    folded
        In small letters, without accents.
    key
        The hash of its stems; one word and its parts written apart have the same key (multi-agent).
    step
        :data:`MULTIPLIER` to the power of its number of parts.
    function
        Which kind of function word it is; 0 for others.
    form
        :data:`LOWER`, :data:`CAPITALISED` or :data:`OTHER`.
    mark
        Whether it is a number or a single character.
    """

    folded: str
    key: int
    step: int
    function: int
    form: int
    mark: bool

    @classmethod
    def read(cls, printed: str) -> PrintedWord:
        """Find out what a word is."""
        folded = fold(printed)
        parts = PART.findall(folded.removesuffix("'s").removesuffix("’s")) or [folded]
        key, step = 0, 1
        for part in parts:
            key = (key * MULTIPLIER + stem_hash(stem(part))) & MASK
            step = step * MULTIPLIER & MASK
        if printed.islower() or printed.isdigit():
            form = LOWER
        else:
            pieces = printed.split("-")
            capital = all(piece.islower() or piece.istitle() for piece in pieces if piece)
            form = CAPITALISED if capital and len(printed) > 1 else OTHER
        mark = folded.replace(".", "").isdigit() or len(folded) < 2
        return cls(folded, key, step, _FUNCTION.get(folded, 0), form, mark)


word_of = lru_cache(maxsize=50_000)(PrintedWord.read)
"""A printed word by itself; many are looked up faster in a :class:`WordTable`."""


def text_hash(text: str) -> int:
    """An unsigned 64-bit hash."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


stem_hash = lru_cache(maxsize=200_000)(text_hash)
"""The same of stems, which come again and again."""


@dataclass(frozen=True)
class PrintedWords:
    """Some words as :class:`PrintedWord` has them: a list, and arrays of shape (words,).

    ``key`` and ``step`` are uint64, ``function`` and ``form`` int8, and ``mark`` bool.
    """

    folded: list[str]
    key: np.ndarray
    step: np.ndarray
    function: np.ndarray
    form: np.ndarray
    mark: np.ndarray

    def __len__(self) -> int:
        return len(self.folded)


@dataclass
class _Kept:
    """Words that were looked up before; ``number`` names only places that the others have."""

    number: dict[str, int] = field(default_factory=dict)
    folded: list[str] = field(default_factory=list)
    columns: np.ndarray = field(default_factory=lambda: np.zeros(1_024, _COLUMNS))


class WordTable:
    """Looks many words up, and keeps what it found; safe in several threads."""

    def __init__(self) -> None:
        self._kept = _Kept()
        self._adding = Lock()

    def look_up(self, printed: Sequence[str]) -> PrintedWords:
        """What these words are, in their order."""
        kept = self._kept
        try:
            numbers = list(map(kept.number.__getitem__, printed))
        except KeyError:
            kept = self._with(printed)
            numbers = list(map(kept.number.__getitem__, printed))
        # Read after the numbers: another thread may just have replaced the columns by longer ones.
        columns = kept.columns[np.array(numbers, np.int64)]
        folded = list(map(kept.folded.__getitem__, numbers))
        return PrintedWords(folded, *(columns[name] for name in _COLUMNS.names or ()))

    def _with(self, printed: Sequence[str]) -> _Kept:
        """The table with these words added, or a new one if it is full."""
        with self._adding:
            kept = self._kept
            if len(kept.folded) + len(printed) > max(_KEPT, len(printed)):
                kept = self._kept = _Kept()
            new = [word for word in dict.fromkeys(printed) if word not in kept.number]
            words = list(map(PrintedWord.read, new))
            first = len(kept.folded)
            if first + len(new) > len(kept.columns):
                longer = np.zeros(2 * (first + len(new)), _COLUMNS)
                longer[:first] = kept.columns[:first]
                kept.columns = longer
            rows = [(word.key, word.step, word.function, word.form, word.mark) for word in words]
            kept.columns[first : first + len(new)] = np.array(rows, _COLUMNS)
            kept.folded += [word.folded for word in words]
            kept.number.update(zip(new, range(first, first + len(new)), strict=True))
            return kept
