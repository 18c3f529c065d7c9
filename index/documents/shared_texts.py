"""Read papers in the files that all processes share, so that arXiv is asked for each version once."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError

from data.records import Paper
from data.shared_files import SharedFiles, Shelf
from data.stores.full_texts import KeptPassage
from index.documents.paper_file import LONGEST_SENTENCE, MOST_PASSAGES, Form, ReadPaper

READ_PAPERS = Shelf("full-texts", largest=16_000_000, most=20_000, life=timedelta(days=90))
LAYOUT: Literal[1] = 1
"""Raised when papers are read or cut otherwise; files of another layout are read from arXiv again."""


class _Passage(NamedTuple):
    section: str
    page: int | None
    text: str


class _File(NamedTuple):
    layout: Literal[1]
    form: Form
    pages: int
    passages: list[_Passage]


_FILES = TypeAdapter(_File)


async def shared_text(files: SharedFiles, paper: Paper) -> tuple[Form, ReadPaper] | None:
    """What another process, or this one, read of this version; None where that is not known."""
    name = _name(paper)
    data = await files.read(READ_PAPERS, name) if name else None
    if data is None:
        return None
    try:
        _, form, pages, passages = _FILES.validate_json(data)
    except ValidationError:
        return None
    whole = 0 < len(passages) <= MOST_PASSAGES and 0 <= pages <= 100_000
    if not whole or any(len(passage.text) > LONGEST_SENTENCE for passage in passages):
        return None
    return form, ReadPaper(tuple(KeptPassage(*passage) for passage in passages), pages)


async def share_text(files: SharedFiles, paper: Paper, form: Form, read: ReadPaper) -> None:
    """Leave what was read for others."""
    name = _name(paper)
    if name:
        passages = [_Passage(one.section, one.page, one.text) for one in read.passages]
        await files.write(READ_PAPERS, name, _FILES.dump_json(_File(LAYOUT, form, read.pages, passages)))


def _name(paper: Paper) -> str:
    """The file's name; empty where the version is not known, since what is newest changes."""
    if paper.arxiv_id is None or paper.version is None:
        return ""
    return f"{paper.arxiv_id.replace('/', '_')}v{paper.version}.json.zst"
