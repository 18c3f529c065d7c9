"""The inverted file: what it finds, how it is brought up to date and swapped, and what damage does."""

import json
import os
import threading
from functools import partial
from itertools import islice

import numpy as np
import pytest

from index.search import faiss_index, inverted_file
from index.search.embedding import Embedder
from index.search.embedding_model import DEFAULT_MODEL, fingerprint
from index.search.faiss_index import FaissIndex
from index.search.inverted_file import InvertedFile
from index.search.vectors import Vectors
from tests.helpers import slices

PRINT = {
    "model": "m",
    "weights_sha256": "a" * 64,
    "dimension": 32,
    "pooling": "mean",
    "normalised": True,
    "text": "t",
}
COUNT = 6_000


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def clouds(count, seed=0):
    """Vectors in 60 clouds, as papers lie in fields."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(7).normal(size=(60, 32))
    return unit(centres[np.arange(count) % 60] + 0.5 * rng.normal(size=(count, 32)))


open_small = partial(FaissIndex.open, flat_until=1_000)


@pytest.fixture(autouse=True)
def _smaller(monkeypatch):
    monkeypatch.setattr(faiss_index, "_BEHIND", 200)
    monkeypatch.setattr(faiss_index, "_FEW", 20)


def opened(folder, **more):
    return Vectors.open(folder / "v", PRINT, open_index=open_small, **more)


@pytest.fixture
def rows():
    return clouds(COUNT)


@pytest.fixture
def vectors(tmp_path, rows):
    made = opened(tmp_path)
    made.append(range(COUNT), range(COUNT), rows)
    assert made.tend()
    return made


def nearest(rows, query, k, where=None):
    scores = rows.astype(np.float32) @ query
    if where is not None:
        scores[~where] = -2
    return set(np.argsort(-scores)[:k].tolist())


def recall(vectors, rows, where=None, every=97):
    hits = asked = 0
    for query in clouds(COUNT, seed=3)[::every].astype(np.float32):
        found, scores = vectors.search(query, 10, where)
        right = nearest(rows, query, 10, where)
        assert list(scores) == sorted(scores, reverse=True)
        assert where is None or where[found].all()
        hits, asked = hits + len(right & set(found.tolist())), asked + len(right)
    return hits / asked


def uses_the_file(vectors):
    return vectors._engine()._stored is not None


def test_few_rows_need_no_file(tmp_path):
    made = opened(tmp_path)
    made.append(range(900), range(900), clouds(900))
    assert not made.tend()
    assert not list(made.folder.glob("inverted*"))
    assert recall(made, clouds(900)) == 1


def test_before_there_is_a_file_everything_is_compared(tmp_path, rows):
    made = opened(tmp_path)
    made.append(range(COUNT), range(COUNT), rows)
    assert recall(made, rows, every=397) == 1
    assert len(made._engine()._held()) == 0


def test_the_nearest_of_all_and_behind_every_kind_of_filter(vectors, rows):
    assert uses_the_file(vectors)
    chance = np.random.default_rng(5)
    anywhere, few = np.zeros(COUNT, bool), np.zeros(COUNT, bool)
    anywhere[chance.choice(COUNT, COUNT // 10, replace=False)] = True
    few[chance.choice(COUNT, 30, replace=False)] = True
    one_cloud = np.arange(COUNT) % 60 == 7
    for where in (None, anywhere, few, one_cloud, ~one_cloud, np.arange(COUNT) >= COUNT - 300):
        assert recall(vectors, rows, where) >= 0.95


@pytest.fixture(scope="module")
def real(shared, tmp_path_factory):
    """Real papers' rows, their vectors, and what people type: three words of other papers' titles."""
    rows = np.load(shared / "data/arxiv-daily.minilm.f16.npy", mmap_mode="r")[:COUNT]
    others = islice(slices.records(shared, lambda line, _: line >= COUNT), 80)
    typed = Embedder().encode([" ".join(record.title.split()[1:4]) for _, record in others])
    folder = tmp_path_factory.mktemp("real")
    vectors = Vectors.open(folder, fingerprint(DEFAULT_MODEL), open_index=open_small)
    vectors.append(range(COUNT), range(COUNT), rows)
    assert vectors.tend()
    return vectors, rows, typed


def found(vectors, rows, queries, where=None):
    return sum(
        len(nearest(rows, query, 10, where) & set(vectors.search(query, 10, where)[0].tolist()))
        for query in queries
    ) / (10 * len(queries))


def lists_of(vectors, query):
    stored = vectors._engine()._stored
    return stored._to_probe(stored._near(query), stored._sizes, 10, 0)


def test_what_people_type_is_looked_for_in_more_lists_than_what_is_near_a_paper(real, monkeypatch):
    """Three words of a title lie about equally far from many lists; their nearest papers may be in any."""
    monkeypatch.setattr(inverted_file, "_LISTS_LEAST", 1)
    monkeypatch.setattr(inverted_file, "_SOUGHT", 10)
    monkeypatch.setattr(inverted_file, "_SHARE", 0.99)
    monkeypatch.setitem(inverted_file._POOL, 2, (2, 30))
    vectors, rows, typed = real
    papers = rows[::75].astype(np.float32)
    some = np.random.default_rng(3).random(COUNT) < 0.3
    for where in (None, some):
        assert found(vectors, rows, typed, where) >= 0.93
        assert found(vectors, rows, papers, where) >= 0.95
    typed_lists, paper_lists = (
        np.median([len(lists_of(vectors, query)) for query in queries]) for queries in (typed, papers)
    )
    assert 2 * paper_lists < typed_lists < 0.8 * len(vectors._engine()._stored._sizes)
    monkeypatch.setattr(inverted_file, "_SHARE", 0.5)
    assert found(vectors, rows, typed) < 0.85


def test_the_time_that_a_search_may_take_bounds_the_lists(real, monkeypatch):
    vectors, _, typed = real
    monkeypatch.setattr(inverted_file, "_AT_MOST", 1_000)
    monkeypatch.setattr(inverted_file, "_LISTS_LEAST", 2)
    sizes = vectors._engine()._stored._sizes
    for query in typed[:20]:
        lists = lists_of(vectors, query)
        assert len(lists) >= 2
        assert len(lists) == 2 or sizes[lists].sum() + inverted_file._A_LIST_TAKES * len(lists) <= 1_000
    monkeypatch.setattr(inverted_file, "_LISTS_LEAST", 20)
    assert {len(lists_of(vectors, query)) for query in typed[:20]} == {20}


def test_many_are_found_as_surely_as_few(real):
    """/search and /similar ask for two hundred, and digests for more."""
    vectors, rows, typed = real
    some = np.random.default_rng(3).random(COUNT) < 0.3
    for where in (None, some):
        for query in (*typed[:20], *rows[:2_000:100].astype(np.float32)):
            right = nearest(rows, query, 200, where)
            assert len(right & set(vectors.search(query, 200, where)[0].tolist())) >= 165


def test_a_filter_that_keeps_every_second_id_is_counted(vectors, monkeypatch):
    monkeypatch.setattr(inverted_file, "_COUNTED", 1_000)
    vectors.search(np.ones(32, np.float32), 1)
    stored = vectors._engine()._stored
    for every in (2, 3, 4, 5):
        where = np.arange(COUNT) % every == 1
        assert stored._kept(where, where.sum()).sum() == pytest.approx(where.sum(), rel=0.15)


def test_a_list_of_which_no_paper_was_counted_may_hold_what_is_sought(real, monkeypatch):
    """Of a filter that keeps many papers, some are counted; at a field's edge, a list has few of them."""
    vectors, rows, typed = real
    monkeypatch.setattr(inverted_file, "_COUNTED", 100)
    monkeypatch.setattr(inverted_file, "_SOUGHT", 10)
    edge = np.zeros(COUNT, bool)
    edge[np.argsort(-(rows.astype(np.float32) @ rows[11].astype(np.float32)))[:2_000]] = True
    with_unseen = found(vectors, rows, typed, edge)
    monkeypatch.setattr(inverted_file, "_UNSEEN", 0.0)
    assert found(vectors, rows, typed, edge) < with_unseen - 0.02
    assert with_unseen >= 0.85


