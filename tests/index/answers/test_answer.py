"""Answers quote sentences that exist, from several papers, or say that the evidence is weak."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from index.answers.answer import Answerer, compared, least_confidence
from index.answers.contradiction import contradictions
from index.answers.evidence import Reading, SentenceEvidence
from index.answers.matching import abbreviations
from index.answers.passage import Passage
from index.answers.questions import compares
from index.answers.scorer import Scorer
from index.answers.summary import summary
from index.search.embedding import Embedder

SPIKES = Passage(
    7,
    "Training large models is expensive. We study why the loss spikes. Loss spikes are caused by rare tokens "
    "whose gradients explode. Clipping gradients removes 9 of 10 spikes.",
    "Why does the loss spike?",
)
SPIKES_NOT = Passage(
    8,
    "Many blame the data. We train four models on the same data. Loss spikes are not caused by rare tokens; "
    "they come from the optimizer's stale second moments.",
    "Spikes and the optimizer",
)
COOKING = Passage(9, "Bread needs flour. Bakers wait for hours. The crust turns brown in the oven.", "Bread")
QUESTION = "What causes loss spikes when training large models?"


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


def test_the_sentences_that_answer_are_quoted_with_their_places(embedder: Embedder) -> None:
    passages = [COOKING, SPIKES, SPIKES_NOT]
    answer = Answerer.shipped().answer(QUESTION, passages, embedder.encode)
    assert answer.answered
    assert 2 <= len(answer.quotes) <= 6
    assert {passages[quote.passage].paper for quote in answer.quotes} >= {7, 8}
    for quote in answer.quotes:
        assert passages[quote.passage].text[quote.start : quote.end] == quote.text
    assert "caused by rare tokens" in answer.best_first()[0].text


def test_sentences_that_deny_each_other_are_shown_as_contradicting(embedder: Embedder) -> None:
    answer = Answerer.shipped().answer(QUESTION, [SPIKES, SPIKES_NOT], embedder.encode)
    said = {frozenset(answer.quotes[place].passage for place in pair) for pair in answer.contradicting}
    assert frozenset((0, 1)) in said


def test_other_fields_do_not_answer(embedder: Embedder) -> None:
    answer = Answerer.shipped().answer(QUESTION, [COOKING], embedder.encode)
    assert not answer.answered
    assert answer.confidence < 0.3


def test_the_best_sentence_of_each_paper_is_named_quoted_or_not(embedder: Embedder) -> None:
    passages = [COOKING, SPIKES, SPIKES_NOT]
    answer = Answerer.shipped().answer(QUESTION, passages, embedder.encode)
    assert [passages[one.passage].paper for one in answer.best_of_each][-1] == COOKING.paper
    assert {passages[one.passage].paper for one in answer.best_of_each} == {7, 8, 9}
    assert answer.best_of_each[0] == answer.best_first()[0]
    assert all(passages[one.passage].text[one.start : one.end] == one.text for one in answer.best_of_each)
    assert COOKING.paper not in {passages[quote.passage].paper for quote in answer.quotes}


def test_a_long_question_needs_less_confidence_and_a_chosen_paper_more() -> None:
    needed = [least_confidence(words) for words in range(0, 40)]
    assert needed == sorted(needed, reverse=True)
    assert needed[0] == needed[9] > needed[12] > needed[18] == needed[39] > 0
    assert {least_confidence(words, chosen=True) for words in (3, 30)} == {0.37}


class _Sure(Scorer):
    """As sure of each answer as a test says."""

    sure_by: float

    def confidence(self, evidence: SentenceEvidence, scores: np.ndarray, besides: float = 0.0) -> float:
        return self.sure_by


@pytest.mark.parametrize(
    ("sure", "words", "chosen", "answered"),
    [(0.2, 9, False, False), (0.2, 18, False, True), (0.3, 9, False, True), (0.3, 9, True, False)],
)
def test_an_answer_needs_the_confidence_that_its_question_asks_for(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch, sure: float, words: int, chosen: bool, answered: bool
) -> None:
    monkeypatch.setattr(_Sure, "sure_by", sure, raising=False)
    evidence = compared(Reading(QUESTION, [SPIKES]), embedder)
    assert evidence.content_words == 6  # cause, loss, spike, train, large and model
    scorer = _Sure(**vars(Scorer.shipped()))
    answer = Answerer(scorer).conclude(replace(evidence, content_words=words), chosen=chosen)
    assert answer.answered == answered


@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("PrismLLM is faster than vLLM.", True),
        ("We run PrismLLM on four cards.", False),
        ("LLMs are served by vLLM.", False),
        ("", False),
    ],
)
def test_a_text_that_compares_names_both_things(text: str, both: bool) -> None:
    rare = {"prismllm": 9.0, "vllm": 8.0}
    things = ("PrismLLM", "the vLLM system")
    assert compares(things, ["Another.", text], lambda stem: rare.get(stem, 1.0)) == both


def test_things_without_a_word_are_compared_by_anything() -> None:
    assert compares(("the", "it"), ["Any text."], lambda stem: 1.0)
    assert not compares(("the", "it"), [], lambda stem: 1.0)


@pytest.mark.parametrize(
    "question", ["", "?", "the of and", "\x00\ud800", "x" * 20_000, "'; DROP TABLE papers"]
)
def test_any_question_gets_an_answer_or_none(embedder: Embedder, question: str) -> None:
    answer = Answerer.shipped().answer(question, [SPIKES, Passage(1, ""), Passage(2, "...")], embedder.encode)
    assert 0 <= answer.confidence <= 1


def test_no_passages_give_no_answer() -> None:
    answer = Answerer.shipped().answer(QUESTION, [], lambda texts: np.zeros((len(texts), 3), np.float32))
    assert (answer.answered, answer.confidence, answer.quotes) == (False, 0.0, ())


def test_abbreviations_are_read_with_their_long_forms() -> None:
    text = "Mesenchymal stem cells (MSCs) and the mean squared error (MSE, lower is better) of it (not)."
    assert abbreviations(text) == {"MSCs": "Mesenchymal stem cells", "MSE": "mean squared error"}


@pytest.mark.parametrize(
    ("one", "other", "opposed"),
    [
        ("Dropout improves the accuracy of transformers.", "Dropout degrades transformers' accuracy.", True),
        ("Dropout improves accuracy.", "Dropout improves the accuracy.", False),
        ("Scaling data does not reduce toxicity.", "Scaling data reduces toxicity.", True),
        ("Scaling data does not reduce toxicity.", "Bakers do wait for bread.", False),
    ],
)
def test_opposite_sentences_about_the_same_contradict(one: str, other: str, opposed: bool) -> None:
    assert bool(contradictions([one, other])) == opposed


def test_a_summary_quotes_problem_method_and_result() -> None:
    parts = {part.name: part.quote for part in summary([SPIKES])}
    assert {"problem", "method", "result"} <= set(parts)
    for quote in parts.values():
        assert SPIKES.text[quote.start : quote.end] == quote.text
