"""What the library knows of a query's words: how many papers have them, alone and side by side."""

from __future__ import annotations

from datetime import date
from functools import cache, lru_cache

from data.calendar import clock
from data.keys import fold
from index.search.corpus import Corpus
from index.search.embedding import DEFAULT_MODEL, locate
from index.search.typos import Vocabulary
from index.search.understanding import Known

_GROWN = 1.02
"""The words of titles are listed again when the number of papers has grown by this factor."""
_CACHED = 4_096


class KnownWords:
    """Counts words in the library, and keeps the list of those in titles."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._vocabulary = Vocabulary(())
        self._listed = 0
        self._together = lru_cache(_CACHED)(self._count_together)
        self._counted = -1

    def known(self, today: date | None = None) -> Known:
        """What holds now; takes a tenth of a second where the words of titles have to be listed anew."""
        words, size = self._corpus.words, len(self._corpus.words)
        if not self._listed <= size <= self._listed * _GROWN:
            self._vocabulary, self._listed = Vocabulary(words.title_words()), size
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

    def _count_together(self, words: str) -> int:
        return self._corpus.words.papers_with_phrase(words)


@cache
def everyday_english() -> frozenset[str]:
    """Words of general English: those that the packaged model's vocabulary, made from it, holds whole."""
    lines = (locate(DEFAULT_MODEL) / "vocab.txt").read_text("utf-8").splitlines()
    return frozenset(fold(word) for word in lines if word.isalpha() and len(word) > 1)