def test_the_file_says_how_near_papers_lie_to_the_centres_of_their_lists(real):
    vectors, rows, _ = real
    stored = vectors._engine()._stored
    cosines = (rows.astype(np.float32) * stored._centres[stored._lists[:COUNT]]).sum(axis=1)
    means = np.bincount(stored._lists[:COUNT], cosines) / np.bincount(stored._lists[:COUNT])
    assert stored._closeness == pytest.approx(np.clip(means, 0, inverted_file._CLOSEST), abs=1e-3)


def test_a_file_of_an_earlier_version_is_used_until_it_is_made_again(tmp_path, rows, monkeypatch):
    made = opened(tmp_path)
    made.append(range(COUNT), range(COUNT), rows)
    with monkeypatch.context() as earlier:
        earlier.setattr(inverted_file, "BITS", 1)
        assert made.tend()
    about = json.loads((made.folder / "inverted.json").read_text())
    del about["closeness"]
    (made.folder / "inverted.json").write_text(json.dumps(about))
    reader = opened(tmp_path, writable=False)
    assert uses_the_file(reader)
    assert reader._engine()._stored.bits == 1
    assert recall(reader, rows) >= 0.95
    writer = opened(tmp_path)
    writer.refresh()
    assert writer.is_due()
    assert writer.tend()
    writer.refresh()
    assert not writer.is_due()
    reader.refresh()
    assert reader._engine()._stored.bits == inverted_file.BITS
    assert recall(reader, rows) >= 0.95


