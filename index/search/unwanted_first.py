"""What is not wanted, said before the subject or by itself: "no surveys on RAG", "anything but LLMs".

:mod:`index.search.wishes` reads what is said after a subject, so it is put there: "RAG but not surveys".
"""

from __future__ import annotations

import re

_PAPERS = (
    r"(?:papers?|articles?|works?|publications?|preprints?|stud(?:y|ies)|literature|research|stuff|results?)"
)
_KIND = (
    r"(?:(?:literature|systematic|scoping|critical|short|long)\s+)?"
    r"(?:surveys?|reviews?|overviews?|tutorials?|benchmarks?|data\s?sets?|case\s+stud(?:y|ies)|meta-?analys[ei]s"
    rf"|editorials?|thes[ei]s|dissertations?)(?:\s+{_PAPERS})?"
)
"""Papers of a kind: what "surveys on RAG" are about is wanted, and surveys are not."""
_POLITE = r"(?:(?:please|pls|plz|sorry|ok(?:ay)?|so|hi|hey|hello)\b[\s,.!]*)*"
_REFUSED = (
    r"(?:(?:i|we)\s+(?:really\s+|just\s+)?(?:do\s+not|don['’]?t|wo\s?n['’]?t)\s+(?:want|need|like|care\s+(?:for|about))"
    r"|do\s+not\s+(?:show|give)|don['’]?t\s+(?:show|give))"
    rf"(?:\s+(?:me|us))?(?:\s+to\s+(?:see|read|get)(?=(?:\s+(?:any|more))*\s+{_KIND}\b))?"
)
_ALL_BUT = (
    rf"(?:(?:show|give|find)(?:\s+(?:me|us))?\s+)?(?:(?:any|every)thing|all|(?:any|all|the)\s+{_PAPERS}|{_PAPERS})\s+"
    r"(?:but|except(?:\s+for)?|other\s+than|besides|apart\s+from|excluding)"
)
_NOT = (
    r"(?:(?:no|nothing)(?!\s+(?:but|only|just|all|every|more\s+than|matter|longer|one|free)\b)"
    rf"|not(?=\s+(?:(?:an?|about|any|on)\s|{_KIND}\b)))"
)
_LEADS = (
    rf"(?:\s+(?:any|another|yet|more|an?|the|{_PAPERS}\s+(?:on|about|with|using|that\s+(?:use|are))"
    r"|about|on|anything))*"
)
_WORD = (
    r"(?!(?:no|not|nothing|nor|but|just|only|is|are|was|were|do|does|can|will|that|which|who|when|how|to|what)\b)"
    r"[^\s,;:.?!()]+"
)
_THING = rf"{_WORD}(?:\s+{_WORD}){{0,3}}?"
_THINGS = rf"{_THING}(?:(?:,\s+|,?\s+(?:or|and|nor)\s+)(?:(?:no|not|any|an?)\s+)*{_THING}){{0,3}}?"
_NOUN = rf"(?:(?<!position)\s+{_PAPERS})?"
_PLEASE = r"(?:,?\s+(?:please|pls|plz))?"
_OF = r"(?:on|about|of|in|for|regarding)"
_FIRST = (
    r"(?:(?:but|just|only|rather|instead|i\s+(?:only\s+)?want|give\s+me|show\s+me"
    r"|(?:i\s+am\s+|i['’]?m\s+)?looking\s+for)\s+)*"
)
_THEN = rf"(?:\s*[:;.!]\s+|,\s+|\s+[-–—]\s+){_FIRST}"
_NOT_AFTER = (
    r"(?:(?:i\s+am|i['’]?m|we\s+are|we['’]?re)\s+)?not\s+(?:really\s+|so\s+)?"
    r"(?:interested\s+in|looking\s+for|after)"
)
_SUBJECT = rf"(?P<subject>(?!(?:no|not|nor|yes)\b)\S.*?){_PLEASE}"
_END = r"[\s.!]*$"
_SURELY = rf"^{_POLITE}(?P<sure>{_REFUSED}|{_NOT_AFTER}|{_ALL_BUT}){_LEADS}\s+"
_PLAINLY = rf"^{_POLITE}{_NOT}{_LEADS}\s+"
_KINDS = rf"{_KIND}(?:(?:,\s+|,?\s+(?:or|and|nor)\s+)(?:no\s+)?{_KIND})*"
_GENRE = rf"(?:surveys?|overviews?|tutorials?|(?:survey|review)\s+{_PAPERS})"
"""What nothing else is called: "without reviews" may be about those of customers."""
_SKIP = r"(?P<sure>skip|ignore|exclude|leave\s+out|omit|avoid|without|no\s+more)\s+(?:(?:all|any|the)\s+)*"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_SURELY}(?P<what>{_KINDS}){_PLEASE}\s+{_OF}\s+{_SUBJECT}{_END}",
        rf"{_PLAINLY}(?P<what>{_KINDS}){_PLEASE}(?:\s+{_OF}\s+|{_THEN}){_SUBJECT}{_END}",
        rf"{_SURELY}(?P<what>{_THINGS}){_NOUN}{_PLEASE}{_THEN}{_SUBJECT}{_END}",
        # "No Labels: Y" and "Not Minds, but Signs" are titles.
        rf"{_PLAINLY}(?P<what>{_THINGS}){_NOUN}{_PLEASE}(?:,\s+(?!but\b)|\.\s+){_FIRST}{_SUBJECT}{_END}",
        rf"^{_POLITE}{_SKIP}(?P<what>{_KINDS}){_PLEASE}(?:\s+{_OF}\s+|{_THEN}){_SUBJECT}{_END}",
        rf"^{_SUBJECT}\s+(?P<sure>without|w/o|sans|minus)\s+(?:any\s+|the\s+)?(?P<what>{_GENRE}){_PLEASE}{_END}",
        rf"^{_POLITE}(?P<sure>{_ALL_BUT}){_LEADS}\s+(?P<what>{_THING})\s+(?:on|about|for|in)\s+{_SUBJECT}{_END}",
        # "Papers on planning" is all of it, "LLM papers on planning" is planning by LLMs.
        rf"^{_POLITE}(?P<sure>{_REFUSED}|{_NOT_AFTER}|{_ALL_BUT})(?:\s+(?:any|another|yet|more|an?|the))*"
        rf"\s+(?P<what>(?!{_PAPERS}\b){_WORD}(?:\s+(?!{_PAPERS}\b){_WORD})?)\s+{_PAPERS}\s+(?:on|about|for|in)"
        rf"\s+{_SUBJECT}{_END}",
    )
)
_AFTER = re.compile(
    rf"^(?P<subject>\S.*?)(?:[,;.:]|\s[-–—]|,?\s+but)\s+{_POLITE}(?:{_REFUSED}|{_ALL_BUT}){_LEADS}"
    rf"\s+(?P<what>{_THINGS}){_NOUN}{_PLEASE}{_END}",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"^{_POLITE}(?:(?:{_REFUSED}|{_ALL_BUT}){_LEADS}\s+(?P<what>{_THINGS}){_NOUN}{_PLEASE}"
    rf"|{_NOT}{_LEADS}\s+(?:(?P<kind>{_KINDS}){_PLEASE}|(?P<asked>{_THINGS}){_NOUN},?\s+(?:please|pls|plz))){_END}",
    re.IGNORECASE,
)


def subject_first(text: str) -> str:
    """A text that says what is not wanted first, or by itself, said with that last; any other text as it is.

    "Anything but LLMs", which has no subject, becomes "but not LLMs".
    """
    match = next(filter(None, (form.match(text) for form in _FORMS)), None)
    if match is not None:
        sure = match.groupdict().get("sure")
        how = " but not " if sure else ", no "
        subject, also, rest = match["subject"].partition(" but not ")
        return f"{subject}{how}{match['what']}{also and f' or {rest}'}"
    if after := _AFTER.match(text):
        return f"{after['subject']} but not {after['what']}"
    alone = _ALONE.match(text)
    return f" but not {alone['what'] or alone['kind'] or alone['asked']}" if alone else text
