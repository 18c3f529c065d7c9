"""The finder of phrases: what it names, how it prints it, and what it refuses."""

import numpy as np
import pytest

from index.models.shipped import ModelDamagedError
from index.search import phrases as finding
from index.search.phrase_background import PhraseBackground
from index.search.phrase_shared import shared_phrases
from index.search.phrase_table import FEATURES, tabulate
from index.search.phrase_text import cleaned, keys_in, phrase_key, read
from index.search.phrase_vocabulary import vocabulary
from index.search.phrases import PhraseFinder

TITLE = "Reinforcement Learning from Human Feedback for Large Language Models on GPU Clusters"
ABSTRACT = (
    "Training breaks down after a few hours. We present a thorough investigation of five recurring failures "
    "of large language models (LLMs) trained with RLHF. Reward hacking is the most frequent one. Our reward "
    "model mitigates reward hacking on a single GPU, and LLMs keep their accuracy. Experimental results show "
    "that the proposed method significantly improves the reward model on GPU clusters."
)


@pytest.fixture(scope="module")
def finder():
    return PhraseFinder.shipped()


def texts_of(finder, title, abstract, most=10):
    [found] = finder.of([(title, abstract)], most)
    return [phrase.text for phrase in found]


def test_phrases_name_things_and_keep_their_case(finder):
    found = texts_of(finder, TITLE, ABSTRACT)
    assert {"reward hacking", "reward model", "GPU clusters", "RLHF"} <= set(found)
    assert "large language models" in found, "the capitals of a title are not the phrase's"


@pytest.mark.parametrize(
    "said", ["breaks down", "few hours", "thorough investigation", "five recurring failures", "single GPU"]
)
def test_what_people_would_not_call_a_topic_is_none(finder, said):
    assert said not in texts_of(finder, TITLE, ABSTRACT)


def test_scraps_of_two_small_letters_name_nothing(finder):
    title = "A Synthesis of Poems Based on Prose"
    abstract = (
        "Resumo: a síntese de poemas é um problema de linguagem. We study de in poems, and de in prose."
    )
    assert all(len(text) > 2 or not text.islower() for text in texts_of(finder, title, abstract))


def test_initials_do_not_stand_beside_what_they_mean(finder):
    found = texts_of(finder, TITLE, ABSTRACT, 20)
    assert not {"LLMs", "LLM"} & set(found)


def test_one_phrase_in_two_forms_is_shown_once(finder):
    found = texts_of(
        finder, "Multi-Agent Systems", "A multi agent system is one of many multi-agent systems."
    )
    assert sum(phrase_key(text) == phrase_key("multi-agent system") for text in found) == 1


def test_better_phrases_come_first(finder):
    [found] = finder.of([(TITLE, ABSTRACT)], 3)
    assert len(found) == 3
    assert all(0 < phrase.chance < 1 for phrase in found)


def test_a_title_alone_and_an_abstract_alone_have_phrases(finder):
    assert "sparse matrices" in texts_of(finder, "Inverting Sparse Matrices by Computer", "")
    assert "reward hacking" in texts_of(finder, "", ABSTRACT)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "the of and",
        "$" * 5_000,
        "\\begin{x}{{{}}}}",
        "a" * 300_000,
        "word " * 60_000,
        "\x00\ud800 \u202e 😀 深層学習",
        "<script>alert(1)</script> @everyone [x](http://x)",
        "'; DROP TABLE papers; --",
        "1 2 3 4 5.6",
    ],
)
def test_any_text_is_read(finder, text):
    for pair in ((text, text), ("", text), (text, "")):
        [found] = finder.of([pair])
        assert len(found) <= 10
        assert all(phrase.text and len(phrase.text) < 30_000 for phrase in found)


def test_papers_do_not_disturb_each_other(finder):
    together = finder.of(
        [(TITLE, ABSTRACT), ("", ""), ("Graph Neural Networks", "Message passing on graphs.")]
    )
    assert together[0] == finder.of([(TITLE, ABSTRACT)])[0]
    assert together[1] == []
    assert finder.of([]) == []


def test_markup_is_no_phrase():
    assert cleaned(r"\textbf{GPU}-based $k$-means at https://x.y/z") == "GPU-based k-means at  . "
    table = tabulate(read([("", "$x^2 + \\alpha$")]), PhraseFinder.shipped().background)
    assert len(table.key) == 0
    assert table.features.shape == (0, len(FEATURES))


@pytest.mark.parametrize("phrase", ["RAG", "retrieval augmented generation", "multi-agent systems"])
def test_what_a_text_mentions_in_any_form_is_found(phrase):
    abstract = "We test RAG-based (Retrieval-Augmented Generation) helpers and a multi agent system."
    assert phrase_key(phrase) in keys_in([("A title", abstract)])
    apart = [("Retrieval", "Augmented agents"), ("Generation", "of systems")]
    assert phrase_key(phrase) not in keys_in(apart)


