"""Pairs of a quote and a sentence: some that the quote supports, some that it doesn't, each of a kind."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources

from index.answers.sentences import split

_ENOUGH = 60
"""Abstracts that are read for each pair of a kind; few have a hedge or two numbers to exchange."""
_LEAST, _MOST = 8, 45
"""Words of a sentence that is made into pairs."""
_NUMBER = re.compile(r"(?<![\w.,$\\{^_-])\d+(?:\.\d+)?(?![\w,]*\d)(?=\\?%|[\s,.;)]|x\b)")
_UNIT = re.compile(r"(?<=\d)(\\?%|\s(?:ms|seconds|minutes|hours|days|points|times)\b|x\b)")
_UNITS = ("%", " ms", " seconds", " hours", " points", "x")
_AUXILIARY = re.compile(r"\b(is|are|was|were|can|does|do|did|has|have|will)\b(?! not\b)")
_NEGATION = re.compile(r"\b(is|are|was|were|does|do|did|has|have|can|will|could|would) not\b|\bcannot\b")
_NAME = re.compile(r"(?<=[a-z,;] )(?:[A-Z][a-z]*[A-Z][\w-]*|[A-Z]{3,}[\w-]*|[A-Z][a-z]+-\d[\w.]*)")
_LISTED = re.compile(r"(?:[\s,/+&]|\b(?:and|or)\b|\([^()]*\)|[A-Z][\w-]*)*")
"""What stands between names that may be exchanged without changing what is said."""
_HEDGE = re.compile(r"\b(?:may|might|could)\s(?=be\b)|\b(?:possibly|potentially|likely)\s")
_FRAME = re.compile(
    r"^(?:(?:However|Moreover|Furthermore|In addition|Additionally|Finally|Specifically|In particular|Here|"
    r"In this (?:paper|work|study)|To this end|Notably|As a result), |(?:Our |The )?(?:experiments|results|"
    r"findings|evaluations?|analys[ei]s)\s(?:\w+ ){0,3}(?:show|demonstrate|indicate|reveal)s? that )"
)
_ASIDE = re.compile(r"\s\([^()]{2,80}\)|,? (?:e\.g\.|i\.e\.),? [^,.;]{2,60}(?=[,.;])")
_TAIL = re.compile(
    r"(?<=\w{3}), (?:which|thereby|thus|enabling|making|leading|resulting|achieving|allowing)\b.*(?=\.$)"
)
_BEGUN = re.compile(
    r"^((?:Despite|Although|While|When|If|To|By|Using|For|With|In|On|Across|Under|Unlike) [^,]{8,90}), "
    r"((?:we|the|our|this|these|it|a|an|existing|current|many|most)\b[^.]{20,200})\.$",
    re.IGNORECASE,
)
_TURNS = (
    *(("increases", "decreases"), ("increase", "decrease"), ("increased", "decreased"), ("higher", "lower")),
    *(("improves", "worsens"), ("improve", "worsen"), ("improving", "worsening"), ("more", "less")),
    *(("better", "worse"), ("faster", "slower"), ("outperforms", "underperforms"), ("reduces", "raises")),
    *(
        ("reducing", "raising"),
        ("outperform", "underperform"),
        ("positive", "negative"),
        ("robust", "fragile"),
    ),
)
_TURNED = {one: other for pair in _TURNS for one, other in (pair, pair[::-1])}
_DIRECTION = re.compile(rf"\b(?:{'|'.join(_TURNED)})\b")


@dataclass(frozen=True, slots=True)
class Pair:
    """A quote, a sentence, and whether the quote supports it."""

    kind: str
    quote: str
    sentence: str
    supported: bool


def by_hand() -> list[Pair]:
    """The invented pairs of ``rewordings.txt``."""
    pairs: list[Pair] = []
    quote = ""
    for line in resources.files("index.evaluate").joinpath("rewordings.txt").read_text().splitlines():
        mark, _, text = line.partition(" ")
        if mark == "Q":
            quote = text
        elif mark == "+":
            pairs.append(Pair("by hand: true", quote, text, True))
        elif mark == "-":
            pairs.append(Pair("by hand: false", quote, text.partition(": ")[2], False))
    return pairs


def made(abstracts: Sequence[str], per_kind: int, seed: int) -> list[Pair]:
    """Pairs made from sentences of abstracts, up to ``per_kind`` of each kind."""
    chance = random.Random(seed)
    some = chance.sample(list(abstracts), min(len(abstracts), _ENOUGH * per_kind))
    texts = [[sentence.text for sentence in split(abstract)] for abstract in some]
    texts = [[sentence for sentence in text if _LEAST <= len(sentence.split()) <= _MOST] for text in texts]
    papers = [text for text in texts if len(text) > 2]
    names = [name for text in papers[:3_000] for sentence in text for name in _NAME.findall(sentence)]
    if len(papers) < 2:
        return []
    makers = _makers(names or ["XLNet"], chance)
    pairs: list[Pair] = []
    counts = dict.fromkeys(makers, 0)
    for text in papers:
        for kind, (supported, make) in makers.items():
            quote = chance.choice(text)
            other = chance.choice(papers)
            sentence = make(quote, text, other) if counts[kind] < per_kind else None
            if sentence and sentence != quote:
                pairs.append(Pair(kind, quote, sentence, supported))
                counts[kind] += 1
    return pairs


Maker = Callable[[str, Sequence[str], Sequence[str]], str | None]
"""Makes a sentence from a quote, the other sentences of its abstract, and another paper's."""


