"""A machine sees at once how far it is behind the store, and says so after a moment."""

import asyncio

import pytest
from sqlalchemy import delete

from data.tables.papers import AuthorshipRow, ListingRow, PaperIdRow, PaperRow
from index.search import following
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.following import StoreFollower
from tests.helpers.records import record


@pytest.fixture
def time(monkeypatch):
    now = [1_000.0]
    monkeypatch.setattr("index.search.following.time.monotonic", lambda: now[0])
    return now


async def test_a_lag_is_told_after_a_moment_from_when_the_oldest_came(store, time):
    here = [0]
    follows = StoreFollower(store, lambda: here[0])
    assert (await follows.look()).papers == 0
    await store.upsert([record(1)])
    lag = await follows.look()
    assert (lag.papers, lag.seconds, lag.is_worth_telling) == (1, 0, False)
    time[0] += 10
    await store.upsert([record(2), record(3)])
    await follows.look()
    time[0] += following.MOMENT - 5
    lag = await follows.look()
    assert (lag.papers, lag.seconds, lag.is_worth_telling) == (3, following.MOMENT + 5, True)
    here[0] = 1
    lag = await follows.look()
    assert (lag.papers, lag.seconds, lag.is_worth_telling) == (2, following.MOMENT - 5, False)
    here[0] = 2
    lag = await follows.look()
    assert (lag.papers, lag.seconds, lag.is_worth_telling) == (0, 0, False)


async def test_a_machine_that_comes_late_says_so_at_once(store, time):
    await store.upsert([record(1)])
    lag = await StoreFollower(store, lambda: 0).look()
    assert (lag.papers, lag.or_longer, lag.is_worth_telling) == (1, True, True)


async def test_after_a_restore_of_an_older_database_all_of_it_is_to_be_taken_in(store, time):
    follows = StoreFollower(store, lambda: 7)
    await store.upsert([record(1), record(2)])
    assert (await follows.look()).papers == 2


async def test_what_a_copy_that_took_over_never_received_is_not_remembered(store, tmp_path):
    corpus = await Corpus.open(store, tmp_path / "index", Embedder())
    await store.upsert([record(1)])
    await store.upsert([record(2)])
    await corpus.refresh()
    assert len(corpus.facets) == 2
    async with store._writer.begin() as connection:
        for rows, of in (
            (AuthorshipRow, AuthorshipRow.paper_id),
            (PaperIdRow, PaperIdRow.paper_id),
            (ListingRow, ListingRow.paper_id),
            (PaperRow, PaperRow.id),
        ):
            await connection.execute(delete(rows).where(of == 2))
    await corpus.refresh()
    assert (len(corpus.facets), corpus.seen) == (1, 1)


async def test_an_answer_of_the_store_that_comes_late_is_no_step_back(store, tmp_path, monkeypatch):
    corpus = await Corpus.open(store, tmp_path / "index", Embedder())
    await store.upsert([record(1)])
    await corpus.refresh()
    facets, ask, asked, comes = corpus.facets, store.last_change, asyncio.Event(), asyncio.Event()

    async def last_change():
        newest = await ask()
        if not asked.is_set():
            asked.set()
            await comes.wait()
        return newest

    monkeypatch.setattr(store, "last_change", last_change)
    first = asyncio.create_task(corpus.refresh())
    await asked.wait()
    await store.upsert([record(2)])
    second = asyncio.create_task(corpus.refresh())
    await asyncio.wait({second}, timeout=0.5)  # or it waits for the first
    comes.set()
    await asyncio.gather(first, second)
    assert corpus.facets is facets, "papers that are known are not read again"
    assert (len(facets), corpus.seen) == (2, 2)
