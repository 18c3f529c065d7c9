"""The publications of a curriculum vitae: splitting them into entries with title, venue, year and status."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from index.documents.cv_lines import MARK, QUOTED, CvLine, joined, without_markdown

MOST_ENTRIES = 600
_MOST_ENTRY = 3_000
YEAR = re.compile(r"(?<![\d.:/])(19[5-9]\d|20[0-4]\d)(?![\d/]|\.\d)")
STATUS = (
    ("in submission", r"\b(?:in|under) (?:submission|review|revision)\b|\bsubmitted\b"),
    ("in preparation", r"\bin preparation\b|\bworking paper\b|\bmanuscript\b"),
    ("to appear", r"\bto appear\b|\baccepted\b|\bforthcoming\b|\bin press\b"),
)
_ABBREVIATED = re.compile(
    r"(?:\b[A-Z]|\b(?:al|vs|proc|conf|int|intl|trans|j|st|dr|no|vol|pp|ed|eds|jr|sr|symp|univ|dept|etc|phys|rev|lett|appl|math|comput|comp|sci|eng|syst|soc|am|eur|natl|acad|chem|biol|med|res|parallel|distrib|mach|learn|e\.g|i\.e))\.$",
    re.I,
)
_VENUE = re.compile(
    r"^(?:in\b|in:|proc|advances in|journal|transactions|ieee|acm|arxiv|international|annual|conference|"
    r"workshop|nature|science|springer|elsevier|corr\b|phd thesis|technical report|preprint|neurips|icml|"
    r"iclr|cvpr|acl\b|emnlp)",
    re.I,
)
_NAME = r"(?:[A-ZÀ-ÞŁŚŽČĐ][\w'’.\-]*|[a-zà-ÿ]{2,3})"
_AUTHOR = re.compile(rf"^{_NAME}(?:\s+{_NAME}){{0,4}}\*?[†‡§¹²]*$")


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication as a CV prints it; ``status`` is empty or, for example, ``in submission``."""

    title: str
    venue: str = ""
    year: int | None = None
    status: str = ""
    text: str = ""


def flat(text: str) -> str:
    """Letters and digits only, for comparing titles."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in plain if character.isalnum())


def publications_of(lines: list[CvLine]) -> tuple[list[Publication], list[str]]:
    """(publications, entries that could not be read) of a section's lines, each title once."""
    entries: list[Publication] = []
    unread: list[str] = []
    known: set[str] = set()
    for chunk in list(_entries(lines))[:MOST_ENTRIES]:
        text = joined(line.text for line in chunk)
        strong = [span for line in chunk for span in line.strong]
        publication = publication_of(text, strong)
        if publication is None:
            if not _is_subheading(text):
                unread.append(text[:300])
        elif flat(publication.title) not in known:
            known.add(flat(publication.title))
            entries.append(publication)
    return entries, unread[:50]


def _entries(lines: list[CvLine]) -> Iterator[list[CvLine]]:
    """Lines grouped into entries: by their bullets or numbers, else by blank lines, else by guessing."""
    marks = sum(line.starts for line in lines)
    blanks = sum(line.after_blank for line in lines)
    by_mark = marks >= 2 or (marks == 1 and blanks <= 1)
    by_blank = not by_mark and blanks >= max(2, 0.2 * len(lines))
    chunk: list[CvLine] = []
    for line in lines:
        ended = bool(chunk) and bool(re.search(r"(?:[.)\]]|\b(?:19|20)\d\d)$", chunk[-1].text))
        begins = (
            line.heading
            or (bool(chunk) and chunk[-1].heading)
            or (by_mark and line.starts)
            or (by_blank and line.after_blank)
            or (by_mark and line.after_blank and not line.text[:1].islower())
            or (not by_mark and not by_blank and ended and not line.text[:1].islower())
        )
        if begins and chunk:
            yield chunk
            chunk = []
        chunk.append(line)
    if chunk:
        yield chunk


def _is_subheading(text: str) -> bool:
    """A short line without any sign of a publication."""
    text = MARK.sub("", text)
    words = text.split()
    return len(words) <= 12 and not re.search(r"\d|[\"“”.;]|, ", text.rstrip(":. "))


