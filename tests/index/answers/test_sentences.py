"""Sentences keep their places, their numbers, their formulas and their abbreviations."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.answers.sentences import split


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split(text)]


@pytest.mark.parametrize(
    "whole",
    [
        "Accuracy rose from 0.5 to .82 vs. 0.9 before.",
        "We use the test of Smith et al. (2019), e.g. for Fig. 3 and Eqs. 2 and 4.",
        "Lee et al. 2019 and Ng et al. [3] did not (cf. Sec. 2. Not here) agree.",
        "The loss $L = 0.5. A$ holds, and \\(x. Y\\) too.",
        "We sampled E. coli from U.S. patients (p < 0. 05).",
        "Code is at https://a.example/b.C?d=E. f and in GPT-4.5.",
        "It fell in Jan. 2019 by approx. 3.5 % i.e. more.",
        "It was written by J. Doe and A. B. Roe.",
    ],
)
def test_a_sentence_is_not_cut(whole: str) -> None:
    assert texts(whole) == [whole]


@pytest.mark.parametrize(
    "parts",
    [
        ["It grew by 3.5%.", "mRNA fell."],
        ["We compare with Lee et al.", "We find no gain."],
        ["Is vitamin C. safe?", "Yes."],
        ["It needs vitamin C.", "The rest is fine."],
        ["He said “no.”", "Then 5 mice died [12].", "All was over..."],
        ["First line without a mark", "Second after a blank line."],
    ],
)
def test_sentences_are_told_apart(parts: list[str]) -> None:
    joined = "\n\n".join(parts) if "blank" in parts[-1] else " ".join(parts)
    assert texts(joined) == parts


def test_two_sentences_without_a_space_between_them_are_two() -> None:
    assert texts("It works well.We find more.") == ["It works well.", "We find more."]


def test_the_heading_of_a_section_is_not_part_of_its_sentence() -> None:
    text = "BACKGROUND AND AIMS: It hurts. METHODS: 12 of 20 had vitamin D. RESULTS: None did."
    assert [(s.label, s.text) for s in split(text)] == [
        ("BACKGROUND AND AIMS", "It hurts."),
        ("METHODS", "12 of 20 had vitamin D."),
        ("RESULTS", "None did."),
    ]


@given(st.text(alphabet="aA1 .!?$()[]\\\"'\n,eg:é", max_size=300))
def test_places_are_exact_and_nothing_is_said_twice(text: str) -> None:
    last = 0
    for sentence in split(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.text == sentence.text.strip() != ""
        assert sentence.start >= last
        last = sentence.end


@pytest.mark.parametrize("unit", ["( a. B ", "$ a. ", ".", "[1 ", "\\(", "A B ", "a.", ")\n\t", "e.g. "])
def test_a_hostile_text_takes_no_longer_than_a_plain_one(unit: str) -> None:
    begun = time.process_time()
    split(unit * (100_000 // len(unit)))
    assert time.process_time() - begun < 2
