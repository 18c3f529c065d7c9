"""The phrases of a paper that its authors may name, small enough to keep for every paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from index.search.phrases import PhraseFinder, ScoredPhrases, as_printed, chances
from index.search.printed_words import MULTIPLIER

LEAST = 0.01
"""The least chance that the authors would name a likely phrase."""
COMMON_WORD = 0.05
"""A single word that a larger share of papers has is not worth naming: *model*, *training*, *scale*."""
ENTRY = np.dtype(
    [
        ("key", "<u8"),
        ("chance", "<f2"),
        ("rarity", "<f2"),
        ("start", "<u2"),
        ("length", "u1"),
        ("form", "u1"),
    ]
)
"""A likely phrase: its key; the chance that the authors would name it; ln(papers / papers that have it);
its start in the cleaned text, and its length in characters. ``form`` has :data:`_SMALL` set if it loses the
capitals of a beginning. The low bits of ``form`` link a phrase to its initials: both have the same number,
from 1 in each text, and others have 0."""
_SMALL = 0x80
_NUMBERS = _SMALL - 1


@dataclass(frozen=True, slots=True)
class LikelyPhrases:
    """Of one paper: its entries (:data:`ENTRY`, ascending by key), and its cleaned text."""

    entries: np.ndarray
    text: str

    def printed(self, place: int) -> str:
        """A phrase as the paper prints it, without the capitals of titles and of sentences' beginnings."""
        entry = self.entries[place]
        start = int(entry["start"])
        return as_printed(self.text[start : start + int(entry["length"])], bool(entry["form"] & _SMALL))

    @property
    def meanings(self) -> np.ndarray:
        """A number for each phrase; initials share that of what they mean, and others have 0."""
        return np.asarray(self.entries["form"] & _NUMBERS)


def likely_entries(finder: PhraseFinder, scored: ScoredPhrases) -> tuple[np.ndarray, np.ndarray]:
    """The likely phrases of some texts: :data:`ENTRY` by text, then key, and the text of each (int64)."""
    table, texts, papers = scored.table, scored.texts, finder.background.papers
    chance = chances(scored)
    rows = np.flatnonzero(chance >= LEAST)
    known = finder.background.phrases(table.key[rows])[:, 0]
    first, last = table.place[rows], table.place[rows] + table.words[rows] - 1
    start, length = texts.start[first], texts.stop[last] - texts.start[first]
    # A text has 60,001 characters at most; a longer phrase than fits is a word that goes on and on.
    fits = (start <= np.iinfo(np.uint16).max) & (length <= np.iinfo(np.uint8).max)
    word = texts.word[first]
    single = (table.words[rows] == 1) & (texts.words.step[word] == MULTIPLIER)
    kept = np.flatnonzero(fits & ~(single & (known > COMMON_WORD * papers)))
    rows, text = rows[kept], table.text[rows[kept]]
    made = np.zeros(len(rows), ENTRY)
    made["key"], made["chance"] = table.key[rows], chance[rows]
    made["rarity"] = np.log(max(papers, 2) / np.maximum(known[kept], 1.0))
    made["start"], made["length"] = start[kept], length[kept]
    made["form"] = np.where(finder.loses_capitals(scored, rows), _SMALL, 0)
    _number(made, text, table.short[rows])
    return made, text


def _number(made: np.ndarray, text: np.ndarray, short: np.ndarray) -> None:
    """Number the phrases that have initials, and the initials; ``short`` are their keys, 0 for none."""
    numbers: dict[tuple[int, int], int] = {}
    for row in np.flatnonzero(short).tolist():
        start, end = np.searchsorted(text, text[row] + np.arange(2))
        meant = int(text[row]), int(short[row])
        number = numbers.setdefault(meant, 1 + int((made["form"][start:end] & _NUMBERS).max()))
        if number > _NUMBERS:
            continue
        own = start + np.searchsorted(made["key"][start:end], short[row])
        for place in {row, own} if own < end and made["key"][own] == short[row] else {row}:
            made["form"][place] = made["form"][place] & _SMALL | number


def likely(finder: PhraseFinder, scored: ScoredPhrases) -> Sequence[LikelyPhrases]:
    """The likely phrases of each text."""
    made, text = likely_entries(finder, scored)
    ends = np.searchsorted(text, np.arange(len(scored.texts.cleaned) + 1)).tolist()
    return [
        LikelyPhrases(made[start:end], cleaned)
        for start, end, cleaned in zip(ends[:-1], ends[1:], scored.texts.cleaned, strict=True)
    ]
