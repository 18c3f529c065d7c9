"""Sentences to show: the one that answers a query; and the stems of words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from itertools import chain

import tantivy

from data.keys import fold

_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[$]?[A-Z0-9\\$])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|etc|vs|cf|resp|Fig|Eq|Sec|No|Dr|w\.r\.t|approx)|\b[A-Z])\.$"
)
_TAIL = 12
"""The last characters of a text, which tell whether it ends with an abbreviation."""
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
_STEMMER = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer("english")).build()
)
_PLURAL = re.compile(r"^[cgdnt]pus$")  # the stemmer mistakes GPUs for Latin
_DOES = re.compile(
    r"\b(?:(?:we|this (?:paper|work|article|study|letter|thesis|survey)|the (?:paper|authors?))"
    r"\s+(?:\w+ly\s+|\w+,\s+)?"
    r"(?:propos|introduc|present|develop|describ|design|stud(?:y|ies)|show|prov|investigat|address|examin|explor|build|"
    r"analy[sz]|report|survey|review|argu|demonstrat|evaluat|compar|deriv|establish|formulat|releas|find|ask|revisit|"
    r"extend|offer|provid|creat|construct|consider|identif|giv|tak|implement|systematiz))",
    re.IGNORECASE,
)
DOES, OPENS = 1.25, 0.8
"""What a sentence counts that says what was done, and an opening one that doesn't."""
WEAK = frozenset(resources.files("index").joinpath("weak_words.txt").read_text().split())
"""Words that say nothing about a paper's subject, alone or in a phrase."""


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a folded word, part by part if it is hyphenated."""
    return "-".join(
        part[:-1] if _PLURAL.match(part) else next(iter(_STEMMER.analyze(part)), part)
        for part in word.split("-")
    )


@lru_cache(maxsize=50_000)
def word_stems(word: str) -> tuple[str, ...]:
    """The stem of a folded word, and those of its parts."""
    whole = stem(word)
    return (whole, *whole.split("-"))


@lru_cache(maxsize=256)
def sentences(text: str) -> tuple[str, ...]:
    """A text's sentences; abbreviations and initials do not end one. Kept for whoever asks again at once."""
    parts: list[str] = []
    for part in _SENTENCE.split(text):
        if parts and _ABBREVIATED.search(parts[-1][-_TAIL:]):
            parts[-1] += " " + part
        elif part.strip():
            parts.append(part.strip())
    return tuple(parts)


def says_what_is_done(sentence: str) -> bool:
    """Whether a sentence says what its authors did, or found."""
    return _DOES.search(sentence) is not None


def gist(abstract: str) -> str:
    """The sentence that says what a paper does, if one does; else the first; "" for an empty abstract."""
    parts = sentences(abstract)
    return next((part for part in parts if says_what_is_done(part)), parts[0] if parts else "")


def best_sentence(abstract: str, query: str, rarity: Callable[[str], float]) -> str:
    """The sentence with most of the query's words, rare ones counting more; without any, the gist.

    Of sentences with as many words the one that says what was done or found wins over background.
    ``rarity`` gives a folded word's weight.
    """
    options = sentences(abstract)
    wanted = {stem(word): rarity(word) for word in _words(query) if word not in WEAK}

    def score(place: int) -> float:
        stems = set(chain.from_iterable(map(word_stems, _words(options[place]))))
        found = sum(weight for word, weight in wanted.items() if word in stems)
        if not found:
            return 0.0
        does = DOES if says_what_is_done(options[place]) else OPENS if place == 0 else 1.0
        return does * found / math.sqrt(8 + len(stems))

    best = max(range(len(options)), key=score, default=None)
    return gist(abstract) if best is None or not score(best) else options[best]


def matched_stems(query: str) -> frozenset[str]:
    """The stems of a query's telling words, to mark them in a text."""
    return frozenset(
        part for word in _words(query) if word not in WEAK and len(word) > 1 for part in word_stems(word)
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))
