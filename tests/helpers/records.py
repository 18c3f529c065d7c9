"""Records for tests."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

from data.records import Author, Paper, PaperRecord

PAPER = Paper(
    id=1,
    title="A Few GPUs",
    abstract="We study. Then we stop.",
    authors=(Author("ada lovelace", "Ada Lovelace"), Author("ludwig van beethoven", "Ludwig van Beethoven")),
    authors_complete=True,
    version=2,
    primary_category="cs.DC",
    categories=("cs.DC", "cs.LG"),
    submitted=date(2026, 5, 15),
    updated=date(2026, 6, 1),
    announced=date(2026, 5, 18),
    doi="10.1145/1.2",
    journal_ref=None,
    comment="12 pages",
    venue=None,
    withdrawn=False,
    arxiv_id="2605.15617",
)
ABSTRACT = "We study things. The things are studied with care. Results show that care pays."


def record(number: int = 1, **more: Any) -> PaperRecord:
    """An arXiv record, plain unless told otherwise."""
    fields: dict[str, Any] = {
        "source": "arxiv-daily",
        "ids": {"arxiv": f"2601.{number:05d}"},
        "title": f"Paper number {number} about topic{number}",
        "abstract": f"{ABSTRACT} Number {number}.",
        "authors": ["Ada Lovelace", f"Bob Person{number}"],
        "categories": ["cs.CL"],
        "announced": date(2026, 1, 5),
        "listings": [("cs.CL", date(2026, 1, 5))],
    }
    return PaperRecord(**(fields | more))


def papers_file(path: Path, count: int = 30) -> Path:
    """A file as arXiv's daily one; every second paper has no identifier that can be read."""
    lines = [
        json.dumps(
            {
                "id": f"x{n}" if n % 2 else f"2601.{n:05d}",
                "title": f"About topic{n} and things",
                "abstract": f"We study topic{n}. It is different from topic{n + 1}.",
                "authors": ["Ada Lovelace"],
                "lists": ["cs.CL"],
                "announced": "2026-01-05",
            }
        )
        for n in range(count)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path
