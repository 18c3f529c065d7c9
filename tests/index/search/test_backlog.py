"""Embedding what waits: call by call, with the next one's texts read meanwhile."""

import asyncio
import threading
from contextlib import aclosing

import numpy as np
import pytest

from data.database.unavailable import DatabaseUnavailableError, Why
from index.search import embedding
from index.search.backlog import embedded
from index.search.corpus import Corpus
from index.search.embedding import Embedder, paper_text
from index.search.files_of_database import BusyError
from tests.helpers.records import record


@pytest.fixture
async def papers(store, monkeypatch):
    """Ten papers in the store; a call takes four."""
    monkeypatch.setattr(embedding, "CALL", 4)
    await store.upsert([record(n) for n in range(10)])
    return (await store.changed_ids(0, 100))[0]


async def test_each_call_is_a_batch_and_progress_counts_on(store, papers):
    told = []
    batches = [batch async for batch in embedded(store, Embedder(), papers, lambda *step: told.append(step))]
    assert [batch.papers for batch in batches] == [papers[:4], papers[4:8], papers[8:]]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (10, 10)
    texts = await store.texts(papers)
    right = Embedder().encode([paper_text(*texts[paper][:2]) for paper in papers])
    assert np.allclose(np.concatenate([batch.rows for batch in batches]), right, atol=1e-5)


async def test_papers_that_are_gone_are_left_out_and_nothing_waits_for_nothing(store, papers):
    gone = [max(papers) + 1, max(papers) + 2]
    batches = [batch async for batch in embedded(store, Embedder(), [*gone, *papers[:3], *gone])]
    assert [batch.papers for batch in batches] == [papers[:2], papers[2:3]]
    assert not [batch async for batch in embedded(store, Embedder(), [])]


async def test_a_stop_after_a_batch_ends_the_reading_of_the_next(store, papers, monkeypatch):
    read, never, ends = store.texts, asyncio.Event(), []

    async def texts(part):
        if part == papers[4:8]:
            try:
                await never.wait()
            except asyncio.CancelledError:
                ends.append(part)
                raise
        return await read(part)

    monkeypatch.setattr(store, "texts", texts)
    async with aclosing(embedded(store, Embedder(), papers)) as batches:
        assert (await anext(batches)).papers == papers[:4]
    assert ends == [papers[4:8]]


async def test_a_stop_waits_until_vectors_are_written_before_another_may_write(store, papers, tmp_path):
    corpus = await Corpus.open(store, tmp_path, Embedder(), writable=True)
    other = await Corpus.open(store, tmp_path, Embedder())
    append, writes, goes_on = corpus.vectors.append, threading.Event(), threading.Event()

    def slowly(*rows):
        writes.set()
        goes_on.wait()
        append(*rows)

    async def embed():
        with corpus.writing():
            await corpus.embed_backlog()

    corpus.vectors.append = slowly
    embedding_ = asyncio.create_task(embed())
    await asyncio.to_thread(writes.wait)
    embedding_.cancel()
    try:
        await asyncio.wait({embedding_}, timeout=0.2)
        with pytest.raises(BusyError), other.writing():
            pass
    finally:
        goes_on.set()
    await asyncio.wait({embedding_})
    with other.writing():
        await other.refresh()
    assert (embedding_.cancelled(), len(other.vectors)) == (True, 4)


async def test_vectors_that_are_being_written_are_neither_thrown_away_nor_cut(store, papers, tmp_path):
    corpus = await Corpus.open(store, tmp_path, Embedder(), writable=True)
    with corpus.writing():
        await corpus.embed_backlog()
        rows = next((tmp_path / "vectors").glob("rows-*"))
        whole = rows.stat().st_size
        with rows.open("ab") as stream:  # their entries come next
            stream.write(bytes(2 * 384))
        with pytest.raises(BusyError):
            await Corpus.open(store, tmp_path, Embedder(), writable=True, rebuild=True)
        other = await Corpus.open(store, tmp_path, Embedder(), writable=True)
        with pytest.raises(BusyError), other.writing():
            pass
        assert rows.stat().st_size == whole + 2 * 384
    with other.writing():
        assert rows.stat().st_size == whole, "what was torn is cut once nobody writes"
        assert len(other.vectors) == len(papers)


async def test_a_database_that_goes_away_meanwhile_is_told_after_what_was_embedded(
    store, papers, monkeypatch
):
    read, reads = store.texts, []

    async def texts(part):
        reads.append(part)
        if len(reads) == 2:
            raise DatabaseUnavailableError(Why.AWAY, "gone")
        return await read(part)

    monkeypatch.setattr(store, "texts", texts)
    async with aclosing(embedded(store, Embedder(), papers)) as batches:
        assert (await anext(batches)).papers == papers[:4]
        with pytest.raises(DatabaseUnavailableError):
            await anext(batches)
