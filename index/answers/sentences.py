"""Sentences with their exact places in a text.

Of the kept libraries, sentencex (Wikimedia) and pySBD cut formulas in two and syntok joins sentences before
a name such as mRNA, so the rules are our own. Doubt keeps sentences together: a quote may be long, but it
never loses its number, its negation or half of its formula.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources

MOST = 200_000
"""Characters that are read; longer texts come as several passages."""
_FAR = 400
"""How far a bracket or formula may reach and still hold a sentence together."""
_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’)\]]{0,4}+(?:[ ]?\[\d[\d, –-]{0,40}\])?(?=\s)|\n[ \t]*+\n"
    r"|(?<=[a-z]{3})\.(?=[A-Z][a-z]+ )"
)
_MATH = re.compile(
    r"\$\$[^$]{1,800}\$\$|\$(?!\s)[^$\n]{1,400}(?<!\\)\$|\\\([^\n]{1,400}?\\\)|\\\[.{1,800}?\\\]|https?://\S+",
    re.DOTALL,
)
_LABEL = re.compile(
    r"(?:[A-Z]{4,30}|[A-Z]{2,30}(?:[ /&,-]{1,3}(?:[A-Z]{1,30}|and|of)){1,6})\s{0,2}[:.]\s+(?=\S)"
)
_TOKEN = re.compile(r"[^\s(\[{\"'“‘]*$")
_NEVER_LAST = frozenset(
    "e.g i.e eg ie cf fig figs eq eqs eqn sec sect ref refs tab no nos dr prof mr mrs ms st vs viz resp "
    "approx ca def thm prop lem cor ch chap vol pp p.p w.r.t a.k.a al. app appx alg".split()
)
"""Abbreviations that something always follows."""
_SELDOM_LAST = frozenset(
    "al etc inc ltd co corp jr sr u.s u.k e.u ph.d a.m p.m est spp sp subsp var dept univ".split()
)
"""Abbreviations that end a sentence if a new one plainly begins after them."""
_MONTHS = frozenset("jan feb mar apr jun jul aug sep sept oct nov dec".split())
_STARTS = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split())
_NAME = re.compile(r"[a-z]{1,4}[-]?[A-Z0-9]")
_NEXT = re.compile(r"[\"'“‘(\[{$\\]*([^\W_]+)?")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and where it stands: ``text[start:end]`` of the text that it came from.

    Attributes
    ----------
    label
        The heading printed in front of it, as in ``RESULTS: ...``; not part of the sentence.
    """

    start: int
    end: int
    text: str
    label: str = ""


def split(text: str) -> list[Sentence]:
    """A text's sentences, in order, without the white space around them."""
    text = text[:MOST]
    held = _held_together(text)
    found: list[Sentence] = []
    start = 0
    for match in _END.finditer(text):
        if match.start() < start or held[match.start()] or not _ends(text, start, match):
            continue
        _add(found, text, start, match.end())
        start = match.end()
    _add(found, text, start, len(text))
    return found


def _add(found: list[Sentence], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    label = _LABEL.match(text, start, end)
    name = ""
    if label and label.end() < end:
        name, start = label[0].strip(" :.\n\t"), label.end()
    if any(letter.isalnum() for letter in text[start:end]):
        found.append(Sentence(start, end, text[start:end], name))
    elif found and end > start:  # stray marks belong to the sentence before them
        last = found.pop()
        found.append(Sentence(last.start, end, text[last.start : end], last.label))


def _held_together(text: str) -> bytearray:
    """1 for each character inside a formula, an address or a closed bracket."""
    held = bytearray(len(text) + 1)
    for match in _MATH.finditer(text):
        for place in range(match.start(), match.end() - 1):
            held[place] = 1
    opened: list[int] = []
    for place, letter in enumerate(text):
        if held[place]:
            continue
        if letter in "([{":
            opened.append(place)
        elif letter in ")]}" and opened:
            begun = opened.pop()
            if place - begun <= _FAR:
                held[begun:place] = b"\x01" * (place - begun)
    return held


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the marks that were matched end the sentence that began at ``start``."""
    if match[0].isspace() or "\n" in match[0]:
        return True
    rest = match.end()
    while rest < len(text) and text[rest].isspace():
        rest += 1
    if rest >= len(text):
        return True
    following = _NEXT.match(text, rest)
    word = (following[1] or "") if following else ""
    if not match[0].startswith("."):
        return not word[:1].islower() or bool(_NAME.match(text, rest))
    before = _TOKEN.search(text, max(start, match.start() - 60), match.start())
    token = before[0] if before else ""
    return _after_period(token, word, text, rest, fresh=match.start() - len(token) <= start + 1)


def _after_period(token: str, word: str, text: str, rest: int, *, fresh: bool) -> bool:
    """Whether a period after ``token`` ends a sentence when ``word`` follows at ``rest``."""
    plain = token.lower().strip(".,;:-")
    begins = word[:1].isupper() or bool(_NAME.match(text, rest)) or text[rest] in "$\\"
    starter = word.lower() in _STARTS and word[:1].isupper()
    if plain in _NEVER_LAST:
        return plain == "no" and token == "no" and starter
    if plain in _SELDOM_LAST:
        return word[:1].isupper() and text[rest] not in "([" and (plain != "al" or starter)
    if plain in _MONTHS and token[:1].isupper():
        return not word[:1].isdigit() and begins
    if len(plain) == 1 and token[:1].isupper():  # an initial, or the last word of "vitamin C."
        return starter or bool(_LABEL.match(text, rest))
    if plain.isdigit() and (fresh or (plain == "0" and word[:1].isdigit())):  # "1. First", "p = 0. 05"
        return False
    return begins or word[:1].isdigit() or (text[rest] in "\"'“‘([" and not word[:1].islower()) or not word
