"""Refused records as rows: enough of each to look at, and the reason."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from data.keys import clean, hash64
from data.records import Rejected

_EXCERPT = 2_000


def refused_row(run_id: int, source: str, rejected: Rejected) -> dict[str, Any]:
    """The row of a refused record; the same record always has the same fingerprint."""
    excerpt = clean(rejected.excerpt[:_EXCERPT])
    return {
        "run_id": run_id,
        "source": source,
        "fingerprint": hash64(rejected.reason + "\0" + excerpt),
        "place": clean(rejected.where)[:300],
        "reason": clean(rejected.reason)[:300],
        "excerpt": excerpt,
    }


def reason_of(error: ValidationError) -> str:
    """A validation error in one line, without pydantic's links and without the input."""
    details = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(
        f"{'.'.join(map(str, d['loc'])) or 'record'}: {d['msg'].removeprefix('Value error, ')}"
        for d in details[:3]
    )
