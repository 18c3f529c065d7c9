"""Turning each form of a paper's metadata into a record: one function per form."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from pydantic import ValidationError
from pylatexenc.latex2text import LatexNodes2Text

from data.anthology import is_acl_id
from data.calendar.arxiv_ids import CATEGORY, announcement_day, find_doi, split_version
from data.calendar.partial_days import DatedBy, read_day
from data.keys import clean, title_words
from data.records import PaperRecord, Rejected
from data.stores.refusals import reason_of
from data.stores.works import LISTING, SAMPLE
from data.tex import unicode_of

_WITHDRAWN = re.compile(
    r"\bwithdrawn\b.{0,80}\b(author|arxiv|admin)|^\W*(this|the) (paper|article|submission|manuscript|work)"
    r" (has been|is|was) withdrawn|^\W*withdrawn\b",
    re.IGNORECASE | re.DOTALL,
)
_TEX = LatexNodes2Text()
_USUAL_DATE = re.compile(
    r"[A-Z][a-z]{2}, (\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT", re.ASCII
)
_MONTHS = {
    name: number
    for number, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), start=1)
}


class NotAPaper(ValueError):
    """The record lacks what its form requires."""


def record_of(item: Any, where: str, raw: str, *, own_ids: bool = False) -> PaperRecord | Rejected:
    """The record in a JSON object of any known form, or the reason why there is none.

    With ``own_ids``, the file may use any ids, and each id stays a work of its own.
    """
    try:
        if not isinstance(item, dict):
            raise NotAPaper("not a JSON object")
        if own_ids and "id" in item:
            return from_any(item)
        if "authors_parsed" in item or "versions" in item or "update_date" in item:
            return from_snapshot(item)
        if "announced" in item or "lists" in item:
            return from_listing(item)
        if "authors_complete" in item or "authors_also" in item or {"category", "date"} & item.keys():
            return from_seed(item)
        raise NotAPaper("none of the forms that Labmate reads (see docs/data.md)")
    except ValidationError as error:
        return Rejected(where, reason_of(error), raw)
    except (NotAPaper, LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)
        return Rejected(where, reason, raw)


def from_listing(item: dict[str, Any]) -> PaperRecord:
    """A line of ``arxiv-daily.jsonl``: a paper as the day's listings print it."""
    arxiv_id, version = _arxiv_id(item["id"])
    day, known = _partial_day(item.get("announced"))
    lists = _strings(item.get("lists") or [], "lists")
    authors = _strings(item["authors"], "authors")
    return PaperRecord(
        source=LISTING,
        ids={"arxiv": arxiv_id},
        version=version,
        title=_text(item["title"], "title"),
        abstract=_text(item.get("abstract") or "", "abstract"),
        authors=authors,
        authors_complete=bool(authors),
        categories=lists,
        announced=day,
        dated_by=known,
        listings=[(name, day) for name in lists] if day and known == "day" else [],
    )


def from_snapshot(item: dict[str, Any]) -> PaperRecord:
    """A line of arXiv's public metadata snapshot."""
    arxiv_id, _ = _arxiv_id(item["id"])
    versions = _versions(item.get("versions"))
    dates = [_http_date(version["created"]) for version in versions]
    parsed = item.get("authors_parsed")
    if not isinstance(parsed, list):
        raise NotAPaper("authors_parsed is not a list")
    categories = _text(item.get("categories") or "", "categories").split()
    comment, abstract = _optional(item.get("comments")), _text(item.get("abstract") or "", "abstract")
    return PaperRecord(
        source="arxiv-snapshot",
        ids={"arxiv": arxiv_id, **_doi_id(_optional(item.get("doi")))},
        version=_number(versions),
        title=_text(item["title"], "title"),
        abstract=abstract,
        authors=[_parsed_name(name) for name in parsed],
        primary_category=categories[0] if categories else None,
        categories=categories,
        submitted=dates[0].date() if dates else None,
        updated=dates[-1].date() if dates else _day(item.get("update_date")),
        announced=announcement_day(dates[0]) if dates else None,
        provisional=True,
        doi=_optional(item.get("doi")),
        journal_ref=_optional(item.get("journal-ref")),
        comment=comment,
        withdrawn=is_withdrawn(comment, abstract),
    )


def from_seed(item: dict[str, Any]) -> PaperRecord:
    """An entry of ``seed-papers.json``: a paper as a document describes it, with an arXiv id where known."""
    title = _text(item["title"], "title")
    category = _optional(item.get("category"))
    day, known = _partial_day(item.get("date"))
    arxiv = {"arxiv": _arxiv_id(item["id"])[0]} if item.get("id") else {}
    return PaperRecord(
        source=SAMPLE,
        ids={SAMPLE: "-".join(title_words(title))[:200], **arxiv},
        title=title,
        abstract=_text(item.get("abstract") or "", "abstract"),
        authors=_strings(item["authors"], "authors"),
        authors_complete=bool(item.get("authors_complete", True)),
        authors_also=_strings(item.get("authors_also") or [], "authors_also"),
        primary_category=category,
        categories=[category] if category else [],
        submitted=day,
        dated_by=known,
        venue=_optional(item.get("venue")),
    )


