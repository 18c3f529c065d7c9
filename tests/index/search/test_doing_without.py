"""What papers say they do without."""

import pytest

from index.search.doing_without import DoneWithout, read_done_without

MODEL = DoneWithout("reward model", "RL")


@pytest.mark.parametrize(
    "abstract",
    [
        "We align models without a reward model.",
        "It learns without training an explicit reward model.",
        "A reward-model-free method.",
        "Our reward-free method needs little data.",
        "This eliminates the need for a separate reward model.",
        "It does not require reward models.",
        "It works with no reward model at all, instead of a\nlearned one.",
        "We optimize preferences directly rather than reward models.",
    ],
)
def test_a_paper_says_that_it_does_without_something(abstract):
    assert MODEL.is_said_in("Alignment", abstract)


@pytest.mark.parametrize(
    "abstract",
    [
        "We train a reward model.",
        "Without labels, we train a reward model.",
        "No prior work compares the use of reward models.",
        "It is not clear which reward model is best.",
        "We improve on it without retraining the policy or the reward model.",
        "Rewards without models.",
    ],
)
def test_a_paper_that_only_names_it_doesn_t_say_so(abstract):
    assert not MODEL.is_said_in("Alignment", abstract)


def test_the_title_decides_and_an_abstract_may_have_to_speak_of_it_mostly_so():
    says = "It needs no reward model."
    assert not MODEL.is_said_in("Better Reward Models", says)
    assert MODEL.is_said_in("RL without Reward Models", "We compare reward models.")
    often = f"{says} Reward models fail. A reward model drifts. The reward model is large."
    assert MODEL.is_said_in("Alignment", often)
    assert not MODEL.is_said_in("Alignment", often, mostly=True)
    assert MODEL.is_named_in("A reward model")


def test_what_is_asked_for_is_said_plainly():
    asked = read_done_without("RL that doesn't need a reward model?")
    assert asked == (DoneWithout("reward model", "RL"), "RL without reward model")
    assert read_done_without("RL on GPUs") == (None, "RL on GPUs")
    assert read_done_without("without labels") == (None, "without labels")


@pytest.mark.parametrize(
    "said",
    [
        "drop what it learned without starting over",
        "rate a text without a human checking it",
        "cut it without hurting answers",
    ],
)
def test_what_is_not_done_is_no_thing(said):
    assert read_done_without(said) == (None, said)
