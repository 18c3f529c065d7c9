"""Words as numbers: hashes of their stems, packed so that common ones take two bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import resources
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np

from index.search.printed_words import stem_hash

STOPWORDS = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split())
BESIDE = np.uint32(1)
"""The bit of a code that is set where the word stands directly after the coded word before it."""
MOST_COMMON = 1 << 14
"""How many codes can be packed into two bytes."""
_BITS = np.uint32(15)
_LONG = np.uint32(1 << 15)
_REST = np.uint32((1 << 15) - 1)
_SLOTS = 1 << 20
_KEPT = 200_000
_STEM = "="
_ASCII = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else 32 for byte in range(256))

Analyze = Callable[[str], Sequence[str]]


class CodedText(NamedTuple):
    """A paper's words: how many there are, and the codes of all but stop words (:meth:`Coder.coded`)."""

    title_words: int
    title: np.ndarray
    abstract_words: int
    abstract: np.ndarray


def ascii_words(text: str) -> list[bytes]:
    """The words of an ASCII text in small letters, as tantivy's simple tokenizer splits it."""
    return text.encode().translate(_ASCII).split()


def stem_code(stem: str) -> int:
    """What stands for a stem: an even number of 30 bits, not 0."""
    return (stem_hash(stem) & ((1 << 29) - 1)) << 1 or 2


class Coder(dict[bytes, int]):
    """The codes of words in small letters, and of stems behind :data:`_STEM`; 0 for stop words.

    Parameters
    ----------
    plain, stemmed
        Split a text into words, and into their stems.
    """

    def __init__(self, plain: Analyze, stemmed: Analyze) -> None:
        super().__init__()
        self._plain, self._stemmed = plain, stemmed

    def __missing__(self, word: bytes) -> int:
        if len(self) >= _KEPT:
            self.clear()
        printed = word.decode()
        if printed.startswith(_STEM):
            stem = printed.removeprefix(_STEM)
        else:
            stem = "" if printed in STOPWORDS else next(iter(self._stemmed(printed)), "")
        code = self[word] = stem_code(stem) if stem else 0
        return code

    def words(self, text: str) -> list[bytes]:
        """The words of a text, as ``plain`` splits it, whose codes this has."""
        if text.isascii():  # twice as fast
            return ascii_words(text)
        # A letter without its accent can be split and stemmed in another way than with it.
        return [
            (word if word in STOPWORDS else _STEM + stem).encode()
            for word, stem in zip(self._plain(text), self._stemmed(text), strict=True)
        ]

    def code(self, papers: Sequence[tuple[Sequence[str], str]]) -> list[CodedText]:
        """The words of papers, each given as its titles and its abstract."""
        coded = self.coded(field for titles, abstract in papers for field in (titles, [abstract]))
        return [CodedText(*title, *abstract) for title, abstract in zip(coded, coded, strict=True)]

    def coded(self, fields: Iterable[Sequence[str]]) -> Iterator[tuple[int, np.ndarray]]:
        """(the number of words, the codes of all but stop words) of each field, which may be several texts.

        The codes are uint32, with :data:`BESIDE` where it belongs.
        """
        held = [[self.words(text) for text in texts] for texts in fields]
        counts = [sum(map(len, texts)) for texts in held]
        words = chain.from_iterable(chain.from_iterable(held))
        codes = np.fromiter(map(self.__getitem__, words), np.uint32, sum(counts))
        beside = np.zeros(len(codes) + 1, bool)
        beside[1:-1] = codes[:-1] != 0
        beside[list(accumulate((len(text) for texts in held for text in texts), initial=0))] = False
        kept = np.flatnonzero(codes)
        codes = codes[kept] | beside[kept]
        ends = np.searchsorted(kept, list(accumulate(counts, initial=0)))
        for count, (start, stop) in zip(counts, pairwise(ends.tolist()), strict=True):
            yield count, codes[start:stop]


class Packing:
    """Packs codes: the common ones as their numbers, in two bytes, and the others in four.

    A unit is 16 bits, little-endian. The highest bit is set in the first unit of two, which hold 15 bits of a
    code each. In other units, a number of 14 bits stands above :data:`BESIDE`.

    Attributes
    ----------
    common
        uint32, shape (at most :data:`MOST_COMMON`,): the common codes by their numbers. The first is 0, which
        no word has.
    """

    def __init__(self, common: Sequence[int] | np.ndarray = ()) -> None:
        self.common = np.array([0, *common], np.uint32)
        numbers = np.arange(len(self.common), dtype=np.uint16)
        # Of those in one slot, only the first is found, and the others stay in four bytes.
        self._number = np.zeros(_SLOTS, np.uint16)
        self._number[_slot(self.common[::-1])] = numbers[::-1]

    def worth_a_number(self, codes: np.ndarray) -> list[int]:
        """Those of these codes that are worth a number here, as far as there is room, the commonest first."""
        room = MOST_COMMON - len(self.common)
        if not room:
            return []
        found, counts = np.unique(codes & ~BESIDE, return_counts=True)
        new = (counts > 1) & ~np.isin(found, self.common)
        order = np.argsort(-counts[new], kind="stable")
        chosen: list[int] = found[new][order].tolist()
        return chosen[:room]

    def pack(self, fields: Sequence[np.ndarray]) -> list[bytes]:
        """The units of some arrays of codes."""
        codes = np.concatenate([np.zeros(0, np.uint32), *fields])
        bare, beside = codes & ~BESIDE, codes & BESIDE
        number = self._number[_slot(bare)]
        short = self.common[number] == bare
        units = np.empty((len(codes), 2), np.uint32)
        units[:, 0] = np.where(short, number << BESIDE | beside, _LONG | codes >> _BITS)
        units[:, 1] = codes & _REST
        used = np.column_stack([np.ones(len(codes), bool), ~short])
        packed = units[used].astype("<u2").tobytes()
        ends = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
        places = ends[list(accumulate(map(len, fields), initial=0))] * 2
        return [packed[start:stop] for start, stop in pairwise(places.tolist())]

    def unpack(self, packed: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
        """(the codes, uint32; the place in ``packed`` that each is of, int64), both of shape (codes,).

        Raises
        ------
        IndexError
            Where a number is not known here yet.
        """
        units = np.frombuffer(b"".join(packed), "<u2")
        first = np.flatnonzero(units >= _LONG)
        second = first + 1
        units_of = np.fromiter(map(len, packed), np.int64, len(packed)) // 2
        before = np.searchsorted(second, np.cumsum(units_of))
        place = np.repeat(np.arange(len(packed)), units_of - np.diff(before, prepend=0))
        ones = np.delete(units, second)
        long = first - np.arange(len(first))
        number = ones >> 1
        number[long] = 0
        codes = self.common.take(number)
        codes |= ones & BESIDE
        codes[long] = (units[first] & _REST) << _BITS | units[second]
        return codes, place


def _slot(codes: np.ndarray) -> np.ndarray:
    return codes >> BESIDE & np.uint32(_SLOTS - 1)
