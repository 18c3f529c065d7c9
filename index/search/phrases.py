"""Finding phrases of two to four words that occur in many papers, each in one form."""

from __future__ import annotations

from importlib import resources

import numpy as np
from scipy import sparse

from index.search.passages import MAX_PHRASE, WEAK, content_runs, stem

LEAST_PAPERS = 6
"""The number of papers that must contain a phrase to make it a topic."""
_TOGETHER = -0.35
"""The least normalised pointwise mutual information (Bouma 2009) of a topic's words."""
_INSIDE = frozenset(
    "data feature features fast few framework graph knowledge large learning low model models natural "
    "open problem scale set single small solution standard system systems task tasks term test time type "
    "world".split()
)
"""Words that mean little alone but can be part of a topic (language model, few-shot learning)."""
BREAKS = (WEAK - _INSIDE) | frozenset(resources.files("index").joinpath("not_topics.txt").read_text().split())
_WEAK_STEMS = frozenset(stem(word) for word in _INSIDE)
_NO_END = ("ly", "ed")
_NO_START = ("ly",)


class Phrases:
    """The stems of all papers in one array, with runs kept apart, for counting phrases."""

    def __init__(self) -> None:
        self._stem_ids: dict[str, int] = {}
        self._word_ids: dict[str, int] = {}
        self._stems: list[int] = []
        self._words: list[int] = []
        self._ends = [0]
        self._title_ends: list[int] = []
        self.rows = sparse.csr_matrix((0, 0), dtype=np.float32)

    def add(self, title: str, abstract: str) -> None:
        """Read one paper."""
        for part in (title, abstract):
            for run in content_runs(part, BREAKS):
                for word in run:
                    self._stems.append(self._stem_ids.setdefault(stem(word), len(self._stem_ids)))
                    self._words.append(self._word_ids.setdefault(word, len(self._word_ids)))
                self._stems.append(-1)
                self._words.append(-1)
            if part is title:
                self._title_ends.append(len(self._stems))
        self._ends.append(len(self._stems))

    def topics(self) -> tuple[list[str], list[str]]:
        """(printed forms, stems) of all topics; sets ``rows`` to their places in the papers."""
        stems, words = np.array(self._stems, np.int64), np.array(self._words, np.int64)
        ends = np.array(self._ends)
        papers = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        title_ends = np.array(self._title_ends, np.int64)
        in_title = np.arange(len(stems)) < title_ends[papers] if len(papers) else np.zeros(0, bool)
        by_stem, by_word = list(self._stem_ids), list(self._word_ids)
        total = max(len(ends) - 1, 1)
        single = _frequencies(stems, papers, stems >= 0, len(by_stem))
        least = min(LEAST_PAPERS, max(2, total // 50))
        grams, starts = stems.copy(), stems >= 0
        printed: list[str] = []
        kept_stems: list[str] = []
        columns: list[np.ndarray] = []
        lines: list[np.ndarray] = []
        weights: list[np.ndarray] = []
        for size in range(2, MAX_PHRASE + 1):
            whole = np.zeros(len(stems), bool)
            last = stems[size - 1 :]
            whole[: len(last)] = starts[: len(last)] & (last >= 0)
            codes = np.full(len(stems), -1, np.int64)
            codes[: len(last)] = np.where(whole[: len(last)], grams[: len(last)] * len(by_stem) + last, -1)
            distinct, numbered = np.unique(codes[whole], return_inverse=True)
            grams = np.full(len(stems), -1, np.int64)
            grams[whole] = numbered
            frequency = _frequencies(grams, papers, whole, len(distinct))
            first = np.full(len(distinct), -1, np.int64)
            places = np.flatnonzero(whole)
            first[grams[places][::-1]] = places[::-1]
            parts = np.stack([stems[first + offset] for offset in range(size)])
            expected = np.log(single[parts] / total).sum(axis=0)
            seen = np.log(frequency / total)
            bound = (seen - expected) / np.maximum(-(size - 1) * seen, 1e-9)
            kept = (frequency >= least) & ((bound >= _TOGETHER) | (frequency == total))
            kept &= _nameable(parts, by_stem, by_word, words, first + size - 1, first)
            number = np.full(len(distinct), -1, np.int64)
            number[kept] = np.arange(int(kept.sum())) + len(printed)
            shown = _commonest(words, grams, places, kept, size, first)
            for gram in np.flatnonzero(kept):
                place = int(shown[gram])
                printed.append(" ".join(by_word[words[place + offset]] for offset in range(size)))
                kept_stems.append(" ".join(by_stem[stems[first[gram] + offset]] for offset in range(size)))
            at = places[kept[grams[places]]]
            columns.append(number[grams[at]])
            lines.append(papers[at])
            weights.append(np.where(in_title[at], 2.0, 1.0))
            starts = np.zeros(len(stems), bool)
            starts[places] = frequency[grams[places]] >= least
        self.rows = _best(
            np.concatenate(lines) if lines else np.zeros(0, np.int64),
            np.concatenate(columns) if columns else np.zeros(0, np.int64),
            np.concatenate(weights) if weights else np.zeros(0),
            (len(ends) - 1, len(printed)),
        )
        return printed, kept_stems


def _nameable(
    parts: np.ndarray,
    by_stem: list[str],
    by_word: list[str],
    words: np.ndarray,
    last: np.ndarray,
    first: np.ndarray,
) -> np.ndarray:
    """Phrases that can name a topic: not only weak words, and no beginning or end unlike a noun's."""
    inside = np.array([word in _WEAK_STEMS for word in by_stem] or [False])
    ends = np.array([word.endswith(_NO_END) for word in by_word] or [False])
    begins = np.array([word.endswith(_NO_START) for word in by_word] or [False])
    nameable: np.ndarray = ~inside[parts].all(axis=0) & ~ends[words[last]] & ~begins[words[first]]
    return nameable


def _frequencies(codes: np.ndarray, papers: np.ndarray, where: np.ndarray, count: int) -> np.ndarray:
    """The number of papers that contain each code."""
    pairs = np.unique(codes[where] * (int(papers.max(initial=0)) + 1) + papers[where])
    return np.bincount(pairs // (int(papers.max(initial=0)) + 1), minlength=count).astype(np.float64)


def _commonest(
    words: np.ndarray, grams: np.ndarray, places: np.ndarray, kept: np.ndarray, size: int, first: np.ndarray
) -> np.ndarray:
    """Each kept phrase's place in the text where it has its most common form."""
    shown = first.copy()
    at = places[kept[grams[places]]]
    form = np.zeros(len(at), np.uint64)
    for offset in range(size):
        form = form * np.uint64(1_000_003) + words[at + offset].astype(np.uint64)
    keys, where, counts = np.unique(
        np.stack([grams[at].astype(np.uint64), form]), axis=1, return_index=True, return_counts=True
    )
    order = np.lexsort((at[where], -counts, keys[0]))
    _, best = np.unique(keys[0][order], return_index=True)
    chosen = order[best]
    shown[keys[0][chosen].astype(np.int64)] = at[where[chosen]]
    return shown


def _best(
    lines: np.ndarray, columns: np.ndarray, weights: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_matrix:
    """A matrix with the highest weight given for each cell."""
    order = np.lexsort((-weights, columns, lines))
    lines, columns, weights = lines[order], columns[order], weights[order]
    fresh = np.ones(len(lines), bool)
    fresh[1:] = (lines[1:] != lines[:-1]) | (columns[1:] != columns[:-1])
    return sparse.csr_matrix((weights[fresh].astype(np.float32), (lines[fresh], columns[fresh])), shape=shape)
