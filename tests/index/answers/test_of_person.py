"""What is said of somebody whom a text doesn't name."""

import time

import pytest

from index.answers.compared_before import asks_to_compare
from index.answers.going_on import asks_for_alike
from index.answers.of_person import asks_for_theirs, asks_of_somebody
from index.answers.one_of_several import asks_for_next, asks_for_one, asks_for_other


@pytest.mark.parametrize(
    "said",
    [
        "are there any other papers by them?",
        "are there other papers by the same authors",
        "are there any newer papers from this group?",
        "any other papers by them",
    ],
)
def test_more_by_its_authors_is_asked_for(said):
    assert asks_for_theirs(said)


@pytest.mark.parametrize(
    "said",
    [
        "are there any ",
        "what is any ",
        "and show me any more papers by ",
        "what does he work on now ",
        "no, not that one, ",
        "show me similar papers ",
        "can you compare it to ",
        "tell me more about the second one ",
        "her papers, their papers ",
    ],
)
def test_hostile_text_is_read_quickly(said):
    text = said * (6_000 // len(said)) + "x"
    start = time.process_time()
    for asks in (
        asks_for_theirs,
        asks_of_somebody,
        asks_for_one,
        asks_for_other,
        asks_for_next,
        asks_for_alike,
        asks_to_compare,
    ):
        asks(text)
    assert time.process_time() - start < 0.5
