"""People named in a query: "papers by Percy Liang", "Minlan Yu congestion", "written by Liang or Yu"."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from data.keys import name_key
from index.search.joined_people import (
    EITHER,
    JOINS,
    JOINT,
    JOINTLY,
    PAPERS,
    THAT,
    WROTE_IT,
    Mentioned,
    are_joined,
    is_either,
    joints,
)
from index.search.names import Name, NameIndex
from index.search.unknown_names import OF_PLACES, WORD, bare_name, unknown_name, words_from
from index.search.wishes import is_title_case, may_decline

MOST = 5
"""The most people that a query names."""
NEAR = 8
"""How many names are looked at where one has a typo."""
CAPITAL = 100
"""A family name with a capital may be a word of so many times its papers; "To" is not one."""
FORMS = 20
"""The most names that an initial or a family name can stand for."""
_WROTE = re.compile(
    r"\bauthor:\s*(?P<field>)|\b(?P<sure>(?:written|authored|co-?authored|published)(?:\s+\w+)?\s+by"
    r"|(?:papers?|articles?|works?|publications?|preprints?|stud(?:y|ies)|research|anything|something)"
    r"\s+(?:\w+\s+)?by)\s+|\b(?:by|from|of)\s+",
    re.IGNORECASE,
)
_GROUP = r"(?:(?:research\s+)?group|lab(?:oratory)?|team|students?)"
_OWNS = re.compile(
    rf"(?:'s|’s|s['’])\s+(?:(?:new|latest|recent|other|joint)\s+)?(?:{PAPERS}\b|{_GROUP}\b(?:['’]?s?\s+{PAPERS}\b)?)"
)
_ET_AL = re.compile(
    r"\s+(?:et\s+al\b\.?|(?:and|&)\s+(?:colleagues|coauthors|co-authors|others"
    rf"|(?:his|her|their)\s+(?:{_GROUP}|colleagues|collaborators|co-?authors))\b)",
    re.IGNORECASE,
)
_PAPERS_OF = re.compile(rf"\b{PAPERS}\s+$", re.IGNORECASE)
_THINGS = r"(?:any|anything|everything|those|ones|papers?|articles?|works?|stuff|publications?)"
_NOT_BY = re.compile(
    r"(?:[,;(]\s*|\s+|^)(?:(?:and|but|or)\s+)?(?:please\s+)?(?:(?:that|which)\s+(?:are|is|were)\s+)?"
    r"(?:not|nothing|none|no|neither|never|exclud(?:e|ing)|except(?:\s+for)?|without|other\s+than"
    r"|(?:(?:by|from)\s+)?(?:any|every)(?:thing|one|body)\s+(?:but|except(?:\s+for)?|other\s+than)"
    r"|(?:(?:i|we)\s+)?(?:do\s+not|don['’]?t)\s+(?:want|need|show|like))\s+"
    rf"(?:{_THINGS}\s+)*(?P<by>(?:(?:co-?)?(?:written|authored|published)\s+)?by\s+|(?:from|of|with)\s+)?",
    re.IGNORECASE,
)
_NOR_BY = re.compile(
    r"\b(?:(?:not|no|nothing|neither)(?:\s+(?:about|on|in|for|using|with|by))|nor|excluding|except)\b"
    r"[^.;?!]{1,80}?(?P<cut>,?\s+(?:or|nor)\s+(?P<by>by\s+))",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|never|nothing|none|neither|nor)\s+(?:been\s+)?$", re.IGNORECASE)
_AFTER_UNWANTED = re.compile(rf"(?:(?:'s|’s)?\s+{_THINGS}\b)?(?:,?\s+please\b)?", re.IGNORECASE)
TRIES = 20
"""Places of a query that are looked at for people who are not wanted."""
_INITIALS = re.compile(r",\s+(?:[A-Z]\.?[\s-]?){1,3}(?![\w.])")
"""What follows a family name in "Andrews, H. C."."""


@dataclass(frozen=True, slots=True)
class NamedPeople:
    """The people that a query names."""

    names: tuple[Name, ...]
    """As the library prints them; several forms where a family name alone was given."""
    sure: bool
    """Whether the query says that they wrote the papers; else their name just stands in it."""
    said: str
    together: tuple[tuple[str, ...], ...] = ()
    """If papers by all of them are meant: each person's names."""
    each_said: tuple[str, ...] = ()
    """What was said for each of those."""
    unknown: tuple[str, ...] = ()
    """Names said beside theirs, or alone, that nobody here has."""