@pytest.mark.parametrize(
    "told",
    [None, [], "near", [0.5], ["x"] * 150, [float("nan")] * 150, [[1]] * 150, {}, [10**400], [1e300] * 150],
)
def test_a_closeness_that_cannot_be_is_not_believed(vectors, rows, tmp_path, told):
    about = json.loads((vectors.folder / "inverted.json").read_text())
    (vectors.folder / "inverted.json").write_text(json.dumps(about | {"closeness": told}))
    reader = opened(tmp_path, writable=False)
    assert uses_the_file(reader)
    assert (reader._engine()._stored._closeness == inverted_file._TYPICAL).all()
    assert recall(reader, rows) >= 0.95


def test_scores_are_the_cosines_of_the_rows(vectors, rows):
    query = rows[17].astype(np.float32)
    papers, scores = vectors.search(query, 10)
    assert papers[0] == 17
    assert scores == pytest.approx(rows[papers].astype(np.float32) @ query, abs=1e-3)


@pytest.mark.parametrize("k", [1, 10, 500, 20_000])
def test_as_many_as_asked_for_come(vectors, rows, k):
    papers, _ = vectors.search(rows[3].astype(np.float32), k)
    assert len(papers) == len(set(papers.tolist()))
    assert len(papers) == k if k <= 500 else len(papers) <= COUNT


def test_a_filter_that_keeps_nothing_known_finds_nothing(vectors, rows):
    query = rows[3].astype(np.float32)
    for where in (np.zeros(0, bool), np.zeros(COUNT, bool)):
        assert len(vectors.search(query, 10, where)[0]) == 0
    beyond = np.zeros(2 * COUNT, bool)
    beyond[COUNT:] = True
    assert len(vectors.search(query, 10, beyond)[0]) == 0
    assert (vectors.search(query, 10, np.ones(100, bool))[0] < 100).all()


def test_new_replaced_and_removed_papers_are_right_at_once(vectors, rows):
    new = clouds(3, seed=9)
    vectors.append([COUNT + 5, 42, 43], [1, 1, 1], new)
    vectors.remove([77])
    reader = opened(vectors.folder.parent, writable=False)
    for index in (vectors, reader):
        assert index.search(new[0].astype(np.float32), 1)[0][0] == COUNT + 5
        assert index.search(new[1].astype(np.float32), 1)[0][0] == 42
        assert index.search(rows[42].astype(np.float32), 1)[0][0] != 42
        assert 77 not in index.search(rows[77].astype(np.float32), 50)[0]


