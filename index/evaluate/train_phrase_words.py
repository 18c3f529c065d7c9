"""Counting words: of which kind each is, judged by its neighbours, and how it is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression

from index.search.phrase_background import (
    ADVERB_BESIDE,
    BREAK,
    COLUMNS,
    CONTEXTS,
    NOUN,
    OTHER_BESIDE,
    RARITY,
    SMALL,
    SUFFIXES,
    PhraseBackground,
)
from index.search.phrase_text import Texts, read
from index.search.printed_words import stem_hash

Pair = tuple[str, str]
Report = Callable[[str, int, int], None]
BATCH = 1_000
_SEEDS = (
    "tion tions sion sions ness ity ities ment ments ism isms ology ship ance ances ence ences ists graphy",
    "ous ful able ible less ical istic ary",
    "ize izes ify ifies yze yzes",
    "ly",
)
"""Endings that give a word's kind away: nouns, adjectives, verbs, adverbs."""
_SEED_LETTERS, _SEED_COUNT = 6, 30
_TO_VERB = 0.6
"""A word that stands this often after *to* or an auxiliary is a verb."""
_LEAST_WORD = 8
"""Words in fewer papers are known by their endings alone."""


def batches(papers: Sequence[Pair]) -> Iterator[tuple[int, Texts]]:
    """(number of the first, texts) of a thousand papers at a time."""
    for start in range(0, len(papers), BATCH):
        yield start, read(papers[start : start + BATCH])


class WordCounts:
    """Counts of words, their neighbours and their forms."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.function: list[int] = []
        self.beside = np.zeros((0, CONTEXTS * CONTEXTS), np.float32)
        self.forms = np.zeros((0, 3))
        self.papers = np.zeros(0)
        self.read = 0

    def add(self, texts: Texts) -> None:
        """Count a batch; its words by their folded form."""
        words = texts.words
        for folded, kind in zip(words.folded, words.function.tolist(), strict=True):
            if folded not in self.numbers:
                self.numbers[folded] = len(self.numbers)
                self.function.append(kind)
        more = len(self.numbers) - len(self.papers)
        if more:
            self.beside = np.vstack([self.beside, np.zeros((more, self.beside.shape[1]), np.float32)])
            self.forms = np.vstack([self.forms, np.zeros((more, 3))])
            self.papers = np.append(self.papers, np.zeros(more))
        numbers = np.array([self.numbers[folded] for folded in words.folded])[texts.word]
        form, function = words.form[texts.word], words.function
        adverb = np.array([folded.endswith("ly") and len(folded) > 4 for folded in words.folded])
        kinds = np.where(function > 0, function, np.where(adverb, ADVERB_BESIDE, OTHER_BESIDE))
        kind = kinds.astype(np.int64)[texts.word]
        joined_after = np.append(texts.joined[1:], False)
        before = np.where(texts.joined, np.append(BREAK, kind[:-1]), BREAK)
        after = np.where(joined_after, np.append(kind[1:], BREAK), BREAK)
        counted = ~texts.in_title & (function[texts.word] == 0)
        np.add.at(self.beside, (numbers[counted], before[counted] * CONTEXTS + after[counted]), 1)
        middle = counted & texts.joined
        np.add.at(self.forms, (numbers[middle], form[middle]), 1)
        pairs = np.unique(numbers.astype(np.int64) * (len(texts.cleaned) + 1) + texts.text)
        self.papers += np.bincount(pairs // (len(texts.cleaned) + 1), minlength=len(self.papers))
        self.read += len(texts.cleaned)

    def kinds(self) -> tuple[np.ndarray, np.ndarray]:
        """(chances of noun, adjective, verb, adverb of each word; what two neighbours say of them).

        Words whose ending gives them away teach which neighbours each kind has; no tagged text is needed.
        """
        words = list(self.numbers)
        count = self.beside.sum(axis=1)
        share = self.beside / np.maximum(count, 1)[:, None]
        endings = [tuple(line.split()) for line in _SEEDS]
        seeds = np.full(len(words), -1)
        for place, word in enumerate(words):
            if len(word) >= _SEED_LETTERS and word.isalpha() and count[place] >= _SEED_COUNT:
                seeds[place] = next((kind for kind, ends in enumerate(endings) if word.endswith(ends)), -1)
        before = share.reshape(-1, CONTEXTS, CONTEXTS).sum(axis=2)
        verbs = (before[:, 3] + before[:, 4] > _TO_VERB) & (count >= _SEED_COUNT)
        seeds[verbs] = 2
        known = np.flatnonzero(seeds >= 0)
        weight = np.minimum(np.log1p(count[known]), 8)
        mass = np.bincount(seeds[known], weight, 4)
        weight *= np.sqrt(mass.sum() / 4 / mass[seeds[known]])
        model = LogisticRegression(C=30, max_iter=3_000)
        model.fit(np.sqrt(share[known]), seeds[known], weight)
        chances = np.zeros((len(words), 4), np.float32)
        chances[:, model.classes_] = model.predict_proba(np.sqrt(share))
        beside = np.stack([self.beside[known[seeds[known] == kind]].sum(axis=0) for kind in range(4)])
        beside = beside / beside.sum(axis=1, keepdims=True) + 1e-5
        beside /= beside.mean(axis=0)
        return chances, beside.reshape(4, CONTEXTS, CONTEXTS).astype(np.float32)

    def background(self) -> PhraseBackground:
        """Kinds, forms and rarity of words; phrases and rates come later."""
        chances, beside = self.kinds()
        kept = np.flatnonzero((self.papers >= _LEAST_WORD) & (np.array(self.function) == 0))
        words = list(self.numbers)
        values = np.zeros((len(words), COLUMNS), np.float32)
        values[:, NOUN : NOUN + 4] = chances
        values[:, SMALL] = (self.forms[:, 0] + 0.5) / (self.forms.sum(axis=1) + 1)
        values[:, RARITY] = np.log(self.read / np.maximum(self.papers, 0.5))
        entries = {stem_hash(words[place]): values[place] for place in kept}
        for length in SUFFIXES:
            groups: dict[str, list[int]] = {}
            for place in kept[self.papers[kept] < 200]:
                if len(words[place]) > length:
                    groups.setdefault(words[place][-length:], []).append(place)
            for ending, places in groups.items():
                if len(places) >= 10:
                    entries[stem_hash("-" + ending)] = values[places].mean(axis=0)
                    entries[stem_hash("-" + ending)][RARITY] = np.log(self.read)
        keys = np.array(sorted(entries), np.uint64)
        table = np.stack([entries[int(key)] for key in keys])
        nothing = np.zeros(0, np.uint64), np.zeros((0, 3), np.float32)
        return PhraseBackground(self.read, keys, table, *nothing, beside)
