"""Records for tests."""

from __future__ import annotations

from datetime import date
from typing import Any

from data.records import PaperRecord

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
