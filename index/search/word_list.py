"""Words with a count each, as arrays that may be mapped: looking one up, and finding those spelt like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

ARRAYS = {"letters": np.uint8, "counts": np.int32, "masks": np.uint32, "lengths": np.int64}
"""The arrays of a list, and what they are made of."""
_FIRST, _LAST = ord("a"), ord("z")
_HALF = 13
"""The 26 letters are counted in two halves."""
_BITS = np.array([bin(half).count("1") for half in range(1 << _HALF)], np.uint8)


class Neighbour(NamedTuple):
    """A word, how many edits it is from another, and its count."""

    word: str
    edits: int
    times: int


class WordList:
    """Distinct words of the letters a to z, sorted by length, then by their letters.

    A word that is a few edits from another has nearly the same length and the same letters, so that few words
    have to be read to find it.

    Parameters
    ----------
    letters
        uint8: all words, one after another.
    counts
        int32, shape (words,).
    masks
        uint32, shape (words,): a bit for each letter that the word has, the first one for a.
    lengths
        int64: how many words have 0, 1, 2, … letters.

    Raises
    ------
    ValueError
        If the arrays don't fit each other, or can't be those of words.
    """

    def __init__(
        self, letters: np.ndarray, counts: np.ndarray, masks: np.ndarray, lengths: np.ndarray
    ) -> None:
        arrays = letters, counts, masks, lengths
        if any(a.ndim != 1 or a.dtype != kind for a, kind in zip(arrays, ARRAYS.values(), strict=True)):
            raise ValueError("these are not the arrays of a list of words")
        self.letters, self.counts, self.masks, self.lengths = arrays
        if lengths[:1].any() or np.any((lengths < 0) | (lengths > len(counts))):
            raise ValueError("the arrays of a list of words don't fit each other")
        self._first = np.append(0, np.cumsum(lengths))
        """The first word of each length, and how many words there are."""
        self._begins = np.append(0, np.cumsum(lengths * np.arange(len(lengths))))
        """Where in ``letters`` its letters begin."""
        if not len(counts) == len(masks) == self._first[-1] or len(letters) != self._begins[-1]:
            raise ValueError("the arrays of a list of words don't fit each other")
        spelt = letters.min(initial=_FIRST) >= _FIRST and letters.max(initial=_LAST) <= _LAST
        if not spelt or counts.min(initial=1) < 1 or masks.max(initial=0) >> 2 * _HALF:
            raise ValueError("these are not the arrays of a list of words")

    @classmethod
    def of(cls, words: Iterable[tuple[str, int]]) -> Self:
        """From words in any order, each once, with their counts."""
        ordered = sorted(words, key=lambda word: (len(word[0]), word[0]))
        letters = np.frombuffer("".join(word for word, _ in ordered).encode("ascii"), np.uint8)
        lengths = np.bincount(np.fromiter((len(word) for word, _ in ordered), np.int64, len(ordered)))
        counts = np.fromiter((count for _, count in ordered), np.int32, len(ordered))
        made = cls(letters, counts, np.zeros(len(ordered), np.uint32), lengths.astype(np.int64))
        for length in np.flatnonzero(lengths).tolist():
            first = int(made._first[length])
            places = made._of_length(length).view(np.uint8).reshape(-1, length) - _FIRST
            bits = np.bitwise_or.reduce(np.uint32(1) << places.astype(np.uint32), axis=1)
            made.masks[first : first + len(bits)] = bits
        return made

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Each word and its count."""
        for length in np.flatnonzero(self.lengths).tolist():
            first = int(self._first[length])
            words = self._of_length(length)
            counts = self.counts[first : first + len(words)].tolist()
            yield from zip((word.decode() for word in words), counts, strict=True)

    def some(self, most: int) -> list[str]:
        """So many of the words at most, spread evenly."""
        return [self._word(place) for place in range(0, len(self), max(1, -(-len(self) // most)))]

    def count(self, word: str) -> int:
        """The count of a word; 0 for one that is not in the list."""
        letters = word.encode("ascii", "replace")
        if not 0 < len(letters) < len(self.lengths):
            return 0
        same_length = self._of_length(len(letters))
        place = int(np.searchsorted(same_length, letters))
        found = place < len(same_length) and same_length[place] == letters
        return int(self.counts[self._first[len(letters)] + place]) if found else 0

    def near(self, word: str, edits: int) -> list[Neighbour]:
        """Every word at most so many edits away, the nearest first.

        An edit adds, drops or changes a letter, or swaps two neighbours (optimal string alignment).
        """
        places = {ord(letter) - _FIRST for letter in word if _FIRST <= ord(letter) <= _LAST}
        mine = np.uint32(sum(1 << place for place in places))
        alike: list[str] = []
        counts: list[int] = []
        for length in range(max(1, len(word) - edits), min(len(word) + edits + 1, len(self.lengths))):
            first = int(self._first[length])
            last = first + int(self.lengths[length])
            theirs = self.masks[first:last]
            # Each edit brings in one letter at most, and takes one away.
            close = (_letters(theirs & ~mine) <= edits) & (_letters(mine & ~theirs) <= edits)
            alike += [letters.decode() for letters in self._of_length(length)[close]]
            counts += self.counts[first:last][close].tolist()
        near = process.extract(word, alike, scorer=OSA.distance, score_cutoff=edits, limit=None)
        return [Neighbour(found, int(distance), counts[place]) for found, distance, place in near]

    def _of_length(self, length: int) -> np.ndarray:
        """The words of a length: bytes, shape (words,)."""
        begin, count = int(self._begins[length]), int(self.lengths[length])
        return self.letters[begin : begin + count * length].view(f"S{length}")

    def _word(self, place: int) -> str:
        length = int(np.searchsorted(self._first, place, side="right")) - 1
        word: bytes = self._of_length(length)[place - self._first[length]]
        return word.decode()


def _letters(masks: np.ndarray) -> np.ndarray:
    """How many letters masks have: uint8."""
    return np.asarray(_BITS[masks & ((1 << _HALF) - 1)] + _BITS[masks >> _HALF])