_THEN = re.compile(r"\s+(?:and|&)(?=\s+\S)", re.IGNORECASE)
"""What joins a subject to people: "papers by Percy Liang and RLHF"."""


def read_people(
    text: str,
    names: NameIndex,
    together: Callable[[str], int],
    papers: Callable[[str], int],
    english: Container[str] | None = None,
) -> tuple[NamedPeople | None, str]:
    """The people that a query names, and the query without them; None where it names none.

    "By A and B" means papers that both wrote, "by A or B" those of either.

    Parameters
    ----------
    together
        How many papers have some words side by side in their text: a name that is rather a phrase of the
        field ("Markov Chain") isn't a person.
    papers
        How many papers have a word in their text.
    english
        Everyday words, which are no unknown names; None to look for none.
    """
    if not len(names):
        return None, text

    def stranger(start: int) -> Mentioned | None:
        return unknown_name(text, start, together, papers, english) if english is not None else None

    for match in _WROTE.finditer(text):
        if _NEGATED.search(text, 0, match.start()):
            continue
        sure = bool(match["sure"]) or match["field"] is not None
        found = _listed(text, match.end(), names, sure, papers, stranger)
        if not found and match[0].lower().startswith("by"):
            found = _family(text, match.end(), names, papers)
        if not found and match["sure"] and (one := stranger(match.end())):
            found = [one]
            if joint := JOINS.match(text, one.end):
                found += _listed(text, joint.end(), names, True, papers, stranger)
        if found:
            end = found[-1].end
            end += len(more[0]) if (more := _OWNS.match(text, end) or _ET_AL.match(text, end)) else 0
            together_said = are_joined(text, found) and not is_either(text, match.end())
            end += len(more[0]) if together_said and (more := JOINTLY.match(text, end)) else 0
            then = _THEN.match(text, end)
            end += len(then[0]) if then else 0
            start = match.start() + (len(_before_by(match[0])) if sure and not then else 0)
            if not sure and any(_is_phrase(one, text, together) for one in found):
                continue
            is_by = (
                sure or match[0].lower().startswith("by") or bool(_PAPERS_OF.search(text[: match.start()]))
            )
            left = _cut(text, start, end)
            left = JOINT.sub("", left) if together_said else left
            return _people(found, text, is_by, together_said), left
    found = _standing(text, names, together)
    if not found and " " not in text.strip():
        found = _family(text, 0, names, papers)
    if not found:
        owner = _family(text, 0, names, papers)
        found = owner if owner and _OWNS.match(text, owner[-1].end) else []
    if not found:
        return None, text
    that = THAT.search(text, 0, found[0].start)
    wrote = WROTE_IT.match(text, found[-1].end) if that else None
    owned = [_OWNS.match(text, one.end) for one in found]
    jointly = are_joined(text, found) and (bool(wrote) or (bool(owned[-1]) and not any(owned[:-1])))
    jointly |= any(joint["with"] for joint in joints(text, found) if joint)
    cuts = [wrote.span(), that.span("that")] if wrote and that else []
    for place, (one, owns) in enumerate(zip(found, owned, strict=True)):
        before = found[place - 1].end if place else 0
        joined = place > 0 and JOINS.fullmatch(text, before, one.start)
        cuts.append((before if joined else one.start, owns.end() if owns else one.end))
    left = text
    for start, end in sorted(cuts, reverse=True):
        left = _cut(left, start, end)
    return _people(found, text, any(owned) or bool(wrote), jointly), left


