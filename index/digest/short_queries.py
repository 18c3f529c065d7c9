"""Queries of a few words, which papers match by printing them: the vector of one word says little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from index.digest.word_filter import WantedPhrase, WordFilter, plain_text
from index.search.lexical import WordIndex

SHORT = 3
"""A query of at most so many content words is short."""
_LEAST_SIGNS = 2
"""A single letter says nothing."""


def printed(
    words: WordIndex, texts: Sequence[str], queries: Sequence[str], declining: Mapping[str, WordFilter]
) -> list[str]:
    """For each text a short query that it prints, its words side by side; empty where it prints none.

    In any form of each word (:class:`index.digest.word_filter.WantedPhrase`), unless ``declining`` has a
    filter for the query that the text does not pass.
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
                if phrase.stands_in(plain) and (query not in declining or declining[query].passes(text))
            ),
            "",
        )
        for text, plain in ((text, plain_text(text)) for text in texts)
    ]
