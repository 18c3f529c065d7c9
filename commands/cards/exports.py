"""Many works as one file for other programs: BibTeX, RIS or CSL-JSON, with their tags and notes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from commands.cards import citation
from data.keys import fold
from data.records import Paper

FORMATS = {"bibtex": "bib", "ris": "ris", "csl-json": "json"}
"""Each format with the ending of its files."""
_BIBTEX_TYPES = {
    "article-journal": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
    "manuscript": "unpublished",
}
_RIS_TYPES = {
    "article-journal": "JOUR",
    "paper-conference": "CONF",
    "book": "BOOK",
    "chapter": "CHAP",
    "thesis": "THES",
    "report": "RPRT",
}


@dataclass(frozen=True, slots=True)
class ExportedWork:
    """A paper, or the CSL-JSON item of a work that is none of ours, with a member's tags and note."""

    paper: Paper | None
    item: dict[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    note: str = ""

    @property
    def csl(self) -> dict[str, Any]:
        """The CSL-JSON item."""
        item: dict[str, Any] = (
            json.loads(citation.csl_json(self.paper))[0]
            if self.paper
            else {"id": "", "type": "article"} | self.item
        )
        more = {"keyword": ", ".join(self.tags), "note": self.note}
        return {name: value for name, value in item.items() if name not in more} | {
            name: value for name, value in more.items() if value
        }


AROUND = {"bibtex": ("", "\n", ""), "ris": ("", "\n", ""), "csl-json": ("[\n", ",\n", "\n]\n")}
"""What stands before, between and after the works of each format."""


def entries(works: Sequence[ExportedWork], format_: str) -> Iterator[str]:
    """The works as a file's text has them, one by one; every work has a key of its own."""
    for work, key in zip(works, _keys(works), strict=True):
        if format_ == "csl-json":
            yield json.dumps(work.csl | {"id": key}, ensure_ascii=False, indent=1)
        else:
            yield (_bibtex if format_ == "bibtex" else _ris)(work, key)


def _keys(works: Sequence[ExportedWork]) -> list[str]:
    taken: dict[str, int] = {}
    keys = []
    for work in works:
        key = citation.key_of(work.paper) if work.paper else _key(work.item)
        count = taken[key] = taken.get(key, 0) + 1
        keys.append(key if count == 1 else f"{key}-{count}")
    return keys


def _key(item: dict[str, Any]) -> str:
    author: dict[str, Any] = next(iter(item.get("author") or []), {})
    family = fold(author.get("family") or author.get("literal") or "anonymous")
    word = next((w for w in re.findall(r"[a-z]+", fold(item.get("title", ""))) if len(w) > 3), "")
    return re.sub(r"[^a-z0-9]", "", family)[:30] + str(_year(item) or "") + word[:20] or "work"


def _year(item: dict[str, Any]) -> int | None:
    parts = (item.get("issued") or {}).get("date-parts") or [[]]
    return parts[0][0] if parts[0] else None


def _bibtex(work: ExportedWork, key: str) -> str:
    added = {"keywords": citation.tex(", ".join(work.tags)), "annote": citation.tex(work.note)}
    if work.paper is not None:
        return citation.bibtex(work.paper, key, **added)
    item = work.item
    kind = _BIBTEX_TYPES.get(item.get("type", ""), "misc")
    venue = "booktitle" if kind in ("inproceedings", "incollection") else "journal"
    arxiv = str(item.get("number", "")) if str(item.get("number", "")).lower().startswith("arxiv:") else ""
    fields: dict[str, str | None] = {
        "title": "{" + citation.tex(item["title"]) + "}",
        "author": " and ".join(_bibtex_person(person) for person in item.get("author", [])),
        "year": str(_year(item) or ""),
        venue: citation.tex(item.get("container-title", "")),
        "eprint": citation.plain(arxiv[6:]),
        "archiveprefix": "arXiv" if arxiv else "",
        "doi": citation.plain(item.get("DOI", "")),
        "url": citation.plain(item.get("URL", "")),
    }
    return citation.write_bibtex(kind, key, {**fields, **added})


def _bibtex_person(person: dict[str, str]) -> str:
    if "family" not in person:
        return "{" + citation.tex(person["literal"]) + "}"
    parts = [citation.tex(person[name]).replace(",", "") for name in ("family", "given") if person.get(name)]
    return ", ".join("{" + part + "}" if re.search(r"\band\b", part) else part for part in parts)


def _ris(work: ExportedWork, key: str) -> str:
    added: dict[str, str | list[str]] = {
        "keywords": list(work.tags),
        "notes": [work.note] if work.note else [],
        "id": key,
    }
    if work.paper is not None:
        return citation.ris(work.paper, **added)
    item = work.item
    fields: dict[str, str | list[str] | None] = {
        "title": item["title"],
        "authors": [
            ", ".join(person[name] for name in ("family", "given", "literal") if person.get(name))
            for person in item.get("author", [])
        ],
        "year": str(_year(item) or ""),
        "secondary_title": item.get("container-title"),
        "doi": item.get("DOI"),
        "urls": [item["URL"]] if item.get("URL") else [],
        "accession_number": item.get("number"),
        "abstract": item.get("abstract"),
    }
    return citation.write_ris(_RIS_TYPES.get(item.get("type", ""), "GEN"), {**fields, **added})
