import asyncio
import gc
import json
import resource
import sqlite3
import threading
import weakref
from unittest.mock import Mock

import numpy as np
import pytest

import index.search.intake
from data.records import Rejected
from data.sources.http import SourceError
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.files_of_database import BusyError
from index.search.forward_index import is_whole
from index.search.intake import Intake, ReadyVectors, _rare_collection
from index.search.vector_manifest import ForeignVectorsError
from index.search.word_files import WordsUnreadableError
from tests.helpers.records import record


@pytest.fixture
async def corpus(store, tmp_path):
    opened = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    yield opened
    opened.words.close()


async def read(corpus, items, **more):
    with corpus.writing():
        return await Intake(corpus, "file", "x", **more).run(iter(enumerate(items)))


async def test_a_run_counts_everything_and_again_changes_nothing(corpus):
    items = [record(1), record(2), Rejected("line 3", "no title", "{}"), record(2)]
    first = await read(corpus, items)
    assert (first.read, first.added, first.refused) == (4, 2, 1)
    assert first.reasons == {"no title": 1}
    again = await read(corpus, items)
    assert (again.added, again.updated, again.unchanged, again.refused) == (0, 0, 3, 1)
    assert len(corpus.words) == 2


async def test_words_catch_up_after_a_crash_in_between(corpus):
    await corpus.store.upsert([record(n) for n in range(5)])
    assert len(corpus.words) == 0
    with corpus.writing():
        await corpus.catch_up_words()
    assert len(corpus.words) == 5
    assert corpus.words.upto == await corpus.store.last_change()


async def test_what_another_machine_writes_in_the_middle_of_a_run_reaches_the_words_here(
    corpus, tmp_path, monkeypatch
):
    monkeypatch.setattr(index.search.intake, "BATCH", 1)
    there = await Corpus.open(corpus.store, tmp_path / "there", Embedder(), writable=True)

    async def items():
        for number in range(6):
            if number % 2:
                await read(there, [record(10 + number)])
            yield number, record(number)

    with corpus.writing():
        await Intake(corpus, "file", "x").run(items())
    with there.writing():
        await there.catch_up_words()
    assert await corpus.store.count() == 9
    for one in (corpus, there):
        assert (len(one.words), one.words.upto) == (9, await corpus.store.last_change())


@pytest.mark.parametrize("soon", ["first", "late"])
async def test_papers_are_found_long_before_a_run_ends(corpus, monkeypatch, soon):
    monkeypatch.setattr(index.search.intake, "BATCH", 1)
    if soon == "first":
        monkeypatch.setattr(index.search.intake, "_FIRST_COMMIT", 3)
    else:
        monkeypatch.setattr(index.search.intake, "_COMMIT_AFTER", 0.0)
    found = []

    async def items():
        for number in range(6):
            found.append(len(corpus.words))
            yield number, record(number)

    with corpus.writing():
        await Intake(corpus, "file", "x").run(items())
    assert found == ([0, 0, 0, 3, 3, 3] if soon == "first" else [0, 1, 2, 3, 4, 5])


async def test_another_stores_word_index_is_thrown_away(corpus):
    with corpus.writing():
        corpus.words.commit(99)
        await corpus.store.upsert([record(1)])
        await corpus.catch_up_words()
    assert (len(corpus.words), corpus.words.upto) == (1, 1)


async def test_only_changed_texts_are_embedded_again(corpus):
    await read(corpus, [record(1), record(2)])
    assert await _embed(corpus) == 2
    assert await _embed(corpus) == 0
    newer = record(1, source="arxiv", version=2, title="A new title")
    comment = record(2, source="arxiv", version=2, comment="12 pages")
    await read(corpus, [newer, comment])
    await corpus.refresh()
    assert corpus.waiting() == 1
    assert len(corpus.backlog()) == 1
    assert await _embed(corpus) == 1
    assert corpus.waiting() == 0
    assert len(corpus.vectors) == 2


async def _embed(corpus):
    with corpus.writing():
        return await corpus.embed_backlog()


async def test_merged_papers_leave_the_indexes(corpus):
    await read(corpus, [record(1, ids={"doi": "10.1/x"}, source="openalex", title="Other"), record(2)])
    await _embed(corpus)
    await read(corpus, [record(2, source="arxiv", version=2, ids={"arxiv": "2601.00002", "doi": "10.1/x"})])
    await corpus.refresh()
    await _embed(corpus)
    assert len(corpus.vectors) == 1
    assert len(corpus.words) == 1


async def test_two_writers_at_once_are_refused(corpus, store):
    other = Corpus(store, corpus.folder, Embedder())
    with corpus.writing(), pytest.raises(BusyError, match="Another"), other.writing():
        pass


