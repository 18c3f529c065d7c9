"""Reading ahead: the same entries, and far fewer waits for the disk where pages are not in memory."""

import mmap
import os
import resource
from types import SimpleNamespace

import faiss
import numpy as np
import pytest

from index.models import read_ahead
from index.models.read_ahead import gathered, lists_ahead

ROWS, WIDTH = 8_000, 1_024


def waits(do):
    """How often a function waited for a page of a file."""
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_majflt
    do()
    return resource.getrusage(resource.RUSAGE_THREAD).ru_majflt - before


def forget(path):
    """Have the system drop a file's pages, which nothing maps."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def on_a_disk(waited):
    """How often a read waited for the disk; skips where it never does.

    A file system in memory, such as tmpfs, can't drop a file's pages. What is requested is tested there, too:
    the tests with ``asked`` pretend that every page is missing.
    """
    if waited < 500:
        pytest.skip(f"only {waited} waits for the disk: this file system keeps its files in memory (tmpfs?)")
    return waited


def mapped(path):
    with path.open("rb") as stream:
        pages = mmap.mmap(stream.fileno(), 0, prot=mmap.PROT_READ)
    pages.madvise(mmap.MADV_RANDOM)
    return np.frombuffer(pages, np.float32).reshape(-1, WIDTH)


@pytest.fixture
def rows(tmp_path):
    rows = np.random.default_rng(0).normal(size=(ROWS, WIDTH)).astype(np.float32)
    path = tmp_path / "rows"
    rows.tofile(path)
    return path, rows


def test_entries_are_those_of_the_array_mapped_or_not(rows):
    path, whole = rows
    rng = np.random.default_rng(1)
    for array in (whole, mapped(path), mapped(path)[1_000:], mapped(path)[:, 7], mapped(path).reshape(-1)):
        for count in (0, 1, 5, 33, 700):
            places = rng.integers(0, len(array), count)
            assert np.array_equal(gathered(array, places), array[places])
    assert len(gathered(np.zeros((0, 4)), np.zeros(0, np.int64))) == 0


def test_pages_that_are_not_in_memory_are_asked_for_together(rows):
    path, _ = rows
    places = np.random.default_rng(2).choice(ROWS, 1_000, replace=False)
    forget(path)
    one_by_one = on_a_disk(waits(lambda: mapped(path)[places]))
    forget(path)
    assert waits(lambda: gathered(mapped(path), places)) < one_by_one / 4


@pytest.fixture
def asked(monkeypatch):
    """What is asked of the system, where every page seems to be missing: addresses and bytes."""
    asked, waited = [], iter(range(1_000))
    missing = SimpleNamespace(getrusage=lambda _: SimpleNamespace(ru_majflt=next(waited)))
    monkeypatch.setattr(read_ahead, "resource", missing)
    ask = SimpleNamespace(madvise=lambda start, size, _: asked.append((start, size)))
    monkeypatch.setattr(read_ahead, "_LIBRARY", ask)
    return asked


def test_what_is_asked_for_holds_every_entry_in_short_pieces(rows, asked):
    path, _ = rows
    array, places = mapped(path), np.concatenate([np.arange(100, 300), [0, ROWS - 1, 150]])
    assert np.array_equal(gathered(array, places), array[places])
    pages = {start + at for start, size in asked for at in range(0, size, mmap.PAGESIZE)}
    base = array.__array_interface__["data"][0]
    assert {(base + int(place) * WIDTH * 4) // mmap.PAGESIZE * mmap.PAGESIZE for place in places} <= pages
    assert max(size for _, size in asked) <= 1 << 17
    assert len(asked) < 20


def test_lists_that_are_empty_or_none_are_left_out(asked):
    vectors = np.eye(8, dtype=np.float32)
    structure = faiss.IndexIVFFlat(faiss.IndexFlatIP(8), 8, 8, faiss.METRIC_INNER_PRODUCT)
    structure.quantizer.add(vectors)
    structure.is_trained = True
    structure.add(vectors[:2])
    lists_ahead(structure, np.array([3, -1, 0, 1]))
    assert len(asked) == 4, "ids and codes of two lists"
    lists_ahead(structure, np.array([0, 5]), codes=False)
    assert len(asked) == 5
    lists_ahead(structure, np.array([-1, 7]))
    assert len(asked) == 5


def test_nothing_is_asked_for_where_waits_are_not_counted_or_a_whole_file_is_read(rows, asked, monkeypatch):
    path, whole = rows
    monkeypatch.setattr(read_ahead, "_MANY", 100)
    assert np.array_equal(gathered(mapped(path), np.arange(200)), whole[:200])
    monkeypatch.setattr(read_ahead, "_THREAD", None)
    assert np.array_equal(gathered(mapped(path), np.arange(50)), whole[:50])
    assert not asked


def test_the_lists_that_a_search_looks_into_are_asked_for_together(tmp_path):
    path, vectors = tmp_path / "lists", np.random.default_rng(3).normal(size=(40_000, 256)).astype(np.float32)
    quantizer = faiss.IndexFlatIP(256)
    made = faiss.IndexIVFFlat(quantizer, 256, 64, faiss.METRIC_INNER_PRODUCT)
    made.train(vectors[:4_000])
    made.add(vectors)
    faiss.write_index(made, str(path))
    numbers, found = np.arange(0, 64, 2), []

    def search(*, ahead):
        structure = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        if ahead:
            lists_ahead(structure, numbers)
        only = faiss.SearchParameters(sel=faiss.IDSelectorArray(numbers))
        how = faiss.SearchParametersIVF(nprobe=len(numbers), quantizer_params=only)
        found.append(structure.search(vectors[:1], 10, params=how)[1].tolist())

    search(ahead=False)
    search(ahead=True)
    assert found[0] == found[1]
    forget(path)
    one_by_one = on_a_disk(waits(lambda: search(ahead=False)))
    forget(path)
    assert waits(lambda: search(ahead=True)) < one_by_one / 2