def read_unwanted(
    text: str, names: NameIndex, together: Callable[[str], int], papers: Callable[[str], int]
) -> tuple[tuple[Name, ...], str]:
    """The people whose papers are not wanted ("not by Percy Liang"), and the query without them.

    Parameters are those of :func:`read_people`. Without "by", only a full name is one.
    """
    people: dict[str, Name] = {}
    tries = TRIES if len(names) and may_decline(text) else 0
    for pattern, cut in ((_NOR_BY, "cut"), (_NOT_BY, 0)):
        at = 0
        while tries and len(people) < FORMS and (match := pattern.search(text, at)):
            tries, at, start = tries - 1, match.end(), match.start(cut)
            found = _unwanted_at(text, match, names, together, papers)
            if found:
                people |= {name.key: name for one in found for name in one.names}
                end = found[-1].end
                end += len(after[0]) if (after := _AFTER_UNWANTED.match(text, end)) else 0
                end += text[start:].startswith("(") and text[end : end + 1] == ")"
                text, at = _cut(text, start, end), start
    return tuple(people.values()), text.lstrip(" .,;:") if people else text


def _unwanted_at(
    text: str,
    match: re.Match[str],
    names: NameIndex,
    together: Callable[[str], int],
    papers: Callable[[str], int],
) -> list[Mentioned]:
    """The people after words that decline them: full names, and after "by" a family name."""
    found = _listed(text, match.end(), names, False, papers)
    is_by = (match["by"] or "").lower().split()[-1:] == ["by"]
    if not found and is_by:
        found = _family(text, match.end(), names, papers)
    exact = all(len(one.names) == 1 and not _is_phrase(one, text, together) for one in found)
    return found if is_by or (exact and not is_title_case(text)) else []


def _before_by(said: str) -> str:
    """What stays of "articles written by": the noun, which belongs to the sentence's frame."""
    return (
        ""
        if said.lower().startswith("author")
        else re.split(r"\b(?:written|authored|co-?author|publish|by\b)", said)[0]
    )


def _people(found: Sequence[Mentioned], text: str, sure: bool, jointly: bool) -> NamedPeople:
    names = {name.key: name for one in found for name in one.names}
    said = text[found[0].start : found[-1].end]
    known = tuple(tuple(name.name for name in one.names) for one in found if one.names)
    unknown = tuple(text[one.start : one.end] for one in found if not one.names)
    if not jointly or len(known) < 2:
        return NamedPeople(tuple(names.values()), sure, said, unknown=unknown)
    each = tuple(text[one.start : one.end] for one in found if one.names)
    return NamedPeople(tuple(names.values()), sure, said, known, each, unknown)


def _cut(text: str, start: int, end: int) -> str:
    return " ".join(f"{text[:start]} {text[end:]}".split())


def _listed(
    text: str,
    start: int,
    names: NameIndex,
    sure: bool,
    papers: Callable[[str], int],
    stranger: Callable[[int], Mentioned | None] = lambda start: None,
) -> list[Mentioned]:
    """The names from a place on, joined by commas, "and" and "or"; after the first also unknown ones."""
    if either := EITHER.match(text, start):
        start = either.end()
    found: list[Mentioned] = []
    while len(found) < MOST:
        one = _at(text, start, names, sure, papers)
        if one is None and found:  # "by Percy Liang with Hashimoto"
            one = next(iter(_family(text, start, names, papers)), None) or stranger(start)
        if one is None:
            break
        found.append(one)
        joint = JOINS.match(text, one.end)
        if joint is None:
            break
        start = joint.end()
    return found


