"""Sentences that say nothing lose to those that do."""

from __future__ import annotations

import pytest

from index.answers.answer import Answerer
from index.answers.emptiness import Emptiness
from index.answers.passage import Passage
from index.search.embedding import Embedder

PROMISES = "This study offers valuable insights into why the loss spikes when training large models."
FACT = "The loss spikes when training large models because gradients of rare tokens explode."


@pytest.mark.parametrize(
    ("empty", "telling"),
    [
        (PROMISES, FACT),
        (
            "These findings provide important input for policies on teaching with language models.",
            "Students who wrote with language models scored 12 points lower in the exam.",
        ),
        (
            "Extensive experiments demonstrate the effectiveness of our method.",
            "Pruning half of the heads does not lower accuracy.",
        ),
        (
            "Further prospective studies are needed to confirm these results.",
            "Vaccinated patients died half as often (p < 0.01) as those who were not.",
        ),
    ],
)
def test_praise_and_promises_are_emptier_than_findings(empty: str, telling: str) -> None:
    chances = Emptiness.shipped().chances([empty, telling])
    assert chances[0] > chances[1] + 0.2


@pytest.mark.parametrize("text", ["", " ", "?", "\x00\ud800", "x" * 100_000, "1 2 3", "的"])
def test_any_text_has_a_chance(text: str) -> None:
    assert 0 <= Emptiness.shipped().chances([text])[0] <= 1


def test_a_finding_is_quoted_before_a_promise_of_the_same_paper() -> None:
    passage = Passage(1, f"Training is costly. {FACT} {PROMISES}", "Spikes")
    question = "Why does the loss spike when training large models?"
    answer = Answerer.shipped().answer(question, [passage], Embedder())
    assert answer.best_first()[0].text == FACT


def test_an_answer_of_promises_alone_is_given_less_confidence() -> None:
    question = "Why does the loss spike when training large models?"
    embedder = Embedder()
    promised = Answerer.shipped().answer(question, [Passage(1, PROMISES, "Spikes")], embedder)
    told = Answerer.shipped().answer(question, [Passage(1, FACT, "Spikes")], embedder)
    assert promised.confidence < told.confidence - 0.1
