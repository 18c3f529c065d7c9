"""Texts as arrays of words, for finding phrases in many of them at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib import resources
from itertools import count

import numpy as np

from data.keys import fold, visible
from index.search.passages import stem

MOST_CHARACTERS = 20_000
"""Of a longer text the rest is not read."""
MULTIPLIER = 0x9E3779B97F4A7C15
"""Odd; a phrase's key is a polynomial of its stems' hashes in it, modulo 2^64."""
LOWER, CAPITALISED, OTHER = range(3)
"""How a word is printed: small letters, one capital at its beginning, or anything else (``GPU``, ``k8s``)."""
_MASK = 2**64 - 1
_MATHS = re.compile(r"\$([^$]{0,400})\$")
_PLAIN_MATHS = re.compile(r"\\?[A-Za-z]{1,10}|\d+")
_COMMAND = re.compile(r"\\[A-Za-z]+\s*|[{}]")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\S+")
_DASH = re.compile(r"[‐‑]|(?<=\w)–(?=\w)")
_WORD = re.compile(r"[^\W_]+(?:(?:[-'’&]|\.(?=\d))[^\W_]+)*(?:\+\+|#)?")
_WORDS = re.compile(f"({_WORD.pattern})")
_PART = re.compile(r"[^\W_]+(?:\+\+|#)?")


def _function_words() -> dict[str, int]:
    lines = resources.files("index").joinpath("function_words.txt").read_text().splitlines()
    return {word: number for number, line in enumerate(lines, 1) for word in line.partition(":")[2].split()}


_FUNCTION = _function_words()
CLASSES = 1 + max(_FUNCTION.values())
"""Kinds of function words (lines of ``function_words.txt``, from 1), and 0 for all other words."""
DETERMINER, PREPOSITION, TO, AUXILIARY, BE, HAVE, PRONOUN, CONJUNCTION = range(1, CLASSES)


@dataclass(frozen=True, slots=True)
class Word:
    """What a printed word is by itself.

    Attributes
    ----------
    folded
        In small letters, without accents.
    key
        The hash of its stems; one word and its parts written apart have the same key (multi-agent).
    step
        :data:`MULTIPLIER` to the power of its number of parts.
    function
        Which kind of function word it is; 0 for others.
    form
        :data:`LOWER`, :data:`CAPITALISED` or :data:`OTHER`.
    mark
        Whether it is a number or a single character.
    """

    folded: str
    key: int
    step: int
    function: int
    form: int
    mark: bool


@lru_cache(maxsize=200_000)
def word_of(printed: str) -> Word:
    """Look a printed word up."""
    folded = fold(printed)
    parts = _PART.findall(folded.removesuffix("'s").removesuffix("’s")) or [folded]
    key, step = 0, 1
    for part in parts:
        key = (key * MULTIPLIER + stem_hash(stem(part))) & _MASK
        step = step * MULTIPLIER & _MASK
    if printed.islower() or printed.isdigit():
        form = LOWER
    else:
        pieces = printed.split("-")
        capital = all(piece.islower() or piece.istitle() for piece in pieces if piece)
        form = CAPITALISED if capital and len(printed) > 1 else OTHER
    mark = folded.replace(".", "").isdigit() or len(folded) < 2
    return Word(folded, key, step, _FUNCTION.get(folded, 0), form, mark)


@lru_cache(maxsize=200_000)
def stem_hash(text: str) -> int:
    """An unsigned 64-bit hash."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def phrase_key(phrase: str) -> int:
    """The key of a phrase, equal for its forms (``GPU cluster``, ``gpu clusters``)."""
    key = 0
    for printed in _WORD.findall(phrase):
        word = word_of(printed)
        key = (key * word.step + word.key) & _MASK
    return key


def phrase_parts(phrase: str) -> list[str]:
    """The stems of a phrase's words and of their parts, in order."""
    return [stem(part) for part in _PART.findall(fold(phrase))]


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
    words: list[Word]
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
        head = cleaned(" ".join(title.split()))
        whole = f"{head}\n{cleaned(abstract)}"
        parts = _WORDS.split(whole)  # what stands before the first word, the word, what stands after it, ...
        ends = np.cumsum(np.fromiter(map(len, parts), np.int32, len(parts)), dtype=np.int32)
        starts = ends[:-1:2]
        space = np.fromiter(map(str.isspace, parts[:-1:2]), bool, len(starts))
        space[:1] = False
        body = int(np.searchsorted(starts, len(head)))
        space[body : body + 1] = False  # from the title into the abstract
        kept.append(whole)
        counts.append(len(starts))
        word += map(numbers.__getitem__, parts[1::2])
        start.append(starts)
        stop.append(ends[1::2])
        in_title.append(starts < len(head))
        joined.append(space)
    return Texts(
        kept,
        [word_of(printed) for printed in numbers],
        np.array(word, np.int32),
        np.repeat(np.arange(len(counts), dtype=np.int32), counts),
        np.concatenate(start),
        np.concatenate(stop),
        np.concatenate(in_title),
        np.concatenate(joined),
    )
