"""Words with counts in arrays: each is found, and so is every word that is spelt like another."""

import random

import numpy as np
import pytest
from rapidfuzz.distance import OSA

from index.search.word_list import WordList

CHANCE = random.Random(3)


def word(most=12):
    return "".join(CHANCE.choices("abcdefgz", k=CHANCE.randint(1, most)))


@pytest.fixture(scope="module")
def counts():
    return {word(): number for number in range(1, 3_000)}


@pytest.fixture(scope="module")
def words(counts):
    return WordList.of(counts.items())


def test_it_has_each_word_with_its_count(words, counts):
    assert dict(words) == counts
    assert len(words) == len(counts)
    assert all(words.count(one) == count for one, count in counts.items())


@pytest.mark.parametrize("other", ["", "qqqq", "a" * 500, "é", "ab cd", "a\0", "\udce9", "日本語"])
def test_other_words_have_no_count(words, other):
    assert words.count(other) == 0
    assert all(OSA.distance(other, near) <= 2 for near, *_ in words.near(other, 2))


@pytest.mark.parametrize("edits", [0, 1, 2])
def test_it_finds_every_word_within_so_many_edits(words, counts, edits):
    for typed in [*CHANCE.sample(sorted(counts), 30), *(word(14) for _ in range(30))]:
        near = words.near(typed, edits)
        distances = {other: OSA.distance(typed, other) for other in counts}
        close = {other: (far, counts[other]) for other, far in distances.items() if far <= edits}
        assert {one.word: (one.edits, one.times) for one in near} == close
        assert [one.edits for one in near] == sorted(one.edits for one in near)


def test_some_of_them_are_spread_over_all_lengths(words, counts):
    some = words.some(100)
    assert 50 < len(some) <= 100
    assert set(some) <= counts.keys()
    assert {len(one) for one in some} >= set(range(5, 13))
    assert sorted(words.some(10**6)) == sorted(counts)


def test_an_empty_list_has_nothing():
    empty = WordList.of([])
    assert (len(empty), list(empty), empty.some(9), empty.count("word"), empty.near("word", 2)) == (
        0,
        [],
        [],
        0,
        [],
    )


def test_arrays_that_do_not_fit_are_refused(words):
    arrays = words.letters, words.counts, words.masks, words.lengths
    for place, array in enumerate(arrays):
        for wrong in (array[:-1], np.append(array, array[-1:])):
            torn = [*arrays[:place], wrong, *arrays[place + 1 :]]
            with pytest.raises(ValueError, match="don't fit"):
                WordList(*torn)
    for lengths in ([5, 0], [-1, 1], [2**62] * 4, [2**63 - 1, 1]):
        with pytest.raises(ValueError, match="don't fit"):
            WordList(words.letters, words.counts, words.masks, np.array(lengths, np.int64))


@pytest.mark.parametrize(
    ("place", "wrong"), [(0, 0x80), (0, ord("A")), (1, 0), (1, -3), (2, 1 << 31), (2, 1 << 26)]
)
def test_numbers_that_no_word_has_are_refused(words, place, wrong):
    arrays = [words.letters.copy(), words.counts.copy(), words.masks.copy(), words.lengths]
    arrays[place][7] = wrong
    with pytest.raises(ValueError, match="not the arrays"):
        WordList(*arrays)


@pytest.mark.parametrize("place", range(4))
def test_arrays_of_another_kind_are_refused(words, place):
    arrays = [words.letters, words.counts, words.masks, words.lengths]
    for wrong in (arrays[place].astype(np.float64), arrays[place].reshape(1, -1), np.array(1)):
        with pytest.raises(ValueError, match="not the arrays"):
            WordList(*arrays[:place], wrong, *arrays[place + 1 :])
