"""Which questions ask for a paper's authors, and which compare two things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.answers.questions import asks_who_wrote, compared, whose_writers


@pytest.mark.parametrize(
    "question",
    [
        "who wrote this?",
        "Who are the authors of this paper",
        "so, who published it?",
        "by whom?",
        "whose paper is this",
    ],
)
def test_who_wrote_a_paper_is_asked(question):
    assert asks_who_wrote(question)


@pytest.mark.parametrize(
    "question",
    [
        "who wrote the code that they use?",
        "what do the authors claim?",
        "who made the dataset?",
        "authors say what?",
        "",
    ],
)
def test_other_questions_about_people_are_not(question):
    assert not asks_who_wrote(question)


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("compare HyMem and RAG", ("HyMem", "RAG")),
        ("how does HyMem compare with RAG?", ("HyMem", "RAG")),
        ("what is the difference between LoRA and full fine-tuning?", ("LoRA", "full fine-tuning")),
        ("is LoRA better than full fine-tuning?", ("LoRA", "full fine-tuning")),
        ("BM25 vs. dense retrieval", ("BM25", "dense retrieval")),
        ("what causes loss spikes?", None),
        ("how do models compare documents?", None),
        ("", None),
    ],
)
def test_what_a_question_compares(question, things):
    assert compared(question) == things


@pytest.mark.parametrize(
    ("question", "paper"),
    [
        ("who wrote PrismLLM?", "PrismLLM"),
        ("Who are the authors of the paper “Attention Is All You Need”?", "Attention Is All You Need"),
        ("so who published 2608.20331", "2608.20331"),
        ("authors of GPT-3", "GPT-3"),
        ("who wrote?", None),
        ("what do the authors of GPT-3 claim?", None),
        ("", None),
    ],
)
def test_the_paper_whose_authors_are_asked_for(question, paper):
    assert whose_writers(question) == paper


@given(st.text(max_size=3_000))
def test_any_text_is_read(text):
    whose_writers(text)
    asks_who_wrote(text)
    compared(text)
