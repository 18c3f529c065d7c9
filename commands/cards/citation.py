"""Citations: BibTeX, RIS and CSL-JSON that other programs read without complaint."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

import rispy
from bibtexparser.entrypoint import write_string
from bibtexparser.library import Library
from bibtexparser.model import Entry, Field
from bibtexparser.writer import BibtexFormat

from commands.cards.cited_place import cited_place
from commands.cards.text import readable
from data.keys import fold
from data.records import Paper
from index.identity.person_names import split_name
from index.people.no_person import is_group

_BARE = re.compile(r"(?<!\\)([&%#_$])")
_FORMULA = re.compile(r"(?<!\\)\$(?=\S)[^$]{1,300}(?<=\S)(?<!\\)\$(?!\d)")
"""What dollar signs enclose as a formula, and not as sums of money; Pandoc's rule."""
_NAMED = {"article": "journal", "inproceedings": "booktitle", "misc": "howpublished"}
"""The field of each kind of entry that says where the paper appeared."""
_RIS = {"article": "JOUR", "inproceedings": "CONF", "misc": "UNPB"}
_RIS_DATES = {"day": "%Y/%m/%d", "month": "%Y/%m//", "year": "%Y///"}
_CSL = {"article": "article-journal", "inproceedings": "paper-conference", "misc": "article"}


def key_of(paper: Paper) -> str:
    """A citation key such as ``xi2026few``: family name, year, first long word of the title."""
    first = paper.authors[0].name if paper.authors else ""
    family = first if is_group(first) else split_name(first)[0] if paper.authors else "anonymous"
    year = str(paper.day.year) if paper.day else ""
    word = next((w for w in re.findall(r"[a-z]+", fold(paper.title)) if len(w) > 3), "")
    return re.sub(r"[^a-z0-9]", "", fold(family))[:30] + year + word[:20] or f"paper{paper.id}"


def bibtex(paper: Paper, key: str = "", **more: str) -> str:
    """An ``@article`` or ``@inproceedings`` if the record says where it appeared, else ``@misc``.

    Parameters
    ----------
    key
        The citation key, where it is not the paper's own.
    more
        Further fields, written as BibTeX already.
    """
    names = [author.name for author in paper.authors] + ([] if paper.authors_complete else ["others"])
    written, place = _date(paper), cited_place(paper)
    name = tex(place.name) if place.name else None
    fields: dict[str, str | None] = {
        "title": "{" + tex(paper.title) + "}",
        "author": " and ".join(_bibtex_name(name) for name in names),
        "year": str(written.year) if written else None,
        "month": f"{written:%b}".lower() if written and paper.dated_by != "year" else None,
        _NAMED[place.kind]: name,
        "eprint": paper.arxiv_id,
        "archiveprefix": "arXiv" if paper.arxiv_id else None,
        "primaryclass": paper.primary_category if paper.arxiv_id else None,
        "doi": plain(paper.doi) if paper.doi else None,
        "url": paper.url,
    }
    return write_bibtex(place.kind, key or key_of(paper), {**fields, **more})


def write_bibtex(kind: str, key: str, fields: dict[str, str | None]) -> str:
    """One entry; fields without a value are left out, and months stay the macros that BibTeX knows."""
    written = [
        Field(name, value, enclosing="no-enclosing" if name == "month" else "{")
        for name, value in fields.items()
        if value
    ]
    layout = BibtexFormat()  # type: ignore[no-untyped-call]
    layout.indent = "  "
    return write_string(Library([Entry(kind, key, written)]), bibtex_format=layout)


def _bibtex_name(name: str) -> str:
    if name == "others":
        return name
    if is_group(name):
        return "{" + tex(name) + "}"
    family, given = (tex(part).replace(",", "") for part in split_name(name))
    family = "{" + family + "}" if re.search(r"\band\b", family) else family
    return f"{family}, {given}" if given else "{" + family + "}"


