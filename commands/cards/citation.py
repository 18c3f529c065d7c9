"""Citations: BibTeX, RIS and CSL-JSON that other programs read without complaint."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

from data.keys import fold
from data.records import Paper

_PARTICLES = frozenset("van von der den de da di del della dos du la le ben bin al el ter ten zu zur".split())
_SUFFIXES = frozenset("jr sr ii iii iv".split())
_BARE = re.compile(r"(?<!\\)([&%#_$])")


def split_name(name: str) -> tuple[str, str]:
    """(family, given) of a printed name; particles stay with the family name."""
    words = name.split()
    if len(words) < 2:
        return name.strip(), ""
    tail = len(words) - 1
    suffix = ""
    if words[-1].strip(".,").lower() in _SUFFIXES and len(words) > 2:
        suffix, tail = f" {words[-1]}", tail - 1
    start = tail
    while start > 1 and words[start - 1].lower() in _PARTICLES:
        start -= 1
    return " ".join(words[start : tail + 1]).rstrip(",") + suffix, " ".join(words[:start])


def key_of(paper: Paper) -> str:
    """A citation key such as ``xi2026few``: family name, year, first long word of the title."""
    family = split_name(paper.authors[0].name)[0] if paper.authors else "anonymous"
    year = str(paper.day.year) if paper.day else ""
    word = next((w for w in re.findall(r"[a-z]+", fold(paper.title)) if len(w) > 3), "")
    return re.sub(r"[^a-z0-9]", "", fold(family))[:30] + year + word[:20] or f"paper{paper.id}"


def bibtex(paper: Paper) -> str:
    """An ``@article`` where a journal is known, else ``@misc`` with arXiv's eprint fields."""
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
    lines = [
        f"  {name} = {value if name == 'month' else '{' + value + '}'}"
        for name, value in fields.items()
        if value
    ]
    return f"@{kind}{{{key_of(paper)},\n" + ",\n".join(lines) + "\n}\n"


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


def ris(paper: Paper) -> str:
    """RIS, one tag a line, for reference managers."""
    written = _date(paper)
    kind = "JOUR" if paper.journal_ref else "CONF" if paper.venue else "UNPB"
    lines = [("TY", kind), ("TI", paper.title)]
    for author in paper.authors:
        family, given = split_name(author.name)
        lines.append(("AU", f"{family}, {given}" if given else family))
    optional = (
        ("PY", str(written.year) if written else None),
        ("DA", f"{written:%Y/%m/%d}" if written else None),
        ("JO" if paper.journal_ref else "T2", paper.journal_ref or paper.venue),
        ("DO", paper.doi),
        ("UR", paper.url),
        ("AN", f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else None),
        ("AB", paper.abstract or None),
    )
    lines += [(tag, value) for tag, value in optional if value]
    return "".join(f"{tag}  - {' '.join(value.split())}\n" for tag, value in lines) + "ER  - \n"


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
