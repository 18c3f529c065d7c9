"""The papers that a digest is given to learn from: pasted, in a file, from an ORCID record, by a person."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from data.calendar.arxiv_ids import find_arxiv_id, find_doi
from data.stores.seeds import MOST_SEEDS
from data.stores.store import Store
from index.documents.cv import CV
from index.documents.reference_file import match, read_file
from index.documents.references import NoReferences, kind_of
from index.people.people import PeopleIndex
from index.search.known_item import PaperNames

MOST_LINES = 100
"""Lines of a pasted text that are looked up."""
MOST_WORKS = 500
"""Works of an ORCID record that are looked up."""
OF_PERSON = 60
"""A person's newest papers; a ranking looks at no more."""
_LINE = 300
_LISTED = re.compile(r"^(?:\s*(?:[-*•·]|\[?\d{1,3}[.)\]])\s+)+")


@dataclass(frozen=True, slots=True)
class SeedPapers:
    """What was understood.

    Attributes
    ----------
    papers
        Store ids, in the order in which they were given.
    unknown
        What matches no paper of this library, as it was given.
    """

    papers: tuple[int, ...]
    unknown: tuple[str, ...] = ()


async def from_text(store: Store, names: PaperNames, text: str) -> SeedPapers:
    """Papers in a pasted text: ids and links anywhere, titles one a line, or BibTeX, RIS or CSL-JSON.

    Raises
    ------
    index.documents.cv_file.UnreadableError
        If it is a list of references that can't be read.
    """
    if _is_references(text):
        return await from_file(store, text.encode())
    papers: list[int] = []
    unknown: list[str] = []
    for line in [line.strip()[:_LINE] for line in text.splitlines() if line.strip()][:MOST_LINES]:
        meant = await _in_line(store, names, line)
        papers += meant
        if not meant:
            unknown.append(line)
    return SeedPapers(tuple(dict.fromkeys(papers)), tuple(unknown))


def _is_references(text: str) -> bool:
    try:
        return kind_of(text) in ("bib", "ris") or text.lstrip().startswith(("[{", "{"))
    except NoReferences:
        return False


async def _in_line(store: Store, names: PaperNames, line: str) -> list[int]:
    """The papers of a line: those whose ids it has, else the one with its title."""
    found: list[int] = []
    for word in re.split(r"[\s,;]+", line):
        arxiv, doi = find_arxiv_id(word.strip("()[]<>\"'")), find_doi(word)
        paper = await store.find_id("arxiv", arxiv[0]) if arxiv else None
        if paper is None and doi:
            paper = await store.find_id("doi", doi[:300])
        if paper is not None:
            found.append(paper)
    if found:
        return found
    title = _LISTED.sub("", line).strip("\"“”'")
    meant = (await names.named(title)).paper if len(title) > 2 else None
    return [meant] if meant is not None else []


async def from_file(store: Store, data: bytes, name: str = "") -> SeedPapers:
    """The known papers of a file of references.

    Raises
    ------
    index.documents.cv_file.UnreadableError
        If it is refused, damaged, or takes too much time or memory.
    """
    items, unread = await read_file(data, name)
    papers: list[int] = []
    unknown: list[str] = []
    for item in items:
        paper = await match(store, item)
        if paper is None:
            unknown.append(_title(item))
        elif len(papers) < MOST_SEEDS:
            papers.append(paper.id)
    return SeedPapers(tuple(dict.fromkeys(papers)), (*unknown, *unread))


def _title(item: dict[str, Any]) -> str:
    return str(item.get("title", ""))[:_LINE]


async def from_record(store: Store, record: CV) -> SeedPapers:
    """The known papers of a public ORCID record, by their titles."""
    papers: list[int] = []
    unknown: list[str] = []
    for work in record.publications[:MOST_WORKS]:
        titled = await store.find_title(work.title)
        papers += titled[:1]
        if not titled:
            unknown.append(work.title)
    return SeedPapers(tuple(dict.fromkeys(papers)), tuple(unknown))


def of_person(people: PeopleIndex | None, person: int) -> SeedPapers:
    """A person's newest papers."""
    return SeedPapers(tuple(people.papers(person)[:OF_PERSON].tolist()) if people is not None else ())