async def test_words_that_cannot_be_written_now_leave_the_right_to_write_to_others(corpus, store, tmp_path):
    words = corpus.words.folder

    def items():
        words.rename(tmp_path / "away")
        yield 1, record(2)

    with corpus.writing():
        await Intake(corpus, "file", "x").run(iter([(0, record(1))]))
        with pytest.raises(WordsUnreadableError, match="Nothing is lost"):
            await Intake(corpus, "file", "x").run(items())
    (tmp_path / "away").rename(words)
    with Corpus(store, corpus.folder, Embedder()).writing():
        pass
    with corpus.writing():
        await corpus.catch_up_words()
    assert len(corpus.words) == await store.count() == 2


@pytest.mark.parametrize("catching_up", [False, True])
async def test_a_stop_while_words_are_committed_waits_for_them(corpus, store, monkeypatch, catching_up):
    if catching_up:
        await store.upsert([record(1)])
    loop, committing = asyncio.get_running_loop(), corpus.words.forward.commit
    stopped = threading.Event()

    def commit():
        committing()
        if not stopped.is_set():
            loop.call_soon_threadsafe(task.cancel)
            loop.call_soon_threadsafe(lambda: loop.call_later(0, stopped.set))
            assert stopped.wait(60)

    async def write():
        with corpus.writing():
            if catching_up:
                await corpus.catch_up_words()
            else:
                await Intake(corpus, "file", "x").run(iter([(0, record(1))]))

    monkeypatch.setattr(corpus.words.forward, "commit", commit)
    task = asyncio.create_task(write())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stopped.is_set()
    assert len(corpus.words) == 1
    with Corpus(store, corpus.folder, Embedder()).writing():
        pass


async def test_a_stop_while_a_batch_waits_for_words_loses_no_words(corpus, store, monkeypatch):
    """Cancelled twice, as when somebody presses Ctrl-C again."""
    monkeypatch.setattr(index.search.intake, "BATCH", 1)
    loop, add = asyncio.get_running_loop(), corpus.words.add
    go_on, stored = threading.Event(), asyncio.Event()

    def slowly(*given):
        assert go_on.wait(60)
        add(*given)

    def items():
        for number in range(3):
            yield number, record(number)

    async def write():
        with corpus.writing():
            await Intake(corpus, "file", "x").run(items())

    async def upsert(batch, real=store.upsert):
        changes = await real(batch)
        if changes.stamp == 2:
            loop.call_soon(stored.set)
        return changes

    monkeypatch.setattr(store, "upsert", upsert)
    monkeypatch.setattr(corpus.words, "add", slowly)
    task = asyncio.create_task(write())
    await stored.wait()
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    monkeypatch.undo()
    assert corpus.words.upto == 1
    with corpus.writing():
        await corpus.catch_up_words()
    assert len(corpus.words) == await store.count() == 2


@pytest.mark.parametrize("fails_first", ["the forward index", "tantivy"])
@pytest.mark.parametrize("papers", [30, 3])
async def test_words_that_a_full_disk_refused_are_written_once_there_is_room(
    corpus, store, monkeypatch, fails_first, papers
):
    """There is room again at the end of the run, when nothing is left to commit."""
    monkeypatch.setattr(index.search.intake, "_FIRST_COMMIT", 1)
    commit, commit_forward, tries = corpus.words.commit, corpus.words.forward.commit, []
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(longest):
        resource.setrlimit(resource.RLIMIT_FSIZE, (longest, limits[1]))

    def forward():
        commit_forward()
        if len(tries) == 1:
            fill(64)

    def full(upto):
        tries.append(upto)
        if fails_first == "the forward index" and len(tries) == 1:
            fill(64)
        try:
            commit(upto)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    if fails_first == "tantivy":
        monkeypatch.setattr(corpus.words.forward, "commit", forward)
    monkeypatch.setattr(corpus.words, "commit", full)
    items = [record(n, abstract=" ".join(f"word{n}x{m}" for m in range(100))) for n in range(papers)]
    with pytest.raises(WordsUnreadableError, match="Nothing is lost"):
        await read(corpus, items)
    assert await store.count() == papers
    assert corpus.words.upto == 0
    monkeypatch.undo()
    with corpus.writing():
        await corpus.catch_up_words()
    assert len(corpus.words) == papers
    assert is_whole(corpus.words.forward.path, papers)
    assert corpus.words.search("word2x7", 5)


