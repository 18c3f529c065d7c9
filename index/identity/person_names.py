"""Personal names: their parts, and whether two can be one person's.

This is the only place that decides whether two names can be one person's, or where a family name begins.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from nicknames import NickNamer

from data.keys import name_key

READING = 2
"""Changes whenever names are read in another way."""
_PARTICLES = frozenset(
    "al ap ben bin bint da dal de del della den der di dos du el ibn la le san "
    "st ter ten van von zu zur".split()
)
_SUFFIXES = frozenset("jr sr ii iii iv phd md".split())
_NICKNAMES = NickNamer()
_HYPHENS = str.maketrans("\u2010\u2011", "--")
_HYPHENATED = re.compile(r"[^\s,-]+(?:-[^\s,-]+)+")
_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ø": "oe", "ü": "ue", "å": "aa"})
_CAPITALS = re.compile(r"\b([A-Z]{2,3})\b(?!\.)")


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name as printed, in parts, in lower case without accents."""

    key: str
    """The store's key (:func:`data.keys.name_key`)."""
    given: tuple[str, ...]
    family: str
    parts: tuple[str, ...]
    """Given names, also those that a hyphen joins, each by itself."""
    in_two: str = ""
    """The key with umlauts in two letters (``schuetze`` for *Schütze*), if any is printed."""

    @property
    def initial(self) -> str:
        """The first letter of the first given name, or nothing."""
        return self.given[0][0] if self.given else ""

    @property
    def joined(self) -> str:
        """Given names in one word, the same for ``ChonLam`` and ``Chon-Lam``."""
        return "".join(self.given)

    @property
    def spelled(self) -> bool:
        """Whether the first given name is more than an initial."""
        return bool(self.given) and len(self.given[0]) > 1


@lru_cache(maxsize=400_000)
def parse_name(printed: str) -> PersonName:
    """The parts of a name as printed: given names first, or ``family, given``.

    Capitals side by side (``Smith JF``, ``JF Smith``) are initials unless the whole name is in capitals. What
    a hyphen joins is one name, given (``Fei-Fei Li`` is not a longer ``Fei Li``) or family (``Kevin
    Leyton-Brown``).
    """
    printed = printed.translate(_HYPHENS)
    if not printed.isupper():
        printed = _CAPITALS.sub(_split_capitals, printed)
    key = name_key(printed)
    words, joined = _hyphens_kept(key.split(), printed) if "-" in printed else (key.split(), {})
    while len(words) > 2 and words[-1] in _SUFFIXES:
        words.pop()
    if len(words) > 2 and len(words[-1]) == 1 and len(words[0]) > 1 and all(len(w) == 1 for w in words[1:]):
        words = [*words[1:], words[0]]  # "Smith J F"
    elif len(words) == 2 and len(words[1]) == 1 and len(words[0]) > 1:
        words = [words[1], words[0]]  # "Smith J"
    start = len(words) - 1
    while start > 1 and words[start - 1] in _PARTICLES:
        start -= 1
    given = tuple(words[:start])
    parts = tuple(part for word in given for part in joined.get(word, (word,)))
    return PersonName(key, given, "".join(words[start:]), parts, in_two_letters(printed))


def in_two_letters(printed: str) -> str:
    """The key of a name with each umlaut in two letters, as people type it; empty where none is printed."""
    if printed.isascii():
        return ""
    lower = unicodedata.normalize("NFC", printed).casefold()
    spelled = lower.translate(_TWO_LETTERS)
    return name_key(spelled) if spelled != lower else ""


def _split_capitals(match: re.Match[str]) -> str:
    word = match[1]
    # With a vowel it is a short name (LI, WU, AN), without one it is initials.
    return word if any(letter in "AEIOUY" for letter in word[1:]) else " ".join(word)


