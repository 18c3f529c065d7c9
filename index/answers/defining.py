"""Questions for what a thing is or what initials stand for, and the sentences that say so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from index.answers.emptiness import Emptiness
from index.answers.matching import abbreviations, stems
from index.answers.passage import Passage
from index.answers.sentences import Sentence, split

LONGEST_NAME = 5
"""Words of a thing that is asked for; what has more is hardly a name."""
MOST = 3
"""Definitions that are quoted; one is enough, and others put it in other words."""
_COMMON = 10
"""A long form is quoted if the commonest one has at most so many times its papers."""
_MENTIONS, _AROUND = 8, 300
"""Mentions of a name in a sentence that are looked at, and characters on either side."""
OPENING = 3
"""Sentences of an abstract that usually define, if any does."""
_NAME = r"(?:an?\s+|the\s+)?[\"“'‘]?(?P<name>[^\W_][^,;:?!\"”]{0,79}?)[\"”'’]?"
_START = r"(?:(?:so|and|but|please|hi|hello|hey|ok|okay|well|can you tell me|tell me)[, ]+)*"
_STANDS_FOR = tuple(
    re.compile(_START + pattern + r"\s*[?!.]*", re.IGNORECASE)
    for pattern in (
        r"(?:what|which words?)\s+(?:does|do|did)\s+(?:the\s+(?:abbreviation|acronym|initials|letters)\s+)?"
        rf"{_NAME}\s+(?:stand|stands)\s+for",
        rf"what(?:['’]s|\s+is)\s+(?:the\s+)?(?:long|full)\s+(?:form|name)\s+of\s+{_NAME}",
        rf"what(?:['’]s|\s+is)\s+{_NAME}\s+(?:short|an?\s+(?:abbreviation|acronym))\s+(?:for|of)",
    )
)
_WHAT_IS = tuple(
    re.compile(_START + pattern + r"\s*[?!.]*", re.IGNORECASE)
    for pattern in (
        rf"what(?:['’]s|\s+is|\s+are)\s+(?:exactly\s+)?(?:meant\s+by\s+)?{_NAME}(?:\s+exactly|,?\s+anyway)?",
        rf"what\s+(?:exactly\s+)?(?:does|do)\s+(?:the\s+(?:term|word)\s+)?{_NAME}"
        r"\s+(?:even\s+|actually\s+|really\s+)?mean",
        rf"(?:define|definition\s+of|meaning\s+of|explain(?:\s+(?:to\s+)?me)?(?:\s+what)?)\s+{_NAME}"
        r"(?:\s+(?:is|are|means?))?",
    )
)
_NO_NAME = frozenset(
    "best better good known new wrong going happening next state-of-the-art meant your our my this that it "
    "its these those they them he she there how why when where which what and or between about behind than "
    "vs versus current latest recent common main major key typical popular open existing available some any "
    "several biggest largest needed required left missing possible difference differences used caused".split()
)
"""A question with one of these in the place of a name asks for something else than a definition."""
_PREPOSITION = re.compile(r"\b(?:of|in|on|to|for|with|from|by|at|as|about|behind)\b", re.IGNORECASE)
_KIND = r"(?:an?|the|any|one\s+of\s+the)\s+(?:[\w\-’']+,?\s+){1,9}?"
_TELLS = r"(?:where|in\s+which|whereby|wherein|when|that|which|who|of|to|by|for|from|using|between|with)\b"
_AFTER = (
    (r"\s+refers?\s+to\b", 3.0),
    (r"\s+(?:is|are|can\s+be)\s+(?:\w+ly\s+)?(?:defined|understood)\s+(?:as|by)\b", 3.0),
    (r"\s+(?:means|denotes?|occurs\s+when|is\s+when|is\s+short\s+for|stands\s+for)\b", 3.0),
    (rf"\s+(?:is|are)\s+{_KIND}{_TELLS}", 2.7),
    (rf"\s*(?:,|--|—|–|:|\()\s*{_KIND}{_TELLS}", 2.5),
    (r"\s*,\s*(?:where|in\s+which|whereby|wherein)\b", 2.5),
    (r"\s+(?:is|are)\s+an?\s", 1.5),
    (r"\s*(?:,|--|—|–|:)\s*an?\s", 1.5),
)
"""What follows a name that is being defined, and how clearly that defines it."""
_CALLED = r"(?:known\s+as|called|termed|dubbed|named|referred\s+to\s+as|so-called)\s+[\"“'‘]?(?:the\s+)?$"
_CALLED_SO, _MADE_TO = 2.5, 2.4
_LEADS = (
    r"(?:^(?:an?\s+)?|[,;:—–\"“'‘]\s*|\b(?:the|of|called|termed|named|dubbed|that|and|while|since|because|if|"
    r"when|phenomenon|concept|notion|idea|problem|task|method|technique|define)\s+[\"“'‘]?)$"
)
"""What may stand before the name: "Dual LoRA is a …" doesn't define LoRA."""
_FRONTED = re.compile(
    r"(?:despite|with|although|though|while|given|unlike|in|by|due|because|since|when|as|if|through|under|"
    r"for|to|from|among|at|on|instead|compared|following|inspired|based|beyond|after|before|without)\b"
    r"[^,;:]*$",
    re.IGNORECASE,
)
"""Words that open a clause: after "With the emergence of LoRA, the size of …" the comma only ends it."""
_PRESENTS = r"\b(?:present|introduce|propose|develop|describe|release)s?\s+[\"“'‘]?(?:the\s+)?$"
_BESIDE = r"\b(?:to|in|by|with|for|from|about|on|against)\s+$"
"""What stands before a name that the sentence is not about; it may still say what that is."""
_WHERE = r"\s*,\s*(?:where|in\s+which|whereby|wherein|when)\b|\s+(?:refers?\s+to|is\s+defined\s+as)\b"
_ARTICLES = ("", "a", "an", "the")
_PRAISES = re.compile(
    r"\s+(?:is|are)\s+(?:an?|the|one\s+of\s+the)\s+(?:\w+ly\s+)?(?:\w+\s+and\s+)?"
    r"(?:crucial|critical|important|essential|key|vital|promising|central|significant|challenging|"
    r"cornerstone|core|strong|powerful|major|long-standing|hot|popular|natural)\b",
    re.IGNORECASE,
)
_SUCCESS = re.compile(
    r"\b(?:that|which)\s+(?:has|have)\s+(?:\w+ly\s+)?(?:attracted|gained|emerged|become|shown|drawn)"
)
_OPENS, _PRAISE, _LATER, _EMPTY, _ASIDE = 0.5, 1.0, 0.3, 0.7, 2.15
CLEARLY, NEAR = 2.05, 0.75
"""From which strength on a sentence is quoted as a definition; how much weaker than the best it may be."""


