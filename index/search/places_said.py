"""Cities and other places where people work: "who in Zurich works on RL", which Labmate doesn't know.

What stands between "who in" and "works on" is a place or a field ("who in NLP works on parsing"). Cities and
countries of the time zone database are places. Of other words, what the library prints and how they are
written decides. :mod:`index.search.workplaces` has well-known places of work.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

from data.calendar.zone_places import known_cities, known_places
from data.keys import fold
from index.search.wishes import is_frame

_STOP = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split())
_SOMEBODY = (
    r"(?:who|(?:any|some)(?:one|body)|people|ppl|folks|researchers|experts?|groups?|labs?|scientists|professors|profs"
    r"|postdocs|teams?)"
)
_ASKS = (
    r"(?:(?:hi|please|pls|so|can|could|do|does|is|are|you|there|know|of|find|show|give|list|name|suggest|looking|look"
    r"|searching|search|for|me|us|i|we|am|i['’]m|need|want|any|some|a|the|which|what|other|good)\s+)*"
)
"""What may stand before: "people in nursing homes" within a text are its subject."""
_BEFORE_VERB = (
    r"(?:(?:who|that|which)\s+)?(?:(?:is|are|can|could|does|do|has|have)\s+)?(?:currently\s+|also\s+)?"
)
_WORKS_ON = (
    r"(?:(?:to\s+)?(?:works?|working|worked)\s+(?:on|with|about|in)"
    r"|knows?(?:\s+(?:about|of|anything\s+about|a\s+lot\s+about))?)"
)
_DOES = (
    rf"{_BEFORE_VERB}(?:{_WORKS_ON}|(?:stud(?:y|ies|ying|ied)|research(?:es|ing)?|doing|does|do|did)"
    r"(?:\s+(?:research|work))?(?:\s+(?:on|in))?)"
)
_WORD = rf"(?!{_DOES}\b)[^\W\d_][\w.'’-]*"
_PLACE = rf"(?:the\s+)?{_WORD}(?:\s+(?!(?:and|or|to)\b){_WORD}){{0,3}}?"
_PLACES = rf"{_PLACE}(?:(?:,\s+|,?\s+(?:or|and)\s+){_PLACE}){{0,2}}?"
_BETWEEN = (
    rf"(?P<said>(?:(?:based|located|living)\s+)?(?P<how>in|at|from|near|around)\s+(?P<place>{_PLACES}))"
)
_IS_BASED = r"(?:(?:and|who|that)\s+(?:is|are)\s+)?(?:based|located)"
_BASED = rf"(?P<said>{_IS_BASED}\s+(?P<how>in|at|near)\s+(?P<place>{_PLACES}))"
_IN_FIELD = re.compile(
    rf"^(?P<who>{_ASKS}{_SOMEBODY}(?:\s+(?:here|else))?)\s+{_BETWEEN}\s+(?P<does>{_DOES}\s+\S.*)",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    rf"^(?P<who>{_ASKS}{_SOMEBODY})(?:\s+(?:here|else))?\s+(?:(?P<works>{_BEFORE_VERB}{_WORKS_ON})|{_DOES})"
    r"\s+(?P<topic>\S.*?)[\s.?!]*$",
    re.IGNORECASE,
)
_AFTER = re.compile(rf"^(?P<who>{_ASKS}{_SOMEBODY})\b.*?\s{_BASED}[\s.?!]*$", re.IGNORECASE)
_LAST = re.compile(
    rf"^(?P<who>{_ASKS}{_SOMEBODY})(?:\s+(?:here|else))?\s+{_DOES}\s+(?P<topic>\S.*?)"
    r"\s+(?P<said>(?P<how>in|at|from)\s+(?P<place>[^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){0,2}))[\s.?!]*$",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"\b(?:papers?|articles?|preprints?|publications?|research|work)\s+(?P<said>(?:by\s+(?:the\s+)?(?:people|ppl"
    rf"|researchers|authors|groups?|labs?|scientists|students|teams?)\s+(?:in|at|of|from)|from|out\s+of)\s+(?P<place>{_PLACES}))"
    r"(?=\s*(?:$|[,.;?!])|\s+(?:about|on|that|which|since|without|but)\b)",
    re.IGNORECASE,
)
"""Papers from a place: only those that are surely one."""
_PEOPLE = re.compile(r"(?:people|ppl|folks)$", re.IGNORECASE)
_WORK = re.compile(rf"{_BEFORE_VERB}{_WORKS_ON}\s", re.IGNORECASE)
_OF_TOPIC = re.compile(
    rf"(?P<topic>\S.*?)\s+\((?P<place>(?:{_IS_BASED}\s+)?(?:in|at|from|near|around)\s+[^()]{{2,80}})\)",
    re.IGNORECASE,
)
_EACH = re.compile(r",\s+|,?\s+(?:or|and)\s+", re.IGNORECASE)
_SHORT = re.compile(
    r"(?:the\s+)?(?:U\.?K\.?|U\.?S\.?A\.?|E\.U\.)|(?:the\s+)(?:U\.?S\.?|E\.?U\.?)|U\.?S\.?", re.IGNORECASE
)
_FIELD = re.compile(
    r".*(?:ology|ics|ing|tion|sion|ment|ence|istry|estry|omy|aphy|ysis|udies|eory|ems|ods|ture|any|ory)"
)
"""How words end that name fields, or other things that people work in."""
SUBJECT = 0.0005
"""A name in a larger share of the papers is a subject: "NLP" (.02) is one, "Boston" (.0002) isn't."""
FEW = 2
"""So many papers may print it in any library."""
KNOWN = 0.003
"""The same for cities and countries of the time zone database: "China" (.0026) is none."""
ENOUGH = 10_000
"""In a library of fewer papers, a rare word in small letters tells nothing."""