def _at(
    text: str, start: int, names: NameIndex, sure: bool, papers: Callable[[str], int]
) -> Mentioned | None:
    """The longest name that begins exactly here."""
    words = words_from(text, start)
    for count in range(len(words), 1, -1):
        end = words[count - 1].end()
        said = bare_name(text[start:end])
        if (exact := names.get(said)) is not None:
            return Mentioned((exact,), start, start + len(said))
        if fuller := names.with_middle(said):
            return Mentioned(tuple(fuller), start, start + len(said))
        if forms := names.others(said, FORMS) if _has_initial(said) else []:
            return Mentioned(tuple(forms), start, start + len(said))
    if not words or not sure:
        return None
    word = bare_name(words[0][0])
    if (initials := _INITIALS.match(text, start + len(word))) and word[0].isupper():
        said = text[start : initials.end()].strip()
        if forms := [form for form in (names.get(said), *names.others(said, FORMS)) if form]:
            return Mentioned(tuple(forms), start, start + len(said))
    for count in range(min(3, len(words)), 1, -1):  # "Harry Andrews" may be printed as "H. C. Andrews"
        said = bare_name(text[start : words[count - 1].end()])
        if all(part[0].isupper() for part in said.split()) and (forms := names.others(said, FORMS)):
            return Mentioned(tuple(forms), start, start + len(said))
    after = bare_name(words[1][0]) if len(words) > 1 else ""
    if OF_PLACES.fullmatch(after):  # Stanford University
        return None
    if after[:1].isupper() and not papers(after):  # Maria Xyzovic
        return _misspelt(text, start, words, names)
    family = names.of_family(word, FORMS)
    # A word in lower case that is common in texts isn't a name: "papers by young researchers".
    theirs = sum(name.papers for name in family)
    if family and papers(word) <= theirs * (CAPITAL if word[0].isupper() else 1):
        return Mentioned(tuple(family), start, start + len(word))
    return _misspelt(text, start, words, names)


def _family(text: str, start: int, names: NameIndex, papers: Callable[[str], int]) -> list[Mentioned]:
    """The people of a family name that stands alone, if it is written like a name and few texts have it."""
    words = words_from(text, start)
    word = bare_name(words[0][0]) if words else ""
    goes_on = len(words) > 1 and words[1][0][0].isupper()  # "Van Gogh"
    if not word[:1].isupper() or word.isupper() or goes_on:
        return []
    family = names.of_family(word, FORMS)
    if not family or papers(word) > sum(name.papers for name in family):
        return []
    return [Mentioned(tuple(family), start, start + len(word))]


def _misspelt(text: str, start: int, words: Sequence[re.Match[str]], names: NameIndex) -> Mentioned | None:
    """A name with a typo: the nearest one, if all its words are written like names."""
    if len(words) < 2:
        return None
    said = bare_name(text[start : words[1].end()])
    typed = name_key(said).split()
    for name in names.near(said, NEAR) if said[0].isupper() else []:
        parts = name.key.split()
        if len(parts) == len(typed) and all(_one_off(a, b) for a, b in zip(typed, parts, strict=True)):
            return Mentioned((name,), start, start + len(said))
    return None


def _one_off(one: str, other: str) -> bool:
    return OSA.distance(one, other) <= (1 if len(one) < 8 else 2)


def _standing(text: str, names: NameIndex, together: Callable[[str], int]) -> list[Mentioned]:
    """Full names that stand anywhere in a query."""
    found: list[Mentioned] = []
    words = list(WORD.finditer(text))
    place = 0
    while place < len(words) and len(found) < MOST:
        run = words_from(text, words[place].start())
        one = next(
            (
                Mentioned(named, run[0].start(), run[0].start() + len(said))
                for count in range(len(run), 1, -1)
                if (named := _called(said := bare_name(text[run[0].start() : run[count - 1].end()]), names))
            ),
            None,
        )
        if one is not None and not _is_phrase(one, text, together):
            found.append(one)
            place += len(WORD.findall(text[one.start : one.end]))
        else:
            place += 1
    return found


def _called(said: str, names: NameIndex) -> tuple[Name, ...]:
    """The name as it is printed, or else with the middle initials that are printed in it."""
    exact = names.get(said)
    return (exact,) if exact is not None else tuple(names.with_middle(said))


def _has_initial(said: str) -> bool:
    """Whether an initial stands in a name; "to a" is none, "H.C. Andrews" and "h.c. andrews" are."""
    written = said[0].isupper() or "." in said
    return written and any(len(word) == 1 for word in name_key(said).split())


def _is_phrase(found: Mentioned, text: str, together: Callable[[str], int]) -> bool:
    """Whether the words of a name are rather words of the field."""
    return together(text[found.start : found.end]) > sum(name.papers for name in found.names)