def from_any(item: dict[str, Any]) -> PaperRecord:
    """Title, abstract and authors, under any id that the file gives the paper.

    The ACL Anthology knows only the month of a paper; files fill in a day.
    """
    parsed = item.get("authors_parsed")
    names = [_parsed_name(name) for name in parsed] if isinstance(parsed, list) else item.get("authors") or []
    authors = _strings([names] if isinstance(names, str) else names, "authors")
    identifier = str(item["id"])
    day, known = _partial_day(item.get("announced") or item.get("date"))
    if known == "day" and is_acl_id(identifier):
        known = "month"
    return PaperRecord(
        source="file",
        ids={"file": identifier},
        title=_text(item["title"], "title"),
        abstract=_text(item.get("abstract") or "", "abstract"),
        authors=authors,
        authors_complete=bool(authors),
        author_ids=_author_ids(item.get("author_ids"), authors),
        categories=[name for name in item.get("lists") or [] if CATEGORY.match(str(name))],
        announced=day,
        dated_by=known,
        doi=_optional(item.get("doi")),
        journal_ref=_optional(item.get("journal-ref")) or _optional(item.get("journal")),
        venue=_optional(item.get("venue")),
    )


def _author_ids(value: Any, authors: list[str]) -> list[str | None]:
    """An id or None for each author, where the record has ids."""
    if value is None:
        return []
    if not isinstance(value, list) or len(value) != len(authors):
        raise NotAPaper("author_ids is not a list with an entry for each author")
    if not all(map(clean, authors)):
        raise NotAPaper("an author with an id has no name")
    return [None if entry is None or entry == "" else str(entry) for entry in value]


def is_withdrawn(comment: str | None, abstract: str) -> bool:
    """Whether arXiv's comment or abstract says that the paper was withdrawn."""
    texts = [text for text in (comment or "", abstract[:200]) if "withdrawn" in text.lower()]
    return any(_WITHDRAWN.search(text) for text in texts)


def _doi_id(doi: str | None) -> dict[str, str]:
    """The DOI as an identifier; a field with two DOIs or none names no single work."""
    doi_id = find_doi(doi or "")
    return {"doi": doi_id} if doi_id and len(doi_id) <= 300 else {}


def _arxiv_id(value: Any) -> tuple[str, int | None]:
    arxiv_id = split_version(value) if isinstance(value, str) else None
    if not arxiv_id:
        raise NotAPaper(f"no arXiv id: {str(value)[:40]!r}")
    return arxiv_id


def _versions(value: Any) -> list[dict[str, Any]]:
    """The versions that have a date: arXiv has lost a few."""
    if not isinstance(value or [], list) or not all(isinstance(entry, dict) for entry in value or []):
        raise NotAPaper("versions is not a list of versions")
    return [entry for entry in value or [] if _optional(entry.get("created"))]


def _number(versions: list[dict[str, Any]]) -> int | None:
    """The newest version's number, from its name (``v3``) or else from how many there are."""
    name = str(versions[-1].get("version", "")) if versions else ""
    return int(name[1:]) if re.fullmatch(r"v\d{1,3}", name) else len(versions) or None


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise NotAPaper(f"{what} is not text")
    return value


def _optional(value: Any) -> str | None:
    """The text; None where the field is missing, empty, or only a dash."""
    text = value.strip() if isinstance(value, str) else ""
    return text if text not in ("", "-") else None


def _strings(value: Any, what: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise NotAPaper(f"{what} is not a list of names")
    return [tex_name(entry) for entry in value]


def _day(value: Any) -> date | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise NotAPaper("a date is not text")
    try:
        return date.fromisoformat(value[:10])
    except ValueError as error:
        raise NotAPaper(f"no date: {value[:40]!r}") from error


def _partial_day(value: Any) -> tuple[date | None, DatedBy]:
    """A day, or the middle of a month or year, with how much of it is known."""
    if value is None or value == "":
        return None, "day"
    if not isinstance(value, str):
        raise NotAPaper("a date is not text")
    try:
        return read_day(value)
    except ValueError as error:
        raise NotAPaper(f"no date: {value[:40]!r}") from error


def _http_date(value: str) -> datetime:
    """``Mon, 2 Apr 2007 19:18:42 GMT``; the usual form is read without the library, which takes its time."""
    if usual := _USUAL_DATE.fullmatch(value):
        day, month, year, *clock = usual.groups()
        if month in _MONTHS:
            hour, minute, second = map(int, clock)
            return datetime(int(year), _MONTHS[month], int(day), hour, minute, second, tzinfo=UTC)
    try:
        parsed = parsedate_to_datetime(value)
    except ValueError as error:
        raise NotAPaper(f"no date: {value[:40]!r}") from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _parsed_name(parts: Any) -> str:
    """``["Lao", "ChonLam", "Jr."]`` -> ``"ChonLam Lao Jr."``; affiliations may follow the suffix."""
    last, first, suffix = ([*_strings(parts, "a name in authors_parsed"), "", "", ""])[:3]
    return " ".join(part for part in (first, last, suffix) if part)


def tex_name(name: str) -> str:
    """A name with TeX accents as Unicode."""
    if "\\" not in name and "{" not in name:
        return name
    return unicode_of(name[:1_000], _TEX)