def test_shared_phrases_are_those_that_both_have_and_name_something():
    one = ("Switches", "We present in-network aggregation for gradient compression on programmable switches.")
    other = ("", "Programmable switches allow In-Network Aggregation. We present results even for a program.")
    [found] = shared_phrases(one, [other])
    assert {text.lower() for text in found} == {"programmable switches", "in-network aggregation"}
    assert shared_phrases(one, [("Nothing here", "at all"), ("", "")]) == [[], []]
    [again] = shared_phrases(one, [other], 1, said=found[:1])
    assert again != found[:1], "what was said before comes later"


def test_a_plain_word_is_not_named_as_shared_and_nothing_twice():
    one = ("Models at scale", "Our framework trains models at scale. Training of models is tested on GPUs.")
    other = ("Scale", "A framework for the training of models: testing at scale. GPUs are rare.")
    [found] = shared_phrases(one, [other])
    assert found == ["GPUs"]
    short = ("INA", "In-network aggregation (INA) helps. INA is in-network aggregation in switches.")
    [found] = shared_phrases(short, [short])
    assert len({"INA", "In-network aggregation", "in-network aggregation"} & set(found)) == 1


def test_a_word_said_in_passing_is_named_only_where_nothing_else_is_shared():
    one = (
        "Transfer learning helps where measurements are rare. We bound the Wasserstein distance "
        "between a source domain and a target domain, and derive a learning rate schedule from the "
        "bound. A proof of convergence covers convex losses, and a stochastic gradient method attains "
        "the optimal rate. Numerical experiments on sensor networks, hyperspectral images and protein "
        "folding confirm the theory. Even where a label is wrong, the estimator stays stable, and a "
        "smaller batch suffices. Careful users may stop early."
    )
    other = (
        "Speech recognition in hospitals must cope with noise. We record nurses in intensive care "
        "units, and train acoustic models with self-supervised learning on raw waveforms. A "
        "beamforming array tells speakers apart, and a language model rescores hypotheses. Word error "
        "rates fall by a third on dictation in clinics. Privacy regulations forbid cloud services, so "
        "the recogniser runs on embedded processors. Annotators needed a week for every label, and "
        "the batch was checked by users of the ward."
    )
    titles, both = ("Bounds for Domain Adaptation", "Recognition on the Ward"), "Gradient compression helps."
    assert shared_phrases((titles[0], one), [(titles[1], other)]) == [["label"]]
    [found] = shared_phrases((titles[0], f"{one} {both}"), [(titles[1], f"{other} {both}")])
    assert found == ["gradient compression"]


def test_initials_are_the_same_topic_as_what_they_mean(finder):
    made = [
        (
            "Neural Machine Translation",
            "We study neural machine translation (NMT). NMT needs parallel corpora.",
        ),
        ("NMT with Subwords", "Subword units help NMT."),
        ("Protein Folding", "Protein folding is hard for molecular dynamics."),
    ] * 20
    found = vocabulary(made, finder)
    topic = {phrase: place for place, phrase in enumerate(found.printed)}
    assert "protein folding" in topic
    assert len({"NMT", "neural machine translation"} & set(topic)) == 1
    both = topic.get("NMT", topic.get("neural machine translation"))
    assert found.rows[[0, 1]][:, [both]].toarray().all()
    assert vocabulary([], finder).printed == []


def test_a_background_is_packed_and_unpacked():
    background = PhraseFinder.shipped().background
    again = PhraseBackground.unpacked(background.packed())
    keys = np.array([phrase_key("language models"), phrase_key("breaks down")], np.uint64)
    assert np.allclose(again.phrases(keys), background.phrases(keys), atol=0.01)
    assert again.phrases(keys)[0, 0] > 100
    assert np.allclose(again.words(["translation"]), background.words(["translation"]), atol=0.01)


def test_an_empty_background_still_finds_phrases(finder):
    nothing = np.zeros(0, np.uint64)
    empty = PhraseBackground(
        0,
        nothing,
        np.zeros((0, 9), np.float32),
        nothing,
        np.zeros((0, 3), np.float32),
        np.ones_like(finder.background.beside),
    )
    assert len(tabulate(read([(TITLE, ABSTRACT)]), empty).key)


def test_damaged_models_are_refused(monkeypatch):
    recipe, files = finding.shipped("phrases", "phrases-{}", FEATURES)
    assert set(files) == set(recipe["sha256"])
    with pytest.raises(ModelDamagedError):
        finding.shipped("phrases", "phrases-{}", ["another"])
