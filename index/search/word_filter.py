"""Words that a digest's papers must have or may not have, in several forms of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from data.keys import fold
from index.search.passages import stem

_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "'": "'"}
_SIGNS = str.maketrans({**dict.fromkeys("‐‑‒–—−", "-"), **dict.fromkeys("‘’", "'")})
_WORD = re.compile(r"[^\W\d_]{2,}")
_INITIALS = re.compile(r"[A-Z]{2,}s?|(?=(?:.*[A-Z]){2})\w+")
_ENDINGS = frozenset(("", "s", "es", "y", "ies", "ied", "ying", "e", "ed", "d", "ing"))
"""What forms of a word with one stem differ in. Others are other words: *organ* and *organization*,
*transform* and *transformer*."""
_PLURALS = frozenset((("es", "is"), ("ces", "x"), ("ex", "ices")))
"""Endings of plurals that the stemmer doesn't know: analyses, matrices, indices."""
_HISSING = ("s", "x", "z", "ch", "sh")
_LEAST_SHARED, _LONGEST_ENDING = 2, 4
_FORMS_KEPT = 10_000
_BETWEEN = r"[\s_-]+"
_SAYS_NOTHING = "\"'“”„«» \t-_.,"
_VOWELS = frozenset("aeiouy")


class WordFilter:
    """Tells papers that have a required phrase, if there are any, and no excluded one.

    Parameters
    ----------
    require, exclude
        Words or phrases, as typed.
    """

    def __init__(self, require: Sequence[str], exclude: Sequence[str]) -> None:
        self._require, self._exclude = (
            [phrase for phrase in map(WantedPhrase, typed) if phrase.says_something]
            for typed in (require, exclude)
        )

    @property
    def passes_all(self) -> bool:
        """Whether every paper passes."""
        return not (self._require or self._exclude)

    def passes(self, text: str) -> bool:
        """Whether a title and abstract may be shown."""
        plain = plain_text(text)
        if self._require and not any(phrase.stands_in(plain) for phrase in self._require):
            return False
        return not any(phrase.stands_in(plain) for phrase in self._exclude)


def passes_any(filters: Sequence[WordFilter], text: str) -> bool:
    """Whether a title and abstract passes one of several filters, or there are none."""
    return not filters or any(words.passes(text) for words in filters)


class WantedPhrase:
    """A word or several side by side, and how they are found in a text.

    A word stands for its forms too: *watermark* for *watermarks* and *watermarking*. One that ends in "ing"
    only has a plural, since *timing* is not *time*, and so have initials: *AIDS* is not *aid*. A phrase in
    quotes stands only for itself. Case and accents never count, and hyphens only in quotes.
    """

    def __init__(self, typed: str) -> None:
        typed = typed.strip()
        quoted = len(typed) > 2 and _QUOTES.get(typed[0]) == typed[-1]
        printed = typed[1:-1].strip() if quoted else re.sub(r'["“”„«»]', " ", typed).strip()
        plain = plain_text(printed)
        parts = [] if quoted else list(filter(None, re.split(_BETWEEN, printed)))
        self.says_something = bool(plain.strip(_SAYS_NOTHING))
        self._words = [_FormsOf(part) for part in parts]
        self._begins = max((word.beginning for word in self._words), key=len, default=plain)
        forms = _BETWEEN.join(word.pattern for word in self._words) or re.escape(plain)
        self._starts = self._words[0].beginning if self._words else plain
        self._found = re.compile(rf"(?<!\w){forms}(?!\w)")

    def stands_in(self, plain: str) -> bool:
        """Whether a text, as :func:`plain_text` makes it, has the phrase in any of its forms."""
        at = plain.find(self._starts) if self._begins in plain else -1
        while at >= 0:
            found = self._found.match(plain, at)
            if found and all(map(_FormsOf.has, self._words, found.groups())):
                return True
            # Matches may overlap, as those of "graph grammar" in "gradient graph grammars".
            at = plain.find(self._starts, at + 1)
        return False


class _FormsOf:
    """A word of a phrase: what its forms begin with, a pattern, and which words that match it are forms."""

    def __init__(self, typed: str) -> None:
        self._plain = plain_text(typed)
        self._is_word = _WORD.fullmatch(self._plain) is not None
        if _INITIALS.fullmatch(typed):
            self._is_word = False
            self.beginning = self._plain[:-1] if typed.endswith("s") else self._plain
            self.pattern = rf"({re.escape(self.beginning)}s?)"
        elif self._is_word:
            self.beginning = self._plain[: max(_LEAST_SHARED, len(self._plain) - _LONGEST_ENDING)]
            self.pattern = rf"({re.escape(self.beginning)}[^\W\d_]*)"
        else:
            self.beginning = self._plain
            self.pattern = rf"({re.escape(self._plain)})"

    def has(self, printed: str) -> bool:
        """Whether a printed word that matches the pattern is a form of this one."""
        return not self._is_word or is_form(self._plain, printed)


def plain_text(text: str) -> str:
    """A text folded, with one sign for all dashes and for all apostrophes."""
    return fold(text if text.isascii() else text.translate(_SIGNS))


@lru_cache(_FORMS_KEPT)
def is_form(typed: str, printed: str) -> bool:
    """Whether a printed word is a form of a typed one, both folded: *agents* of *agent*."""
    if typed == printed:
        return True
    letters = zip(typed, printed, strict=False)
    shared = typed[: sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], letters))]
    ends = typed[len(shared) :], printed[len(shared) :]
    if len(shared) < _LEAST_SHARED:
        return False
    if typed.endswith("ing"):
        return ends == ("", "s")
    if tuple(sorted(ends)) in _PLURALS or ({*ends} == {"", "es"} and shared.endswith(_HISSING)):
        return True
    if any(_ending(end, shared) not in _ENDINGS for end in ends):
        return False
    # The stemmer leaves llms and gnns as they are.
    return ({*ends} == {"", "s"} and _VOWELS.isdisjoint(shared)) or stem(typed) == stem(printed)


def _ending(rest: str, shared: str) -> str:
    """What follows the shared letters, without a doubled consonant: *tagging* ends in *ing*."""
    return rest[1:] if len(rest) > 1 and shared.endswith(rest[0]) else rest
