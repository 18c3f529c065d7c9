"""Whether a query is in another language than English, which the library and its model read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Sequence

_SCRIPTS = {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "CYRILLIC": "a language written in Cyrillic",
    "ARABIC": "a language written in Arabic script",
    "HEBREW": "Hebrew",
    "DEVANAGARI": "Hindi",
    "THAI": "Thai",
}
OTHER = "another language"
FEWEST = 3
"""Fewer words of Latin letters may be names."""
SHARE = 0.5
"""A text with at least this share of unknown words is in another language."""

_SYSTEM = re.compile(r"\b[^\Wa-z]*[a-z][^\WA-Z]*[A-Z]\w*")
"""A name such as *BanglaBERT*, which no language has as a word: a small letter, later a capital."""
ACCENTED = 0.3
"""The same where several words have accents."""


def foreign(
    text: str, words: Sequence[str], known: Container[str], papers: Callable[[str], int], often: int
) -> str | None:
    """The language or script of a query that is not English; None for English, names and formulas.

    Parameters
    ----------
    words
        The query's words in lower case.
    known
        Everyday English.
    papers
        How many papers have a word.
    often
        A word in at least this many papers belongs to the library's language.
    """
    letters = [letter for letter in text if letter.isalpha()]
    scripts = [unicodedata.name(letter, "").split(" ")[0] for letter in letters]
    named = [_SCRIPTS[script] for script in scripts if script in _SCRIPTS]
    if 2 * len(named) > len(letters) or (named and len(named) >= FEWEST):
        return "Japanese" if "Japanese" in named else max(named, key=named.count)
    names = {name.casefold() for name in _SYSTEM.findall(text)}
    plain = [
        word for word in dict.fromkeys(words) if len(word) > 1 and not word.isdecimal() and word not in names
    ]
    strange = [word for word in plain if not word.isascii() or (word not in known and papers(word) < often)]
    accented = sum(not word.isascii() for word in plain)
    share = ACCENTED if accented > 1 else SHARE
    if len(plain) >= FEWEST and len(strange) >= FEWEST - 1 and len(strange) >= share * len(plain):
        return OTHER
    return None
