import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from data.calendar import clock
from data.database.engine import HEAD, MIGRATIONS, NewerDatabaseError, StoreError, make_engine
from data.records import Rejected
from data.stores.store import Store
from data.tables.papers import Base
from tests.helpers.records import record


def _url(path):
    return f"sqlite+aiosqlite:///{path}"


def test_head_is_alembics_head():
    assert ScriptDirectory(str(MIGRATIONS)).get_current_head() == HEAD


async def test_migrations_make_exactly_the_tables_of_the_code(store):
    reflecting = make_engine(store._engine.url.render_as_string(hide_password=False), linked=False)
    async with reflecting.connect() as connection:
        diff = await connection.run_sync(
            lambda c: compare_metadata(MigrationContext.configure(c), Base.metadata)
        )
    await reflecting.dispose()
    assert diff == []


@pytest.mark.sqlite("compares the bytes of the file")
async def test_a_newer_database_is_refused_and_not_touched(tmp_path):
    path = tmp_path / "labmate.db"
    store = await Store.open(_url(path))
    async with store._writer.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    await store.close()
    for rest in tmp_path.glob("labmate.db-*"):
        rest.unlink()
    before = path.read_bytes()
    with pytest.raises(NewerDatabaseError, match="newer Labmate"):
        await Store.open(_url(path))
    assert path.read_bytes() == before


@pytest.mark.sqlite("a file that lost a row")
async def test_papers_without_a_schema_version_are_refused_with_advice(tmp_path):
    path = tmp_path / "labmate.db"
    store = await Store.open(_url(path))
    await store.upsert([record(1)])
    async with store._writer.begin() as connection:
        await connection.execute(text("DELETE FROM alembic_version"))
    await store.close()
    with pytest.raises(StoreError, match="Restore a backup: python -m bot restore"):
        await Store.open(_url(path))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM papers").fetchone()[0] > 0


@pytest.mark.sqlite("a file that was begun")
async def test_a_first_start_that_was_killed_before_the_schema_was_made_is_begun_again(tmp_path):
    path = tmp_path / "labmate.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    assert path.stat().st_size > 0
    store = await Store.open(_url(path))
    assert await store.find_title("anything") == []
    await store.close()


@pytest.mark.sqlite("files that are no database of Labmate")
@pytest.mark.parametrize(
    ("content", "said"),
    [(b"this is a text file, not a database " * 50, "not a database"), (None, "not one of Labmate")],
)
async def test_what_is_no_database_of_ours_is_refused(tmp_path, content, said):
    path = tmp_path / "x.db"
    if content is None:
        sqlite3.connect(path).executescript("CREATE TABLE t (x)")
    else:
        path.write_bytes(content)
    with pytest.raises(StoreError, match=said):
        await Store.open(_url(path))


async def test_papers_come_in_the_order_asked(store):
    changes = await store.upsert([record(n) for n in range(1, 6)])
    wanted = [changes.ids[3], changes.ids[0], 10**9, changes.ids[2]]
    assert [p.id for p in await store.papers(wanted)] == [wanted[0], wanted[1], wanted[3]]


async def test_an_authors_papers_by_day_since_and_category(store):
    await store.upsert(
        [
            record(1, announced=date(2026, 1, 1), categories=["cs.CL"]),
            record(2, announced=date(2026, 3, 1), categories=["cs.DC"]),
            record(3, announced=date(2025, 1, 1), categories=["q-bio.NC"]),
        ]
    )

    async def titles(**how):
        return [p.title.split()[2] for p in await store.papers(await store.papers_of("ada lovelace", **how))]

    assert await titles() == ["2", "1", "3"]
    assert await titles(oldest_first=True) == ["3", "1", "2"]
    assert await titles(since=date(2026, 1, 1)) == ["2", "1"]
    assert await titles(category="cs.CL") == ["1"]
    assert await titles(category="cs") == ["2", "1"]
    assert await titles(category="c%") == []
    assert await store.papers_of("nobody") == []


