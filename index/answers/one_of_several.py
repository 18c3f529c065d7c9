"""Which of the papers or people that were listed a message means: "the second one", "no, the other one"."""

from __future__ import annotations

import re
from difflib import get_close_matches

from index.answers.asked_before import Among, Before
from index.answers.followups import ORDINALS, number_said
from index.search.routing import names_paper
from index.search.search import Search

_NO = (
    r"(?:no|nope|nah|sorry|wait|actually|oops|hm+|not (?:that|this)(?: one)?|wrong (?:one|paper|person)"
    r"|i (?:mean|meant))"
)
_LEAD = (
    rf"(?:(?:and|then|ok|okay|yes|{_NO}|what about|how about|show(?: me)?|open|give me|i want|take|let me see"
    r"|tell me(?: more)? about|details (?:on|of|for)|more (?:on|about))\b[\s,.!]*)*"
)
_THING = r"(?:one|1|paper|person|result|hit|entry|article|study)"
_END = r"(?:[\s,]+(?:please|pls|plz|then|instead|there))*"
ORDINAL = rf"(?:(?a:{'|'.join(ORDINALS)}|last)|\d{{1,3}}(?:st|nd|rd|th)?)"
_ONE = re.compile(
    rf"{_LEAD}(?:(?:the|teh|that|this) (?P<word>[a-z]{{4,8}}|\d{{1,3}}(?:st|nd|rd|th))(?: {_THING})?"
    rf"|(?P<bare>[a-z]{{4,8}}|\d{{1,3}}(?:st|nd|rd|th)) {_THING}"
    r"|\[(?P<bracket>\d{1,3})\]"
    rf"|(?:the )?(?:{_THING} )?(?:number|no\.?|nr\.?|#|paper|result) ?(?P<number>\d{{1,3}}))"
    rf"(?: of them)?{_END}",
    re.IGNORECASE,
)
_DIGITS = re.compile(rf"{_LEAD}(?P<number>\d{{1,2}}){_END}", re.IGNORECASE)
_OTHER = re.compile(rf"{_LEAD}(?:(?:the|teh) other(?: {_THING})?|other {_THING}){_END}", re.IGNORECASE)
_NEXT = re.compile(rf"{_LEAD}(?:the )?(?:next|(?P<back>previous))(?: {_THING})?{_END}", re.IGNORECASE)
_CLOSE = 0.8
"""How alike a mistyped word is to the one meant, by difflib's ratio: "secnd", "frist"."""


def asks_for_one(said: str) -> bool:
    """Whether a text only says the number of one in a list: "the second one"."""
    return _number(said) is not None


def asks_for_other(said: str) -> bool:
    """Whether a text only asks for the other one of two: "no, the other one"."""
    return _OTHER.fullmatch(_bare(said)) is not None


def one_meant(said: str, before: Before) -> Among | None:
    """The one of the list before that a text asks for, alone in an :class:`Among`; None for none.

    A number of one or two digits is one only where the list has it.
    """
    among = before.choices
    number = _number(said)
    if number is None and (digits := _DIGITS.fullmatch(_bare(said))):
        number = digits["number"]
    place = place_of(number, among) if number is not None else None
    if place is None and asks_for_other(said):
        place = _other(before)
    if place is None and asks_for_next(said):
        place = _next(said, before)
    return one_at(among, place) if place is not None else None


def one_at(among: Among, place: int) -> Among:
    """The one at a place, counted from 0."""
    return Among(among.papers[place : place + 1], among.people[place : place + 1])


def place_of(number: str, among: Among) -> int | None:
    """The place, counted from 0, of a number, ordinal or ``last``; None where the list hasn't it."""
    return number_said(number, len(among.ids), among.first)


def _other(before: Before) -> int | None:
    """The place of the other one of exactly two, where one of them was taken."""
    ids = before.choices.ids
    if len(ids) != 2 or before.chosen not in ids:
        return None
    return 1 - ids.index(before.chosen)


def asks_for_next(said: str) -> bool:
    """Whether a text only asks for the one after the one that was taken: "the next one"."""
    return not said.isupper() and _NEXT.fullmatch(_bare(said)) is not None  # a paper may be called NEXT


def _next(said: str, before: Before) -> int | None:
    """The place of the next one, or the previous one; None where there is none, or none was taken."""
    match, ids = _NEXT.fullmatch(_bare(said)), before.choices.ids
    if match is None or before.chosen not in ids:
        return None
    place = ids.index(before.chosen) + (-1 if match["back"] else 1)
    return place if 0 <= place < len(ids) else None


def _mistyped(said: str) -> str:
    """The word that is taken for a mistyped ordinal: the "frist" of "the frist one"; empty for none."""
    match = _ONE.fullmatch(_bare(said))
    word = (match["word"] or match["bare"] or "") if match is not None else ""
    return word if word and _number(said) not in (None, word.lower()) else ""


async def is_named_so(search: Search, said: str) -> bool:
    """Whether what could be a mistyped ordinal is a paper's name: "the BLAST paper" isn't the last one."""
    word = _mistyped(said)
    return bool(word) and await names_paper(search, word)


def _number(said: str) -> str | None:
    """The number or ordinal that is all that a text says, mistyped or not; None for anything else."""
    match = _ONE.fullmatch(_bare(said))
    if match is None:
        return None
    if number := match["bracket"] or match["number"]:
        return number
    word = (match["word"] or match["bare"]).lower()
    if word[0].isdigit():
        return word
    return next(iter(get_close_matches(word, [*ORDINALS, "last"], 1, _CLOSE)), None)


def _bare(said: str) -> str:
    return " ".join(said.split()).strip(" ?!.,")
