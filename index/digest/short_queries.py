"""Queries of a few words, which papers match by printing them: the vector of one word says little."""

from __future__ import annotations

from collections.abc import Sequence

from index.digest.word_filter import WantedPhrase, plain_text
from index.search.lexical import WordIndex

SHORT = 3
"""A query of at most so many content words is short."""
_LEAST_SIGNS = 2
"""A single letter says nothing."""


def printed(words: WordIndex, texts: Sequence[str], queries: Sequence[str]) -> list[str]:
    """For each text a short query that it prints, its words side by side; empty where it prints none.

    In any form of each word (:class:`index.digest.word_filter.WantedPhrase`).
    """
    short = {
        query: WantedPhrase(query)
        for query in queries
        if 0 < len(words.terms(query)) <= SHORT and len(query.strip()) >= _LEAST_SIGNS
    }
    if not short:
        return [""] * len(texts)
    return [
        next((query for query, phrase in short.items() if phrase.stands_in(plain)), "")
        for plain in map(plain_text, texts)
    ]
