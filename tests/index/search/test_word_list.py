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
    assert all(OSA.distance(other, near) <= 2 for near, _ in words.near(other, 2))


@pytest.mark.parametrize("edits", [0, 1, 2])
def test_it_finds_every_word_within_so_many_edits(words, counts, edits):
    for typed in [*CHANCE.sample(sorted(counts), 30), *(word(14) for _ in range(30))]:
        near = words.near(typed, edits)
        distances = {other: OSA.distance(typed, other) for other in counts}
        assert dict(near) == {other: far for other, far in distances.items() if far <= edits}
        assert [far for _, far in near] == sorted(far for _, far in near)


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
    moved = words.lengths.copy()
    moved[1], moved[0] = 0, moved[1]
    with pytest.raises(ValueError, match="don't fit"):
        WordList(words.letters, words.counts, words.masks, moved)
