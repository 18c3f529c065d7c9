"""Papers by the authors of another paper: "other papers by the authors of PrismLLM"."""

from __future__ import annotations

import re
from collections.abc import Iterator

_THE_AUTHORS = (
    r"(?:(?:the\s+)?(?:same\s+)?authors?\s+(?:of|behind)|(?:the\s+)?same\s+(?:authors?|people)\s+as"
    r"|(?:the\s+)?(?:people|researchers|team|group)\s+(?:behind|(?:who|that)\s+wrote))"
)
_PAPER = r"(?:the\s+paper\s+)?(?P<paper>\S.{0,300}?)"
_ENDS = (
    r"(?:,?\s+(?P<order>(?:newest|oldest)\s+first|(?<=,\s)(?:the\s+)?most\s+cited(?:\s+first)?))?[\s.?!]*$"
)
_BY = re.compile(
    rf"^(?P<before>.*?)(?:\b(?:written|published)\s+)?\b(?:by|from)\s+{_THE_AUTHORS}\s+{_PAPER}{_ENDS}",
    re.IGNORECASE,
)
_WROTE = re.compile(
    rf"^(?P<before>)what\s+(?:else\s+)?(?:did|do|have|has)\s+{_THE_AUTHORS}\s+{_PAPER}\s+(?:also\s+)?"
    r"(?:wr(?:ite|itten|ote)|publish(?:ed)?|work(?:ed)?|do(?:ne)?)(?:\s+else)?"
    rf"(?:\s+(?:on|about)\s+(?P<subject>\S.{{0,200}}?))?{_ENDS}",
    re.IGNORECASE,
)
_OWNED = re.compile(
    rf"^(?P<before>.*?)\b(?:by|from)\s+(?:the\s+)?{_PAPER}['’]s?\s+authors?{_ENDS}", re.IGNORECASE
)
_MORE = re.compile(r"\b(?:others?|more|else|further|what\s+else)\b", re.IGNORECASE)
_ON = re.compile(r"\s+(?:on|about|for)\s+(?=\S)", re.IGNORECASE)
_MOST_ENDS = 6
"""Places where a name may end that are tried: each is looked up."""
_QUOTES = " \"“”'"
_DECLINED = re.compile(
    r"\b(?:not|nothing|none|never|except|excluding|without|other\s+than|but\s+no)\s+(?:(?:written|published)\s+"
    r"|(?:any|the|papers?|articles?|works?|ones|those|anything)\s+)*$",
    re.IGNORECASE,
)
"""Before "by the authors of": papers by anybody else are meant."""
_QUOTED = re.compile(rf'(\b{_THE_AUTHORS}\s+(?:the\s+paper\s+)?)"([^"]+)"', re.IGNORECASE)


def read_authors_of(text: str) -> tuple[str, str]:
    """The words behind "by the authors of", and the text without all that; "" for none.

    Whether the words name a paper, and where its name ends, is for others to find out
    (:func:`names_and_subjects`).
    """
    match = _BY.match(text) or _WROTE.match(text) or _OWNED.match(text)
    if match is None or _DECLINED.search(match["before"]):
        return "", text
    before = " ".join(_MORE.sub(" ", match["before"]).strip(" ,").split())
    subject = match.groupdict().get("subject")
    named = match["paper"] + (f" on {subject}" if subject else "")
    return named, ", ".join(filter(None, (before, match["order"])))


def without_quotes(text: str) -> str:
    """A text without the quotes around a paper's name: 'papers by the authors of "PrismLLM"'."""
    return _QUOTED.sub(r"\1\2", text)


def names_and_subjects(said: str) -> Iterator[tuple[str, str]]:
    """Where a paper's name may end: "PrismLLM on RDMA" is one, or PrismLLM is, and RDMA a subject."""
    yield said.strip(_QUOTES), ""
    for match in list(_ON.finditer(said))[: -_MOST_ENDS - 1 : -1]:
        yield said[: match.start()].strip(_QUOTES), said[match.end() :]