@dataclass(frozen=True, slots=True)
class AskedName:
    """The thing that a question asks to be defined; ``initials`` if it asks what they stand for."""

    name: str
    initials: bool

    @property
    def is_plain(self) -> bool:
        """Whether the name is one thing, and not, say, the limits of one."""
        return _PREPOSITION.search(self.name) is None


@dataclass(frozen=True, slots=True)
class Definition:
    """A sentence that defines, by the place of its passage; stronger ones say it more clearly."""

    passage: int
    sentence: Sentence
    strength: float


def defined(question: str) -> AskedName | None:
    """What a question asks to be defined: "what is grokking?"; None for other questions."""
    text = " ".join(question.split())[:200]
    for patterns, initials in ((_STANDS_FOR, True), (_WHAT_IS, False)):
        match = next((found for pattern in patterns if (found := pattern.fullmatch(text))), None)
        if match is not None:
            name = match["name"].strip()
            words = re.findall(r"[\w'’-]+", name.lower())
            is_name = 0 < len(words) <= LONGEST_NAME and not _NO_NAME & set(words)
            return AskedName(name, initials) if is_name else None
    return None


def definitions(asked: AskedName, passages: Sequence[Passage]) -> list[Definition]:
    """The sentences of some passages, best paper first, that define a thing; the clearest first.

    For initials, a short sentence with each long form, the commonest form first.
    """
    if asked.initials:
        return _long_forms(asked.name, passages)
    best: dict[int, Definition] = {}
    for place, passage in enumerate(passages):
        for each in _defining(asked.name, place, passage):
            known = best.get(passage.paper)
            if each.strength >= CLEARLY and (known is None or each.strength > known.strength):
                best[passage.paper] = each
    clear = sorted(best.values(), key=lambda each: (-round(4 * each.strength), each.passage))
    return [each for each in clear if each.strength >= clear[0].strength - NEAR][:MOST]


def long_form(name: str, passages: Sequence[Passage]) -> str:
    """What some initials mean in most of these passages; empty if none says."""
    forms: dict[str, set[int]] = {}
    for passage in passages:
        for short, long in abbreviations(passage.text).items():
            if _bare(short) == _bare(name):
                forms.setdefault(long.lower(), set()).add(passage.paper)
    return max(forms, key=lambda form: len(forms[form]), default="")


