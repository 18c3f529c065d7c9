"""Words that a digest's papers must have or may not have, in any form of the same word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from data.keys import fold
from index.search.passages import stem

_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "'": "'"}
_WORD = re.compile(r"[^\W\d_]{3,}")
_ENDINGS = frozenset(("", "s", "es", "y", "ies", "ied", "ying", "e", "ed", "d", "ing"))
"""What forms of a word differ in. Others with the same stem are other words: *organ* and *organization*,
*transform* and *transformer*."""
_LONGEST_ENDING = 4
_BETWEEN = r"[\s_-]+"
_VOWELS = frozenset("aeiouy")


class WordFilter:
    """Tells papers that have a required word, if there are any, and no excluded one.

    A word or phrase stands for its forms too: *watermark* for *watermarks* and *watermarking*. One in quotes
    stands only for itself. Case and accents never count, and hyphens only in quotes.

    Parameters
    ----------
    require, exclude
        Words or phrases, as typed.
    """

    def __init__(self, require: Sequence[str], exclude: Sequence[str]) -> None:
        self._require = list(map(_Phrase, require))
        self._exclude = list(map(_Phrase, exclude))

    def passes(self, text: str) -> bool:
        """Whether a title and abstract may be shown."""
        plain = fold(text)
        if self._require and not any(phrase.stands_in(plain) for phrase in self._require):
            return False
        return not any(phrase.stands_in(plain) for phrase in self._exclude)


class _Phrase:
    """A word or phrase, and how it is found in folded text."""

    def __init__(self, typed: str) -> None:
        quoted = len(typed) > 2 and _QUOTES.get(typed[0]) == typed[-1]
        plain = fold(typed[1:-1] if quoted else typed)
        self._words = [] if quoted else list(filter(None, re.split(_BETWEEN, plain)))
        forms = _BETWEEN.join(f"({_begun(word)})" for word in self._words) or re.escape(plain)
        self._found = re.compile(rf"(?<!\w){forms}(?!\w)")

    def stands_in(self, plain: str) -> bool:
        """Whether folded text has the phrase, in any form."""
        return any(all(map(is_form, self._words, found.groups())) for found in self._found.finditer(plain))


def _begun(word: str) -> str:
    """A pattern of words that begin like a word; only letters have forms."""
    if not _WORD.fullmatch(word):
        return re.escape(word)
    kept = max(3, len(word) - _LONGEST_ENDING)
    return rf"{re.escape(word[:kept])}[^\W\d_]*"


def is_form(one: str, other: str) -> bool:
    """Whether two folded words are forms of one: *agent* and *agents*, *study* and *studying*."""
    if one == other:
        return True
    shared = one[: sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))]
    ends = [_ending(word[len(shared) :], shared) for word in (one, other)]
    if len(shared) < 3 or any(end not in _ENDINGS for end in ends):
        return False
    # The stemmer leaves LLMs and GNNs as they are.
    letters_alone = {*ends} == {"", "s"} and _VOWELS.isdisjoint(shared)
    return letters_alone or stem(one) == stem(other)


def _ending(rest: str, shared: str) -> str:
    """What follows the shared letters, without a doubled consonant: *tagging* ends in *ing*."""
    return rest[1:] if len(rest) > 1 and shared.endswith(rest[0]) else rest
