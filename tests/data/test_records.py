"""Records of absurd length are refused; those at a limit are kept whole, in PostgreSQL, too."""

from __future__ import annotations

from datetime import date

import pytest
from pydantic import ValidationError

from data.records import (
    MAX_ABSTRACT,
    MAX_AUTHORS,
    MAX_ID,
    MAX_NAME,
    MAX_SHORT,
    MAX_TITLE,
)
from data.stores.store import Store
from tests.helpers.postgres import new_database
from tests.helpers.records import record

DAY = date(2026, 1, 5)
LIMITS = {
    "id": (lambda n: {"ids": {"file": "x" * n}}, MAX_ID),
    "scheme of an id": (lambda n: {"ids": {"x" * n: "1"}}, 20),
    "source": (lambda n: {"source": "x" * n}, MAX_SHORT),
    "title": (lambda n: {"title": "x" * n}, MAX_TITLE),
    "abstract": (lambda n: {"abstract": "x" * n}, MAX_ABSTRACT),
    "name": (lambda n: {"authors": ["ß" * n]}, MAX_NAME),
    "authors": (lambda n: {"authors": [f"Author {k}" for k in range(n)]}, MAX_AUTHORS),
    "primary category": (lambda n: {"primary_category": "x" * n}, MAX_SHORT),
    "list": (lambda n: {"listings": [("x" * n, DAY)]}, MAX_SHORT),
    "version": (lambda n: {"version": n}, 1_000),
}
"""What a record may hold: made at a length, and the longest that is taken."""


@pytest.mark.parametrize(("make", "most"), LIMITS.values(), ids=LIMITS)
def test_one_more_than_the_limit_is_refused(make, most):
    record(**make(most))
    with pytest.raises(ValidationError):
        record(**make(most + 1))


@pytest.mark.parametrize(
    "facts",
    [
        {"title": "   \x00 "},
        {"authors": [], "ids": {"doi": "10.1/x"}},
        {"ids": {"arxiv": "2601.00001v2"}},
        {"ids": {"arxiv": "x'; DROP TABLE papers --"}},
        {"announced": date(1899, 12, 31)},
        {"submitted": date(2200, 1, 2)},
        {"version": 0},
        {"categories": ["<script>"]},
        {"unknown": 1},
    ],
)
def test_what_is_no_paper_is_refused(facts):
    with pytest.raises(ValidationError):
        record(**facts)


@pytest.fixture(params=["sqlite", "postgresql"])
async def store(request, tmp_path):
    url = (
        new_database() if request.param == "postgresql" else f"sqlite+aiosqlite:///{tmp_path / 'labmate.db'}"
    )
    made = await Store.open(url)
    yield made
    await made.close()


async def test_records_at_every_limit_are_kept_whole(store):
    records = [
        record(number, **{"ids": {"arxiv": f"2601.{number:05d}"}, "title": f"Paper {number}"} | make(most))
        for number, (make, most) in enumerate(LIMITS.values(), 1)
        if most != MAX_AUTHORS
    ]
    records.append(record(90, authors=[f"Author {k}" for k in range(MAX_AUTHORS)]))
    ids = (await store.upsert(records)).ids
    assert len(set(ids)) == len(records)
    for given, kept in zip(records, await store.papers(ids), strict=True):
        assert (kept.title, kept.abstract, kept.version) == (given.title, given.abstract, given.version)
        assert [author.name for author in kept.authors] == given.authors
        assert set(kept.categories) >= set(given.categories)


def test_a_degree_is_nobody_s_name():
    printed = [
        "Ada Lovelace",
        "Ph.D.",
        "M.S.",
        "Jr.",
        "MD, PhD",
        "B. Scott",
        "Md Rahman",
        "M. Sc. Chen",
        "Dr. No",
    ]
    kept = ["Ada Lovelace", "B. Scott", "Md Rahman", "M. Sc. Chen", "Dr. No"]
    assert record(authors=printed).authors == kept


def test_an_id_or_doi_has_no_nul_which_postgresql_would_not_take():
    kept = record(1, ids={"file": "a\0b", "doi": "10.1/a\0b"}, source="file", doi="10.1/a\0b")
    assert (kept.ids, kept.doi) == ({"file": "ab", "doi": "10.1/ab"}, "10.1/ab")
