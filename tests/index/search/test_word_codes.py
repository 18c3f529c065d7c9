from unittest.mock import Mock

import numpy as np
import pytest

from index.search import forward_index, word_codes
from index.search.forward_index import is_whole
from index.search.lexical import WordIndex
from index.search.word_codes import BESIDE, MOST_COMMON, Coder, Packing, stem_code
from tests.helpers.records import record


@pytest.mark.parametrize("common", [0, 1, 500, MOST_COMMON - 1])
def test_codes_are_unpacked_as_they_were_packed(common):
    chance = np.random.default_rng(common)
    known = np.unique(chance.integers(1, 1 << 29, common) << 1)
    codes = [
        np.where(
            chance.random(size) < 0.5,
            chance.choice([2, *known], size),
            chance.integers(1, 1 << 29, size) << 1,
        ).astype(np.uint32)
        | chance.integers(0, 2, size).astype(np.uint32)
        for size in (0, 1, 200, 0, 3_000)
    ]
    packing = Packing(known)
    packed = packing.pack(codes)
    unpacked, place = packing.unpack(packed)
    assert unpacked.tolist() == np.concatenate(codes).tolist()
    assert np.bincount(place, minlength=5).tolist() == [len(some) for some in codes]
    assert packing.unpack([])[0].shape == packing.unpack([b""])[0].shape == (0,)
    if common > 1:
        assert len(packed[4]) < 7 * 3_000 / 2, "half of them take two bytes"


def test_the_commonest_codes_get_the_numbers_there_is_room_for(monkeypatch):
    monkeypatch.setattr(word_codes, "MOST_COMMON", 4)
    codes = np.array([2, 4, 5, 4, 6, 6, 8, 8, 9, 10], np.uint32)
    assert Packing().worth_a_number(codes) == [4, 8, 6], "with or without a word before; single ones never"
    assert Packing([8]).worth_a_number(codes) == [4, 6]
    assert Packing([4, 6, 8]).worth_a_number(codes) == []


def test_words_are_split_alike_whatever_their_letters():
    index = []
    coder = Coder(lambda text: index.append(text) or text.lower().split(), lambda text: text.lower().split())
    assert coder.words("Naive Bayes, 2nd-order") == [b"naive", b"bayes", b"2nd", b"order"]
    assert not index
    assert coder.words("Naïve and Bayes") == ["=naïve".encode(), b"and", b"=bayes"]
    [(count, codes)] = coder.coded([["The naive Bayes of", "Bayes"]])
    assert count == 5
    naive, bayes = stem_code("naive"), stem_code("bayes")
    assert codes.tolist() == [naive, bayes | int(BESIDE), bayes], "what stands in another text isn't beside"


async def test_a_reader_learns_which_words_have_become_common(store, tmp_path):
    writer = WordIndex(tmp_path / "words")
    changes = await store.upsert([record(n, title=f"Quasars and pulsars {n}") for n in range(1, 4)])
    papers = await store.papers(changes.ids)
    writer.add(papers[:1])
    writer.commit(1)
    reader = WordIndex(tmp_path / "words")
    writer.add(papers[1:])
    writer.commit(2)
    assert len(writer.forward.read(changes.ids).title.codes) == 9
    reader.refresh()
    assert (reader.scores("quasar", reader.words_of(changes.ids)) > 0).all()


async def test_numbers_of_words_that_were_dropped_with_a_transaction_are_given_again(store, tmp_path):
    words = WordIndex(tmp_path / "words")
    changes = await store.upsert([record(n, title=f"Quasars and pulsars {n}") for n in range(1, 4)])
    papers = await store.papers(changes.ids)
    words.add(papers[:2])
    words.forward._writer.execute("ROLLBACK")  # as SQLite does by itself when the disk is full
    words.add(papers)
    words.commit(1)
    again = WordIndex(tmp_path / "words")
    assert is_whole(again.forward.path, 3)
    assert (again.scores("quasar", again.words_of(changes.ids)) > 0).all()


async def test_an_error_after_words_got_numbers_leaves_no_numbers_behind(store, tmp_path, monkeypatch):
    words = WordIndex(tmp_path / "words")
    changes = await store.upsert([record(n, title=f"Quasars and pulsars {n}") for n in range(1, 4)])
    papers = await store.papers(changes.ids)
    words.add([])
    with monkeypatch.context() as patch:
        patch.setattr(forward_index, "_packing", Mock(side_effect=MemoryError))
        with pytest.raises(MemoryError):
            words.forward.add(papers, (), {})
    words.add(papers)
    words.commit(1)
    assert is_whole(words.forward.path, 3)
