"""Which known paper a reference means: with an author in common, never by a title that many works have."""

import pytest

from index.documents.reference_file import match
from tests.helpers.records import record

SHORT, LONG = "Attention in practice", "Attention in practice, and what comes of it"


@pytest.fixture
async def known(store):
    names = [
        "Oliver Klein",
        "Jan van der Berg",
        "Gabriel García Márquez",
        "Jörg Müller",
        "Martin King Jr.",
        "The ATLAS Collaboration",
    ]
    await store.upsert([record(1, title=SHORT, authors=names), record(2, title=LONG, authors=names)])
    return store


async def matches(store, *authors: dict[str, str], title: str = SHORT, **more: str) -> bool:
    return await match(store, {"title": title, "author": list(authors), **more}) is not None


@pytest.mark.parametrize(
    "author",
    [
        {"family": "Klein", "given": "O."},
        {"family": "Klein"},
        {"literal": "Oliver Klein"},
        {"literal": "Klein"},
        {"family": "van der Berg", "given": "Jan"},
        {"family": "Van der Berg"},
        {"family": "Berg", "given": "Jan van der"},
        {"family": "García Márquez", "given": "G."},
        {"family": "Garcia Marquez"},
        {"family": "Mueller", "given": "Joerg"},
        {"family": "King", "given": "Martin, Jr."},
        {"family": "King, Jr.", "given": "Martin"},
        {"family": "King"},
        {"literal": "ATLAS Collaboration"},
        {"literal": "The ATLAS Collaboration"},
    ],
)
async def test_a_reference_matches_by_its_title_and_an_author_in_common(known, author):
    assert await matches(known, {"family": "Nobody", "given": "No"}, author)


@pytest.mark.parametrize(
    "author",
    [
        {"family": "Li", "given": "Wei"},
        {"family": "Klein", "given": "Anna"},
        {"family": "Ber"},
        {"literal": "The CMS Collaboration"},
        {"family": "..."},
        {"given": "Oliver"},
    ],
)
async def test_a_part_of_a_name_and_a_namesake_are_no_author_in_common(known, author):
    assert not await matches(known, author)


async def test_a_long_title_is_one_work_s_so_a_family_name_is_enough(known):
    assert await matches(known, {"family": "Klein", "given": "Anton Oliver"}, title=LONG)
    assert not await matches(known, {"family": "Li", "given": "Wei"}, title=LONG)


async def test_without_authors_only_an_article_or_a_long_title_matches(known):
    assert await matches(known, type="article-journal")
    assert not await matches(known, type="book")
    assert not await matches(known, type="chapter")
    assert await matches(known, title=LONG, type="book")
