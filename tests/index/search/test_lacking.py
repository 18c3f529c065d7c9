"""Which papers lack a vector: what is kept up to date says what looking at all papers says."""

import numpy as np
import pytest

from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.lacking import LackingVectors
from tests.helpers.records import record


@pytest.fixture
async def corpus(store, tmp_path):
    return await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)


async def same(corpus):
    """The backlog, which a look at everything finds, too."""
    await corpus.refresh()
    anew = LackingVectors().mask(corpus.vectors.log, corpus._hashes, corpus.facets.codes)
    assert sorted(corpus.backlog()) == np.flatnonzero(anew).tolist()
    assert corpus.waiting() == len(corpus.backlog())
    return sorted(corpus.backlog())


async def test_papers_that_come_change_go_and_get_vectors(corpus, store):
    rng, vectors, log = np.random.default_rng(0), corpus.vectors, corpus.vectors.log

    def embed(papers):
        hashes = corpus._hashes[papers]
        vectors.append(
            np.array(papers), hashes, rng.normal(size=(len(papers), log.dimension)).astype(np.float16)
        )

    assert await same(corpus) == []
    await store.upsert([record(n, title=f"Title {n}") for n in range(1, 31)])
    [first, *rest] = await same(corpus)
    assert len(rest) == 29
    embed([first, *rest[:9]])
    assert await same(corpus) == rest[9:]
    await store.upsert([record(1, title="Another title", abstract="Another abstract.", version=2)])
    assert len(await same(corpus)) == 21
    embed(await same(corpus))
    assert await same(corpus) == []
    vectors.remove(np.array(rest[:3]))
    assert await same(corpus) == rest[:3]
    generation = log.generation
    vectors.compact()
    assert log.generation != generation
    assert await same(corpus) == rest[:3]
    embed(rest[:3])
    await store.upsert([record(n) for n in range(40, 60)])
    assert len(await same(corpus)) == 20
    await corpus.open_vectors(writable=True)
    assert len(await same(corpus)) == 20


async def test_only_what_changed_is_looked_at(corpus, store, monkeypatch):
    await store.upsert([record(n) for n in range(1, 31)])
    await same(corpus)
    looked = []
    rows_of = type(corpus.vectors.log.table).rows_of
    monkeypatch.setattr(
        type(corpus.vectors.log.table),
        "rows_of",
        lambda self, papers: looked.append(len(papers)) or rows_of(self, papers),
    )
    assert corpus.waiting() == 30
    assert not looked
    await store.upsert([record(31)])
    await corpus.refresh()
    assert corpus.waiting() == 31
    assert looked == [1]