def _hyphens_kept(words: list[str], printed: str) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """The words of a key, those that a hyphen joins in print as one, and the parts of these.

    Initials (``J.-P.``) stay apart.
    """
    joined: dict[str, tuple[str, ...]] = {}
    for token in _HYPHENATED.findall(printed):
        parts = name_key(token).split()
        if len(parts) < 2 or len(parts) == len(words) or any(len(part) == 1 for part in parts):
            continue
        for start in range(len(words) - len(parts) + 1):
            if words[start : start + len(parts)] == parts:
                words = [*words[:start], "".join(parts), *words[start + len(parts) :]]
                joined["".join(parts)] = tuple(parts)
                break
    return words, joined


def compatible(one: PersonName, other: PersonName) -> bool:
    """Whether both can be one person's name: no part of one contradicts the other."""
    if one.key == other.key:
        return True
    if one.family != other.family:
        return False
    if one.given == other.given or one.joined == other.joined:
        return True
    if not one.given or not other.given:
        return False
    return _all_fit(one, other) or _initials_of_joined(one, other)


def _all_fit(one: PersonName, other: PersonName) -> bool:
    """Whether given names fit, first with first and so on; of ``Min-Hsiu``, both parts must fit ``M. H.``"""
    if len(one.parts) == len(other.parts) and all(map(_fits, one.parts, other.parts)):
        return True  # "Kai-Wei Chang" and "Kai W. Chang"
    whole = all(_fits(a, b) for a, b in zip(one.given, other.given, strict=False))
    if not whole or min(len(one.given), len(other.given)) == min(len(one.parts), len(other.parts)) == 1:
        return whole
    return all(_fits(a, b) for a, b in zip(one.parts, other.parts, strict=False))


def could_print(one: str, other: str) -> bool:
    """Whether somebody known to have one name could print the other, also without a part behind a hyphen.

    For where something else says that it is one person, such as an ORCID: *Mary Smith-Jones*, *Mary Jones*.
    """
    apart = one.replace("-", " "), other.replace("-", " ")
    return any(
        compatible(*spelled)
        for pair in ((one, other), apart)
        for spelled in _spelled_alike(*map(parse_name, pair))
    )


def may_be_form(one: PersonName, other: PersonName) -> bool:
    """Whether to ask if both are one person: :func:`compatible`, or the same letters spaced differently.

    An umlaut may be two letters in the other name: *Schütze*, *Schuetze*.
    """
    return any(
        a.key.replace(" ", "") == b.key.replace(" ", "") or compatible(a, b)
        for a, b in _spelled_alike(one, other)
    )


def may_be_one(one: str, other: str) -> bool:
    """Whether two printed names may be one person's, in any order: *Fei-Fei Li* and *Li Fei-Fei*."""
    first, second = parse_name(one), parse_name(other)
    return may_be_form(first, second) or {*first.key.split()} == {*second.key.split()}


def _spelled_alike(one: PersonName, other: PersonName) -> Iterator[tuple[PersonName, PersonName]]:
    """Both names as they are, and with the umlauts of either in two letters."""
    yield one, other
    if one.in_two:
        yield parse_name(one.in_two), other
    if other.in_two:
        yield one, parse_name(other.in_two)


def split_name(printed: str) -> tuple[str, str]:
    """(family, given) as in a citation; particles and suffixes stay with the family name.

    ``Smith, John`` is already in that order; ``Smith JF`` is read as :func:`parse_name` does.
    """
    family, comma, given = (part.strip() for part in printed.partition(","))
    if comma and given and _bare(given) not in _SUFFIXES:
        return family, given
    words = printed.split()
    if len(words) < 2:
        return printed.strip(), ""
    tail, suffix = len(words) - 1, ""
    if len(words) > 2 and _bare(words[-1]) in _SUFFIXES:
        tail, suffix = tail - 1, f" {words[-1]}"
    elif parse_name(printed).family == name_key(words[0]) and not _is_initial(words[0]):
        return words[0], " ".join(words[1:])  # initials come last
    start = tail
    while start > 1 and words[start - 1].lower() in _PARTICLES:
        start -= 1
    return " ".join(words[start : tail + 1]).rstrip(",") + suffix, " ".join(words[:start])


