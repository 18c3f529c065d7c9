"""Lists of references as other programs write them: BibTeX, RIS and CSL-JSON, each read into CSL-JSON items.

An item is a plain dict with these keys of CSL-JSON where they are known: ``title``, ``author``, ``issued``,
``container-title``, ``DOI``, ``URL``, ``number``, ``abstract``, ``keyword``, ``note``, ``type``
(https://docs.citationstyles.org/en/stable/specification.html). Everything in a file is a stranger's text:
long values are cut, and values of the wrong type are left out.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from bibtexparser import entrypoint
from pylatexenc.latex2text import LatexNodes2Text

from data.keys import clean
from data.tex import unicode_of
from index.documents.ris_entries import ris_entries

MOST_ENTRIES = 5_000
KINDS = ("bib", "ris", "json")
_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d|21\d\d)(?!\d)")
_ARXIV = re.compile(r"\barXiv:\s*([\w.-]+(?:/\d{7})?)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{1,80}>")
_LIMITS = {"title": 500, "container-title": 300, "DOI": 200, "URL": 500, "number": 100, "abstract": 5_000}
_LIMITS |= {"keyword": 600, "note": 2_000, "type": 40}
_TYPES = {
    "article": "article-journal",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "book": "book",
    "incollection": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "techreport": "report",
    "misc": "article",
    "unpublished": "manuscript",
}
_RIS_TYPES = {
    "JOUR": "article-journal",
    "CONF": "paper-conference",
    "CPAPER": "paper-conference",
    "BOOK": "book",
    "CHAP": "chapter",
    "THES": "thesis",
    "RPRT": "report",
    "UNPB": "manuscript",
}


class NoReferences(ValueError):
    """The text is not a list of references; the message says why."""


def kind_of(text: str, name: str = "") -> str:
    """``bib``, ``ris`` or ``json``, judged by the text, else by the file's name.

    Raises
    ------
    NoReferences
        If it is none of these.
    """
    head = text.lstrip("\ufeff \t\r\n")[:20_000].replace("\r", "\n")
    if head.startswith(("[", "{")):
        return "json"
    if re.search(r"^TY {1,2}- ", head, re.MULTILINE):
        return "ris"
    if re.search(r"^\s*@\w+\s*[{(]", head, re.MULTILINE):
        return "bib"
    ending = name.lower().rpartition(".")[2]
    if ending in KINDS and not head:
        raise NoReferences("The file is empty.")
    raise NoReferences("I read BibTeX (.bib), RIS (.ris) and CSL-JSON (.json), as Zotero exports them.")


def read_references(kind: str, text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """(items, entries that could not be parsed) of a text.

    Raises
    ------
    NoReferences
        If the text as a whole is damaged.
    """
    read = {"bib": _of_bibtex, "ris": _of_ris, "json": _of_csl}[kind]
    raw_items, unread = read(text)
    items, seen = [], set()
    for raw in raw_items[:MOST_ENTRIES]:
        item = _checked(raw)
        if item is None:
            unread.append(_name(raw) or "an entry without a title")
            continue
        key = json.dumps(item, sort_keys=True)
        if key not in seen:
            seen.add(key)
            items.append(item)
    if len(raw_items) > MOST_ENTRIES:
        unread.append(f"{len(raw_items) - MOST_ENTRIES:,} entries beyond the first {MOST_ENTRIES:,}")
    return items, unread


def _name(raw: dict[str, Any]) -> str:
    """What an entry is called in its file, if anything."""
    known = raw.get("id") or raw.get("title")
    return clean(str(known))[:100] if isinstance(known, str | int) else ""


def _of_bibtex(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    corpus = entrypoint.parse_string(text)
    reader = LatexNodes2Text(keep_comments=True)

    def plain(value: str) -> str:
        has_tex = "\\" in value or "$" in value
        told = unicode_of(re.sub(r"(?<!\\)&", r"\\&", value), reader) if has_tex else value
        return told.replace("{", "").replace("}", "").replace("~", " ")

    items = []
    for entry in corpus.entries:
        held = {name.lower(): str(one.value) for name, one in entry.fields_dict.items()}
        told = {name: plain(value) for name, value in held.items()}
        eprint = told.get("eprint", "")
        is_arxiv = "arxiv" in (told.get("archiveprefix", "") + told.get("eprinttype", "") + eprint).lower()
        items.append(
            {
                "id": entry.key,
                "type": _TYPES.get(entry.entry_type.lower(), "article"),
                "title": told.get("title"),
                "author": [
                    {"literal": plain(one)}
                    if one.strip().startswith("{") and one.strip().endswith("}")
                    else _person(plain(one))
                    for one in _split_and(held.get("author", ""))
                ],
                "issued": _date(told.get("date") or f"{told.get('year', '')}-{told.get('month', '')}"),
                "container-title": told.get("booktitle") or told.get("journal") or told.get("journaltitle"),
                "DOI": told.get("doi"),
                "URL": held.get("url", "").replace("\\", ""),
                "number": f"arXiv:{eprint.removeprefix('arXiv:')}"
                if is_arxiv
                else _arxiv_in(told.get("note", "")),
                "abstract": told.get("abstract"),
                "keyword": told.get("keywords"),
                "note": told.get("annote") or told.get("annotation") or told.get("note"),
            }
        )
    unread = [str(getattr(block, "raw", ""))[:100] for block in corpus.failed_blocks]
    return items, unread


def _arxiv_in(note: str) -> str | None:
    """Zotero writes ``arXiv:2605.15617 [cs]`` into notes."""
    match = _ARXIV.search(note)
    return f"arXiv:{match[1]}" if match else None


def _split_and(names: str) -> list[str]:
    """Names separated by ``and`` outside braces."""
    parts, depth, begun = [], 0, 0
    for match in re.finditer(r"[{}]|\s+and\s+", names):
        if match[0] in "{}":
            depth += 1 if match[0] == "{" else -1
        elif depth <= 0:
            parts.append(names[begun : match.start()])
            begun = match.end()
    return [part for part in [*parts, names[begun:]] if part.strip() and part.strip() != "others"]


def _of_ris(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    entries, unread = ris_entries(text.lstrip("\ufeff"))
    items = []
    for entry in entries:
        names = entry.get("authors") or entry.get("first_authors") or []
        number = str(entry.get("accession_number") or entry.get("number") or "")
        notes = entry.get("notes") or []
        items.append(
            {
                "id": entry.get("id"),
                "type": _RIS_TYPES.get(str(entry.get("type_of_reference")), "article"),
                "title": entry.get("title") or entry.get("primary_title"),
                "author": [_person(str(name)) for name in names],
                "issued": _date(
                    str(entry.get("date") or entry.get("year") or entry.get("publication_year") or "")
                ),
                "container-title": entry.get("journal_name")
                or entry.get("secondary_title")
                or entry.get("alternate_title3"),
                "DOI": entry.get("doi"),
                "URL": next(iter(entry.get("urls") or []), None),
                "number": number if "arxiv" in number.lower() else None,
                "abstract": entry.get("abstract") or entry.get("notes_abstract"),
                "keyword": ", ".join(map(str, entry.get("keywords") or [])),
                "note": "\n".join(map(str, notes)) if isinstance(notes, list) else str(notes),
            }
        )
    return items, unread


def _of_csl(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    try:
        held = json.loads(text.lstrip("\ufeff"), parse_int=_number)
    except (ValueError, RecursionError) as error:
        raise NoReferences(f"This JSON is damaged: {error}") from error
    if isinstance(held, dict):
        held = held.get("items", [held])
    if not isinstance(held, list):
        raise NoReferences("This JSON is not a list of references.")
    items = [entry for entry in held if isinstance(entry, dict)]
    return items, [f"entry {place + 1}" for place, entry in enumerate(held) if not isinstance(entry, dict)]


def _number(digits: str) -> int | str:
    """A number of JSON; one that no computer needs as a number stays text, since Python may refuse it."""
    return int(digits) if len(digits) < 20 else digits


def _checked(raw: dict[str, Any]) -> dict[str, Any] | None:
    """An item with its values of the right type, cut to size; None without a title."""
    item: dict[str, Any] = {}
    for name, most in _LIMITS.items():
        value = raw.get(name)
        if isinstance(value, str | int) and (text := clean(html.unescape(_TAG.sub(" ", str(value))))):
            item[name] = text[:most]
    if len(item.get("title", "")) < 2:
        return None
    if not re.match(r"https?://\S+$", item.get("URL", "")):
        item.pop("URL", None)
    authors = raw.get("author")
    people = [_checked_person(one) for one in authors[:300]] if isinstance(authors, list) else []
    if known := [person for person in people if person]:
        item["author"] = known
    if issued := _checked_date(raw.get("issued")):
        item["issued"] = issued
    return item


def _checked_person(raw: Any) -> dict[str, str] | None:
    if not isinstance(raw, dict):
        return None
    person = {
        name: clean(str(raw[name]))[:150]
        for name in ("family", "given", "literal")
        if isinstance(raw.get(name), str) and clean(str(raw[name]))
    }
    prefix = raw.get("non-dropping-particle")
    if isinstance(prefix, str) and prefix and "family" in person:
        person["family"] = f"{clean(prefix)[:40]} {person['family']}"
    return person if "family" in person or "literal" in person else None


def _checked_date(raw: Any) -> dict[str, Any] | None:
    if isinstance(raw, dict) and isinstance(raw.get("raw") or raw.get("literal"), str):
        return _date(raw.get("raw") or raw.get("literal") or "")
    try:
        parts = [int(part) for part in raw["date-parts"][0][:3] if str(part).strip()]
    except (TypeError, KeyError, IndexError, ValueError, OverflowError):  # infinity is a number in JSON
        return None
    if not parts or not 1800 <= parts[0] < 2200:
        return None
    if len(parts) > 1 and not 1 <= parts[1] <= 12:
        parts = parts[:1]
    if len(parts) > 2 and not 1 <= parts[2] <= 31:
        parts = parts[:2]
    return {"date-parts": [parts]}


def _person(name: str) -> dict[str, str]:
    text = clean(name)
    family, comma, given = text.partition(",")
    if comma:
        return (
            {"family": family.strip(), "given": given.strip()}
            if given.strip()
            else {"literal": family.strip()}
        )
    first, _, last = text.rpartition(" ")
    return {"family": last, "given": first} if first else {"literal": text}


_MONTHS = {
    name: place for place, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}


def _date(text: str) -> dict[str, Any] | None:
    year = _YEAR.search(text)
    if not year:
        return None
    parts = [int(year[1])]
    rest = text[year.end() :].strip("-/ ,.").lower()
    month = re.match(r"(\d{1,2})(?!\d)|([a-z]{3})", rest)
    if month:
        number = int(month[1]) if month[1] else _MONTHS.get(month[2], 0)
        if 1 <= number <= 12:
            parts.append(number)
            day = re.match(r"[-/. ]+(\d{1,2})(?!\d)", rest[month.end() :])
            if day and 1 <= int(day[1]) <= 31:
                parts.append(int(day[1]))
    return {"date-parts": [parts]}
