"""What is not wanted, said before the subject or in a sentence of its own."""

import time

import pytest

from index.search.unwanted_first import subject_first

SAID = {
    "I don't want surveys on RAG": "RAG but not surveys",
    "i dont want any more survey papers about rag pls": "rag but not survey papers",
    "we do not want to see surveys or benchmarks on RAG": "RAG but not surveys or benchmarks",
    "I don't want LLMs, just classical forecasting": "classical forecasting but not LLMs",
    "I don't want LLM papers on planning": "planning but not LLM",
    "im not interested in deep learning papers on trees": "trees but not deep learning",
    "I don't want papers on planning": " but not planning",
    "anything but surveys on RAG but not robots": "RAG but not surveys or robots",
    "anything but surveys on RAG but not robots, not by Liang": "RAG but not surveys or robots, not by Liang",
    "no surveys please: RAG": "RAG, no surveys",
    "not a survey, RAG": "RAG, no survey",
    "not surveys, RAG": "RAG, no surveys",
    "no surveys on RAG": "RAG, no surveys",
    "no surveys, no benchmarks, RAG": "RAG, no surveys, no benchmarks",
    "nothing about LLMs, human reasoning": "human reasoning, no LLMs",
    "anything but surveys on RAG": "RAG but not surveys",
    "anything but surveys, RAG": "RAG but not surveys",
    "everything except transformers for time series": "time series but not transformers",
    "papers other than surveys on diffusion": "diffusion but not surveys",
    "RAG, anything but surveys": "RAG but not surveys",
    "RAG but I don't want surveys": "RAG but not surveys",
    "RAG. i dont want survey papers": "RAG but not survey",
    "not interested in surveys, looking for RAG": "RAG but not surveys",
    "pls no LLM stuff, I want tables": "tables, no LLM",
    "skip the surveys, RAG": "RAG but not surveys",
    "without surveys, RAG": "RAG but not surveys",
    "RAG without survey papers": "RAG but not survey papers",
    "RAG minus surveys pls": "RAG but not surveys",
    "anything but LLMs": " but not LLMs",
    "everything except LLMs please": " but not LLMs",
    "I don't want surveys": " but not surveys",
    "no surveys": " but not surveys",
    "no robots please": " but not robots",
}


@pytest.mark.parametrize("text", SAID)
def test_the_subject_comes_first(text):
    assert subject_first(text) == SAID[text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no regret",
        "no regret learning in games",
        "no language left behind",
        "no code platforms for robots",
        "nothing but LLMs",
        "no labels: self-training",
        "no labels, no problem: self-training",
        "not minds, but signs",
        "skip connections, residual networks",
        "recommendation without reviews",
        "papers on RAG but not on QA",
        "not only text, but images: retrieval",
        "not all tokens matter, long context",
        "attention is anything but explanation",
        "everything is connected",
        "I don't want to fine-tune, how do I adapt a model",
        "I don't want to read long papers. Find decoding",
    ],
)
def test_what_leaves_nothing_out_stays(text):
    assert subject_first(text) == text


@pytest.mark.parametrize(
    "said",
    [
        "no a, ",
        "i do not want a or ",
        "anything but a ",
        "a, anything but ",
        "no surveys or ",
        "surveys on ",
        "please, ",
        "i don't want any ",
        "a but i don't want ",
        "no survey papers ",
        " ",
    ],
)
def test_hostile_text_is_read_quickly(said):
    start = time.process_time()
    subject_first((said * 6_000)[:6_000] + "\n!")
    assert time.process_time() - start < 0.5
