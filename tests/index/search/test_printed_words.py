"""Printed words are looked up many at a time: the same as one by one, in several threads, in a full table."""

from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest

from index.search import phrase_background, printed_words
from index.search.phrases import PhraseFinder
from index.search.printed_words import PrintedWord, PrintedWords, WordTable

WORDS = [
    "GPUs",
    "gpu",
    "Multi-Agent",
    "Peña",
    "peña's",
    "k8s",
    "C++",
    "3.5",
    "x",
    "of",
    "The",
    "É",
    "naïve-Bayes",
]


def as_read(words: list[str]) -> list[PrintedWord]:
    return [PrintedWord.read(word) for word in words]


def as_looked_up(found: PrintedWords) -> list[PrintedWord]:
    columns = (found.key, found.step, found.function, found.form, found.mark)
    return [PrintedWord(*row) for row in zip(found.folded, *(c.tolist() for c in columns), strict=True)]


def test_many_words_are_what_each_is_by_itself():
    table = WordTable()
    for words in (WORDS, [], WORDS[::-1] * 2, [*WORDS, "transformer"], [f"word{n}" for n in range(5_000)]):
        assert as_looked_up(table.look_up(words)) == as_read(words)
    assert len(table.look_up([])) == 0


@pytest.mark.parametrize("most", [0, 3, 40])
def test_a_full_table_begins_anew(monkeypatch, most):
    monkeypatch.setattr(printed_words, "_KEPT", most)
    table, chance = WordTable(), Random(1)
    for _ in range(50):
        words = [f"word{chance.randrange(60)}" for _ in range(chance.randrange(30))]
        assert as_looked_up(table.look_up(words)) == as_read(words)
        assert len(table._kept.folded) <= max(most, 30)


def test_threads_look_up_and_add_at_once(monkeypatch):
    monkeypatch.setattr(printed_words, "_KEPT", 3_000)
    table = WordTable()

    def ask(seed: int) -> bool:
        chance = Random(seed)
        for _ in range(150):
            words = [f"w{int(chance.paretovariate(0.4)) % 20_000}" for _ in range(60)]
            if as_looked_up(table.look_up(words)) != as_read(words):
                return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(ask, range(6)))


def test_what_a_background_says_of_words_does_not_depend_on_what_it_keeps(monkeypatch):
    shipped = PhraseFinder.shipped().background
    words = ["translation", "zzqtion", "zzq", "a", "", "graph", *(f"unheard{n}ing" for n in range(50))]
    expected = np.concatenate([shipped.words([word]) for word in words])
    monkeypatch.setattr(phrase_background, "_WORDS_KEPT", 10)
    for _ in range(2):
        assert np.array_equal(shipped.words(words), expected)
    assert np.array_equal(shipped.words(["graph", "graph"]), expected[[5, 5]])
    assert shipped.words([]).shape == (0, phrase_background.COLUMNS)