def test_it_is_brought_up_to_date_without_choosing_lists_again_until_the_rows_have_doubled(vectors, rows):
    more = clouds(COUNT + 700, seed=11)
    vectors.append(range(COUNT, COUNT + 100), range(100), more[:100])
    assert not vectors.tend()
    vectors.append(range(COUNT + 100, COUNT + 700), range(600), more[100:700])
    assert vectors.tend()
    assert vectors._engine()._stored.trained == COUNT
    assert len(vectors._engine()._held()) == 0
    assert recall(vectors, np.concatenate([rows, more[:700]])) >= 0.95
    vectors.append(range(COUNT + 700, 2 * COUNT + 700), range(COUNT), more[700:])
    assert vectors.tend()
    assert vectors._engine()._stored.trained == 2 * COUNT + 700
    assert recall(vectors, np.concatenate([rows, more])) >= 0.95
    assert len(list(vectors.folder.glob("inverted-*"))) == 2


def test_a_compaction_keeps_the_file_in_use(vectors, rows):
    fresh = clouds(1_500, seed=12)
    vectors.append(range(1_500), range(1_500), fresh)
    vectors.remove(range(2_000, 2_900))
    reader = opened(vectors.folder.parent, writable=False)
    reader.refresh()
    before = (vectors.folder / "inverted.json").read_bytes()
    vectors.compact()
    reader.refresh()
    now = rows.copy()
    now[:1_500] = fresh
    alive = np.ones(COUNT, bool)
    alive[2_000:2_900] = False
    again = opened(vectors.folder.parent, writable=False)
    for index in (vectors, reader, again):
        assert uses_the_file(index)
        assert len(index._engine()._held()) < 3_500
        assert recall(index, now, alive) >= 0.95
    assert (vectors.folder / "inverted.json").read_bytes() == before
    vectors.compact()
    assert uses_the_file(opened(vectors.folder.parent, writable=False))


