"""What many papers say of words and phrases: kinds of words, counts, how often a phrase is a title's."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from index.search.printed_words import CLASSES, stem_hash

NOUN, ADJECTIVE, VERB, ADVERB, SMALL, BEGINS, ENDS, ALONE, RARITY = range(9)
"""Columns of a word's values: the chances of its kind; how often it is printed in small letters; how often a
phrase that begins with it, ends with it, or is it alone names a paper's subject; ln(papers / its papers)."""
COLUMNS = 9
SUFFIXES = (4, 3, 2, 1)
"""An unknown word has the values of the words with its last letters, as many as are known."""
_WORDS_KEPT = 200_000
CONTEXTS = CLASSES + 2
"""Kinds of neighbours: 0 a break, function words, then an adverb and any other word."""
_STEPS = 255
BREAK, ADVERB_BESIDE, OTHER_BESIDE = 0, CLASSES, CLASSES + 1


@dataclass(frozen=True)
class PhraseBackground:
    """Counts over many papers.

    Attributes
    ----------
    papers
        How many were counted.
    word_keys
        uint64, ascending: hashes of folded words, and of endings (``-tion``).
    word_values
        float32, shape (words, :data:`COLUMNS`).
    phrase_keys
        uint64, ascending: keys of phrases (:func:`index.search.phrase_text.phrase_key`).
    phrase_values
        float32, shape (phrases, 3): the abstracts that have it, the share of those whose title has it as a
        phrase, and the share of its occurrences that are no part of a longer phrase.
    beside
        float32, shape (4, CONTEXTS, CONTEXTS): how much likelier a noun, adjective, verb or adverb is between
        two kinds of neighbours than elsewhere.
    """

    papers: int
    word_keys: np.ndarray
    word_values: np.ndarray
    phrase_keys: np.ndarray
    phrase_values: np.ndarray
    beside: np.ndarray
    _row_of: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _nearby: dict[float, np.ndarray] = field(default_factory=dict, init=False, repr=False, compare=False)

    def words(self, words: Sequence[str]) -> np.ndarray:
        """The values of folded words: float32, shape (words, :data:`COLUMNS`)."""
        row_of = self._row_of
        try:
            rows = list(map(row_of.__getitem__, words))
        except KeyError:
            row_of = self._keeping(words)
            rows = list(map(row_of.__getitem__, words))
        values = np.zeros((len(words), COLUMNS), np.float32)
        row = np.array(rows, np.int64)
        known = row >= 0
        values[known] = self.word_values[row[known]]
        values[~known, NOUN], values[~known, RARITY] = 1.0, np.log(max(self.papers, 2))
        return values

    def _keeping(self, words: Sequence[str]) -> dict[str, int]:
        """The kept rows, with those of these words added; emptied first if there is no room.

        Two threads may both add: a word's row is the same in each, and none is ever taken out.
        """
        row_of = self._row_of
        if len(row_of) + len(words) > _WORDS_KEPT:
            row_of = {}
            object.__setattr__(self, "_row_of", row_of)
        new = [word for word in words if word not in row_of]
        row_of.update(zip(new, self._rows(new), strict=True))
        return row_of

    def _rows(self, words: Sequence[str]) -> list[int]:
        """Each word's row, else that of the longest of its endings that is known; -1 where none is."""
        if not words or not len(self.word_keys):
            return [-1] * len(words)
        looked_up = [(word, *(f"-{word[-length:]}" for length in SUFFIXES)) for word in words]
        keys = np.array([list(map(stem_hash, texts)) for texts in looked_up], np.uint64)
        places = np.minimum(np.searchsorted(self.word_keys, keys), len(self.word_keys) - 1)
        rows = np.where(self.word_keys[places] == keys, places, -1)
        first = (rows >= 0).argmax(axis=1)
        found: list[int] = rows[np.arange(len(words)), first].tolist()
        return found

    def nearby(self, power: float) -> np.ndarray:
        """``beside`` raised to a power; computed once for each."""
        if power not in self._nearby:
            self._nearby[power] = self.beside**power
        return self._nearby[power]

    def phrases(self, keys: np.ndarray) -> np.ndarray:
        """float32, shape (keys, 3); zeros for phrases that are not known."""
        values = np.zeros((len(keys), 3), np.float32)
        if len(self.phrase_keys):
            place = np.minimum(np.searchsorted(self.phrase_keys, keys), len(self.phrase_keys) - 1)
            found = self.phrase_keys[place] == keys
            values[found] = self.phrase_values[place[found]]
        return values

    def packed(self) -> bytes:
        """As the bytes of an npz file."""
        stream = io.BytesIO()
        np.savez_compressed(
            stream,
            papers=self.papers,
            word_keys=self.word_keys,
            word_values=self.word_values.astype(np.float16),
            phrase_keys=self.phrase_keys,
            phrase_papers=self.phrase_values[:, 0].astype(np.uint32),
            phrase_rates=np.round(self.phrase_values[:, 1:] * _STEPS).astype(np.uint8),
            beside=self.beside,
        )
        return stream.getvalue()

    @classmethod
    def unpacked(cls, data: bytes) -> PhraseBackground:
        """From what :meth:`packed` gave."""
        with np.load(io.BytesIO(data), allow_pickle=False) as held:
            rates = held["phrase_rates"].astype(np.float32) / _STEPS
            return cls(
                int(held["papers"]),
                held["word_keys"],
                held["word_values"].astype(np.float32),
                held["phrase_keys"],
                np.column_stack([held["phrase_papers"].astype(np.float32), rates]),
                held["beside"],
            )
