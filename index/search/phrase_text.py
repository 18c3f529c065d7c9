"""Texts as arrays of words, for finding phrases in many of them at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from data.keys import fold, visible
from index.search.passages import stem
from index.search.printed_words import (
    MASK,
    MULTIPLIER,
    PART,
    PrintedWords,
    WordTable,
    stem_hash,
    word_of,
)

MOST_CHARACTERS = 20_000
"""Of a longer text the rest is not read."""
MOST_PARTS = 8
"""Words of a phrase, each part of a hyphenated one counted."""
_MATHS = re.compile(r"\$([^$]{0,400})\$")
_PLAIN_MATHS = re.compile(r"\\?[A-Za-z]{1,10}|\d+")
_COMMAND = re.compile(r"\\[A-Za-z]+\s*|[{}]")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\S+")
_DASH = re.compile(r"[‐‑]|(?<=\w)–(?=\w)")
_WORD = re.compile(r"[^\W_]+(?:(?:[-'’&]|\.(?=\d))[^\W_]+)*(?:\+\+|#)?")
_WORDS = re.compile(f"({_WORD.pattern})")
_TABLE = WordTable()


def phrase_key(phrase: str) -> int:
    """The key of a phrase, equal for its forms (``GPU cluster``, ``gpu clusters``)."""
    key = 0
    for printed in _WORD.findall(phrase):
        word = word_of(printed)
        key = (key * word.step + word.key) & MASK
    return key


def phrase_parts(phrase: str) -> list[str]:
    """The stems of a phrase's words and of their parts, in order."""
    return [stem(part) for part in PART.findall(fold(phrase))]


@dataclass(frozen=True)
class Texts:
    """Some texts as arrays, one entry a word in the order of print.

    Attributes
    ----------
    cleaned
        The texts without LaTeX and addresses; each is a title, a line break, and an abstract.
    words
        The distinct printed words.
    word, text, start, stop
        int32, shape (tokens,): the word, the text, and where in it the word stands.
    in_title, joined
        bool, shape (tokens,): whether it stands in the title; whether nothing but space stands between it and
        the word before it.
    """

    cleaned: list[str]
    words: PrintedWords
    word: np.ndarray
    text: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    in_title: np.ndarray
    joined: np.ndarray


def cleaned(text: str) -> str:
    """A text without LaTeX commands, mathematics and addresses."""
    text = visible(text[:MOST_CHARACTERS])
    if "$" in text:
        text = _MATHS.sub(_maths, text)
    if "\\" in text or "{" in text or "}" in text:
        text = _COMMAND.sub("", text)
    if "@" in text or "http" in text or "www." in text:
        text = _ADDRESS.sub(" . ", text)
    return text if text.isascii() else _DASH.sub("-", text)


def keys_in(papers: Sequence[tuple[str, str]], most: int = MOST_PARTS) -> np.ndarray:
    """The keys of all runs of up to ``most`` words in titles and abstracts, phrases or not: uint64, distinct.

    The parts of hyphenated words count as words, so that *RAG-based* has *RAG*.
    """
    found = [np.zeros(0, np.uint64)]
    for title, abstract in papers:
        parts = phrase_parts(clean(title, abstract))
        single = np.fromiter(map(stem_hash, parts), np.uint64, len(parts))
        run = single
        for size in range(1, min(most, len(parts)) + 1):
            if size > 1:
                run = run[:-1] * np.uint64(MULTIPLIER) + single[size - 1 :]
            found.append(run)
    return np.unique(np.concatenate(found))


def clean(title: str, abstract: str) -> str:
    """A cleaned title, a line break, and a cleaned abstract."""
    return f"{cleaned(' '.join(title.split()))}\n{cleaned(abstract)}"


def _maths(match: re.Match[str]) -> str:
    inner = match[1].strip()
    return inner.lstrip("\\") if _PLAIN_MATHS.fullmatch(inner) else " . "


def read(papers: Sequence[tuple[str, str]]) -> Texts:
    """Titles and abstracts as arrays."""
    kept: list[str] = []
    numbers = defaultdict[str, int](count().__next__)
    word: list[int] = []
    counts: list[int] = []
    start, stop, in_title, joined = ([np.zeros(0, kind)] for kind in (np.int32, np.int32, bool, bool))
    for title, abstract in papers:
        whole = clean(title, abstract)
        title_ends = whole.index("\n")
        parts = _WORDS.split(whole)  # what stands before the first word, the word, what stands after it, ...
        ends = np.cumsum(np.fromiter(map(len, parts), np.int32, len(parts)), dtype=np.int32)
        starts = ends[:-1:2]
        space = np.fromiter(map(str.isspace, parts[:-1:2]), bool, len(starts))
        space[:1] = False
        body = int(np.searchsorted(starts, title_ends))
        space[body : body + 1] = False  # from the title into the abstract
        kept.append(whole)
        counts.append(len(starts))
        word += map(numbers.__getitem__, parts[1::2])
        start.append(starts)
        stop.append(ends[1::2])
        in_title.append(starts < title_ends)
        joined.append(space)
    return Texts(
        kept,
        _TABLE.look_up(list(numbers)),
        np.array(word, np.int32),
        np.repeat(np.arange(len(counts), dtype=np.int32), counts),
        np.concatenate(start),
        np.concatenate(stop),
        np.concatenate(in_title),
        np.concatenate(joined),
    )