@dataclass(frozen=True, slots=True)
class NamesPrinted:
    """What the library prints."""

    together: Callable[[str], int]
    """How many papers have some words side by side."""
    papers: Callable[[str], int]
    """How many papers have a word."""
    size: int
    """The number of papers."""


def read_place(text: str, counts: NamesPrinted) -> tuple[str, str]:
    """The words of a text that say in which place people work, and the text without them; "" for none."""
    if match := _WORKS.search(text):
        said, left = _cut(text, match)
        known = all(map(_is_known, _EACH.split(match["place"])))
        return (said, left) if known and not is_frame(left) else ("", text)
    match = _IN_FIELD.match(text) or _AFTER.match(text)
    if match is None:
        last = _LAST.match(text)  # "malaria in Kenya" is a subject
        is_city = last is not None and fold(last["place"]) in known_cities()
        printed = last is not None and counts.together(f"{last['topic'].split()[-1]} {last['said']}")
        return _cut(text, last) if last is not None and is_city and not printed else ("", text)
    is_at, sure = match["how"].lower() == "at", not _PEOPLE.search(match["who"])
    if not sure and match.re is _IN_FIELD and not _WORK.match(match["does"]):
        return "", text
    if not all(_is_place(one, counts, is_at=is_at, sure=sure) for one in _EACH.split(match["place"])):
        return "", text
    return _cut(text, match)


def _cut(text: str, match: re.Match[str]) -> tuple[str, str]:
    """What is said of a place, and the text without it."""
    start, end = match.span("said")
    return match["said"], " ".join(f"{text[:start]} {text[end:]}".split())


def _is_known(said: str) -> bool:
    """Whether a name is one of a city or country of the time zone database."""
    name = re.sub(r"^the\s+", "", said, flags=re.IGNORECASE)
    return fold(name) in known_places() or (_SHORT.fullmatch(said) is not None and said != "us")


def _is_place(said: str, counts: NamesPrinted, *, is_at: bool, sure: bool) -> bool:
    """Whether a name is one of a place, and not of a field or anything else that people are in.

    ``sure``: whether those who are there can only be people who work on something.
    """
    has_article = said[:4].lower() == "the "
    name = said[4:] if has_article else said
    words, printed = name.split(), counts.together(name)
    if fold(name) not in known_places() and _is_known(said):
        return True
    if _is_known(said):
        return name[0].isupper() or printed <= KNOWN * counts.size
    is_field = _FIELD.fullmatch(fold(words[-1])) or not _STOP.isdisjoint(map(str.lower, words))
    few = max(FEW, SUBJECT * counts.size)
    if is_field or printed > few:
        return False
    if all(word[0].isupper() for word in words):
        return is_at or not name.isupper()  # "who in HCI works on"
    tells = sure and not has_article and counts.size >= ENOUGH
    return tells and all(counts.papers(word) <= few for word in words)


def topic_worked_on(said: str) -> str:
    """The topic of "anyone doing parsing?"; "" for none."""
    match = _TOPIC.match(said)
    # "People doing sports" are a subject.
    return match["topic"] if match and (match["works"] or not _PEOPLE.search(match["who"])) else ""


def topic_in_field(said: str) -> str:
    """The topic "parsing in NLP" of "who in NLP works on parsing"; "" for none."""
    match = _IN_FIELD.match(said)
    if match is None or match["how"].lower() not in ("in", "from"):
        return ""
    topic = topic_worked_on(f"{match['who']} {match['does']}")
    return f"{topic} in {match['place']}" if topic else ""


def read_place_after(topic: str) -> tuple[str, str]:
    """The words in brackets that say where those who know a topic work, and the topic; "" for none."""
    match = _OF_TOPIC.fullmatch(topic.strip())
    return (match["place"], match["topic"]) if match else ("", topic)
