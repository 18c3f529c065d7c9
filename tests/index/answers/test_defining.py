"""What a thing is, and what initials stand for, is answered by the sentences that say so."""

import pytest

from index.answers.answer import Answerer
from index.answers.defining import AskedName, defined, definitions, long_form
from index.answers.passage import Passage


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("what is grokking?", AskedName("grokking", initials=False)),
        ("What's a mixture of experts?", AskedName("mixture of experts", initials=False)),
        ("what are sparse autoencoders", AskedName("sparse autoencoders", initials=False)),
        ("what is meant by sycophancy?", AskedName("sycophancy", initials=False)),
        ("what does “model collapse” mean?", AskedName("model collapse", initials=False)),
        ("define KV cache", AskedName("KV cache", initials=False)),
        ("what does RAG stand for?", AskedName("RAG", initials=True)),
        ("what does the acronym DPO stand for", AskedName("DPO", initials=True)),
        ("what is the full form of NER?", AskedName("NER", initials=True)),
        ("what is the best way to cut documents into chunks for RAG?", None),
        ("what is the difference between LoRA and full fine-tuning?", None),
        ("what is it?", None),
        ("what is this paper about?", None),
        ("what is new in RAG?", None),
        ("what causes loss spikes?", None),
        ("what do semantic IDs buy you in generative recommendation?", None),
    ],
)
def test_a_question_for_a_definition_is_told_from_others(question, asked):
    assert defined(question) == asked


def first(question, *abstracts):
    """The first sentence that defines what a question asks for, "" if none does."""
    asked = defined(question)
    assert asked is not None
    found = definitions(asked, [Passage(number, text) for number, text in enumerate(abstracts, 1)])
    return found[0].sentence.text if found else ""


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "what is grokking?",
            "Grokking, the phenomenon where networks generalize late, is poorly understood.",
        ),
        ("what is grokking?", "Grokking refers to delayed generalization."),
        ("what is LoRA?", "Low-Rank Adaptation (LoRA) is a method that trains two small matrices."),
        ("what are sparse autoencoders?", "A sparse autoencoder is a network that has few active units."),
        (
            "what is model collapse?",
            "Models trained on their own text degrade, which is known as model collapse.",
        ),
        ("what is PrismLLM?", "We present PrismLLM to emulate clusters of GPUs on a single machine."),
        ("what is PrismLLM?", "We present PrismLLM, a system that emulates clusters of GPUs."),
    ],
)
def test_a_sentence_that_defines_comes_before_those_that_mention(question, sentence):
    thing = defined(question).name
    others = (
        f"We study {thing}. Our results on {thing} surpass earlier work. Dual {thing} is a method for tuning."
    )
    assert first(question, others, f"{others} {sentence}") == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Dual LoRA is a method that adds a second pair of matrices.",
        "With the emergence of LoRA, the size of models that people tune has grown.",
        "We propose a router for LoRA, a component of which is frozen.",
        "We try lifelong low-rank adaptation (LoRA), a method that adds a pair of matrices for each task.",
        "R-LoRA is a method for many tasks.",
        "Losses often misalign with the goals of LoRA, i.e., the metrics of the task.",
        "A salient feature of LoRA is the small number of weights that it trains.",
        "LoRA often underperforms in such complex scenarios.",
    ],
)
def test_a_sentence_on_something_else_defines_nothing(sentence):
    assert first("what is LoRA?", sentence) == ""


def test_initials_are_answered_by_a_sentence_for_each_long_form():
    region = "We build a Region Adjacency Graph (RAG) of each image."
    retrieval = "Retrieval-Augmented Generation (RAG) is common."
    longer = (
        "Many systems rely on retrieval augmented generation (RAG) for every question that people ask them."
    )
    passages = [
        Passage(n, text) for n, text in enumerate([longer, region, retrieval, "RAG systems fail."], 1)
    ]
    found = definitions(AskedName("rag", initials=True), passages)
    assert [one.sentence.text for one in found] == [retrieval, region]
    assert long_form("RAG", passages[1:3]) in ("region adjacency graph", "retrieval-augmented generation")


def test_the_quotes_are_the_definitions_alone():
    sentence = "Grokking, the sudden generalization after a long time of overfitting, is not understood."
    passages = [
        Passage(1, f"We train networks. {sentence} We study grokking."),
        Passage(2, "Grokking is hard."),
    ]
    answer = Answerer.shipped().answer("what is grokking?", passages, lambda texts: pytest.fail("not needed"))
    assert answer.answered
    assert [quote.text for quote in answer.quotes] == [sentence]
    [quote] = answer.quotes
    assert passages[quote.passage].text[quote.start : quote.end] == sentence