async def test_orders_are_the_same_in_every_database(store):
    """Databases disagree about where what is missing stands, and about the order of letters."""
    days = {1: date(2026, 1, 1), 2: None, 3: date(2025, 1, 1)}
    await store.upsert([record(n, announced=day, authors=["Ada Lovelace"]) for n, day in days.items()])
    for oldest_first, order in ((False, ["1", "3", "2"]), (True, ["2", "3", "1"])):
        found = await store.papers_of("ada lovelace", oldest_first=oldest_first)
        assert [paper.title.split()[2] for paper in await store.papers(found)] == order
    for name in ("b", "z-1", "z 2", "a"):
        await store.lists.make(7, name, 1)
    assert [one.name for one in await store.lists.of(7)] == ["a", "b", "z 2", "z-1"]


async def test_listing_days_have_neighbours(store):
    days = [date(2026, 1, 5), date(2026, 1, 6), date(2026, 1, 8)]
    await store.upsert([record(n, announced=day, listings=[("cs.CL", day)]) for n, day in enumerate(days)])
    assert await store.listings.around() == (days[1], days[2], None)
    assert await store.listings.around(days[1]) == (days[0], days[1], days[2])
    assert await store.listings.around(date(2026, 1, 7)) == (days[1], date(2026, 1, 7), days[2])
    assert len(await store.listings.on(days[1])) == 1
    # A cross-list on a later day shows there, too.
    await store.upsert([record(0, announced=days[2], listings=[("cs.IR", days[2])])])
    assert len(await store.listings.on(days[2])) == 2
    [first] = await store.listings.on(days[0])
    assert (await store.listings.categories([first], days[2]))[first] == {"cs.CL", "cs.IR"}


async def test_an_empty_store_has_no_listing(store):
    assert await store.listings.around() == (None, None, None)
    assert await store.count() == 0


async def test_refused_records_are_kept_once(store):
    run = await store.start_run("file", "x.jsonl")
    bad = [Rejected("line 1", "no title", "{}"), Rejected("line 2", "no title", "{\ud800}")]
    await store.refuse(run, "file", bad)
    await store.refuse(run, "file", bad)
    async with store._engine.connect() as connection:
        rows = (await connection.execute(text("SELECT place, reason, excerpt FROM refused_records"))).all()
    assert [row.place for row in rows] == ["line 1", "line 2"]


async def test_kept_texts_come_back_under_one_number(store):
    number = await store.kept_texts.keep("a long query")
    assert await store.kept_texts.keep("a long query") == number
    assert await store.kept_texts.find(number) == "a long query"
    assert await store.kept_texts.find(999) is None
    both = await store.kept_texts.keep_all(["another", "a long query", "another"])
    assert both["a long query"] == number
    assert await store.kept_texts.find(both["another"]) == "another"
    assert await store.kept_texts.keep_all([]) == {}


async def test_what_was_typed_is_forgotten_after_thirty_days(store, tmp_path):
    def on(day):
        clock.show(tmp_path / "clock", datetime(2026, 7, 1, tzinfo=UTC) + timedelta(days=day))

    on(0)
    clock.follow(tmp_path / "clock")
    try:
        number = await store.kept_texts.keep("something private")
        on(20)
        assert await store.kept_texts.keep("something private") == number, "typed again, kept for longer"
        on(49)
        assert await store.kept_texts.find(number) == "something private"
        assert await store.kept_texts.forget_old() == 0
        on(51)
        assert await store.kept_texts.find(number) is None, "also before it is deleted"
        assert await store.kept_texts.forget_old() == 1
    finally:
        clock.follow(None)


async def test_changed_ids_takes_batches_whole(store):
    await store.upsert([record(n) for n in range(10)])
    await store.upsert([record(n) for n in range(10, 15)])
    ids, upto = await store.changed_ids(0, 3)
    assert (len(ids), upto) == (10, 1)
    ids, upto = await store.changed_ids(upto, 3)
    assert (len(ids), upto) == (5, 2)
    assert await store.changed_ids(upto, 3) == ([], 2)


async def test_only_finished_runs_count_as_last(store):
    first = await store.start_run("arxiv", "cs.CL", date(2026, 1, 1))
    await store.save_run(first, {"read": 5}, finished=True)
    second = await store.start_run("arxiv", "cs.CL")
    await store.save_run(second, {"read": 1}, finished=False)
    last = await store.last_run("arxiv", "cs.CL")
    assert last is not None
    assert last.id == first
    assert await store.last_run("arxiv", "cs.XX") is None
