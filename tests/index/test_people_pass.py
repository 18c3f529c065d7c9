"""Passes over a store: when everybody is judged, and what corrections, readers and kills find meanwhile."""

import pytest

from index.embedding import Embedder
from index.library import Library
from index.people_pass import identify, outnumbered
from tests.records import record


@pytest.fixture
async def library(store, tmp_path):
    return await Library.open(store, tmp_path / "index", Embedder(), writable=True)


def circles(first, count):
    """Papers of two people called Wei Wang, each with coauthors of their own."""
    pairs = (["Ada Lovelace", "Alan Turing"], ["Bob Builder", "Bea Baker"])
    return [record(n, authors=["Wei Wang", *pairs[n % 2]]) for n in range(first, first + count)]


async def people_of(library, name):
    author = await library.store.author_names.find(name)
    return dict(await library.store.people.named([author]))


async def test_a_load_larger_than_what_was_judged_is_judged_whole(library):
    await library.store.upsert(circles(0, 2))
    await identify(library)
    await library.store.upsert(circles(2, 40))
    outcome = await identify(library)
    assert outcome.kind == "full"
    assert await library.store.people.standing() == (126, 126)
    assert (await identify(library, full=True)).changed == 0, "nothing is left for a full pass to find"


async def test_a_small_load_is_placed_and_counts_as_placed_until_a_full_pass(library):
    await library.store.upsert(circles(0, 20))
    await identify(library)
    await library.store.upsert(circles(20, 12))
    assert (await identify(library)).kind == "new"
    assert await library.store.people.standing() == (96, 60)
    await library.store.upsert(circles(40, 9))
    assert (await identify(library)).kind == "full", "36 placed before and 27 new ones outnumber 60 judged"
    assert await library.store.people.standing() == (123, 123)


async def test_judged_names_that_were_replaced_count_as_new(library):
    await library.store.upsert(circles(0, 10))
    await identify(library)
    newer = [
        record(n, source="arxiv", version=2, authors=[f"Grace{n} Hopper{n}", f"Max{n} Born{n}"])
        for n in range(6)
    ]
    await library.store.upsert(newer)
    assert await library.store.people.standing() == (24, 12)
    assert not outnumbered(24, 12)
    assert outnumbered(25, 12)
