import json

import numpy as np
import pytest

from data.records import Rejected
from data.sources.http import SourceError
from index.search.corpus import BusyError, Library
from index.search.embedding import Embedder
from index.search.intake import Intake, ReadyVectors
from index.search.vectors import ForeignVectorsError
from tests.records import record


@pytest.fixture
async def library(store, tmp_path):
    opened = await Library.open(store, tmp_path / "index", Embedder(), writable=True)
    yield opened
    opened.words.close()


async def read(library, items, **more):
    with library.writing():
        return await Intake(library, "file", "x", **more).run(iter(enumerate(items)))


async def test_a_run_counts_everything_and_again_changes_nothing(library):
    items = [record(1), record(2), Rejected("line 3", "no title", "{}"), record(2)]
    first = await read(library, items)
    assert (first.read, first.added, first.refused) == (4, 2, 1)
    assert first.reasons == {"no title": 1}
    again = await read(library, items)
    assert (again.added, again.updated, again.unchanged, again.refused) == (0, 0, 3, 1)
    assert len(library.words) == 2


async def test_words_catch_up_after_a_crash_in_between(library):
    await library.store.upsert([record(n) for n in range(5)])
    assert len(library.words) == 0
    with library.writing():
        await library.catch_up_words()
    assert len(library.words) == 5
    assert library.words.upto == await library.store.last_change()


async def test_another_stores_word_index_is_thrown_away(library):
    with library.writing():
        library.words.commit(99)
        await library.store.upsert([record(1)])
        await library.catch_up_words()
    assert (len(library.words), library.words.upto) == (1, 1)


async def test_only_changed_texts_are_embedded_again(library):
    await read(library, [record(1), record(2)])
    assert await _embed(library) == 2
    assert await _embed(library) == 0
    newer = record(1, source="arxiv", version=2, title="A new title")
    comment = record(2, source="arxiv", version=2, comment="12 pages")
    await read(library, [newer, comment])
    assert len(library.backlog()) == 1
    assert await _embed(library) == 1
    assert len(library.vectors) == 2


async def _embed(library):
    with library.writing():
        return await library.embed_backlog()


async def test_merged_papers_leave_the_indexes(library):
    await read(library, [record(1, ids={"doi": "10.1/x"}, source="openalex", title="Other"), record(2)])
    await _embed(library)
    await read(library, [record(2, source="arxiv", version=2, ids={"arxiv": "2601.00002", "doi": "10.1/x"})])
    await library.refresh()
    await _embed(library)
    assert len(library.vectors) == 1
    assert len(library.words) == 1


async def test_two_writers_at_once_are_refused(library, store):
    other = Library(store, library.folder, Embedder())
    with library.writing(), pytest.raises(BusyError, match="Another"), other.writing():
        pass


async def test_a_broken_source_keeps_what_came_before(library):
    def items():
        yield 0, record(1)
        raise SourceError("torn")

    with pytest.raises(SourceError), library.writing():
        await Intake(library, "file", "x").run(items())
    assert await library.store.count() == 1
    assert len(library.words) == 1
    assert await library.store.last_run("file") is None


@pytest.fixture
def ready(tmp_path, library):
    def make(matrix, **changes):
        path = tmp_path / "x.minilm.f16.npy"
        np.save(path, matrix.astype(np.float16))
        manifest = {**library.vectors.fingerprint, "rows": len(matrix)} | changes
        (tmp_path / "x.minilm.json").write_text(json.dumps(manifest))
        return path

    return make


async def test_ready_vectors_go_to_their_records(library, ready):
    rows = np.eye(3, 384, dtype=np.float32)
    vectors = ReadyVectors(ready(rows), library.vectors.fingerprint)
    await read(library, [record(1), Rejected("line 2", "bad", ""), record(3)], vectors=vectors)
    ids = [await library.store.find_id("arxiv", f"2601.0000{n}") for n in (1, 3)]
    assert library.vectors.row(ids[0]).argmax() == 0
    assert library.vectors.row(ids[1]).argmax() == 2


@pytest.mark.parametrize("change", [{"weights_sha256": "0"}, {"pooling": "cls"}, {"text": "title only"}])
async def test_ready_vectors_of_another_model_are_refused(library, ready, change):
    with pytest.raises(ForeignVectorsError):
        ReadyVectors(ready(np.eye(3, 384), **change), library.vectors.fingerprint)


async def test_ready_vectors_that_do_not_fit_are_refused(library, ready, tmp_path):
    with pytest.raises(SourceError, match="shape"):
        ReadyVectors(ready(np.eye(3, 384), rows=4), library.vectors.fingerprint)
    path = ready(np.eye(3, 384))
    (tmp_path / "x.minilm.json").unlink()
    with pytest.raises(SourceError, match="no manifest"):
        ReadyVectors(path, library.vectors.fingerprint)
    path.write_bytes(b"not a matrix")
    with pytest.raises(SourceError, match="matrix"):
        ReadyVectors(path, library.vectors.fingerprint)
