"""A folder's files belong to one database: beside another one, none of them is believed."""

import json
import shutil
from datetime import UTC, datetime

import numpy as np
import pytest
from filelock import FileLock

from data.database import backups
from data.database.engine import StoreError
from data.stores.store import Store
from index.people.insight import derive
from index.search import files_of_database, origin
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.files_of_database import BusyError
from index.search.intake import Intake
from tests.helpers.records import record

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


def url(folder):
    return f"sqlite+aiosqlite:///{folder / 'labmate.db'}"


async def made(folder, subject, count=30):
    """A whole library: words, vectors, people and what follows from them."""
    store = await Store.open(url(folder))
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    rows = [
        record(
            n, title=f"{subject} number {n}", abstract=f"A {subject} of {n} parts.", authors=[f"{subject} Li"]
        )
        for n in range(1, count + 1)
    ]
    with corpus.writing():
        await Intake(corpus, "test", "test").run(iter(enumerate(rows)))
        await corpus.embed_backlog()
        await derive(corpus)
    await corpus.close()


def swap(folder, other):
    """Put another library's database in the place of this one's, and leave all else."""
    for path in folder.glob("labmate.db*"):
        path.unlink()
    for path in other.glob("labmate.db*"):
        shutil.copy(path, folder)


@pytest.fixture
async def swapped(tmp_path):
    await made(tmp_path / "one", "Retrieval")
    await made(tmp_path / "two", "Compiler")
    swap(tmp_path / "one", tmp_path / "two")
    return tmp_path / "one"


@pytest.mark.parametrize("writable", [False, True])
async def test_files_of_another_database_are_made_again(swapped, writable):
    store = await Store.open(url(swapped))
    corpus = await Corpus.open(store, swapped, Embedder(), writable=writable, renew=True)
    assert len(corpus.words) == 0
    assert not list(swapped.glob("*.map"))
    assert not (swapped / "identity").exists()
    assert len(corpus.vectors) == 0
    assert len(corpus.backlog()) == await store.count()
    assert origin.made_from(swapped) == await store.number()
    await corpus.close()
    store = await Store.open(url(swapped))
    again = await Corpus.open(store, swapped, Embedder(), writable=True)
    with again.writing():
        await again.catch_up_words()
        await again.embed_backlog()
    assert len(again.words) == len(again.vectors) == await store.count()
    assert not again.words.search("retrieval", 5)
    await again.close()
    store = await Store.open(url(swapped))
    once_more = await Corpus.open(store, swapped, Embedder())
    assert len(once_more.words) == await store.count(), "its own files stay"
    await once_more.close()


async def whole(folder):
    """How many words and vectors a library has, opened to read."""
    store = await Store.open(url(folder))
    corpus = await Corpus.open(store, folder, Embedder())
    counts = len(corpus.words), len(corpus.vectors)
    await corpus.close()
    return counts


async def test_who_only_reads_removes_nothing(tmp_path):
    await made(tmp_path / "one", "Retrieval")
    await made(tmp_path / "two", "Compiler")
    store = await Store.open(url(tmp_path / "two"))
    with pytest.raises(StoreError, match="made from another database"):
        await Corpus.open(store, tmp_path / "one", Embedder())
    await store.close()
    assert await whole(tmp_path / "one") == (30, 30)


@pytest.mark.parametrize("papers", [0, 7])
async def test_a_database_of_few_papers_was_named_by_mistake(tmp_path, papers):
    """As by a shell without .env: SQLite makes an empty one, and Labmate reads the sample into it."""
    await made(tmp_path / "one", "Retrieval")
    store = await Store.open(url(tmp_path / "typo"))
    if papers:
        await store.upsert([record(n) for n in range(1, papers + 1)])
    for _ in range(2):
        with pytest.raises(StoreError, match="Check DATABASE_URL"):
            await Corpus.open(store, tmp_path / "one", Embedder(), writable=True)
    assert await whole(tmp_path / "one") == (30, 30)
    (tmp_path / "one" / origin.FILE).write_text("{}")
    corpus = await Corpus.open(store, tmp_path / "one", Embedder(), writable=True)
    assert (len(corpus.words), len(corpus.vectors)) == (0, 0), "it was meant"
    await corpus.close()


