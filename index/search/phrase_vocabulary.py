"""The phrases that name topics in a library: each in its commonest print, with its papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy import sparse

from index.search.phrase_table import FEATURES
from index.search.phrases import BATCH, PhraseFinder, ScoredPhrases, chances

LEAST_PAPERS = 6
"""The number of papers that must be about a phrase to make it a topic."""
LEAST_CHANCE = 0.02
"""A paper is about a phrase that its authors name at least so likely."""
NAMING, NAMING_ONE = 0.04, 0.08
"""How likely authors name a topic, over all papers that have it: of several words, and of a single one."""
STANDING = 0.08
"""The share of a topic's places where it isn't part of a longer phrase."""
_SHORT_LEAST, _SHORT_SHARE = 3, 0.6
"""Initials mean a phrase if so many papers say so, and this share of all that say what they mean."""
_ALONE = FEATURES.index("alone")
Progress = Callable[[int], None]


@dataclass(frozen=True)
class TopicVocabulary:
    """Topics, and which papers are about them.

    Attributes
    ----------
    printed
        The commonest print of each topic.
    keys, columns
        uint64 ascending and int32: keys of phrases, and the topic of each; initials share their phrase's.
    rows
        float32, shape (papers, topics): the chance that the authors would name it.
    """

    printed: list[str]
    keys: np.ndarray
    columns: np.ndarray
    rows: sparse.csr_matrix


def batched(papers: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Papers, :data:`BATCH` at a time."""
    several = iter(papers)
    while part := list(islice(several, BATCH)):
        yield part


def about(scored: ScoredPhrases) -> np.ndarray:
    """Rows of phrases that their papers are about."""
    return np.flatnonzero(chances(scored) >= LEAST_CHANCE)


def vocabulary(
    papers: Iterable[tuple[str, str]],
    finder: PhraseFinder,
    progress: Progress | None = None,
    seen: Callable[[ScoredPhrases], None] | None = None,
) -> TopicVocabulary:
    """Find the topics of papers from titles and abstracts; all their phrases are ``seen`` on the way."""
    forms: dict[str, int] = {}
    counted: list[tuple[np.ndarray, np.ndarray]] = []
    kept: list[tuple[np.ndarray, ...]] = []
    meanings: Counter[tuple[int, int]] = Counter()
    done = 0
    for part in batched(papers):
        scored = finder.score(part)
        if seen:
            seen(scored)
        table = scored.table
        counted.append(np.unique(table.key, return_counts=True))
        rows = about(scored)
        form = [forms.setdefault(phrase, len(forms)) for phrase in finder.printed(scored, rows)]
        kept.append(
            (
                table.key[rows],
                table.text[rows] + done,
                chances(scored)[rows].astype(np.float32),
                np.array(form, np.int64),
                table.features[rows, _ALONE],
                table.words[rows],
            )
        )
        explained = np.flatnonzero(table.short)
        meanings.update(zip(table.short[explained].tolist(), table.key[explained].tolist(), strict=True))
        done += len(part)
        if progress:
            progress(done)
    if not kept:
        nothing = np.zeros(0, np.uint64)
        return TopicVocabulary(
            [], nothing, np.zeros(0, np.int32), sparse.csr_matrix((0, 0), dtype=np.float32)
        )
    key, paper, chance, form_of, alone, words = (np.concatenate(column) for column in zip(*kept, strict=True))
    keys, number = np.unique(key, return_inverse=True)
    everywhere = _papers_with(counted, keys)
    least = min(LEAST_PAPERS, max(2, done // 50))
    count = np.bincount(number, minlength=len(keys))
    enough = (count >= least) & (np.bincount(number, alone, len(keys)) >= STANDING * count)
    longest = np.zeros(len(keys), np.int64)
    np.maximum.at(longest, number, words)
    naming = np.where(longest > 1, NAMING, NAMING_ONE)
    enough &= np.bincount(number, chance, len(keys)) >= naming * np.maximum(everywhere, 1)
    topic = _meant(keys, enough, meanings)
    chosen = np.unique(topic[topic >= 0])
    column = np.full(len(keys), -1, np.int64)
    column[topic >= 0] = np.searchsorted(chosen, topic[topic >= 0])
    inside = column[number] >= 0
    columns = column[number][inside]
    printed = _commonest(columns, form_of[inside], list(forms))
    known = column >= 0
    return TopicVocabulary(
        printed,
        keys[known],
        column[known].astype(np.int32),
        highest(paper[inside], columns, chance[inside], (done, len(printed))),
    )


def _papers_with(counted: list[tuple[np.ndarray, np.ndarray]], keys: np.ndarray) -> np.ndarray:
    """How many papers have each phrase, about it or not; float64, shape (keys,)."""
    total = np.zeros(len(keys))
    for some, count in counted:
        place = np.minimum(np.searchsorted(keys, some), max(len(keys) - 1, 0))
        found = keys[place] == some if len(keys) else np.zeros(len(some), bool)
        total[place[found]] += count[found]
    return total


def _meant(keys: np.ndarray, enough: np.ndarray, meanings: Counter[tuple[int, int]]) -> np.ndarray:
    """For each key the place of its topic's key, -1 for none; initials have that of what they mean."""
    topic = np.where(enough, np.arange(len(keys)), -1)
    place = {int(key): at for at, key in enumerate(keys)}
    said: dict[int, list[tuple[int, int]]] = {}
    for (short, long), count in meanings.items():
        said.setdefault(short, []).append((count, long))
    for short, of in said.items():
        count, long = max(of)
        at, meant = place.get(short), place.get(long)
        clear = count >= _SHORT_LEAST and count >= _SHORT_SHARE * sum(number for number, _ in of)
        if at is not None and meant is not None and clear and enough[meant]:
            topic[at] = meant
    return topic


def _commonest(columns: np.ndarray, forms: np.ndarray, texts: list[str]) -> list[str]:
    """Each topic's most common print."""
    width = len(texts) + 1
    pairs, counts = np.unique(columns * width + forms, return_counts=True)
    order = np.lexsort((pairs, -counts, pairs // width))
    _, first = np.unique(pairs[order] // width, return_index=True)
    return [texts[int(pair % width)] for pair in pairs[order][first]]


def highest(
    lines: np.ndarray, columns: np.ndarray, values: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_matrix:
    """A matrix with the highest value given for each cell."""
    order = np.lexsort((-values, columns, lines))
    lines, columns, values = lines[order], columns[order], values[order]
    fresh = np.ones(len(lines), bool)
    fresh[1:] = (lines[1:] != lines[:-1]) | (columns[1:] != columns[:-1])
    return sparse.csr_matrix((values[fresh].astype(np.float32), (lines[fresh], columns[fresh])), shape=shape)
