"""Comparisons with a paper that was shown or asked about before: "compare it to TrainMover"."""

from __future__ import annotations

import re

from index.answers.asked_before import Among, Before
from index.answers.followups import content_words, is_name
from index.answers.one_of_several import ORDINAL, asks_for_one, asks_for_other, one_at, one_meant, place_of
from index.answers.unclear import UnclearError
from index.search.routing import Route, names_paper
from index.search.search import Search

_LEAD = r"(?:(?:and|so|ok|okay|but|please|pls|now|what about|how about|can you|could you|can u)\b[\s,]*)*"
_IT = r"(?:it|this|that|(?:this|that|the) (?:paper|one|work))"
_COMPARE = r"(?:compare|comapre|compair|contrast)"
_TO = r"(?:to|with(?! and)|against|vs\.?|versus|w/)"
_COMPARED = re.compile(
    rf"{_LEAD}(?:{_COMPARE} (?:{_IT} )?{_TO}|{_COMPARE} {_IT} and|{_IT} (?:vs\.?|versus)"
    r"|(?:(?:it|this|that) )?compared (?:to|with)|(?P<bare>vs\.?|versus))"
    r" (?P<other>.+)",
    re.IGNORECASE,
)
_DIFFERS = re.compile(
    rf"{_LEAD}(?:how(?:['’]?s| is| does| do| did| different is) {_IT}(?: any)?"
    r"(?: (?:different|diff) (?:from|than|then|to)| differs? from| compared? (?:to|with|against)| from)"
    rf"|is {_IT}(?: any)? different (?:from|than|then|to)"
    rf"|(?:what(?:['’]?s| is| are) )?(?:the )?diff(?:erences?)? (?:between {_IT} and|to|from|with))"
    r" (?P<other>.+)",
    re.IGNORECASE,
)
_BOTH = re.compile(
    rf"{_LEAD}{_COMPARE} (?:them|these|those|both|the two|the 2|(?:both|the two|these two) of them"
    r"|(?:these|those|the|both)(?: two| 2)? (?:papers|ones|people))|"
    rf"{_LEAD}(?:how (?:do|are) they (?:different|differ|compare)|what(?:['’]?s| is) the difference)",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    rf"{_LEAD}{_COMPARE} (?:the |paper |number |#)?(?P<one>{ORDINAL})(?: (?:one|paper))? (?:and|{_TO})"
    rf" (?:the |paper |number |#)?(?P<other>{ORDINAL})(?: (?:one|paper))?",
    re.IGNORECASE,
)
_FIRST_TWO = re.compile(
    rf"{_LEAD}{_COMPARE} the (?:first|(?P<last>last)) (?:two|2)(?: papers| ones)?", re.IGNORECASE
)

_POINTS = re.compile(
    r"it|this|that|these|those|them|others?|(?:this|that|the other) (?:one|paper)", re.IGNORECASE
)


def asks_to_compare(said: str) -> bool:
    """Whether a text asks to compare something that it doesn't name: "compare it to TrainMover"."""
    match = _matched(_COMPARED, said)
    if match is not None:
        return not match["bare"]
    return any(_matched(pattern, said) for pattern in (_BOTH, _NUMBERS, _FIRST_TWO))


async def compared_before(search: Search, said: str, before: Before) -> Route | None:
    """The command for a comparison with what was shown before; None for anything else.

    Raises
    ------
    UnclearError
        Where it isn't clear what is to be compared, or papers are to be compared with people.
    """
    if two := _two_of_them(said, before):
        return await _side_by_side(search, two)
    compares = _matched(_COMPARED, said)
    match = compares or _matched(_DIFFERS, said)
    if match is None:
        return None
    other, name = match["other"].strip(" \"“”'"), await one_paper(search, before)
    if before.command == "author" and (await search.understand(other)).people:
        return Route("compare", {"first": before.person, "second": other})
    if asks_for_one(other) or asks_for_other(other):
        taken = one_meant(other, before)
        if taken is None or not taken.papers:
            raise UnclearError("compared")
        other = await search.name_of(taken.papers[0])
    is_paper = await names_paper(search, other)
    if compares and compares["bare"] and not is_paper:  # "vs code extensions"
        return None
    if not name and _has_subject(before) and not (compares and (is_paper or before.command == "search")):
        return None
    if not name or _POINTS.fullmatch(other):
        raise UnclearError("compared", other)
    if compares and is_paper:
        return Route("compare", {"first": name, "second": other})
    if (read := await search.understand(other)).people and not read.text.strip(" ?!."):
        raise UnclearError("compared", other)
    if not any(search.rarity(word.casefold()) for word in content_words(other)):
        raise UnclearError("unknown", other)
    short = before.asked.about.split(", ")[0] if is_name(before.asked.about.split(", ")[0]) else name
    if compares:
        return Route("ask", {"question": f"how does {short} compare to {other}?"})
    return Route("ask", {"question": f"how is {short} different from {other}?"})


def _has_subject(before: Before) -> bool:
    """Whether "it" may mean what a question or search was about: "how does it compare to real clusters?"."""
    return before.command in ("ask", "search") and bool(before.asked.about)


def _two_of_them(said: str, before: Before) -> Among | None:
    """Two of the list before that are to be compared; None where a text doesn't ask for that.

    Raises
    ------
    UnclearError
        Where the list hasn't just two, or not those.
    """
    among = before.choices
    if _matched(_BOTH, said):
        if len(among.ids) == 2:
            return among
        if before.command == "ask" or before.person:
            return None
        raise UnclearError("compared")
    if match := _matched(_NUMBERS, said):
        places = [place_of(match[name].lower(), among) for name in ("one", "other")]
    elif match := _matched(_FIRST_TWO, said):
        start = len(among.ids) - 2 if match["last"] else 0
        places = [start, start + 1] if len(among.ids) > 1 else [None]
    else:
        return None
    if None in places or len(set(places)) < 2:
        raise UnclearError("compared")
    both = [one_at(among, place) for place in places if place is not None]
    return Among(
        tuple(paper for one in both for paper in one.papers),
        tuple(person for one in both for person in one.people),
    )


async def _side_by_side(search: Search, two: Among) -> Route:
    if two.people:
        return Route("compare", {"first": f"~{two.people[0]}", "second": f"~{two.people[1]}"})
    first, second = [await search.name_of(paper) for paper in two.papers]
    return Route("compare", {"first": first, "second": second})


async def one_paper(search: Search, before: Before) -> str:
    """The one paper that "it" can mean, by a name that /compare understands; empty for none."""
    name, papers = before.asked.about.split(", ")[0], before.asked.papers
    paper = before.asked.limits.get("paper") or (papers[0] if len(papers) == 1 else None)
    if is_name(name) and await names_paper(search, name):
        named = (await search.named(name)).paper
        if named == paper or (before.command == "ask" and before.asked.limits.get("paper") is None):
            return name
    return await search.name_of(paper) if paper else ""


def _matched(pattern: re.Pattern[str], said: str) -> re.Match[str] | None:
    return pattern.fullmatch(" ".join(said.split()).strip(" ?!."))
