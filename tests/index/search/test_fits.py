"""What counts as an answer: words, closeness beyond chance, and either of them alone."""

import numpy as np

from data.stores.store import Store
from index.evaluate.fields import read_field, write_collection
from index.search import fits
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.fits import FARTHEST, LEAST, LENGTHS, fit_features, lifts, log_odds
from index.search.search import Search
from tests.helpers.records import record


def _fits(words: float, sentence: float, lift: float) -> bool:
    return bool(log_odds(fit_features(np.array([[words, sentence]]), np.array([lift])))[0] >= LEAST)


def test_every_word_or_much_closeness_alone_is_an_answer_and_neither_is_none():
    assert _fits(1.0, 1.0, -1.0), "a paper with every word fits, however far it seems"
    assert _fits(0.0, 0.0, 0.4)
    assert not _fits(0.0, 0.0, 0.1)
    assert not _fits(0.85, 0.85, FARTHEST), "most words by chance, farther than chance"
    assert _fits(0.5, 0.5, 0.15), "some of both"


def test_closeness_counts_from_what_as_many_random_words_get():
    chance = np.linspace(0.4, 0.3, len(LENGTHS))
    assert lifts([0.5, None], 1, chance).round(3).tolist() == [0.1, 0.0]
    assert lifts([0.5], 34, chance)[0].round(3) == 0.2
    assert lifts([0.5, None], 3, None).tolist() == [0.0, 0.0], "without a model nobody knows"


def test_a_file_of_questions_is_a_collection_and_another_field(shared, tmp_path):
    path = shared / "data" / "pubmedqa.jsonl.zst"
    own = write_collection(path, tmp_path / "papers.jsonl", 20, seed=1)
    assert len(own) == 20
    assert len((tmp_path / "papers.jsonl").read_text().splitlines()) == 20
    field = read_field(path)
    assert len(field.questions) == len(field.abstracts) == 1_000
    assert set(own) <= set(field.questions)


async def test_what_chance_gives_is_measured_once_and_again_for_another_model_or_a_torn_file(
    tmp_path, monkeypatch
):
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'labmate.db'}")
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    await store.upsert([record(number) for number in range(4)])
    with corpus.writing():
        await corpus.refresh()
        await corpus.embed_backlog()
    measured = []

    def by_chance(of):
        measured.append(len(of.vectors))
        return by_real_chance(of)

    by_real_chance = fits.by_chance
    monkeypatch.setattr(fits, "by_chance", by_chance)
    first = await fits.Fits(corpus)._by_chance()
    assert np.array_equal(first, await fits.Fits(corpus)._by_chance())
    assert measured == [4]
    monkeypatch.setattr(fits, "fingerprint", lambda _: {"weights_sha256": "another"})
    await fits.Fits(corpus)._by_chance()
    (tmp_path / "index" / "chance.npz").write_bytes(b"torn")
    assert np.array_equal(first, await fits.Fits(corpus)._by_chance())
    assert measured == [4, 4, 4]
    searching = Search(corpus)
    await searching.warm()
    await searching.search("anything at all")
    assert measured == [4, 4, 4], "a start reads it, and no question measures it again"
    await store.close()
