"""What members keep of a paper holds for the one it is merged into; a title that comes back is kept once."""

from datetime import UTC, date, datetime

import pytest

from data.stores.delivery_record import Chosen
from data.stores.digest_record import Digest
from data.stores.library import MAX_NOTE, MOST_TAGS
from tests.helpers.records import record

DUE = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
ADA = {"authors": ["Ada Lovelace"]}
SAMPLE = {"source": "sample", "title": "Alpha beta", **ADA}
ARXIV = {"source": "arxiv-snapshot", "ids": {"arxiv": "2601.00002"}}


@pytest.fixture
async def pair(store):
    """(the number of a paper that will be merged, that of the one it will be)."""
    changes = await store.upsert(
        [
            record(1, ids={"sample": "a"}, **SAMPLE),
            record(2, title="Gamma delta", **{**ARXIV, "authors": ["Ada Lovelace", "Bo Ba"]}),
        ]
    )
    return changes.ids


async def _merge(store, pair):
    await store.upsert([record(2, ids={"sample": "a", "arxiv": "2601.00002"}, **SAMPLE)])
    assert await store.find_id("sample", "a") == pair[1]


async def test_a_kept_paper_is_found_under_its_present_number_and_kept_once(store, pair):
    kept, _ = await store.library.keep(7, pair[0])
    await store.library.change(7, kept.id, note="my note", tags=("gpu",))
    await _merge(store, pair)
    found = await store.library.of_paper(7, pair[1])
    assert (found.note, found.tags) == ("my note", ("gpu",))
    assert (await store.library.keep(7, pair[1]))[1] is False
    assert [work.paper_id for work in await store.library.of(7)] == [pair[1]]


async def test_of_a_paper_that_was_kept_twice_both_notes_stay(store, pair):
    for paper, note, state in ((pair[0], "first", "read"), (pair[1], "second", "unread")):
        kept, _ = await store.library.keep(7, paper)
        await store.library.change(7, kept.id, note=note, tags=(note, "gpu"), state=state)
    await _merge(store, pair)
    [work] = await store.library.of(7)
    assert (work.paper_id, work.state, set(work.note.split("\n"))) == (pair[1], "read", {"first", "second"})
    assert set(work.tags) == {"first", "second", "gpu"}


async def test_nothing_that_a_member_wrote_of_a_paper_kept_twice_is_cut(store, pair):
    for paper, letter in ((pair[0], "a"), (pair[1], "b")):
        kept, _ = await store.library.keep(7, paper)
        tags = tuple(f"{letter}{n}" for n in range(MOST_TAGS))
        await store.library.change(7, kept.id, note=letter * MAX_NOTE, tags=tags)
    await _merge(store, pair)
    [work] = await store.library.of(7)
    assert set(work.note.split("\n")) == {"a" * MAX_NOTE, "b" * MAX_NOTE}
    assert set(work.tags) == {f"{letter}{n}" for letter in "ab" for n in range(MOST_TAGS)}


async def test_what_was_removed_from_a_library_does_not_come_back(store, pair):
    kept, _ = await store.library.keep(7, pair[0])
    await store.library.change(7, kept.id, note="gone")
    await store.library.drop(7, kept.id)
    await store.library.keep(7, pair[1])
    await _merge(store, pair)
    assert [(work.paper_id, work.note) for work in await store.library.of(7)] == [(pair[1], "")]


async def test_a_list_has_the_paper_once_and_can_drop_it(store, pair):
    made = await store.lists.make(1, "reading", 7)
    for paper in pair:
        await store.lists.put(made.id, paper, 7)
    await _merge(store, pair)
    assert [listed.paper for listed in await store.lists.papers(made.id)] == [pair[1]]
    assert await store.lists.take_off(made.id, pair[1])
    assert await store.lists.papers(made.id) == []