async def test_an_unreadable_note_removes_nothing(tmp_path):
    await made(tmp_path, "Retrieval")
    note = (tmp_path / origin.FILE).read_text()
    (tmp_path / origin.FILE).unlink()
    (tmp_path / origin.FILE).mkdir()
    store = await Store.open(url(tmp_path))
    with pytest.raises(StoreError, match="can't be read"):
        await Corpus.open(store, tmp_path, Embedder(), writable=True)
    await store.close()
    (tmp_path / origin.FILE).rmdir()
    (tmp_path / origin.FILE).write_text(note)
    assert await whole(tmp_path) == (30, 30)


async def test_words_behind_a_link_stay_behind_it(swapped, tmp_path):
    (swapped / "word-index").rename(tmp_path / "elsewhere")
    (swapped / "word-index").symlink_to(tmp_path / "elsewhere")
    store = await Store.open(url(swapped))
    corpus = await Corpus.open(store, swapped, Embedder(), writable=True)
    assert (swapped / "word-index").is_symlink()
    assert len(corpus.words) == 0
    await corpus.close()


async def test_a_backup_put_in_place_by_hand_is_told_from_the_database(tmp_path):
    await made(tmp_path, "Retrieval", 20)
    kept = backups.back_up(tmp_path / "labmate.db", tmp_path / "kept.db").path
    await made(tmp_path, "Retrieval", 30)
    for path in tmp_path.glob("labmate.db*"):
        path.unlink()
    shutil.copy(kept, tmp_path / "labmate.db")
    store = await Store.open(url(tmp_path))
    corpus = await Corpus.open(store, tmp_path, Embedder(), writable=True)
    assert (len(corpus.words), len(corpus.vectors)) == (0, await store.count())
    await corpus.close()


async def test_a_torn_note_is_no_reason_to_believe_the_files(tmp_path):
    await made(tmp_path, "Retrieval")
    for torn in (b"", b"[1]", b'{"database": null}', b"{"):
        (tmp_path / origin.FILE).write_bytes(torn)
        assert origin.made_from(tmp_path) == 0
    store = await Store.open(url(tmp_path))
    corpus = await Corpus.open(store, tmp_path, Embedder())
    assert len(corpus.words) == 0
    assert len(corpus.vectors) == await store.count(), "vectors say of which text they are"
    await corpus.close()


async def test_files_of_before_there_were_notes_stay(tmp_path):
    await made(tmp_path, "Retrieval")
    (tmp_path / origin.FILE).unlink()
    store = await Store.open(url(tmp_path))
    corpus = await Corpus.open(store, tmp_path, Embedder())
    assert len(corpus.words) == await store.count()
    assert json.loads((tmp_path / origin.FILE).read_text()) == {"database": await store.number()}
    await corpus.close()


async def test_while_another_process_writes_nothing_is_removed(swapped, monkeypatch):
    monkeypatch.setattr(files_of_database, "PATIENCE", 0.0)
    store = await Store.open(url(swapped))
    lock = FileLock(swapped / "write.lock", timeout=0)
    with lock, pytest.raises(BusyError, match=r"were made from another database.*Wait for it to end"):
        await Corpus.open(store, swapped, Embedder(), renew=True)
    assert (swapped / "word-index").exists()
    await store.close()


async def test_a_restore_that_is_killed_before_the_indexes_are_made_leaves_none_of_later_papers(tmp_path):
    await made(tmp_path, "Retrieval", 20)
    kept = backups.back_up(tmp_path / "labmate.db", tmp_path / "kept.db").path
    await made(tmp_path, "Retrieval", 40)
    backups.restore(kept, tmp_path / "labmate.db", NOW)  # and no more
    store = await Store.open(url(tmp_path))
    corpus = await Corpus.open(store, tmp_path, Embedder(), writable=True)
    assert len(corpus.words) == 0
    papers, _ = corpus.vectors.known()
    assert set(papers.tolist()) == set(np.flatnonzero(corpus.facets.codes >= 0).tolist())
    assert len(papers) == await store.count() < 40
    await corpus.close()
