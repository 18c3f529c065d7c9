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

from data.keys import fold
from data.records import Paper
from index.identity.person_names import split_name

_BARE = re.compile(r"(?<!\\)([&%#_$])")


def key_of(paper: Paper) -> str:
    """A citation key such as ``xi2026few``: family name, year, first long word of the title."""
    family = split_name(paper.authors[0].name)[0] if paper.authors else "anonymous"
    year = str(paper.day.year) if paper.day else ""
    word = next((w for w in re.findall(r"[a-z]+", fold(paper.title)) if len(w) > 3), "")
    return re.sub(r"[^a-z0-9]", "", fold(family))[:30] + year + word[:20] or f"paper{paper.id}"


def bibtex(paper: Paper, key: str = "", **more: str) -> str:
    """An ``@article`` where a journal is known, else ``@misc`` with arXiv's eprint fields.

    Parameters
    ----------
    key
        The citation key, where it is not the paper's own.
    more
        Further fields, written as BibTeX already.
    """
    names = [author.name for author in paper.authors] + ([] if paper.authors_complete else ["others"])
    written = _date(paper)
    fields: dict[str, str | None] = {
        "title": "{" + tex(paper.title) + "}",
        "author": " and ".join(_bibtex_name(name) for name in names),
        "year": str(written.year) if written else None,
        "month": f"{written:%b}".lower() if written else None,
        "journal": tex(paper.journal_ref) if paper.journal_ref else None,
        "booktitle": tex(paper.venue) if paper.venue and not paper.journal_ref else None,
        "eprint": paper.arxiv_id,
        "archiveprefix": "arXiv" if paper.arxiv_id else None,
        "primaryclass": paper.primary_category if paper.arxiv_id else None,
        "doi": plain(paper.doi) if paper.doi else None,
        "url": paper.url,
    }
    kind = "article" if paper.journal_ref else "inproceedings" if paper.venue else "misc"
    return write_bibtex(kind, key or key_of(paper), {**fields, **more})


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
    family, given = (tex(part).replace(",", "") for part in split_name(name))
    family = "{" + family + "}" if re.search(r"\band\b", family) else family
    return f"{family}, {given}" if given else "{" + family + "}"


def tex(text: str) -> str:
    """Text for a BibTeX value: special characters escaped, braces balanced."""
    text = _BARE.sub(r"\\\1", text) if text.count("$") != 2 else re.sub(r"(?<!\\)([&%#])", r"\\\1", text)
    depth = 0
    for character in text.replace("\\{", "").replace("\\}", ""):
        depth += (character == "{") - (character == "}")
        if depth < 0:
            break
    if depth != 0:
        text = text.replace("{", "").replace("}", "")
    return text.rstrip("\\").replace('"', "''").replace("@", "{@}")


def plain(text: str) -> str:
    return re.sub(r"[{}\\\s]", "", text)


def ris(paper: Paper, **more: str | list[str]) -> str:
    """RIS for reference managers; ``more`` are further fields by rispy's names."""
    written = _date(paper)
    kind = "JOUR" if paper.journal_ref else "CONF" if paper.venue else "UNPB"
    fields: dict[str, str | list[str] | None] = {
        "title": paper.title,
        "authors": [", ".join(filter(None, split_name(author.name))) for author in paper.authors],
        "year": str(written.year) if written else None,
        "date": f"{written:%Y/%m/%d}" if written else None,
        "journal_name" if paper.journal_ref else "secondary_title": paper.journal_ref or paper.venue,
        "doi": paper.doi,
        "urls": [paper.url] if paper.url else [],
        "accession_number": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else None,
        "abstract": paper.abstract,
    }
    return write_ris(kind, {**fields, **more})


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
    """CSL-JSON, an array of one item."""
    written = _date(paper)
    people = []
    for author in paper.authors:
        family, given = split_name(author.name)
        people.append({"family": family, "given": given} if given else {"literal": family})
    kind = "article-journal" if paper.journal_ref else "paper-conference" if paper.venue else "article"
    item: dict[str, Any] = {"id": key_of(paper), "type": kind, "title": paper.title, "author": people}
    optional = {
        "issued": {"date-parts": [[written.year, written.month, written.day]]} if written else None,
        "container-title": paper.journal_ref or paper.venue,
        "DOI": paper.doi,
        "URL": paper.url,
        "number": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else None,
        "publisher": "arXiv" if paper.arxiv_id else None,
        "abstract": paper.abstract or None,
    }
    return json.dumps([item | {k: v for k, v in optional.items() if v}], ensure_ascii=False, indent=1) + "\n"


def _date(paper: Paper) -> date | None:
    return paper.submitted or paper.day


def code_block(text: str, most: int) -> str:
    """Text in a code block that nothing in it can end."""
    body = text.replace("```", "'''").replace("`", "'")
    return f"```bibtex\n{body[:most]}\n```"
