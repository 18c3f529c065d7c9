"""The phrases of a file's papers, as JSON lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson

from data.records import PaperRecord
from data.sources.files import PaperFile
from data.sources.http import SourceError
from index.search.phrase_vocabulary import batched
from index.search.phrases import PhraseFinder


def write_phrases(
    papers: Path, out: Path, most: int, report: Callable[[str, int, int], None] | None = None
) -> int:
    """Write a line ``{"id", "phrases"}`` for each paper of a file, best first; returns how many papers.

    Raises
    ------
    SourceError
        If the file holds no paper, or ``out`` can't be written.
    """
    records = read_records(papers, report)
    found = []
    for part in batched((record.title, record.abstract) for record in records):
        found += PhraseFinder.shipped().of(part, most)
        if report:
            report("finding phrases", len(found), len(records))
    lines = [
        orjson.dumps({"id": next(iter(record.ids.values())), "phrases": [phrase.text for phrase in phrases]})
        for record, phrases in zip(records, found, strict=True)
    ]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(b"".join(line + b"\n" for line in lines))
    except OSError as error:
        raise SourceError(f"{out} can't be written: {error.strerror}") from error
    return len(lines)


def read_records(papers: Path, report: Callable[[str, int, int], None] | None = None) -> list[PaperRecord]:
    """The papers of a file, whatever their ids.

    Raises
    ------
    SourceError
        If it holds none.
    """
    file = PaperFile(papers, own_ids=True)
    records, refused = [], ""
    for line, record in file:
        if isinstance(record, PaperRecord):
            records.append(record)
        else:
            refused = refused or f" ({record.where}: {record.reason})"
        if report and line % 5_000 == 0:
            report("reading", file.position, file.size)
    if not records:
        raise SourceError(f"{papers} holds no paper{refused}")
    return records