def test_a_file_full_of_replaced_vectors_is_made_again(vectors):
    for seed in (21, 22):
        vectors.append(range(COUNT // 3), range(COUNT // 3), clouds(COUNT // 3, seed=seed))
        vectors.tend()
    stored = vectors._engine()._stored
    assert stored.size <= 1.4 * COUNT
    rows = clouds(COUNT)
    rows[: COUNT // 3] = clouds(COUNT // 3, seed=22)
    assert recall(vectors, rows) >= 0.95


def test_a_reader_changes_over_while_it_searches(vectors, rows):
    reader = opened(vectors.folder.parent, writable=False)
    reader.refresh()
    wrong, ended = [], threading.Event()

    def ask():
        while not ended.is_set():
            for paper in range(0, COUNT, 500):
                if reader.search(rows[paper].astype(np.float32), 1)[0].tolist() != [paper]:
                    wrong.append(paper)

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for thread in asking:
        thread.start()
    changed = set()
    for step in range(6):
        first = COUNT + 400 * step
        vectors.append(range(first, first + 400), range(400), clouds(400, seed=30 + step))
        vectors.tend()
        if step % 2:
            vectors.compact()
        reader.refresh()
        changed.add(reader._engine()._number)
    ended.set()
    for thread in asking:
        thread.join()
    assert not wrong
    assert len(changed) > 3


DAMAGE = {
    "no codes": lambda folder: next(folder.glob("inverted-*.faiss")).unlink(),
    "no lists": lambda folder: next(folder.glob("inverted-*.lists")).unlink(),
    "torn codes": lambda folder: os.truncate(next(folder.glob("inverted-*.faiss")), 5_000),
    "empty lists": lambda folder: os.truncate(next(folder.glob("inverted-*.lists")), 0),
    "torn manifest": lambda folder: (folder / "inverted.json").write_text('{"format": 1, "num'),
    "null": lambda folder: (folder / "inverted.json").write_text("null"),
    "no keys": lambda folder: (folder / "inverted.json").write_text('{"format": 1}'),
    "another format": lambda folder: (folder / "inverted.json").write_text('{"format": 99}'),
    "a draft": lambda folder: (folder / "inverted-9.faiss.new").write_bytes(b"torn"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_is_looked_past_and_made_again(vectors, rows, damage):
    DAMAGE[damage](vectors.folder)
    reader = opened(vectors.folder.parent, writable=False)
    assert recall(reader, rows, every=397) >= (0.95 if damage == "a draft" else 1)
    writer = opened(vectors.folder.parent)
    assert writer.tend() == (damage != "a draft")
    reader.refresh()
    assert uses_the_file(reader)
    assert recall(reader, rows) >= 0.95


def test_garbage_of_the_right_size_is_no_answer(vectors, rows):
    file = next(vectors.folder.glob("inverted-*.faiss"))
    size = file.stat().st_size
    file.write_bytes(b"\xff" * size)
    assert recall(opened(vectors.folder.parent, writable=False), rows, every=397) == 1


def test_a_file_of_other_rows_is_not_used(vectors, rows, tmp_path):
    """As when someone deletes the rows and leaves the rest."""
    for name in ("manifest.json", "rows-1.f16", "entries-1.bin"):
        (vectors.folder / name).unlink()
    other = clouds(COUNT + 50, seed=40)
    made = opened(tmp_path)
    assert made.log.generation == 1
    made.append(range(COUNT + 50), range(COUNT + 50), other)
    assert InvertedFile.open(made.log) is None
    assert made.search(other[8].astype(np.float32), 1)[0][0] == 8
    assert made.tend()
    assert recall(made, other) >= 0.95


def test_rows_lost_at_the_end_are_not_taken_for_the_ones_that_come(vectors, tmp_path):
    os.truncate(vectors.folder / "rows-1.f16", (COUNT - 40) * 64)
    fresh = clouds(40, seed=41)
    made = opened(tmp_path)
    made.append(range(90_000, 90_040), range(40), fresh)
    for index in (made, opened(tmp_path, writable=False)):
        assert all(index.search(row.astype(np.float32), 1)[0][0] == 90_000 + n for n, row in enumerate(fresh))


def test_another_model_leaves_nothing_of_the_file(vectors):
    made = Vectors.open(
        vectors.folder, PRINT | {"weights_sha256": "b" * 64}, rebuild=True, open_index=open_small
    )
    assert len(made.search(np.ones(32, np.float32), 5)[0]) == 0
    made.append(range(1_500), range(1_500), clouds(1_500, seed=50))
    assert made.tend()
    assert json.loads((vectors.folder / "inverted.json").read_text())["rows"] == 1_500


def test_a_writer_that_is_not_asked_holds_no_rows(vectors, tmp_path):
    writer = opened(tmp_path)
    writer.append(range(COUNT, COUNT + 150), range(150), clouds(150, seed=60))
    assert writer._index is None


def test_a_reader_that_is_behind_uses_a_newer_file(vectors, tmp_path):
    """The worker may have added rows and taken them in before the reader looks at the log again."""
    reader = opened(tmp_path, writable=False)
    reader.refresh()
    new = clouds(2_500, seed=61)
    vectors.append(range(COUNT, COUNT + 2_500), range(2_500), new)
    assert vectors.tend()
    reader._index = None
    assert uses_the_file(reader)
    assert len(reader) == COUNT
    assert recall(reader, clouds(COUNT)) >= 0.95
    reader.refresh()
    assert recall(reader, np.concatenate([clouds(COUNT), new])) >= 0.95


def test_whether_something_is_due_is_known_before_it_is_done(tmp_path, rows):
    made = opened(tmp_path)
    made.append(range(COUNT), range(COUNT), rows)
    made.refresh()
    assert made.is_due()
    made.tend()
    assert not made.is_due()
    made.append(range(COUNT, COUNT + 201), range(201), clouds(201, seed=62))
    assert made.is_due()
    made.tend()
    made.append(range(COUNT // 2), range(COUNT // 2), clouds(COUNT // 2, seed=63))
    assert made.is_due()
