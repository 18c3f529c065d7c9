"""Words of questions and sentences: stems, their rarity, abbreviations with their long forms, numbers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib import resources

import numpy as np

from data.keys import fold
from index.search.passages import stem

Rarity = Callable[[str], float]
"""A stem's idf in the library, 0 or more."""
MOST_TERMS = 64
"""Words of a question that are looked for, the rarest ones."""
STOP_WORDS = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split())
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?!\w)")
_GREEK = str.maketrans(
    {
        letter: f" {name} "
        for letter, name in zip(
            "αβγδεζηθικλμνξπρσςτυφχψω",
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma sigma tau "
            "upsilon phi chi psi omega".split(),
            strict=True,
        )
    }
)
_SHORT = re.compile(r"\(\s?([^\W_][^\s()\[\]{}]{1,11})\s?[);,]")
_LITTLE = 0.2
_COMMON = 1.0
"""The idf of a word in 37 % of all texts, and of a stem in a library of unknown size."""


def stems(text: str) -> list[str]:
    """The stems of a text's words, in order, stop words included; Greek letters are spelt out."""
    return _stems(text)[:]


@lru_cache(maxsize=8_192)
def _stems(text: str) -> list[str]:
    folded = fold(text)
    if not folded.isascii():
        folded = folded.translate(_GREEK)
    return [stem(word) for word in _WORD.findall(folded)]


@lru_cache(maxsize=1)
def stop_stems() -> frozenset[str]:
    """The stop words and their stems."""
    return frozenset(stem(word) for word in STOP_WORDS) | STOP_WORDS


def terms(question: str, rarity: Rarity) -> dict[str, float]:
    """A question's content stems with their idf: the rarest :data:`MOST_TERMS`."""
    stop = stop_stems()
    found = [word for word in dict.fromkeys(stems(question)) if word not in stop]
    weighed = {word: max(rarity(word), 0.05) for word in found}
    if len(weighed) > MOST_TERMS:
        kept = sorted(weighed, key=lambda word: -weighed[word])[:MOST_TERMS]
        weighed = {word: weighed[word] for word in weighed if word in set(kept)}
    return weighed


def numbers(text: str) -> set[str]:
    """The numbers that stand by themselves in a text, without thousands' commas."""
    return {re.sub(r",(?=\d{3})", "", number) for number in _NUMBER.findall(text)}


def rarity_among(texts: Iterable[str]) -> Rarity:
    """The idf of stems within these texts, for passages that belong to no library."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update(set(stems(text)))
        total += 1

    def rarity(word: str) -> float:
        found = counts[word]
        return _COMMON + math.log(1 + (total - found + 0.5) / (found + 0.5))

    return rarity


def abbreviations(text: str) -> dict[str, str]:
    """Short forms with the long form printed in front of them, as in "mean squared error (MSE)".

    Schwartz and Hearst, A simple algorithm for identifying abbreviation definitions (PSB 2003).
    """
    found: dict[str, str] = {}
    for match in _SHORT.finditer(text):
        short = match[1]
        if not any(letter.isupper() for letter in short):
            continue
        words = text[max(0, match.start() - 200) : match.start()].split()
        window = words[-min(len(short) + 5, 2 * len(short)) :]
        long = _long_form(short, " ".join(window))
        if long and len(found) < 40:
            found[short] = long
    return found


def _long_form(short: str, window: str) -> str:
    """The end of the window whose letters spell the short form; empty if none does."""
    letters = [letter.lower() for letter in short if letter.isalnum()]
    if len(letters) > 2 and letters[-1] == "s" and short[-1] == "s":
        letters.pop()  # a plural
    place = len(window) - 1
    for number in range(len(letters) - 1, -1, -1):
        first = number == 0
        while place >= 0 and not (
            window[place].lower() == letters[number]
            and not (first and place > 0 and window[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return ""
        place -= 1
    long = window[place + 1 :]
    return long if len(long) > len(short) and short.lower() not in long.lower().split() else ""


class Expansion:
    """Adds to a sentence's stems what its abbreviations mean, and the short forms of what it spells out."""

    def __init__(self, text: str) -> None:
        self._pairs = [
            (frozenset(stems(short)), frozenset(stems(long))) for short, long in abbreviations(text).items()
        ]

    def expanded(self, words: Iterable[str]) -> set[str]:
        """The stems, and those that mean the same in this text."""
        own = set(words)
        grown = set(own)
        for short, long in self._pairs:
            if short <= own:
                grown |= long
            if long <= own:
                grown |= short
        return grown


def present(wanted: Sequence[str], texts: Sequence[set[str]]) -> np.ndarray:
    """Whether each text has each wanted stem: bool, shape (texts, wanted)."""
    return np.array([[word in text for word in wanted] for text in texts], bool).reshape(
        len(texts), len(wanted)
    )


def piece_weights(question: str, places: Sequence[tuple[int, int]], rarity: Rarity) -> np.ndarray:
    """How much each word piece of a question counts: its word's idf, stop words a little; sums to 1.

    float64, shape (len(places),).
    """
    stop = stop_stems()
    weights = np.full(len(places), _LITTLE)
    for match in _WORD.finditer(question):
        words = [word for word in stems(match[0]) if word not in stop]
        if words:
            inside = [
                n for n, (start, end) in enumerate(places) if start < match.end() and end > match.start()
            ]
            # A rare word is cut into many pieces; together they count as one word.
            weights[inside] = max(map(rarity, words)) / max(1.0, len(inside)) ** 0.5
    return np.asarray(weights / max(float(weights.sum()), 1e-9))


def best_matches(question: np.ndarray, texts: Sequence[np.ndarray]) -> np.ndarray:
    """The cosine of each piece of the question with the nearest piece of each text.

    Late interaction: Khattab and Zaharia, ColBERT (SIGIR 2020). float32, shape (texts, pieces).
    """
    out = np.zeros((len(texts), len(question)), np.float32)
    asked = question.astype(np.float32)
    for number, words in enumerate(texts):
        if len(words) and len(asked):
            out[number] = (asked @ words.astype(np.float32).T).max(axis=1)
    return out
