"""Papers by the authors of another paper: "papers by the authors of PrismLLM", or by its first author."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Which = Literal["", "first", "last"]
"""Which of a paper's authors are meant; "" for all."""

_PLACES: dict[str, Which] = {"first": "first", "lead": "first", "last": "last", "senior": "last"}
_ONE = rf"(?P<which>(?a:{'|'.join(_PLACES)}))"
_THE_AUTHORS = (
    rf"(?:(?:the\s+)?(?:same\s+)?(?:{_ONE}\s+)?authors?\s+(?:of|behind)|(?:the\s+)?same\s+(?:authors?|people)\s+as"
    r"|(?:the\s+)?(?:people|researchers|guys|folks|team|group)\s+(?:behind|(?:who|that)\s+wrote))"
)
_PAPER = r"(?:the\s+paper\s+)?(?P<paper>\S.{0,300}?)"
_ITS_AUTHORS = rf"(?:(?P<owned>['’]s?)\s+(?:{_ONE}\s+)?|\s+(?:{_ONE.replace('which', 'place')}\s+)?)authors?"
"""What follows a paper's name: "PrismLLM's first author", "the PrismLLM authors"."""
_PAPERS = r"(?:papers?|articles?|works?|publications?|preprints?|research|stuff)"
_ENDS = (
    r"(?:,?\s+(?P<order>(?:newest|oldest)\s+first|(?<=,\s)(?:the\s+)?most\s+cited(?:\s+first)?)"
    r"|(?P<but>(?:,|,?\s+but)\s+(?:not?|nothing|without|except|excluding)\s.*?))?"
    r"(?:,?\s+(?:please|pls|plz))?[\s.?!]*$"
)
_BY_WHOM = (
    r"^(?P<before>.*?)(?:\b(?:written|published)\s+)?"
    r"\b(?:by|from|(?<=papers\s)of|(?<=works\s)of|(?<=work\s)of)\s+"
)
_SUBJECT = r"(?:\s+(?:on|about)\s+(?P<subject>\S.{0,200}?))?"
_DID = r"what(?:(?:\s+else)?\s+(?:did|do|does|have|has|is|are)|['’]?s)\s+"
_WRITE = (
    r"\s+(?:also\s+)?(?:wr(?:ite|itten|ote|iting)|publish(?:ed)?|work(?:ed|ing)?|do(?:ne|ing)?|(?:been\s+)?up\s+to)"
    rf"(?:\s+else)?(?:\s+on(?=[\s.?!]*$))?{_SUBJECT}{_ENDS}"
)
_THEIR_PAPERS = (
    r"(?P<before>(?:\s+(?:other|more|new|newer|newest|later|latest|recent|further))?"
    rf"\s+{_PAPERS}){_SUBJECT}{_ENDS}"
)
_OF_IT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_BY_WHOM}{_THE_AUTHORS}\s+{_PAPER}{_ENDS}",
        rf"^(?P<before>){_DID}{_THE_AUTHORS}\s+{_PAPER}{_WRITE}",
        rf"^{_THE_AUTHORS}\s+{_PAPER}['’]s?{_THEIR_PAPERS}",
        rf"^(?P<before>)(?:the\s+)?{_ONE}\s+author\s+of\s+{_PAPER}{_ENDS}",
    )
)
_ITS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_BY_WHOM}(?:(?P<the>the)\s+)?{_PAPER}{_ITS_AUTHORS}{_ENDS}",
        rf"^(?P<before>){_DID}(?:(?P<the>the)\s+)?{_PAPER}{_ITS_AUTHORS}{_WRITE}",
        rf"^(?:(?P<the>the)\s+)?{_PAPER}{_ITS_AUTHORS}['’]?s?{_THEIR_PAPERS}",
    )
)
_MAY_SAY_SO = re.compile(r"\b(?:authors?|same\s+people|behind|wrote)\b", re.IGNORECASE)
_MORE = re.compile(r"\b(?:others?|more|else|further|newer|later|what\s+else)\b", re.IGNORECASE)
_NEW = re.compile(r"^(?:what(?:['’]?s|\s+is)|anything|something)\s+new$", re.IGNORECASE)
_ANYTHING = re.compile(r"^(?:anything|something|everything|all|stuff|things)$", re.IGNORECASE)
_ON = re.compile(r"\s+(?:on|about|for)\s+(?=\S)", re.IGNORECASE)
_MOST_ENDS = 6
"""Places where a name may end that are tried: each is looked up."""
_QUOTES = " \"“”'"
_NOUN = re.compile(r"^(?:the\s+)?(?P<name>\S.*)\s+(?:paper|article|preprint)$", re.IGNORECASE)
"""What may stand beside a paper's name: "the RAG paper"."""
_DECLINED = re.compile(
    r"\b(?:not|nothing|none|never|except|excluding|without|other\s+than|but\s+no)\s+(?:(?:written|published)\s+"
    r"|(?:any|the|papers?|articles?|works?|ones|those|anything)\s+)*$",
    re.IGNORECASE,
)
"""Before "by the authors of": papers by anybody else are meant."""
_QUOTED = re.compile(
    rf'(?P<authors>\b{_THE_AUTHORS}\s+(?:the\s+paper\s+)?)"(?P<quoted>[^"]+)"', re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class AuthorsSaid:
    """Whose papers are meant: those of a paper's authors."""

    paper: str
    """The words that may name it; "PrismLLM on RDMA" where a subject may follow."""
    which: Which = ""
    sure: bool = True
    """Whether the words can only name a paper; "the Chinese authors" names none."""


def read_authors_of(text: str) -> tuple[AuthorsSaid | None, str]:
    """The paper whose authors wrote what is meant, and the text without all that; None for none.

    Whether the words name a paper, and where its name ends, is for others to find out
    (:func:`names_and_subjects`).
    """
    forms = (*_OF_IT, *_ITS) if _MAY_SAY_SO.search(text) else ()
    match = next(filter(None, (form.match(text) for form in forms)), None)
    if match is None or match["paper"].lower() == "the" or _DECLINED.search(match["before"]):
        return None, text
    said = match.groupdict()
    before = _NEW.sub("newest papers", match["before"].strip(" ,"))
    before = _ANYTHING.sub("", " ".join(_MORE.sub(" ", before).strip(" ,").split()))
    paper, subject, which = _bare(match["paper"]), said.get("subject"), said.get("which") or said.get("place")
    named = said["owned"] or (said["the"] and not paper.islower()) if match.re in _ITS else True
    authors = AuthorsSaid(
        f"{paper} on {subject}" if subject else paper, _PLACES[which.lower()] if which else "", bool(named)
    )
    return authors, ", ".join(filter(None, (before, match["order"]))) + (match["but"] or "")


def _bare(name: str) -> str:
    """A paper's name without quotes and what may stand beside it: "the RAG paper"."""
    name = name.strip(_QUOTES)
    match = _NOUN.match(name)
    return match["name"] if match else name


def without_quotes(text: str) -> str:
    """A text without the quotes around a paper's name: 'papers by the authors of "PrismLLM"'."""
    return _QUOTED.sub(r"\g<authors>\g<quoted>", text)


def names_and_subjects(said: str) -> Iterator[tuple[str, str]]:
    """Where a paper's name may end: "PrismLLM on RDMA" is one, or PrismLLM is, and RDMA a subject."""
    yield _bare(said), ""
    for match in list(_ON.finditer(said))[: -_MOST_ENDS - 1 : -1]:
        yield _bare(said[: match.start()]), said[match.end() :]