def _defining(name: str, place: int, passage: Passage) -> Iterator[Definition]:
    """The sentences of a passage that define a thing, each with its strength."""
    if not _printed(name).search(passage.text):
        return
    for number, sentence in enumerate(split(passage.text)):
        strength = _strength(name, sentence.text)
        if strength > 0:
            empty = float(Emptiness.shipped().chances([sentence.text])[0])
            later = _LATER if number >= OPENING and not passage.in_full_text else 0.0
            yield Definition(place, sentence, strength - _EMPTY * empty - later)


def _strength(name: str, sentence: str) -> float:
    """How clearly a sentence says what a thing is; 0 if it doesn't."""
    best = 0.0
    for match in islice(_printed(name).finditer(sentence), _MENTIONS):
        start = max(0, match.start() - _AROUND)
        before = ("…" if start else "") + sentence[start : match.start()]
        after = sentence[match.end() : match.end() + _AROUND]
        if long := _spells_out(before, after, name):
            before = before.removesuffix("(").rstrip().removesuffix(long)
        short = re.match(r"[\"”'’]?\s*\([^()]{1,60}\)", after)
        rest = after[short.end() :] if short else re.sub(r"^[\"”'’)]", "", after)
        clause = re.split(r"[,;:]\s*", before)[-1]
        aside = rest.startswith(",") and _FRONTED.match(clause)
        aside = aside or (before.endswith("of ") and re.match(r"\s+(?:is|are)\s", rest))
        presents = re.search(_PRESENTS, before, re.IGNORECASE)
        if not aside and (presents or re.search(_LEADS, before, re.IGNORECASE)):
            of = max((value for words, value in _AFTER if re.match(words, rest, re.IGNORECASE)), default=0.0)
            if presents and re.match(r"\s+(?:to|that|which)\b", rest):
                of = max(of, _MADE_TO)
            of += _OPENS if of and (presents or clause.strip().lower() in _ARTICLES) else 0.0
            best = max(best, of - (_PRAISE if _PRAISES.match(rest) or _SUCCESS.search(rest) else 0.0))
        elif re.search(_BESIDE, before, re.IGNORECASE) and re.match(_WHERE, rest, re.IGNORECASE):
            best = max(best, _ASIDE)
        if re.search(_CALLED, before, re.IGNORECASE):
            best = max(best, _CALLED_SO)
    return best


def _spells_out(before: str, after: str, name: str) -> str:
    """The long form behind which a name stands in brackets: "Retrieval-Augmented Generation (RAG)"; or ""."""
    if not (before.endswith("(") and after.startswith(")")):
        return ""
    return next(iter(abbreviations(f"{before}{name})").values()), "")


def _long_forms(name: str, passages: Sequence[Passage]) -> list[Definition]:
    """For each long form of some initials, the shortest sentence that spells them out."""
    papers: dict[str, set[int]] = {}
    shortest: dict[str, Definition] = {}
    for place, passage in enumerate(passages):
        for sentence in split(passage.text):
            for short, long in abbreviations(sentence.text).items():
                if _bare(short) != _bare(name):
                    continue
                form = " ".join(part for word in stems(long) for part in word.split("-"))
                papers.setdefault(form, set()).add(passage.paper)
                if form not in shortest or len(sentence.text) < len(shortest[form].sentence.text):
                    shortest[form] = Definition(place, sentence, 0.0)
    ordered = sorted(papers, key=lambda form: -len(papers[form]))
    enough = [form for form in ordered if _COMMON * len(papers[form]) >= len(papers[ordered[0]])]
    return [replace(shortest[form], strength=float(len(papers[form]))) for form in enough[:MOST]]


def _bare(short: str) -> str:
    """Initials without what tells their forms apart: LLM and LLMs."""
    bare = re.sub(r"[^\w]", "", short)
    return (bare[:-1] if len(bare) > 2 and bare.endswith("s") else bare).casefold()


def _printed(name: str) -> re.Pattern[str]:
    """The name as papers print it, in the singular or plural."""
    words = [re.escape(word) for word in re.findall(r"[^\s\-–]+", name)]
    last = words[-1][:-1] if len(words[-1]) > 3 and words[-1].endswith("s") else words[-1]
    joined = r"[-–\s]+".join([*words[:-1], last])
    return re.compile(rf"(?<![\w-]){joined}s?(?![\w-])", re.IGNORECASE)
