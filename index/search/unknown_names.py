"""Names in a text that nobody in the library has: "papers by Xyz Qwert"."""

from __future__ import annotations

import re
from collections.abc import Callable, Container

from index.search.joined_people import Mentioned

LONGEST = 4
"""The most words of a name."""
WORD = re.compile(r"[^\W\d_]+(?:[-'’.][^\W\d_]+)*\.?")
OF_PLACES = re.compile(
    r"AI|Academy|Cent(?:er|re)|College|Corporation|Foundation|Group|Hospital|Inc|Institut(?:e|ion)?|Labs?"
    r"|Laborator(?:y|ies)|Research|School|Team|Universit\w+"
)
"""What a place of work is called, after a word that is a family name, too."""
_GAP = re.compile(r"\s+")
_PART_OF_WORD = re.compile(r"[\w-]")
_GOES_ON = re.compile(
    r"\s+(?!(?:about|after|and|at|before|but|concerning|et|for|from|has|have|in|is|jointly|not|of|on|or|published|regarding"
    r"|since|that|till|to|together|until|using|which|with|without|wrote)\b)[a-z]"
)
"""What follows a word that is no name by itself: "Chinese universities"."""
_INITIALS = re.compile(r"[A-Z]{2}")
"""What companies and terms have, and people rarely: OpenAI, RLHF."""
_PARTICLES = frozenset("al bin da de del della den der di dos du el la le ten ter van von zu".split())


def unknown_name(
    text: str,
    start: int,
    together: Callable[[str], int],
    papers: Callable[[str], int],
    english: Container[str],
) -> Mentioned | None:
    """A name that nobody here has: words in capitals, or that no text has, which no paper prints so.

    A word alone is one with a capital only, since another may be a typo; part of "GPT-4" is none, nor is
    "OpenAI".
    """
    words: list[str] = []
    end = start
    for match in words_from(text, start):
        word = bare_name(match[0])
        particle = bool(words) and word in _PARTICLES
        odd = word.lower() not in english and not papers(word)
        if not (particle or word[:1].isupper() or odd):
            break
        words.append(word)
        end = match.start() + len(word)
        if match[0] != word and not (len(word) == 1 and match[0] == f"{word}."):
            break
    if not words or words[-1] in _PARTICLES or any(map(OF_PLACES.fullmatch, words)):
        return None
    if _PART_OF_WORD.match(text, end):
        return None
    if len(words) == 1 and (
        not words[0][0].isupper() or _INITIALS.search(words[0]) or _GOES_ON.match(text, end)
    ):
        return None
    printed = together(text[start:end]) or (len(words) == 1 and papers(words[0]))
    return None if printed else Mentioned((), start, end)


def words_from(text: str, start: int) -> list[re.Match[str]]:
    """Up to :data:`LONGEST` words from a place on, with only spaces between them."""
    words: list[re.Match[str]] = []
    at = start
    while len(words) < LONGEST and (match := WORD.match(text, at)) is not None:
        words.append(match)
        at = match.end()
        gap = _GAP.match(text, at)
        if gap is None:
            break
        at = gap.end()
    return words


def bare_name(said: str) -> str:
    """A name without a possessive and the marks behind it."""
    return re.sub(r"(?:'s|’s|[.,'’])+$", "", said.strip())
