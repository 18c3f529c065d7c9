"""Ranking a day's papers for a taste: what is learned, what is chosen, what is refused."""

import json
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from scipy import sparse

from index.digest.encoder import Encoder, Space, words_text
from index.digest.local_words import LocalWords
from index.digest.picks import apart
from index.digest.taste import FEATURES, SUMMED, TasteRanker
from index.evaluate.digest import ListingDays, evaluate, is_kept, measure, questions, readers
from index.evaluate.train_digest import train
from index.models.shipped import ModelDamagedError

START = date(2026, 1, 1).toordinal()
WORDS = ("graphs", "switches", "speech", "proteins", "planning", "privacy", "retrieval", "vision")


def community(seed=0, days=120, a_day=12):
    """Readers who each write on two of eight subjects; vectors that know the subject only vaguely."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(len(WORDS), 384))
    pairs, names, offsets, day, vectors = [], [], [0], [], []
    for today in range(days):
        for _ in range(a_day):
            subject = int(rng.integers(len(WORDS)))
            filler = " ".join(f"word{int(n)}" for n in rng.integers(0, 60, 8))
            pairs.append((f"On {WORDS[subject]} {filler}", f"We study {WORDS[subject]}. {filler}"))
            writers = {f"Reader {subject}-{int(n)}" for n in rng.integers(0, 12, 2)}
            names += sorted(writers)
            offsets.append(len(names))
            day.append(START + today)
            vectors.append(directions[subject] + 2.5 * rng.normal(size=384))
    rows = np.asarray(vectors)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return ListingDays.of(pairs, names, np.array(offsets), np.array(day), rows.astype(np.float16))


@pytest.fixture(scope="module")
def listings():
    return community()


def test_questions_look_back_only(listings):
    names = readers(listings, START + 80, None, 50, 0, "all", before=2)
    asked = list(questions(listings, names, START + 80))
    assert asked
    for question in asked:
        assert (listings.day[question.earlier] < question.day).all()
        assert (listings.day[question.own] == question.day).all()


def test_halves_share_no_reader(listings):
    kept = set(readers(listings, START + 80, None, 500, 0, "kept", before=2))
    tuned = set(readers(listings, START + 80, None, 500, 0, "tuned", before=2))
    assert kept
    assert tuned
    assert not kept & tuned
    assert all(map(is_kept, kept))


def test_measures():
    assert measure(np.array([0.1, 0.9, 0.5]), np.array([1])) == (1.0, 1.0, 1.0)
    scores = -np.arange(20.0)
    assert measure(scores, np.array([6])) == (1 / 7, 0.0, 1.0)
    assert measure(scores, np.array([2, 15])) == (1 / 3, 0.5, 0.5)
    assert measure(np.zeros(3), np.array([2]))[0] == pytest.approx(1 / 3), (
        "equal scores keep the listing's order"
    )


def test_what_is_trained_is_shipped_with_its_recipe_and_beats_plain_closeness(
    listings, tmp_path, monkeypatch
):
    before = date.fromordinal(START + 105)
    recipe = train(listings, tmp_path, before=before)
    assert recipe["features"] == list(FEATURES)
    assert list(recipe["blend"]) == list(SUMMED)
    held = json.loads((tmp_path / "taste.json").read_text())
    assert held == recipe
    import xgboost  # lazy: no other test of this file needs it

    ranker = TasteRanker(
        Encoder.of_bytes((tmp_path / "taste.npz").read_bytes()),
        xgboost.Booster(model_file=str(tmp_path / "taste-order.ubj")),
        recipe["floor"],
        recipe["blend"],
    )
    monkeypatch.setattr("index.evaluate.digest.SAMPLE", 0)  # what was learned, without the library's words
    result = evaluate(listings, cut=before, people=60, ranker=ranker)
    rows = {row["method"]: row for row in result["rows"]}
    assert result["questions"] > 10
    assert rows["labmate"]["mrr"] > rows["embedding-mean"]["mrr"]
    assert {"tfidf-svm", "tfidf-centroid", "embedding-max"} <= set(rows)


def test_the_shipped_ranker_prefers_what_is_like_a_taste():
    ranker = TasteRanker.shipped()
    texts = [
        (
            "In-network aggregation with programmable switches",
            "We aggregate gradients in switches for training.",
        ),
        (
            "Scheduling switch memory for gradient aggregation",
            "Programmable switches and distributed training.",
        ),
        ("Speech recognition for noisy rooms", "We train acoustic models on noisy speech."),
        ("A corpus of medieval poems", "We annotate rhyme in medieval poems."),
    ]
    items = ranker.encoder.items(
        ranker.encoder.words([words_text(*text) for text in texts]), np.zeros((4, 384), np.float32)
    )
    scores = ranker.scores(items[np.array([1, 2, 3])], items[np.array([0])], np.array([10.0]))
    assert scores.argmax() == 0
    features = ranker.features(items, items[np.array([0])], np.array([0.0]))
    assert features.shape == (4, len(FEATURES))
    assert np.isfinite(features).all()
    assert len(ranker.scores(items[np.array([], int)], items, np.zeros(4))) == 0


def test_whether_a_paper_matches_does_not_depend_on_the_others(listings):
    ranker = TasteRanker.shipped()
    items = ranker.encoder.items(ranker.encoder.words(listings.texts[:40]), listings.vectors[:40])
    taste, age = items[np.arange(3)], np.array([1.0, 20.0, 300.0])
    scores, odds = ranker.judged(items, taste, age)
    np.testing.assert_array_equal(scores, ranker.scores(items, taste, age))
    for row in (0, 7, 39):
        _, alone = ranker.judged(items[np.array([row])], taste, age)
        np.testing.assert_allclose(alone, odds[[row]], atol=1e-4)
    assert odds[:3].min() > 0, "the taste's own papers are of its area"
    assert [len(part) for part in ranker.judged(items[np.array([], int)], taste, age)] == [0, 0]
    untold = replace(ranker, area={}).judged(items, taste, age)[1]
    assert np.isposinf(untold).all(), "without weights, every paper matches"


def test_an_encoder_is_packed_and_unpacked(listings):
    rng = np.random.default_rng(0)
    spaces = tuple(
        Space(rng.normal(size=(2, 8)), rng.normal(size=(4, 8)), 9.0 + number, 0.2, 3.0) for number in range(2)
    )
    made = Encoder(("a", "b c"), np.ones(2, np.float32), np.zeros(4), np.eye(4), spaces)
    back = Encoder.of_bytes(made.to_bytes())
    assert back.vocabulary == made.vocabulary
    assert back.dimension == 4
    for space, kept in zip(back.spaces, spaces, strict=True):
        assert space.by_word == pytest.approx(kept.by_word, abs=0.03)
        assert (space.sharpness, space.mean_weight) == pytest.approx((kept.sharpness, 3.0))


def test_joint_places_are_the_mean_of_what_the_spaces_say(listings):
    encoder = TasteRanker.shipped().encoder
    items = encoder.items(encoder.words(listings.texts[:5]), listings.vectors[:5])
    each = [place @ place.T for place in encoder.places(items)]
    assert len(each) == len(encoder.spaces) > 1
    assert items.joint @ items.joint.T == pytest.approx(np.mean(each, axis=0), abs=1e-5)
    assert np.diag(items.joint @ items.joint.T) == pytest.approx(np.ones(5), abs=1e-5)
    assert (items.own**2).sum(axis=1) == pytest.approx(np.ones(5), abs=1e-5)


def test_rare_words_count_more_than_in_tf_idf():
    encoder = TasteRanker.shipped().encoder
    items = encoder.items(encoder.words(["gossip speech"]), np.zeros((1, encoder.dimension)))
    share = {
        encoder.vocabulary[column]: rows
        for column, *rows in zip(items.words.indices, items.words.data, items.rare.data, strict=True)
    }
    assert share["gossip"][1] > share["gossip"][0]
    assert share["speech"][1] < share["speech"][0]
    assert (items.rare.data**2).sum() == pytest.approx(1.0)


def test_a_paper_without_embedding_has_no_meaning_of_its_own():
    encoder = TasteRanker.shipped().encoder
    items = encoder.items(encoder.words(["programmable switches"]), np.zeros((1, encoder.dimension)))
    assert not items.own.any()


def test_a_damaged_model_is_refused(monkeypatch, tmp_path):
    (tmp_path / "models").mkdir()
    recipe = {"features": list(FEATURES), "floor": 0.2, "area": {}, "sha256": {"taste.npz": "0" * 64}}
    (tmp_path / "models" / "taste.json").write_text(json.dumps(recipe))
    (tmp_path / "models" / "taste.npz").write_bytes(b"x")
    monkeypatch.setattr("index.models.shipped.resources.files", lambda _: tmp_path)
    with pytest.raises(ModelDamagedError, match="damaged"):
        TasteRanker.shipped()


def test_chosen_papers_are_kept_apart():
    joint = np.array([[1, 0], [1, 0], [0.99, 0.14], [0, 1]], np.float32)
    assert apart(np.array([2.0, 1.9, 1.8, 1.0]), joint, 2) == [0, 3]
    assert apart(np.array([2.0, 1.9, 1.8, -9.0]), joint, 4)[0] == 0
    assert apart(np.zeros(0), np.zeros((0, 2), np.float32), 3) == []


def _library(known):
    subjects = ["optics", "lenses", *(f"subject{n}" for n in range(18))]
    return LocalWords([f"{subject} with method{n % 11}" for n in range(15) for subject in subjects], known)


def test_a_library_s_words_count_more_the_stranger_they_are():
    strange = _library({"nothing"})
    known = _library(strange.words)
    assert (known.strange, strange.strange) == (0.0, 1.0)
    for library, order in ((known, [1, 0]), (strange, [0, 1])):
        taste, papers = library.rows(["optics with lenses"] * 3), library.rows(["optics", "subject3"])
        scores = library.beside(np.array([0.0, 1.0]), np.zeros(2), papers, taste)
        assert np.argsort(-scores).tolist() == order


def test_similarity_speaks_where_the_words_are_strange():
    strange = _library({"nothing"})
    taste, papers = strange.rows(["optics"] * 3), strange.rows(["nothing", "nothing"])
    assert np.argmax(strange.beside(np.zeros(2), np.array([0.2, 0.7]), papers, taste)) == 1


def test_texts_that_were_counted_before_give_the_same_rows(monkeypatch):
    monkeypatch.setattr("index.digest.local_words.KEPT", 3)
    library, again = _library({"nothing"}), _library({"nothing"})
    texts = ["optics", "subject3 with method4", "", "lenses", "optics", "unheard of", "subject7"]
    for chosen in (texts[:2], texts, texts[::-1], texts[2:5]):
        fresh = sparse.vstack([again._counter.transform([text]) for text in chosen]).toarray()
        np.testing.assert_array_equal(library.rows(chosen).toarray(), fresh)
    assert len(library._rows) == 3
    assert library.rows([]).shape[0] == 0


@pytest.mark.parametrize(
    "texts",
    [
        ["on optics"] * 3,
        [f"Исследование номер {n} о речи" for n in range(300)],
        [f"研究第{n}号" for n in range(300)],
        ["on optics"] * 300,
    ],
    ids=["too small", "in Russian", "in Chinese", "of copies"],
)
def test_a_library_whose_words_tell_nothing_has_no_say(texts):
    few = LocalWords(texts, ())
    learned = np.array([2.0, 1.0, 3.0])
    beside = few.beside(learned, np.zeros(3), few.rows(["a", "b", "c"]), few.rows(["on optics"]))
    assert np.argsort(-beside).tolist() == [2, 0, 1]
