"""Queries of a few words, which papers match by printing them: the vector of one word says little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from index.search.lexical import WordIndex
from index.search.word_filter import WantedPhrase, WordFilter, passes_any, plain_text

SHORT = 3
"""A query of at most so many content words is short."""
_LEAST_SIGNS = 2
"""A single letter says nothing."""


def printed(
    words: WordIndex,
    texts: Sequence[str],
    queries: Sequence[str],
    declining: Mapping[str, Sequence[WordFilter]],
) -> list[str]:
    """For each text a short query that it prints, its words side by side; empty where it prints none.

    In any form of each word (:class:`index.search.word_filter.WantedPhrase`), unless ``declining`` has
    filters for the query and the text passes none of them.
    """
    short = {
        query: WantedPhrase(query)
        for query in queries
        if 0 < len(words.terms(query)) <= SHORT and len(query.strip()) >= _LEAST_SIGNS
    }
    if not short:
        return [""] * len(texts)
    return [
        next(
            (
                query
                for query, phrase in short.items()
                if phrase.stands_in(plain) and passes_any(declining.get(query, ()), text)
            ),
            "",
        )
        for text, plain in ((text, plain_text(text)) for text in texts)
    ]
