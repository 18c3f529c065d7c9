"""Words that the process which reads a file has coded are those that would be coded here."""

from functools import partial

import pytest

from data.sources.snapshot import SnapshotChoice, SnapshotFile
from data.stores.store import Store
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.ready_words import ReadyWords, code_words
from index.search.resumed_intake import ResumedIntake
from tests.helpers import databases
from tests.helpers.records import record
from tests.helpers.snapshots import write_snapshot

PAPERS = 1_300


async def library(folder):
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    return await Corpus.open(store, folder, Embedder(), writable=True)


@pytest.fixture
async def libraries(tmp_path):
    opened = [await library(tmp_path / name) for name in ("one", "other")]
    yield opened
    for corpus in opened:
        await corpus.close()


async def read_in(corpus, items, ready=None):
    with corpus.writing():
        await ResumedIntake(corpus, "file", "x", words=ready).run(iter(items))


def held(corpus, papers):
    words = corpus.words.words_of(papers)
    return [
        values.tolist()
        for field in (words.title, words.abstract)
        for values in (field.codes, field.paper, field.lengths)
    ]


async def test_the_index_is_the_same_and_nothing_is_coded_where_it_is_written(libraries, tmp_path):
    path = tmp_path / "snapshot.json.zst"
    write_snapshot(path, PAPERS)
    opened = partial(SnapshotFile, path, SnapshotChoice())
    one, other = libraries
    ready = ReadyWords()
    await read_in(one, ready.reading(opened), ready)
    await read_in(other, opened())
    papers = list(range(1, PAPERS + 1))
    assert held(one, papers) == held(other, papers)
    assert not one.words.coder
    assert other.words.coder
    assert not ready


async def test_only_the_words_of_texts_that_were_written_are_taken(libraries):
    first, newer = record(1), record(1, version=2, title="Another title")
    records = [
        (0, first),
        (1, newer),
        (2, record(2)),
        (3, record(2, version=2, abstract="Of another kind.")),
        (4, record(3, title="The café of naïve models")),
    ]
    one, other = libraries
    ready = ReadyWords()
    ready.hold([line for line, _ in records], code_words([paper for _, paper in records]))
    await read_in(one, records, ready)
    await read_in(other, records)
    assert held(one, [1, 2, 3]) == held(other, [1, 2, 3])
    assert not ready


def test_no_records_are_no_words():
    block = code_words([])
    assert block.texts() == []
    assert block.codes.shape == (0,)
