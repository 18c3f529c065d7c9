"""Members' libraries: what completing a tag reads of them, and what undoing an import spares."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import event

from data.calendar.clock import utc_now
from data.stores.library import UNDO_FOR
from data.stores.store import Store
from tests.helpers.records import record


async def filled(store: Store, member: int, works: int) -> None:
    records = [
        (None, {"type": "article", "title": f"Work {n}", "abstract": "long " * 200}) for n in range(works)
    ]
    more = [("unread", "", ("all", f"of {n % 3}")) for n in range(works)]
    await store.library.add(member, records, more)


async def test_tags_are_counted_without_a_single_work_being_read(store):
    await filled(store, 1, 900)
    await filled(store, 2, 3)
    statements = []

    @event.listens_for(store._engine.sync_engine, "before_cursor_execute")
    def note(connection, cursor, statement, *_):
        statements.append(statement)

    assert await store.library.tags(1) == {"all": 900, "of 0": 300, "of 1": 300, "of 2": 300}
    [statement] = statements
    assert "record" not in statement
    assert "GROUP BY shelf.tags" in statement
    for _ in range(20):
        await store.library.tags(1)
    assert len(statements) == 1, "what did not change is not counted again"


async def test_tags_follow_every_change(store):
    await filled(store, 1, 3)
    assert (await store.library.tags(1))["all"] == 3
    [one, *_] = await store.library.of(1)
    await store.library.change(1, one.id, tags=("new",))
    assert (await store.library.tags(1))["all"] == 2
    assert (await store.library.tags(1))["new"] == 1
    await store.library.drop(1, one.id)
    assert "new" not in await store.library.tags(1)
    await store.library.put_back(1, one.id)
    assert "new" in await store.library.tags(1)
    await store.library.forget(1)
    assert await store.library.tags(1) == {}
    await filled(store, 1, 1)
    assert await store.library.tags(1) == {"all": 1, "of 0": 1}


async def test_a_removed_work_and_its_note_are_gone_after_a_day(store, monkeypatch):
    await filled(store, 1, 2)
    for kept in await store.library.of(1):
        await store.library.change(1, kept.id, note="mine alone")
        await store.library.drop(1, kept.id)
    assert [one["removed"] is None for one in (await store.library.held(1))["library"]] == [False, False]
    assert await store.library.put_back(1, kept.id) is not None
    await store.library.drop(1, kept.id)
    later = utc_now() + UNDO_FOR + timedelta(minutes=1)
    monkeypatch.setattr("data.stores.library.utc_now", lambda: later)
    assert await store.library.put_back(1, kept.id) is None, "it is too late"
    assert await store.library.forget_old() == 2
    assert (await store.library.held(1))["library"] == []


@pytest.mark.parametrize("work", [{"tags": ("thesis",)}, {"note": "a week's reading"}, {"state": "read"}])
async def test_undoing_an_import_spares_what_the_member_has_worked_on_since(store, work):
    records = [(None, {"type": "article", "title": f"Work {n}"}) for n in range(3)]
    added = await store.library.add(1, records, [("unread", "from the file", ("its tag",))] * 3)
    [first, *_] = await store.library.of(1)
    await store.library.change(1, first.id, **work)
    moment = (added.made - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    assert await store.library.drop_added(1, moment) == (2, 1)
    assert [kept.id for kept in await store.library.of(1)] == [first.id]
    assert await store.library.drop_added(1, moment) == (0, 1)


async def test_undoing_the_saving_of_a_message_spares_what_was_saved_again_since(store):
    await store.upsert([record(1), record(2)])
    papers = [await store.find_id("arxiv", f"2601.0000{n}") for n in (1, 2)]
    added = await store.library.add(1, [(paper, {}) for paper in papers])
    await store.library.keep(1, papers[0])
    moment = (added.made - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    assert await store.library.drop_added(1, moment) == (1, 1)
    assert [kept.paper_id for kept in await store.library.of(1)] == [papers[0]]


def work(*authors: str, year: int = 0, title: str = "Introduction") -> tuple[None, dict[str, object]]:
    named = [dict(zip(("family", "given"), name.split(", "), strict=False)) for name in authors]
    dated = {"issued": {"date-parts": [[year, 5]]}} if year else {}
    return None, {"type": "chapter", "title": title, "author": named, **dated}


@pytest.mark.parametrize(
    "other",
    [
        work("Jones", year=2020),
        work("Smith, Bob", year=2020),
        work("Smith, Ann", "Jones, Bo", year=2020),
        work("Smith, Ann", year=2021),
        work(year=2020),
    ],
)
async def test_works_with_one_title_are_told_apart_by_authors_and_year(store, other):
    one = work("Smith, Ann", year=2020)
    added = await store.library.add(1, [one, other])
    assert (added.new, added.known) == (2, 0)
    again = await store.library.add(1, [one, other])
    assert (again.new, again.known) == (0, 2)


@pytest.mark.parametrize(
    "other",
    [
        work("Smith, A. B.", "Müller, Jörg", year=2020),
        work("SMITH, Ann", "Muller, J.", year=2020, title="INTRODUCTION"),
        work("Smith, Ann", "Müller, Jörg"),
    ],
)
async def test_a_work_is_known_however_its_names_are_printed_and_without_a_year(store, other):
    await store.library.add(1, [work("Smith, Ann", "Müller, Jörg", year=2020)])
    added = await store.library.add(1, [other])
    assert (added.new, added.known) == (0, 1)


async def test_a_record_with_odd_names_or_dates_is_kept(store):
    odd = {"title": "Odd", "author": [{"given": "Ann"}, {}], "issued": {"date-parts": [[]]}}
    assert (await store.library.add(1, [(None, odd), (None, odd)])).new == 1
