"""Full texts in SQL: kept for as many papers as there is room, and gone with their paper."""

from __future__ import annotations

from datetime import timedelta

from data.calendar.clock import utc_now
from data.records import Deletion
from data.stores.full_texts import KeptPassage
from data.tables.full_texts import FullTextRow
from tests.helpers.records import record

PASSAGES = [
    KeptPassage("1 Introduction", 1, "Spikes are bad."),
    KeptPassage("Figure 1", None, "Loss."),
]
FACTS = {"version": 2, "form": "pdf", "pages": 9}


async def added(store, *numbers):
    return (await store.upsert([record(number) for number in numbers])).ids


async def keep(store, paper, most=10, **more):
    return await store.full_texts.keep(paper, PASSAGES, **(FACTS | {"most": most} | more))


async def used(store, paper, ago):
    async with store._writer.begin() as connection:
        change = FullTextRow.__table__.update().where(FullTextRow.paper_id == paper)
        await connection.execute(change.values(used=utc_now() - ago))


async def test_a_text_is_kept_whole_and_replaced_whole(store):
    [paper] = await added(store, 1)
    assert await store.full_texts.find(paper) is None
    assert await keep(store, paper)
    kept = await store.full_texts.find(paper)
    assert kept.passages == tuple(PASSAGES)
    assert (kept.version, kept.form, kept.refused, kept.pages, kept.model) == (2, "pdf", "", 9, "")
    assert (await store.full_texts.passage(paper, 1)).text == "Loss."
    assert await store.full_texts.passage(paper, 2) is None
    await store.full_texts.keep(paper, PASSAGES[:1], **(FACTS | {"version": 3, "most": 10}))
    kept = await store.full_texts.find(paper)
    assert (kept.version, kept.passages) == (3, tuple(PASSAGES[:1]))
    await store.full_texts.refuse(paper, 4, "It is encrypted.")
    kept = await store.full_texts.find(paper)
    assert (kept.refused, kept.passages) == ("It is encrypted.", ())


async def test_vectors_are_added_to_the_text_that_they_were_made_for(store):
    [paper] = await added(store, 1)
    await keep(store, paper)
    kept = await store.full_texts.find(paper)
    await store.full_texts.add_vectors(paper, kept.fetched, [b"\x00\x3c", b"\x3c\x00"], "a model")
    vectors = [one.vector for one in (await store.full_texts.find(paper)).passages]
    assert vectors == [b"\x00\x3c", b"\x3c\x00"]
    await keep(store, paper, version=3)
    await store.full_texts.add_vectors(paper, kept.fetched, [b"ab", b"cd"], "a model")
    newer = await store.full_texts.find(paper)
    assert (newer.model, [one.vector for one in newer.passages]) == ("", [None, None])


async def test_the_texts_that_were_longest_unused_go_first(store):
    one, two, three, four = await added(store, 1, 2, 3, 4)
    await keep(store, one)
    await keep(store, two)
    await keep(store, three)
    await used(store, one, timedelta(days=1))
    await used(store, two, timedelta(days=3))
    await used(store, three, timedelta(days=2))
    await store.full_texts.touch(two, (await store.full_texts.find(two)).used)
    await keep(store, four, most=3)
    assert await store.full_texts.count() == 3
    assert await store.full_texts.find(three) is None
    assert await store.full_texts.passage(three, 0) is None
    assert await store.full_texts.find(two) is not None


async def test_a_use_is_noted_at_most_once_an_hour(store):
    [paper] = await added(store, 1)
    await keep(store, paper)
    before = (await store.full_texts.find(paper)).used
    await store.full_texts.touch(paper, before)
    assert (await store.full_texts.find(paper)).used == before
    await store.full_texts.touch(paper, before - timedelta(hours=2))
    assert (await store.full_texts.find(paper)).used > before


async def test_a_text_goes_with_its_paper(store):
    """A withdrawn paper and one that turned out to be another's row leave no passage behind."""
    one, two = await added(store, 1, 2)
    await keep(store, one)
    await keep(store, two)
    await store.upsert([Deletion("arxiv", "2601.00001")])
    assert await store.full_texts.find(one) is None
    assert await store.full_texts.find(two) is not None
    assert not await keep(store, one), "a withdrawn paper's text is not kept again"
    [other] = (await store.upsert([record(3, source="files", ids={"file": "x"}, title="Something else")])).ids
    await keep(store, other)
    both = record(2, ids={"arxiv": "2601.00002", "file": "x"})
    await store.upsert([both])
    [paper] = await store.papers([other])
    left = {one for one in (two, other) if await store.full_texts.find(one) is not None}
    assert left == {paper.id}
    assert not await keep(store, 99_999)


async def test_texts_are_not_counted_as_papers(store):
    [paper] = await added(store, 1)
    facts, count, change = await store.index_facts(), await store.count(), await store.last_change()
    await keep(store, paper)
    assert (await store.index_facts(), await store.count(), await store.last_change()) == (
        facts,
        count,
        change,
    )
