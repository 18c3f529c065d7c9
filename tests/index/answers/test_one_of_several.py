"""Which one of a list is meant by a number, an ordinal, and "the other one"."""

import pytest

from data.stores.asked_questions import AskedQuestion
from index.answers.asked_before import Among, Before, on_card
from index.answers.one_of_several import asks_for_one, asks_for_other, one_meant

PAGE = Before("search", "penguins", AskedQuestion("penguins", "penguins"), Among((61, 71, 81, 91), first=6))


@pytest.mark.parametrize(
    ("said", "paper"),
    [
        ("the second one", 71),
        ("the seventh one", 71),
        ("teh secnd one pls", 71),
        ("no, the frist paper", 61),
        ("open the 9th", 91),
        ("the 4th one", 91),
        ("the last one", 91),
        ("[8]", 81),
        ("#8", 81),
        ("8", 81),
        ("ok and number 8 please", 81),
        ("tell me more about the third one", 81),
    ],
)
def test_a_number_is_that_of_the_list_and_an_ordinal_may_count_the_page(said, paper):
    one = one_meant(said, PAGE)
    assert one is not None
    assert one.papers == (paper,)


@pytest.mark.parametrize("said", ["2", "#2", "the fifth one", "the tenth one", "the other one", "next"])
def test_what_the_page_has_not_is_none(said):
    assert one_meant(said, PAGE) is None


@pytest.mark.parametrize(
    "said", ["the first paper on grokking", "the lasso", "the best one", "first impressions", "2026", "no"]
)
def test_what_asks_for_something_else_asks_for_none_of_them(said):
    assert not asks_for_one(said)
    assert not asks_for_other(said)
    assert one_meant(said, PAGE) is None


@pytest.mark.parametrize(
    "said", ["the other one", "no, the other one", "nope other one", "i meant the other paper"]
)
def test_the_other_one_is_the_one_of_two_that_was_not_taken(said):
    for taken, other in ((61, 71), (71, 61)):
        one = one_meant(said, on_card(taken, "Penguins", "Penguins", Among((61, 71))))
        assert one is not None
        assert one.papers == (other,)
    assert one_meant(said, on_card(61, "Penguins", "Penguins", Among((61, 71, 81)))) is None
    assert one_meant(said, on_card(61, "Penguins", "Penguins")) is None