def tex(text: str) -> str:
    """Text for a BibTeX value: special characters escaped, formulas kept, braces balanced."""
    if not _is_balanced(text):
        text = re.sub(r"\\?[{}]", "", text)
    parts, end = [], 0
    for formula in _FORMULA.finditer(text):
        parts += [_escaped(text[end : formula.start()]), re.sub(r"(?<!\\)([&%#])", r"\\\1", formula[0])]
        end = formula.end()
    text = "".join([*parts, _escaped(text[end:])])
    return text.rstrip("\\").replace('"', "''").replace("@", "{@}")


def _is_balanced(text: str) -> bool:
    """Whether braces open and close; BibTeX counts those behind a backslash, too."""
    depth = 0
    for character in text:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    return depth == 0


def _escaped(text: str) -> str:
    return re.sub(r"(?<!\\)\^", r"\\^{}", _BARE.sub(r"\\\1", text))


def plain(text: str) -> str:
    return re.sub(r"[{}\\\s]", "", text)


def ris(paper: Paper, **more: str | list[str]) -> str:
    """RIS for reference managers, in plain text; ``more`` are further fields by rispy's names."""
    written, place = _date(paper), cited_place(paper)
    fields: dict[str, str | list[str] | None] = {
        "title": readable(paper.title),
        "authors": [_ris_name(readable(author.name)) for author in paper.authors],
        "year": str(written.year) if written else None,
        "date": f"{written:{_RIS_DATES[paper.dated_by]}}" if written else None,
        "journal_name" if place.kind == "article" else "secondary_title": readable(place.name or ""),
        "doi": paper.doi,
        "urls": [paper.url] if paper.url else [],
        "accession_number": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else None,
        "abstract": readable(paper.abstract),
    }
    return write_ris(_RIS[place.kind], {**fields, **more})


def _ris_name(name: str) -> str:
    return name if is_group(name) else ", ".join(filter(None, split_name(name)))


class _Reference(rispy.RisWriter):  # type: ignore[misc]
    """Writes a reference without the running number that rispy puts before it."""

    def set_header(self, count: int) -> str:
        return ""


def write_ris(kind: str, fields: dict[str, str | list[str] | None]) -> str:
    """One reference; a value is one line, since a line that begins like a tag would be read as one."""
    flat = {
        name: [" ".join(part.split()) for part in value]
        if isinstance(value, list)
        else " ".join(value.split())
        for name, value in fields.items()
        if value
    }
    text: str = rispy.dumps([{"type_of_reference": kind} | flat], implementation=_Reference)
    return text


def csl_json(paper: Paper) -> str:
    """CSL-JSON, an array of one item, in plain text."""
    written, place = _date(paper), cited_place(paper)
    people = []
    for author in paper.authors:
        name = readable(author.name)
        family, given = (name, "") if is_group(name) else split_name(name)
        people.append({"family": family, "given": given} if given else {"literal": family})
    item: dict[str, Any] = {
        "id": key_of(paper),
        "type": _CSL[place.kind],
        "title": readable(paper.title),
        "author": people,
    }
    parts = [written.year, written.month, written.day] if written else []
    known = {"day": 3, "month": 2, "year": 1}[paper.dated_by]
    optional = {
        "issued": {"date-parts": [parts[:known]]} if written else None,
        "container-title": readable(place.name or ""),
        "DOI": paper.doi,
        "URL": paper.url,
        "number": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else None,
        "publisher": "arXiv" if paper.arxiv_id else None,
        "abstract": readable(paper.abstract) or None,
    }
    return json.dumps([item | {k: v for k, v in optional.items() if v}], ensure_ascii=False, indent=1) + "\n"


def _date(paper: Paper) -> date | None:
    return paper.submitted or paper.day


def code_block(text: str, most: int) -> str:
    """Text in a code block that nothing in it can end."""
    body = text.replace("```", "'''").replace("`", "'")
    return f"```bibtex\n{body[:most]}\n```"
