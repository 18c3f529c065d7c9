"""Reading a curriculum vitae from its text: publications, education, positions and interests.

Reads plain text, Markdown, the text of a PDF, LaTeX and BibTeX. Contact lines are never kept. Lines among the
publications that can't be parsed are returned as they are, so that a person can see what was missed.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import asdict, dataclass, field
from typing import Any

from index.documents.cv_lines import MARK, MOST_TEXT, QUOTED, CvLine, lines_of, section_of
from index.documents.cv_publications import Publication, publications_of

_DASH = r"\s*(?:-|–|—|to|until)\s*"
_SPAN = re.compile(
    rf"((?:[A-Z][a-z]{{2,8}}\.?\s+)?(?:19|20)\d\d)(?:{_DASH}((?:[A-Z][a-z]{{2,8}}\.?\s+)?(?:19|20)\d\d|present|now|today|current))?",
    re.I,
)
_INSTITUTION = re.compile(
    r"universit|institut|college|school|academy|polytechnic|\beth\b|\bepfl\b|\bmit\b|hochschule|école|facult",
    re.I,
)
_DEGREE = re.compile(
    r"ph\.?\s?d|doctor|d\.?phil|m\.?\s?sc|m\.?s\.?\b|master|m\.?eng|mba|"
    r"b\.?\s?sc|b\.?s\.?\b|b\.?a\.?\b|bachelor|diplom|licen[cs]",
    re.I,
)
_ROLE = re.compile(
    r"\bintern(?:ship)?\b|research(?:er)?\b|assistant|scholar|engineer|professor|lecturer|fellow|post-?doc|scientist|"
    r"manager|director|head of|lead\b|developer|consultant|analyst|visiting|founder|chair\b|dean|"
    r"architect|student\b",
    re.I,
)
_INTERESTED = re.compile(
    r"(?:research )?interests?\s+(?:include|are in|are|lie in|:)\s*:?\s*(.{5,400}?)(?:\.(?:\s|$)|\n\s*\n|$)",
    re.I | re.S,
)
_CONTACT = re.compile(
    r"\w@\w|\{\\?\$?at|\(at\)|\[at\]|https?://|www\.|(?:\+|\(|\b0)(?:[ ()/.-]*\d){7,}|linkedin|orcid\.org",
    re.I,
)


@dataclass(frozen=True, slots=True)
class CV:
    """The content of a CV, each list in document order; ``unread`` holds lines among the publications."""

    publications: list[Publication] = field(default_factory=list)
    education: list[str] = field(default_factory=list)
    positions: list[str] = field(default_factory=list)
    interests: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def of(cls, plain: dict[str, Any]) -> CV:
        """Back from JSON."""
        return cls(**(plain | {"publications": [Publication(**entry) for entry in plain["publications"]]}))


def read_text(text: str) -> CV:
    """Parse the text of a CV."""
    sections: dict[str, list[CvLine]] = {
        "publications": [],
        "education": [],
        "positions": [],
        "interests": [],
    }
    kind = "top"
    for line in lines_of(text):
        opened = section_of(line)
        if opened is not None and not (kind == "publications" and opened == "positions"):
            kind = opened
            continue
        if kind in sections:
            sections[kind].append(line)
    publications, unread = publications_of(sections["publications"])
    return CV(
        publications,
        _education(sections["education"]),
        _positions(sections["positions"]),
        _interests(text, sections["interests"]),
        unread,
    )


def _span_in(text: str) -> str:
    spans = [f for f in _SPAN.finditer(text) if f[2]] or list(_SPAN.finditer(text))
    return f"{spans[0][1]}–{spans[0][2]}" if spans and spans[0][2] else spans[0][1] if spans else ""


def _without_span(text: str) -> str:
    text = re.sub(r"\((?:advised|advisor|supervis|under)[^)]{0,200}\)", " ", text, flags=re.I)
    return re.sub(r"\s+", " ", _SPAN.sub(" ", text)).strip(" ,;:|–-·()")


def _groups(lines: list[CvLine], opens: re.Pattern[str]) -> list[list[str]]:
    """Lines grouped into entries, each from its opening line up to the next."""
    groups: list[list[str]] = []
    for line in lines:
        text = MARK.sub("", line.text)
        if _CONTACT.search(text):
            continue
        if opens.search(text) and len(text) < 200 and not QUOTED.search(text) and not text.endswith("."):
            groups.append([text])
        elif groups:
            groups[-1].append(text)
    return groups


def _education(lines: list[CvLine]) -> list[str]:
    entries = []
    for group in _groups(lines, _INSTITUTION):
        parts = [group[0], *group[1:6]]
        degree = next((_without_span(text) for text in parts[1:] if _DEGREE.search(text)), "")
        place = _without_span(group[0])
        span = next((span for text in parts if (span := _span_in(text))), "")
        entries.append(" · ".join(part for part in (degree[:120], place[:120], span) if part))
    if not entries:
        lines_with_degree = [line.text for line in lines if _DEGREE.search(line.text)]
        entries = [
            " · ".join(p for p in (_without_span(t)[:160], _span_in(t)) if p) for t in lines_with_degree
        ]
    return list(dict.fromkeys(entries))[:20]


def _positions(lines: list[CvLine]) -> list[str]:
    entries = []
    for group in _groups(lines, _ROLE):
        head = _without_span(group[0])
        if not (re.search(r"@| at |,|\bof\b|–|\|", group[0]) or any(_span_in(text) for text in group[:3])):
            continue
        span = next((span for text in group[:3] if (span := _span_in(text))), "")
        entries.append(" · ".join(part for part in (head[:160], span) if part))
    return list(dict.fromkeys(entries))[:30]


def _interests(text: str, lines: list[CvLine]) -> list[str]:
    named = _INTERESTED.search(_plain_block(text))
    body = named[1] if named else ", ".join(MARK.sub("", line.text) for line in lines[:15])
    parts = [part.strip(" .:•*-") for part in re.split(r"[,;•|\n]|\band\b(?=[^,;]*$)", body)]
    topics = [re.sub(r"^(?:and|the)\s+", "", part) for part in parts]
    return [p for p in dict.fromkeys(topics) if 2 < len(p) <= 60 and not _CONTACT.search(p)][:12]


def _plain_block(text: str) -> str:
    return re.sub(r"[ \t]+", " ", re.sub(r"(?<!\n)\n(?!\n)", " ", _strip_marks(text[:MOST_TEXT])))


def _strip_marks(text: str) -> str:
    text = unicodedata.normalize("NFKC", html.unescape(text)).replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[*_#`]{1,3}", "", text)