def _bare(word: str) -> str:
    return word.strip(".,").lower()


def _is_initial(word: str) -> bool:
    return len(_bare(word)) < 2


def _fits(one: str, other: str) -> bool:
    if one == other or one in short_forms(other) or other in short_forms(one):
        return True
    short, long_ = sorted((one, other), key=len)
    return len(short) == 1 and long_.startswith(short)


@lru_cache(maxsize=100_000)
def short_forms(given: str) -> frozenset[str]:
    """Short forms, such as ``mike`` for ``michael``; those of two letters are full names elsewhere."""
    return frozenset(name for name in _NICKNAMES.nicknames_of(given) if len(name) > 2)


def _initials_of_joined(one: PersonName, other: PersonName) -> bool:
    """Whether initials fit a given name in one word: ``C. L. Lao`` and ``ChonLam Lao``."""
    for short, long_ in ((one, other), (other, one)):
        if len(short.given) == 2 and len(long_.given) == 1 and all(len(word) == 1 for word in short.given):
            return long_.given[0][0] == short.given[0] and short.given[1] in long_.given[0][1:]
    return False


def relation(one: PersonName, other: PersonName) -> int:
    """How two compatible names relate, from identical to least informative.

    0 the same in full, 1 the same apart from spacing or order, 2 one has another middle name,
    3 a shortened first name, 4 an initial for a first name, 5 initials on both sides.
    """
    if not one.spelled and not other.spelled:
        return 5
    if not one.spelled or not other.spelled:
        return 4
    if one.key == other.key:
        return 0
    if one.joined == other.joined:
        return 1
    if one.given[0] == other.given[0]:
        return 2
    return 3


def partners(names: Sequence[PersonName]) -> Iterator[tuple[int, int]]:
    """Pairs of places of different names that are :func:`compatible`, smaller place first."""
    buckets: dict[tuple[str, ...], list[int]] = {}
    initials: dict[tuple[str, str], list[int]] = {}
    for place, name in enumerate(names):
        if not name.given:
            continue
        buckets.setdefault((name.family, "", name.joined), []).append(place)
        if not name.spelled:
            initials.setdefault((name.family, name.initial), []).append(place)
            continue
        for first in {name.given[0], name.parts[0], *short_forms(name.given[0])}:
            buckets.setdefault((name.family, first), []).append(place)
    seen: set[tuple[int, int]] = set()
    for pair in _side_by_side(names, buckets, initials):
        if pair not in seen and compatible(names[pair[0]], names[pair[1]]):
            seen.add(pair)
            yield pair


def _side_by_side(
    names: Sequence[PersonName],
    buckets: dict[tuple[str, ...], list[int]],
    initials: dict[tuple[str, str], list[int]],
) -> Iterator[tuple[int, int]]:
    for places in buckets.values():
        yield from combinations(sorted(set(places)), 2)
    for places in initials.values():
        yield from combinations(places, 2)
    for place, name in enumerate(names):
        if name.spelled:
            for other in initials.get((name.family, name.initial), ()):
                yield (place, other) if place < other else (other, place)


def partner_names(names: Sequence[PersonName], wanted: set[int]) -> set[int]:
    """Places of other names that somebody with one of the wanted names could also use."""
    families = {(names[place].family, names[place].initial) for place in wanted}
    near = [place for place, name in enumerate(names) if (name.family, name.initial) in families]
    numbers: set[int] = set()
    for a, b in partners([names[place] for place in near]):
        one, other = near[a], near[b]
        if one in wanted and other not in wanted:
            numbers.add(other)
        elif other in wanted and one not in wanted:
            numbers.add(one)
    return numbers
