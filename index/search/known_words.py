"""What the library knows of a query's words: how many papers have them, alone and side by side."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from functools import cache, lru_cache
from pathlib import Path

from data.calendar import clock
from data.keys import fold
from index.models.mapped import Draft, MappedArrays
from index.search.corpus import Corpus
from index.search.embedding_model import DEFAULT_MODEL, locate
from index.search.typos import Vocabulary
from index.search.understanding import Known
from index.search.word_list import ARRAYS, WordList

_GROWN = 1.02
"""The words of titles are listed again when the number of papers has grown by this factor."""
_KEPT = 1.005
"""A start takes the list from its file where the number of papers has grown by less than this factor."""
_CHECKED, _SAME = 200, 0.95
"""Of so many words of the file, at least this share must be in titles; else it is another library's."""
_CACHED = 4_096
FILE, FORMAT = "title-words.map", "title-words-2"


class KnownWords:
    """Counts words in the library, and keeps the list of those in titles."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._file = corpus.folder / FILE
        self._vocabulary, self._listed = Vocabulary.of([]), 0
        self._together = lru_cache(_CACHED)(self._count_together)
        self._counted = -1

    def known(self, today: date | None = None) -> Known:
        """What the library knows now. Listing the words of its titles again can take a while."""
        words, size = self._corpus.words, len(self._corpus.words)
        if not self._listed and (kept := kept_words(self._file)) and self._fits(*kept):
            self._vocabulary, self._listed = kept
        if not self._listed <= size <= self._listed * _GROWN:
            self._vocabulary, self._listed = Vocabulary.of(words.title_words()), size
            with suppress(OSError):  # a full disk: the next start lists them again
                keep_words(self._file, self._vocabulary, size)
                if kept := kept_words(self._file):
                    self._vocabulary, _ = kept  # on the disk instead of in memory
        if size != self._counted:
            self._together.cache_clear()
            self._counted = size
        return Known(
            self._corpus.names,
            self._vocabulary,
            words.papers_with,
            self._together,
            words.papers_by,
            everyday_english(),
            size,
            today or clock.now().date(),
            self.newest(),
        )

    def newest(self) -> date | None:
        """The day of the newest paper that has one."""
        last = self._corpus.facets.newest()
        return date.fromordinal(last) if last else None

    def _fits(self, vocabulary: Vocabulary, papers: int) -> bool:
        """Whether a file has the words of this library, from nearly as many papers as it has now."""
        if not papers <= len(self._corpus.words) <= papers * _KEPT:
            return False
        some = vocabulary.titles.some(_CHECKED)
        found = sum(self._corpus.words.titles_having(word) > 0 for word in some)
        return found >= _SAME * len(some)

    def _count_together(self, words: str) -> int:
        return self._corpus.words.papers_with_phrase(words)


def keep_words(path: Path, vocabulary: Vocabulary, papers: int) -> None:
    """Write the words of titles, as they were in so many papers; listing them takes many times as long."""
    with Draft(path, FORMAT) as draft:
        for name in ARRAYS:
            draft.add(name, getattr(vocabulary.titles, name))
        draft.publish(papers=papers)


def kept_words(path: Path) -> tuple[Vocabulary, int] | None:
    """The words of titles in a file, and in how many papers they were listed; None where it can't be read."""
    held = MappedArrays.open(path, FORMAT, ARRAYS)
    if held is None or "papers" not in held.stamp:
        return None
    try:
        return Vocabulary(WordList(*(held[name] for name in ARRAYS))), held.stamp["papers"]
    except ValueError:
        return None


@cache
def everyday_english() -> frozenset[str]:
    """Words of general English: those that the packaged model's vocabulary, made from it, holds whole."""
    lines = (locate(DEFAULT_MODEL) / "vocab.txt").read_text("utf-8").splitlines()
    return frozenset(fold(word) for word in lines if word.isalpha() and len(word) > 1)
