"""Counting phrases: how many abstracts have each, and how often their titles name it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from index.search.phrase_background import BEGINS, PhraseBackground
from index.search.phrase_table import MOST_WORDS, occurrences, tokens
from index.search.phrase_text import Texts
from index.search.printed_words import stem_hash

SHRINK = 20.0
"""A rate of few cases is drawn to the mean as if it had so many more of the mean."""


@dataclass(frozen=True)
class Marked:
    """A batch's phrases, one row for each phrase of each abstract.

    Attributes
    ----------
    text, key, words
        Which text, the phrase's key, and how many words it has.
    first, last
        Its first and last word's places among the batch's words.
    named
        Whether the title has it as a phrase, and as no part of a longer one that the abstract has, too.
    count, alone
        How often the abstract has it, and how often of those it isn't part of a longer phrase.
    """

    text: np.ndarray
    key: np.ndarray
    words: np.ndarray
    first: np.ndarray
    last: np.ndarray
    named: np.ndarray
    count: np.ndarray
    alone: np.ndarray


def marked(texts: Texts, background: PhraseBackground) -> Marked:
    """The phrases of abstracts, with those marked that their titles have."""
    judged = tokens(texts, background)
    start, size, key = occurrences(texts, judged)
    text = texts.text[start].astype(np.int64)
    last = start + size - 1
    total = len(texts.word)
    left = (start == 0) | (judged.run[np.maximum(start - 1, 0)] != judged.run[start])
    right = (last + 1 >= total) | (judged.run[np.minimum(last + 1, total - 1)] != judged.run[start])
    title = texts.in_title[start]
    row = key ^ (text.astype(np.uint64) * np.uint64(0xD1B54A32D192ED03))
    body = np.flatnonzero(~title)
    distinct, first, inverse = np.unique(row[body], return_index=True, return_inverse=True)
    named = np.zeros(len(distinct), bool)
    cover = np.zeros(total, np.int64)
    for wanted in range(MOST_WORDS, 0, -1):
        heads = np.flatnonzero(title & (size == wanted))
        place = np.minimum(np.searchsorted(distinct, row[heads]), max(len(distinct) - 1, 0))
        if not len(distinct):
            break
        heads, place = (part[distinct[place] == row[heads]] for part in (heads, place))
        free = (cover[start[heads]] == 0) | (cover[start[heads]] != cover[last[heads]])
        heads, place = heads[free], place[free]
        named[place] = True
        for offset in range(wanted):
            cover[start[heads] + offset] = heads + 1
    rows = body[first]
    return Marked(
        text[rows],
        key[rows],
        size[rows],
        texts.word[start[rows]],
        texts.word[last[rows]],
        named,
        np.bincount(inverse, minlength=len(distinct)),
        np.bincount(inverse, (left & right)[body], minlength=len(distinct)),
    )


class PhraseCounts:
    """Counts of phrases, and of the words that begin and end them, in two halves of the papers."""

    def __init__(self, background: PhraseBackground) -> None:
        self.background = background
        self.numbers: dict[str, int] = {}
        self.rates = np.zeros((2, 3, 0, 2))
        """For each half: begins, ends, alone; each word; phrases, and those named by titles."""
        self._rows: list[tuple[np.ndarray, ...]] = []
        self.papers = [0, 0]

    def add(self, begun: int, texts: Texts) -> None:
        """Count a batch whose first paper has this number; odd numbers are the second half."""
        found = marked(texts, self.background)
        half = (begun + found.text) % 2
        for folded in texts.words.folded:
            self.numbers.setdefault(folded, len(self.numbers))
        more = len(self.numbers) - self.rates.shape[2]
        self.rates = np.concatenate([self.rates, np.zeros((2, 3, more, 2))], axis=2)
        numbers = np.array([self.numbers[folded] for folded in texts.words.folded])
        long = found.words > 1
        for column, words, rows in (
            (0, found.first, long),
            (1, found.last, long),
            (2, found.last, ~long),
        ):
            np.add.at(self.rates[:, column, :, 0], (half[rows], numbers[words[rows]]), 1)
            np.add.at(self.rates[:, column, :, 1], (half[rows], numbers[words[rows]]), found.named[rows])
        for side in (0, 1):
            of = half == side
            keys, inverse = np.unique(found.key[of], return_inverse=True)
            parts = (np.ones(int(of.sum())), found.named[of], found.count[of], found.alone[of])
            self._rows.append(
                (
                    np.full(len(keys), side, np.int8),
                    keys,
                    *(np.bincount(inverse, part, len(keys)).astype(np.int32) for part in parts),
                )
            )
        whole = begun + np.arange(len(texts.cleaned))
        self.papers[0] += int((whole % 2 == 0).sum())
        self.papers[1] += int((whole % 2 == 1).sum())

    def gather(self) -> None:
        """Sum what was counted."""
        side, keys, *parts = (np.concatenate(column) for column in zip(*self._rows, strict=True))
        self._rows = []
        self.keys, inverse = np.unique(keys, return_inverse=True)
        self.sums = np.stack(
            [
                np.stack([np.bincount(inverse, part * (side == of), len(self.keys)) for part in parts])
                for of in (0, 1)
            ]
        )

    def background_of(self, halves: tuple[int, ...], least: int) -> PhraseBackground:
        """A background with the counts of some halves; phrases in fewer abstracts are left out."""
        sums = self.sums[list(halves)].sum(axis=0)
        kept = np.flatnonzero(sums[0] >= least)
        papers, named, count, alone = sums[:, kept]
        mean = sums[1].sum() / sums[0].sum()
        values = np.stack([papers, (named + SHRINK * mean) / (papers + SHRINK), alone / count], axis=1)
        base = self.background
        words = base.word_values.copy()
        known = {int(key): place for place, key in enumerate(base.word_keys)}
        rates = self.rates[list(halves)].sum(axis=0)
        for column in range(3):
            cases, hits = rates[column, :, 0], rates[column, :, 1]
            mean = hits.sum() / cases.sum()
            odds = np.log((hits + SHRINK * mean) / (cases - hits + SHRINK * (1 - mean))) - np.log(
                mean / (1 - mean)
            )
            for folded, number in self.numbers.items():
                place = known.get(stem_hash(folded))
                if place is not None:
                    words[place, BEGINS + column] = odds[number]
        return PhraseBackground(
            base.papers, base.word_keys, words, self.keys[kept], values.astype(np.float32), base.beside
        )