async def test_of_two_opinions_the_later_one_holds(store, pair):
    await store.digests.think(1, 5, pair[1], "like")
    await store.digests.think(1, 5, pair[0], "dislike")
    await _merge(store, pair)
    assert [said[:3] for said in await store.digests.opinions(guild=1)] == [(5, pair[1], "dislike")]


async def test_a_title_that_comes_back_in_other_letters_is_kept_once(store):
    for version, title in ((1, "Deep nets"), (2, "Deeper")):
        await store.upsert([record(1, source="arxiv-snapshot", version=version, title=title)])
    back = [(3, "Deep Nets"), (4, "Third")]
    changes = await store.upsert(
        [record(1, source="arxiv-snapshot", version=version, title=title) for version, title in back]
    )
    [paper] = await store.papers(changes.ids[:1])
    assert paper.title == "Third"
    assert sorted(title.casefold() for title in paper.former_titles) == ["deep nets", "deeper"]


async def test_a_former_title_of_both_papers_is_kept_once(store, pair):
    for version, title in ((2, "Alpha Beta"), (3, "Omega")):
        await store.upsert([record(2, version=version, title=title, **ARXIV, authors=["Zed Z"])])
    await _merge(store, pair)
    assert await store.find_title("alpha beta") == [pair[1]]


async def test_a_merged_paper_was_shown_and_is_on_its_way_under_its_present_number(store, pair):
    digest = await store.digests.make(Digest(1, 10, 5))
    digest = await store.digests.change(digest.id, state="active")
    kept = {"state": "written", "upto": None, "papers": [Chosen(pair[0], text_hash=7)]}
    delivery = await store.digests.write(digest, date(2026, 11, 23), DUE, **kept)
    await _merge(store, pair)
    assert await store.digests.coming(10, 0) == {pair[1]}
    await store.digests.posted(delivery, 10, 777)
    assert await store.digests.shown(10, [pair[1]]) == {pair[1]: 7}


async def test_what_was_shown_before_a_merge_is_not_shown_again(store, pair):
    digest = await store.digests.make(Digest(1, 10, 5))
    kept = {"state": "written", "upto": None, "papers": [Chosen(pair[0], text_hash=7)]}
    delivery = await store.digests.write(digest, date(2026, 11, 23), DUE, **kept)
    await store.digests.posted(delivery, 10, 777)
    await _merge(store, pair)
    assert await store.digests.shown(10, [pair[1]]) == {pair[1]: 7}


async def test_a_followed_paper_is_followed_under_its_present_number_and_once(store, pair):
    for member, paper in ((7, pair[0]), (7, pair[1]), (8, pair[0])):
        await store.members.follow(member, "paper", str(paper), "Alpha")
    first = (await store.members.following(7))[-1].made
    await _merge(store, pair)
    assert [(f.target, f.made) for f in await store.members.following(7)] == [(str(pair[1]), first)]
    assert [f.target for f in await store.members.following(8)] == [str(pair[1])]
    assert not await store.members.follow(8, "paper", str(pair[1]), "Alpha")


async def test_a_question_that_was_not_answered_takes_no_opinion_away(store, pair):
    await store.digests.think(1, 5, pair[1], "like")
    await store.digests.think(1, 5, pair[0], "skip")
    await store.digests.think(1, 6, pair[1], "skip")
    await store.digests.think(1, 6, pair[0], "like")
    await _merge(store, pair)
    said = sorted(one[:3] for one in await store.digests.opinions(guild=1))
    assert said == [(5, pair[1], "like"), (6, pair[1], "like")]


async def test_a_list_keeps_who_put_a_paper_there_first(store, pair):
    made = await store.lists.make(1, "reading", 7)
    await store.lists.put(made.id, pair[0], 7)
    await store.lists.put(made.id, pair[1], 8)
    await _merge(store, pair)
    assert [(listed.paper, listed.member) for listed in await store.lists.papers(made.id)] == [(pair[1], 7)]
