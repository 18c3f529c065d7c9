"""A summary's result is a finding, and not where the code is."""

from __future__ import annotations

from index.answers.passage import Passage
from index.answers.summary import summary

ABSTRACT = (
    "Training large models on many GPUs is slow to start after a failure. We propose a scheduler that keeps "
    "standby machines warm. It restarts training of a 70B model in 41 seconds, 3.2 times faster than the "
    "baseline. We hope that this work inspires future research. Our code is available at this https URL."
)


def parts_of(text: str) -> dict[str, str]:
    return {part.name: part.quote.text for part in summary([Passage(1, text, "Warm Standby")])}


def test_the_result_is_what_was_measured_not_the_closing_praise():
    assert parts_of(ABSTRACT)["result"].startswith("It restarts training of a 70B model in 41 seconds")


def test_a_quote_is_the_abstract_at_its_place():
    for part in summary([Passage(1, ABSTRACT, "Warm Standby")]):
        assert ABSTRACT[part.quote.start : part.quote.end] == part.quote.text


def test_an_empty_abstract_has_no_parts():
    assert summary([Passage(1, "", "Warm Standby")]) == ()
