"""The phrases of a paper that its authors may name, small enough to keep for every paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from index.search.phrases import PhraseFinder, ScoredPhrases, as_printed, chances

LEAST = 0.01
"""The authors would name a likely phrase at least so likely."""
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
where it begins in the cleaned text, and its characters. ``form`` has :data:`_SMALL` set if it loses the
capitals of a beginning, and in its low bits the place of its initials' entry (counted from 1; 0: none)."""
_SMALL = 0x80
MOST = _SMALL - 1
"""Entries of a paper: the likeliest."""


@dataclass(frozen=True, slots=True)
class LikelyPhrases:
    """Of one paper: its entries (:data:`ENTRY`, ascending by key), and its cleaned text."""

    entries: np.ndarray
    text: str

    def printed(self, place: int) -> str:
        """A phrase as the paper prints it, without the capitals of titles and of sentences' beginnings."""
        entry = self.entries[place]
        start, form = int(entry["start"]), int(entry["form"])
        return as_printed(self.text[start : start + int(entry["length"])], bool(form & _SMALL))

    def same(self, place: int) -> set[int]:
        """The keys of a phrase and of its initials."""
        entry = self.entries[place]
        initials = int(entry["form"]) & MOST
        keys = {int(entry["key"])}
        if 0 < initials <= len(self.entries):
            keys.add(int(self.entries["key"][initials - 1]))
        return keys


def entries(finder: PhraseFinder, scored: ScoredPhrases) -> tuple[np.ndarray, np.ndarray]:
    """The likely phrases of some texts: :data:`ENTRY` by text, then key, and the text of each (int64)."""
    table, texts, papers = scored.table, scored.texts, finder.background.papers
    chance, single = chances(scored), table.words == 1
    rows = np.flatnonzero(chance >= LEAST)
    known = finder.background.phrases(table.key[rows])[:, 0]
    first, last = table.place[rows], table.place[rows] + table.words[rows] - 1
    start, length = texts.start[first], texts.stop[last] - texts.start[first]
    fits = (start <= np.iinfo(np.uint16).max) & (length <= np.iinfo(np.uint8).max)
    kept = np.flatnonzero(fits & ~(single[rows] & (known > COMMON_WORD * papers)))
    kept = kept[_likeliest(table.text[rows[kept]], chance[rows[kept]])]
    rows, text = rows[kept], table.text[rows[kept]]
    made = np.zeros(len(rows), ENTRY)
    made["key"], made["chance"] = table.key[rows], chance[rows]
    made["rarity"] = np.log(max(papers, 2) / np.maximum(known[kept], 1.0))
    made["start"], made["length"] = start[kept], length[kept]
    made["form"] = np.where(finder.loses_capitals(scored, rows), _SMALL, 0)
    for row in np.flatnonzero(table.short[rows]).tolist():
        own = np.searchsorted(text, text[row] + np.arange(2))
        place = own[0] + np.searchsorted(made["key"][slice(*own)], table.short[rows[row]])
        if place < own[1] and made["key"][place] == table.short[rows[row]]:
            made["form"][row] |= place - own[0] + 1
    return made, text


def _likeliest(text: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Places of at most :data:`MOST` of each text (ascending), in their order."""
    order = np.lexsort((-chance, text))
    rank = np.arange(len(text)) - np.searchsorted(text, text)
    return np.sort(order[rank < MOST])


def likely(finder: PhraseFinder, scored: ScoredPhrases) -> Sequence[LikelyPhrases]:
    """The likely phrases of each text."""
    made, text = entries(finder, scored)
    ends = np.searchsorted(text, np.arange(len(scored.texts.cleaned) + 1)).tolist()
    return [
        LikelyPhrases(made[start:end], cleaned)
        for start, end, cleaned in zip(ends[:-1], ends[1:], scored.texts.cleaned, strict=True)
    ]
