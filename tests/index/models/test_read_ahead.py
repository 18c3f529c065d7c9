"""Reading ahead: the same entries, and far fewer waits for the disk where pages are not in memory."""

import mmap
import os
import resource

import faiss
import numpy as np
import pytest

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
    one_by_one = waits(lambda: mapped(path)[places])
    if one_by_one < 500:
        pytest.skip("this file system keeps its files in memory")
    forget(path)
    assert waits(lambda: gathered(mapped(path), places)) < one_by_one / 4


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

    forget(path)
    one_by_one = waits(lambda: search(ahead=False))
    if one_by_one >= 500:
        forget(path)
        assert waits(lambda: search(ahead=True)) < one_by_one / 2
    else:
        search(ahead=True)
    assert found[0] == found[1]
