"""The papers that a digest is given to learn from: pasted, in a file, from an ORCID record, by a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data.keys import title_words
from data.stores.seeds import MOST_SEEDS
from data.stores.store import Store
from index.documents.cv import CV
from index.documents.reference_file import match, read_file
from index.documents.references import NoReferences, kind_of
from index.people.people import PeopleIndex
from index.search.known_item import PaperNames
from index.search.named_papers import identifier, known_by_id

MOST_LINES = 100
"""Lines of a pasted text that are looked up."""
MOST_WORKS = 500
"""Works of an ORCID record that are looked up."""
OF_PERSON = 60
"""A person's newest papers; a ranking looks at no more."""
_LINE = 300
_WORDS = re.compile(r"[\s,;]+")
_BETWEEN = re.compile(r"[^,;]+")
_SHORTEST = 3
"""Characters of a title."""
_PARTS = 5
"""The most parts of a title that has commas among other titles."""
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
    """Papers in a pasted text: ids and links anywhere, titles, or BibTeX, RIS or CSL-JSON.

    Titles stand one a line, or with commas or semicolons between them.

    Raises
    ------
    index.documents.cv_file.UnreadableError
        If it is a list of references that can't be read.
    """
    if is_references(text):
        return await from_file(store, text.encode())
    papers: list[int] = []
    unknown: list[str] = []
    for line in [line.strip() for line in text.splitlines() if line.strip()][:MOST_LINES]:
        found, lacking = await _in_line(store, names, line)
        papers += found
        unknown += lacking
    return SeedPapers(tuple(dict.fromkeys(papers)), tuple(unknown))


def is_references(text: str) -> bool:
    """Whether a pasted text is a file's: BibTeX, RIS or CSL-JSON."""
    try:
        return kind_of(text) in ("bib", "ris") or text.lstrip().startswith(("[{", "{"))
    except NoReferences:
        return False


async def _in_line(store: Store, names: PaperNames, line: str) -> tuple[list[int], list[str]]:
    """The papers of a line, by their ids or else by their titles, and what is none."""
    named = {
        word: one for word in _WORDS.split(line) if word and (one := identifier(word.strip("()[]<>\"'")))
    }
    known = {word: await known_by_id(store, one) for word, one in list(named.items())[:MOST_LINES]}
    found = [paper for paper in known.values() if paper is not None]
    if known and len(named) == len([word for word in _WORDS.split(line) if word]):
        return found, [word[:_LINE] for word, paper in known.items() if paper is None]
    if not found:
        return await _titled(store, names, _LISTED.sub("", line).strip("\"“”'"))
    others = [part for part in _BETWEEN.findall(line) if not any(word in part for word in known)]
    titled, unknown = await _titled(store, names, ", ".join(others)) if others else ([], [])
    # Beside an id, a line often says more: its title, authors, what it is for.
    return [*found, *titled], unknown if titled else []


async def _titled(store: Store, names: PaperNames, text: str) -> tuple[list[int], list[str]]:
    """The papers with the titles in a line, which commas or semicolons may separate, and what is none."""
    parts = [part for part in _BETWEEN.finditer(text) if part[0].strip()][:MOST_LINES]
    whole = await _paper_called(names, text)
    if len(parts) < 2 or (whole is not None and await _has_all_words(store, whole, text)):
        return ([whole], []) if whole is not None else ([], [text[:_LINE]])
    found: list[int] = []
    unknown: list[str] = []
    place = 0
    while place < len(parts):
        paper, place, said = await _next(store, names, text, parts, place)
        if paper is not None:
            found.append(paper)
        elif len(said) >= _SHORTEST:
            unknown.append(said[:_LINE])
    return (found, unknown) if found else ([], [text[:_LINE]])


async def _next(
    store: Store, names: PaperNames, text: str, parts: Sequence[re.Match[str]], place: int
) -> tuple[int | None, int, str]:
    """The next paper of a row of titles, the place of the title after it, and what was looked up.

    The longest run of parts that is a whole title counts, since a title may have commas itself.
    """
    for end in range(min(place + _PARTS, len(parts)), place + 1, -1):
        run = text[parts[place].start() : parts[end - 1].end()].strip()
        if len(titled := await store.find_title(run[:_LINE])) == 1:
            return titled[0], end, run
    alone = parts[place][0].strip(" \"“”'")
    return await _paper_called(names, alone), place + 1, alone


async def _paper_called(names: PaperNames, title: str) -> int | None:
    return (await names.named(title[:_LINE])).paper if len(title) >= _SHORTEST else None


async def _has_all_words(store: Store, paper: int, text: str) -> bool:
    """Whether a text is a paper's title or a part of it, not one title among others."""
    words = {*title_words(text)}
    known = await store.papers([paper])
    return any(words <= {*title_words(title)} for one in known for title in (one.title, *one.former_titles))


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