def _makers(names: Sequence[str], chance: random.Random) -> dict[str, tuple[bool, Maker]]:
    def turned(pattern: re.Pattern[str], change: Callable[[re.Match[str]], str]) -> Maker:
        def make(quote: str, _own: Sequence[str], _other: Sequence[str]) -> str | None:
            found = list(pattern.finditer(quote))
            if not found:
                return None
            match = chance.choice(found)
            return quote[: match.start()] + change(match) + quote[match.end() :]

        return make

    def other_name(match: re.Match[str]) -> str:
        return chance.choice([name for name in names if name.lower() != match[0].lower()] or ["XLNet"])

    return {
        "shortened": (True, _shortened),
        "reordered": (True, _reordered),
        "by the authors": (True, _by_the_authors),
        "same paper's sentence": (False, lambda quote, own, _: chance.choice([s for s in own if s != quote])),
        "other paper's sentence": (False, lambda _quote, _own, other: chance.choice(other)),
        "number changed": (False, turned(_NUMBER, lambda match: _changed(match[0], chance))),
        "numbers swapped": (False, lambda quote, _own, _other: _swapped(_NUMBER, quote)),
        "unit changed": (
            False,
            turned(_UNIT, lambda m: chance.choice([u for u in _UNITS if u.strip() != m[0].strip("\\ ")])),
        ),
        "negation added": (False, turned(_AUXILIARY, lambda match: f"{match[0]} not")),
        "negation removed": (False, turned(_NEGATION, lambda match: match[1] or "can")),
        "direction turned": (False, turned(_DIRECTION, lambda match: _TURNED[match[0]])),
        "name changed": (False, turned(_NAME, other_name)),
        "names swapped": (False, lambda quote, _own, _other: _swapped(_NAME, quote)),
        "hedge removed": (False, turned(_HEDGE, lambda match: "will " if match[0][:2] != "po" else "")),
        "claim added": (
            False,
            lambda quote, _own, other: f"{quote.rstrip('.')}, and {_lower(chance.choice(other))}",
        ),
    }


def _shortened(quote: str, _own: Sequence[str], _other: Sequence[str]) -> str | None:
    """Without its frame, asides and a last clause that only adds."""
    short = _TAIL.sub("", _ASIDE.sub("", _FRAME.sub("", quote)))
    return short[:1].upper() + short[1:] if len(short.split()) >= 6 and short != quote else None


def _reordered(quote: str, _own: Sequence[str], _other: Sequence[str]) -> str | None:
    """With what it begins with at its end."""
    match = _BEGUN.match(quote)
    return f"{match[2][0].upper()}{match[2][1:]} {_lower(match[1])}." if match else None


def _by_the_authors(quote: str, _own: Sequence[str], _other: Sequence[str]) -> str | None:
    """Told of the authors instead of by them."""
    told = re.sub(r"\bour\b", "their", re.sub(r"\bwe\b", "the authors", quote))
    told = re.sub(r"^We\b", "The authors", re.sub(r"^Our\b", "Their", told))
    return told if told != quote else None


def _changed(number: str, chance: random.Random) -> str:
    digits = [place for place, letter in enumerate(number) if letter.isdigit()]
    place = chance.choice(digits)
    new = chance.choice([digit for digit in "123456789" if digit != number[place]])
    return number[:place] + new + number[place + 1 :]


def _swapped(pattern: re.Pattern[str], quote: str) -> str | None:
    """With its first and last different match exchanged."""
    found = list(pattern.finditer(quote))
    if len(found) < 2 or found[0][0].lower() == found[-1][0].lower():
        return None
    one, other = found[0], found[-1]
    if _LISTED.fullmatch(quote[one.end() : other.start()]):
        return None
    return quote[: one.start()] + other[0] + quote[one.end() : other.start()] + one[0] + quote[other.end() :]


def _lower(text: str) -> str:
    return text[0].lower() + text[1:] if len(text) > 1 and text[1].islower() else text
