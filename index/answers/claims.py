"""What a sentence claims: that things do well or badly, rise or fall, or that something isn't done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import chain, starmap

from data.keys import fold
from index.answers.claim_words import (
    AIMS,
    BAD,
    DENIES,
    FAILS,
    GOOD,
    LACKING,
    LESS,
    MERITS,
    MORE,
    NEGATIONS,
    NOT_ONLY,
    NOT_TOLD,
    STATES,
    TELLS,
)
from index.answers.matching import stop_stems
from index.search.passages import WEAK, stem

REACH = 4
"""A negation denies a word up to so many words behind it."""
_ABOUT = 6
"""A claim is about the content words up to so many words before and behind it, in its clause."""
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_NOT = re.compile(r"n['’]t\b")
_ASIDE = re.compile(r"\([^()]*\)")
_CLAUSE = re.compile(r"[,;:()—–]|--| - |\b(?:and|but|while|whereas|although|though|yet|because|since)\b")


_LACKED = 3
"""What is lacking is named within so many words."""
_OTHERS = re.compile(
    r"\b(?:existing|previous|prior|current|conventional|traditional|classical|earlier|most|many)\b"
    r"(?: [\w-]+){0,4} "
    r"(?:method|approach|model|work|technique|system|dataset|benchmark|stud|solution|framework)"
)
_OWN = re.compile(
    r"\b(?:we|paper|work) (?:\w+ )?(?:propose|introduce|present|develop|design)|\b(?:our|proposed|novel|new) "
    r"(?:[\w-]+ )?(?:method|approach|framework|model|system|algorithm|technique|dataset|benchmark|solution)"
)


class Axis(Enum):
    """What a claim is of: how well things do, or whether there is more or less of them."""

    WORTH = "worth"
    AMOUNT = "amount"


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """One claim.

    Attributes
    ----------
    sign
        +1 for good or more, -1 for bad or less.
    subject, about
        The stems of telling words before its word in the clause, and of content words around it.
    """

    axis: Axis
    sign: int
    subject: frozenset[str]
    about: frozenset[str]

    def common(self, other: ReadClaim) -> int:
        """How many words two claims are both about; 0 if their subjects differ."""
        same = self.subject == other.subject or not self.subject.isdisjoint(other.subject)
        return len(self.about & other.about) if same and self.axis is other.axis else 0


@dataclass(frozen=True, slots=True)
class Denial:
    """Something said not to be done: the ``act`` right behind the negation, and what is near it, as stems."""

    act: str
    about: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReadClaims:
    """What a sentence claims.

    Attributes
    ----------
    content
        The stems of its content words without those that judge.
    stated
        Those that stand in no condition, aim or question.
    lacking
        Those that it speaks of as absent ("without feedback").
    made, denied
        Its claims.
    of_others, of_own
        Whether it speaks of earlier methods, or offers a new one.
    """

    content: frozenset[str]
    stated: frozenset[str]
    lacking: frozenset[str]
    made: tuple[ReadClaim, ...]
    denied: tuple[Denial, ...]
    of_others: bool
    of_own: bool

    @property
    def unfavourable(self) -> bool:
        """Whether it says that something does badly or isn't done."""
        return bool(self.denied) or any(each.axis is Axis.WORTH and each.sign < 0 for each in self.made)


_JUDGING = GOOD | BAD | MORE | LESS | NEGATIONS | FAILS
_NO_CONTENT = stop_stems() | {stem(word) for word in _JUDGING | TELLS}


@lru_cache(maxsize=2_048)
def claims(sentence: str) -> ReadClaims:
    """Read a sentence. A question claims nothing."""
    text = _ASIDE.sub(" ", _NOT.sub(" not", fold(sentence)))
    clauses = [_WORD.findall(clause) for clause in _CLAUSE.split(text)]
    told = [[] if text.rstrip().endswith("?") else _told(words) for words in clauses]
    return ReadClaims(
        content=_content(chain.from_iterable(clauses)),
        stated=_content(chain.from_iterable(told)),
        lacking=frozenset(chain.from_iterable(map(_absent, clauses))),
        made=tuple(chain.from_iterable(starmap(_made, zip(clauses, told, strict=True)))),
        denied=tuple(chain.from_iterable(starmap(_denied, zip(clauses, told, strict=True)))),
        of_others=bool(_OTHERS.search(text)),
        of_own=bool(_OWN.search(text)),
    )


def _content(words: Iterable[str]) -> frozenset[str]:
    """Their stems, those of a hyphenated word one by one."""
    parts = chain.from_iterable(stem(word).split("-") for word in words)
    return frozenset(each for each in parts if each not in _NO_CONTENT and not each.isdigit())


def _told(words: Sequence[str]) -> Sequence[str]:
    """The words before a condition, an aim or what others say."""
    for place, word in enumerate(words):
        if word in NOT_TOLD or (word in AIMS and _is_aim(words, place)):
            return words[:place]
    return words


def _is_aim(words: Sequence[str], place: int) -> bool:
    """Whether "to" leads to an aim ("designed to improve"), not to what is told ("found to improve")."""
    before = next((word for word in reversed(words[:place]) if not word.endswith("ly")), "")
    return before not in STATES and not _JUDGING.isdisjoint(words[place + 1 : place + 3])


def _absent(words: Sequence[str]) -> Iterator[str]:
    """What is absent, but not a harm or a gain ("without hurting accuracy" is a claim)."""
    for place, word in enumerate(words):
        near = words[place + 1 : place + 1 + _LACKED]
        if word in LACKING and _JUDGING.isdisjoint(near):
            yield from _content(near)


def _made(words: Sequence[str], told: Sequence[str]) -> Iterator[ReadClaim]:
    """The claims in the told words of a clause."""
    for place, word in enumerate(told):
        for axis, ends in ((Axis.WORTH, (GOOD, BAD)), (Axis.AMOUNT, (MORE, LESS))):
            sign = (word in ends[0]) - (word in ends[1])
            if not sign:
                continue
            merit = axis is Axis.AMOUNT and not MERITS.isdisjoint(words[max(0, place - 2) : place + 4])
            turned = -1 if _is_denied(words, place) else 1
            yield ReadClaim(Axis.WORTH if merit else axis, sign * turned, *_near(words, place))


def _is_denied(words: Sequence[str], place: int) -> bool:
    """Whether an odd number of negations stands close before a word."""
    denials = [at for at in range(max(0, place - REACH), place) if words[at] in NEGATIONS | FAILS]
    return sum(words[at + 1] not in NOT_ONLY for at in denials) % 2 == 1


def _near(words: Sequence[str], place: int) -> tuple[frozenset[str], frozenset[str]]:
    """The subject of a word, and what is around it, as stems."""
    subject = _content(word for word in words[:place] if word not in WEAK)
    around = _content([*words[max(0, place - _ABOUT) : place], *words[place + 1 : place + 1 + _ABOUT]])
    return subject, around


def _denied(words: Sequence[str], told: Sequence[str]) -> Iterator[Denial]:
    """What is denied in the told words of a clause."""
    for place, word in enumerate(told):
        if word in DENIES and words[place + 1 : place + 2] and words[place + 1] not in NOT_ONLY:
            behind = (each for each in words[place + 1 : place + 1 + REACH] if not each.endswith("ly"))
            act = next((each for each in behind if each in _JUDGING or _content([each])), "")
            if act and act not in _JUDGING:
                yield Denial(stem(act), _near(words, place)[1])
