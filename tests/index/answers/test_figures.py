"""A question for a number is answered by sentences that state it."""

import pytest

from index.answers.answer import Answerer
from index.answers.figures import SOME, STATES, figure_asked
from index.answers.passage import Passage
from index.search.embedding import Embedder

PARAMETERS = "how many parameters does DeepSeek-V3 have?"
FASTER = "how much faster is speculative decoding?"


@pytest.mark.parametrize(
    ("question", "sentence", "stated"),
    [
        (PARAMETERS, "DeepSeek-V3 is a model with 671B total parameters.", STATES),
        (PARAMETERS, "It is hard for large models such as DeepSeek-V3 (671B).", STATES),
        (PARAMETERS, "DeepSeek-V3 needs 2.788M H800 GPU hours.", SOME),
        (PARAMETERS, "DeepSeek-V3 outperforms GPT-4 in 2024.", 0.0),
        (FASTER, "Draft vocabularies shrink by up to 97%.", SOME),
        (FASTER, "It is up to 5.5x faster.", STATES),
        (FASTER, "Throughput improves by 55\\% on average.", STATES),
        (FASTER, "A speedup of $2.1\\times$ is reached.", STATES),
        (FASTER, "We test it on four tasks.", SOME),
        ("how many languages does XTREME cover?", "It covers 40 typologically diverse languages.", STATES),
        ("how many languages does XTREME cover?", "It covers nine tasks.", SOME),
        ("how long does training take?", "Training takes 12 days.", STATES),
        ("what percentage of citations are invented?", "Of these, 30 percent do not exist.", STATES),
    ],
)
def test_a_sentence_states_the_number_that_is_asked_for(question, sentence, stated):
    assert figure_asked(question).stated(sentence) == stated


@pytest.mark.parametrize(
    "question",
    [
        "how large language models reason",
        "how long documents are summarized",
        "how good are language models at predicting court judgments?",
        "what causes loss spikes?",
        "",
    ],
)
def test_other_questions_ask_for_no_number(question):
    assert figure_asked(question) is None


def test_the_sentence_with_the_number_is_quoted_alone():
    abstract = (
        "DeepSeek-V3 shows how strong open models have become. We present DeepSeek-V3, a mixture of experts "
        "with 671B parameters in all. Evaluations show that DeepSeek-V3 outperforms other open models. "
        "DeepSeek-V3 was trained on 14.8 trillion tokens."
    )
    answer = Answerer.shipped().answer(
        PARAMETERS, [Passage(1, abstract, "DeepSeek-V3 Technical Report")], Embedder()
    )
    assert ["671B" in quote.text for quote in answer.quotes] == [True]