def disk_full():
    error = sqlite3.OperationalError("disk full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


async def test_a_commit_after_a_failure_records_nothing(corpus, store, monkeypatch):
    changes = await store.upsert([record(1)])
    papers = await store.papers(changes.ids)
    with corpus.writing():
        with monkeypatch.context() as patch:
            patch.setattr(corpus.words.forward, "add", Mock(side_effect=disk_full()))
            with pytest.raises(WordsUnreadableError, match="disk full"):
                corpus.words.add(papers)
        for again in (lambda: corpus.words.commit(1), lambda: corpus.words.add(papers), corpus.words.clear):
            with pytest.raises(WordsUnreadableError, match="disk full"):
                again()
    assert corpus.words.upto == 0
    with corpus.writing():
        await corpus.catch_up_words()
    assert (len(corpus.words), corpus.words.upto) == (1, 1)


async def test_a_clear_that_fails_half_way_is_done_again(corpus, store, monkeypatch):
    await read(corpus, [record(1), record(2)])
    committing = corpus.words.forward.commit

    def commit():
        committing()
        raise disk_full()

    with monkeypatch.context() as patch, corpus.writing():
        patch.setattr(corpus.words.forward, "commit", commit)
        with pytest.raises(WordsUnreadableError, match="disk full"):
            corpus.words.clear()
    with corpus.writing():
        await corpus.catch_up_words()
    assert len(corpus.words) == 2
    assert is_whole(corpus.words.forward.path, 2)


async def test_a_broken_source_keeps_what_came_before(corpus):
    def items():
        yield 0, record(1)
        raise SourceError("torn")

    with pytest.raises(SourceError), corpus.writing():
        await Intake(corpus, "file", "x").run(items())
    assert await corpus.store.count() == 1
    assert len(corpus.words) == 1
    assert await corpus.store.last_run("file") is None


@pytest.fixture
def ready(tmp_path, corpus):
    def make(matrix, **changes):
        path = tmp_path / "x.minilm.f16.npy"
        np.save(path, matrix.astype(np.float16))
        manifest = {**corpus.vectors.fingerprint, "rows": len(matrix)} | changes
        (tmp_path / "x.minilm.json").write_text(json.dumps(manifest))
        return path

    return make


async def test_ready_vectors_go_to_their_records(corpus, ready):
    rows = np.eye(3, 384, dtype=np.float32)
    vectors = ReadyVectors(ready(rows), corpus.vectors.fingerprint)
    await read(corpus, [record(1), Rejected("line 2", "bad", ""), record(3)], vectors=vectors)
    ids = [await corpus.store.find_id("arxiv", f"2601.0000{n}") for n in (1, 3)]
    assert corpus.vectors.row(ids[0]).argmax() == 0
    assert corpus.vectors.row(ids[1]).argmax() == 2


@pytest.mark.parametrize("change", [{"weights_sha256": "0"}, {"pooling": "cls"}, {"text": "title only"}])
async def test_ready_vectors_of_another_model_are_refused(corpus, ready, change):
    with pytest.raises(ForeignVectorsError):
        ReadyVectors(ready(np.eye(3, 384), **change), corpus.vectors.fingerprint)


async def test_ready_rows_that_are_no_unit_vectors_are_left_out_and_counted(corpus, ready):
    rows = np.eye(4, 384, dtype=np.float32)
    rows[1], rows[2] = np.nan, 50 * rows[2]
    vectors = ReadyVectors(ready(rows), corpus.vectors.fingerprint)
    await read(corpus, [record(number) for number in (1, 2, 3, 4)], vectors=vectors)
    ids = [await corpus.store.find_id("arxiv", f"2601.0000{number}") for number in (1, 2, 3, 4)]
    assert [corpus.vectors.row(paper) is not None for paper in ids] == [True, False, False, True]
    assert set(corpus.backlog()) == {ids[1], ids[2]}
    assert vectors.broken == 2


@pytest.mark.parametrize("kind", ["i1", "U1", "M8[s]", "c8", "?"])
async def test_ready_vectors_of_another_kind_of_number_are_refused(corpus, ready, kind):
    path = ready(np.eye(3, 384))
    np.save(path, np.zeros((3, 384), kind))
    with pytest.raises(SourceError, match=r"not float16 or float32.* Copy or make"):
        ReadyVectors(path, corpus.vectors.fingerprint)


@pytest.mark.parametrize("rows", [None, "3", [3]])
async def test_a_manifest_without_a_number_of_rows_says_what_to_do(corpus, ready, rows):
    with pytest.raises(SourceError, match=r"doesn't say how many rows.* Copy it again\."):
        ReadyVectors(ready(np.eye(3, 384), rows=rows), corpus.vectors.fingerprint)


async def test_ready_vectors_that_do_not_fit_are_refused(corpus, ready, tmp_path):
    with pytest.raises(SourceError, match=r"shape.* Copy or make both again\."):
        ReadyVectors(ready(np.eye(3, 384), rows=4), corpus.vectors.fingerprint)
    path = ready(np.eye(3, 384))
    (tmp_path / "x.minilm.json").unlink()
    with pytest.raises(SourceError, match="no manifest"):
        ReadyVectors(path, corpus.vectors.fingerprint)
    path.write_bytes(b"not a matrix")
    with pytest.raises(SourceError, match="matrix"):
        ReadyVectors(path, corpus.vectors.fingerprint)


@pytest.mark.parametrize("frozen", [False, True])
def test_what_was_garbage_before_a_run_does_not_stay_until_its_end(frozen):
    gc.freeze() if frozen else gc.unfreeze()

    class Cycle:
        def __init__(self):
            self.itself = self

    with _rare_collection():
        assert not gc.isenabled()
    before = weakref.ref(Cycle())
    with _rare_collection() as collect:
        assert before() is None
        during = weakref.ref(Cycle())
        collect()
        assert during() is None
    assert gc.isenabled()
    assert bool(gc.get_freeze_count()) == frozen