def publication_of(entry: str, strong: Iterable[str] = ()) -> Publication | None:
    """The publication in an entry; None if its title can't be told with confidence.

    The title is the quoted part, else the part that Markdown shows in bold or as a link, else the part where
    the usual styles (APA, ACM, IEEE, Chicago) put it. Without quotation marks an entry also needs a year, a
    status or a venue.
    """
    text = MARK.sub("", entry[:_MOST_ENTRY]).strip()
    status = next((name for name, pattern in STATUS if re.search(pattern, text, re.I)), "")
    quoted = [match for match in QUOTED.finditer(text) if len(match[1].split()) >= 2]
    if quoted:
        title, rest = quoted[0][1], text[: quoted[0].start()] + " " + text[quoted[0].end() :]
    else:
        bare = re.sub(
            r"https?://\S+|\bdoi:\s*\S+|\[(?:pdf|code|link|slides|video|arxiv|doi|bib)[^\]]*\]",
            " ",
            text,
            flags=re.I,
        )
        if not (status or YEAR.search(bare) or _VENUE.search(bare)):
            return None
        guess = _strong_title(bare, strong) or _styled_title(bare)
        if guess is None:
            return None
        title, rest = guess
    title = re.sub(r"\s+", " ", title).strip(' ,.;:*_“”"')
    if len(flat(title)) < 8 or len(title) > 400 or len(title.split()) < 2:
        return None
    years = [int(year) for year in YEAR.findall(rest)]
    return Publication(title, _venue(rest), years[-1] if years else None, status, text[:500])


def _strong_title(text: str, strong: Iterable[str]) -> tuple[str, str] | None:
    for span in strong:
        plain = without_markdown(span).strip(" .,")
        words = plain.split()
        if len(words) >= 4 and not _VENUE.match(plain) and not _are_authors(plain) and plain in text:
            return plain, text.replace(plain, " ", 1)
    return None


def _styled_title(text: str) -> tuple[str, str] | None:
    # Authors (2020). Title. Venue.   Authors. 2020. Title. Venue.
    dated = re.match(
        r"^(.{3,1500}?)[\s,.]*[(\[]?((?:19|20)\d\d)[a-z]?(?:,[^)]{1,20})?[)\]]?[.,:]\s+(.+)$", text
    )
    if dated and _are_authors(dated[1]):
        parts = _sentences(dated[3])
        if parts and len(parts[0].split()) >= 2:
            return parts[0], f"{dated[1]}; {'; '.join(parts[1:])}; {dated[2]}"
    parts = _sentences(text)
    if len(parts) >= 2:
        rest = [part for part in parts if not _are_authors(part)]
        titles = [part for part in rest if len(part.split()) >= 3 and not _VENUE.match(part)]
        if titles and (len(rest) < len(parts) or len(rest) >= 2):
            title = titles[0]
            return title, "; ".join(part for part in parts if part is not title)
    # Authors: Title, Venue 2020   Authors, Title, Venue, 2020
    pieces = [piece.strip() for piece in re.split(r",\s+|:\s+(?=[A-Z])", text) if piece.strip()]
    if not any(_are_authors(piece) and len(piece.split()) > 1 for piece in pieces):
        return None
    for place, piece in enumerate(pieces):
        if not _are_authors(piece) and len(piece.split()) >= 4 and not _VENUE.match(piece):
            return piece, ", ".join(pieces[:place] + pieces[place + 1 :])
    return None


def _sentences(text: str) -> list[str]:
    out: list[str] = []
    for part in re.split(r"(?<=[.?!])\s+", text):
        if out and _ABBREVIATED.search(out[-1]):
            out[-1] += " " + part
        else:
            out.append(part)
    return [part.strip().rstrip(".").strip() for part in out if part.strip(" .")]


def _are_authors(text: str) -> bool:
    """Whether a piece is a list of names."""
    text = re.sub(r"\bet al\.?|\(.{0,40}?\)|[*†‡§]", "", text).strip(" ,.;")
    names = [name.strip(" .") for name in re.split(r",|;|\band\b|&", text) if name.strip(" .")]
    if not names:
        return True
    fitting = sum(bool(_AUTHOR.match(name)) and len(name.split()) <= 5 for name in names)
    return fitting >= 0.8 * len(names) and (len(names) > 1 or len(text.split()) <= 3)


def _venue(rest: str) -> str:
    """The part with the year, or the part before it, without remarks in brackets."""
    rest = re.sub(r"\([^()]{0,80}(?:award|prize|rate|honou?r|acceptance)[^()]{0,80}\)", " ", rest, flags=re.I)
    pieces = [
        sentence.strip(" .()[]*_:")
        for piece in re.split(r",\s+|;\s+", rest)
        for sentence in _sentences(piece)
        if not any(re.search(pattern, sentence, re.I) for _, pattern in STATUS)
    ]
    pieces = [piece for piece in pieces if piece]
    said = ""
    for place, piece in enumerate(pieces):
        bare = bool(re.fullmatch(r"(?:[A-Z][a-z]{2,8}\s+)?\d{4}[a-z]?", piece))
        before = pieces[place - 1] if bare and place else ""
        words = before.split()
        if before and not (1 < len(words) < 5 and _are_authors(before)) and not before[-1].isdigit():
            said = said or before
        elif not bare and re.search(r"[A-Za-z]{3}", piece) and (YEAR.search(piece) or _VENUE.match(piece)):
            said = piece
    return re.sub(r"^in:?\s+", "", said, flags=re.I)[:160]
